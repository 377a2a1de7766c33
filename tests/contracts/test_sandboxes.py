"""What every sandbox must do. To hold another one to it, add it to ``SANDBOXES``.

A promise is kept, or the report names it as unavailable: nothing in between.
"""

import os
import signal
import socket
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
import pytest

from proctor.model.errors import SandboxUnavailable, ToolMissing
from proctor.model.plan import Command, Limits
from proctor.model.run import SandboxReport
from proctor.ports import Process, Sandbox
from proctor.sandboxes.bare import BareSandbox
from proctor.sandboxes.bubblewrap import BubblewrapSandbox
from proctor.sandboxes.landlock import LandlockSandbox

if TYPE_CHECKING:
    from tests.conftest import Bench

MIB = 1024 * 1024
Wait = Callable[[Callable[[], object]], None]

SANDBOXES: dict[str, Sandbox] = {
    "bubblewrap": BubblewrapSandbox(),
    "landlock": LandlockSandbox(),
    "landlock alone": LandlockSandbox(namespaces=False),
    "off": BareSandbox(),
}


@pytest.fixture(params=SANDBOXES)
def sandbox(request: pytest.FixtureRequest) -> Sandbox:
    name: str = request.param
    return SANDBOXES[name]


def promises(report: SandboxReport, *words: str) -> bool:
    """Say whether one of these words is enforced; if not, one of them must be called unavailable."""
    if any(kept.startswith(words) for kept in report.enforced):
        return True
    assert any(gap.startswith(words) for gap in report.unavailable), report
    return False


def test_what_it_prints_and_how_it_ends_is_told_exactly(bench: "Bench", sandbox: Sandbox) -> None:
    program = "import sys; print('out'); print('err', file=sys.stderr); sys.exit(7)"
    outcome = bench.run(sandbox, bench.python(program))
    assert (outcome.stdout, outcome.stderr) == ("out", "err")
    assert (outcome.exit.exit_code, outcome.exit.signal, outcome.exit.out_of_memory) == (7, 0, False)


def test_a_deadly_signal_is_told_exactly(bench: "Bench", sandbox: Sandbox) -> None:
    outcome = bench.run(sandbox, bench.python("import os; os.kill(os.getpid(), 15)"))
    assert (outcome.exit.exit_code, outcome.exit.signal) == (None, signal.SIGTERM)


def test_the_environment_is_the_one_of_the_job(bench: "Bench", sandbox: Sandbox) -> None:
    os.environ["OF_THE_CALLER"] = "leaked"
    job = bench.job("env", "-0", environment={"OF_THE_JOB": "two\nlines", "EMPTY": ""})
    outcome = bench.run(sandbox, job)
    del os.environ["OF_THE_CALLER"]
    seen = dict(entry.split("=", 1) for entry in outcome.stdout.split("\0") if entry)
    added = {name: seen.pop(name) for name in sorted(seen.keys() - job.environment.keys())}
    assert seen == job.environment
    assert added.keys() <= {"TMPDIR", "PROCTOR_CHANNEL", "PWD"}


def test_it_starts_in_its_directory_with_nothing_to_read_and_no_terminal(
    bench: "Bench", sandbox: Sandbox
) -> None:
    program = """
import os
print(os.getcwd(), os.read(0, 1), os.getsid(0) != 0)
try:
    os.open("/dev/tty", os.O_RDWR)
except OSError as error:
    print("no terminal")
"""
    outcome = bench.run(sandbox, bench.python(program))
    assert outcome.stdout == f"{bench.project} b'' True\nno terminal"


def test_the_channel_is_appended_to_through_a_descriptor(bench: "Bench", sandbox: Sandbox) -> None:
    program = 'import os; os.write(int(os.environ["PROCTOR_CHANNEL"]), b"said\\n")'
    bench.channel.write_text("before\n")
    bench.run(sandbox, bench.python(program))
    assert bench.channel.read_text() == "before\nsaid\n"


def test_the_project_and_a_private_temp_can_be_written(bench: "Bench", sandbox: Sandbox) -> None:
    program = """
import os, tempfile
os.makedirs("new/deep")
open("new/deep/file", "w").write("made")
handle, path = tempfile.mkstemp()
os.write(handle, b"temporary")
print(open(path).read())
"""
    outcome = bench.run(sandbox, bench.python(program))
    assert (outcome.stdout, outcome.stderr) == ("temporary", "")
    assert (bench.project / "new/deep/file").read_text() == "made"
    assert (bench.project / "new/deep/file").stat().st_uid == bench.project.stat().st_uid


def test_nothing_else_is_written_or_it_says_so(bench: "Bench", sandbox: Sandbox) -> None:
    target = Path.home() / f".proctor-test-{bench.mark}"
    outcome = bench.run(sandbox, bench.job("touch", str(target)))
    written = target.exists()
    target.unlink(missing_ok=True)
    assert written != promises(outcome.report, "read-only file system", "file system")


def test_read_only_paths_stay_or_it_says_so(bench: "Bench", sandbox: Sandbox) -> None:
    (bench.project / "kept").write_text("kept")
    readonly = (str(bench.project / "kept"),)
    outcome = bench.run(sandbox, bench.job("sh", "-c", "echo x > kept", readonly=readonly))
    changed = (bench.project / "kept").read_text() != "kept"
    if changed and sandbox.name != "off":
        assert outcome.exit.tampered == readonly
    assert changed != promises(outcome.report, "read-only paths")


def test_hidden_paths_are_hidden_or_it_says_so(bench: "Bench", sandbox: Sandbox) -> None:
    (bench.project / "secret").write_text("secret")
    hidden = (str(bench.project / "secret"),)
    outcome = bench.run(sandbox, bench.job("cat", "secret", hidden=hidden))
    assert (outcome.stdout == "secret") != promises(outcome.report, "hidden paths")


def test_the_network_is_off_or_it_says_so(bench: "Bench", sandbox: Sandbox) -> None:
    program = "import socket, sys; socket.create_connection(('127.0.0.1', int(sys.argv[1])), 5); print('in')"
    with socket.create_server(("127.0.0.1", 0)) as server:
        outcome = bench.run(sandbox, bench.python(program, str(server.getsockname()[1])))
    assert (outcome.stdout == "in") != promises(outcome.report, "network off")


def test_the_network_is_on_when_it_is_allowed(bench: "Bench", sandbox: Sandbox) -> None:
    program = "import socket, sys; socket.create_connection(('127.0.0.1', int(sys.argv[1])), 5); print('in')"
    with socket.create_server(("127.0.0.1", 0)) as server:
        outcome = bench.run(sandbox, bench.python(program, str(server.getsockname()[1]), network=True))
    assert outcome.stdout == "in"
    assert "network off" not in outcome.report.enforced


def test_local_servers_work_where_the_loopback_is_its_own(bench: "Bench", sandbox: Sandbox) -> None:
    program = """
import socket
server = socket.create_server(("127.0.0.1", 0))
client = socket.create_connection(server.getsockname(), 5)
client.sendall(b"hello")
print(server.accept()[0].recv(5).decode())
"""
    outcome = bench.run(sandbox, bench.python(program))
    if "own loopback" in outcome.report.enforced or sandbox.name == "off":
        assert outcome.stdout == "hello"


def test_system_calls_are_filtered_or_it_says_so(bench: "Bench", sandbox: Sandbox) -> None:
    outcome = bench.run(sandbox, bench.job("grep", "Seccomp:", "/proc/self/status"))
    assert (outcome.stdout.split()[1] == "2") == promises(outcome.report, "seccomp")


def test_no_capability_is_left_or_it_says_so(bench: "Bench", sandbox: Sandbox) -> None:
    outcome = bench.run(sandbox, bench.job("grep", "CapEff", "/proc/self/status"))
    if promises(outcome.report, "capabilities dropped"):
        assert int(outcome.stdout.split()[1], 16) == 0


def test_memory_is_limited_or_it_says_so(bench: "Bench", sandbox: Sandbox) -> None:
    job = bench.python("x = bytearray(512 * 1024 * 1024); print('had it')", limits=Limits(memory=64 * MIB))
    outcome = bench.run(sandbox, job)
    assert outcome.stdout == ""
    assert outcome.exit.out_of_memory == promises(outcome.report, "memory")


def test_what_it_leaves_running_dies(bench: "Bench", sandbox: Sandbox) -> None:
    outcome = bench.run(sandbox, bench.job("sh", "-c", "setsid sleep 1000 & sleep 1000 & exit 0"))
    assert outcome.exit.exit_code == 0
    assert "no process left behind" in outcome.report.enforced


def test_a_request_to_end_and_a_kill_end_it(bench: "Bench", sandbox: Sandbox, wait_until: Wait) -> None:
    for act, number in ((Sandboxed.ask, signal.SIGTERM), (Sandboxed.kill, signal.SIGKILL)):
        ready = bench.project / f"ready{number}"
        process, report = sandbox.start(bench.job("sh", "-c", f"touch {ready}; exec sleep 1000"))
        wait_until(ready.exists)
        assert bench.watch(process, report, act).exit.signal == number


class Sandboxed:
    """What can be done to a process from outside."""

    @staticmethod
    def ask(process: Process) -> None:
        process.terminate()

    @staticmethod
    def kill(process: Process) -> None:
        process.kill()


def test_closing_ends_it_and_may_be_repeated(bench: "Bench", sandbox: Sandbox) -> None:
    process, _ = sandbox.start(bench.job("sleep", "1000"))
    assert process.pid > 1
    process.close()
    process.close()
    process.kill()
    process.terminate()


def test_a_missing_program_is_named(bench: "Bench", sandbox: Sandbox) -> None:
    with pytest.raises(ToolMissing, match="no-such-program"):
        sandbox.start(bench.job("no-such-program"))


def test_a_missing_directory_is_named(bench: "Bench", sandbox: Sandbox) -> None:
    job = msgspec.structs.replace(bench.job("true"), command=Command(argv=("true",), cwd="/no/such/place"))
    with pytest.raises(SandboxUnavailable, match="/no/such/place"):
        sandbox.start(job)


def test_it_says_beforehand_what_it_can_enforce(bench: "Bench", sandbox: Sandbox) -> None:
    probed = sandbox.probe()
    report = bench.run(sandbox, bench.job("true", limits=Limits())).report
    assert probed.name == report.name == sandbox.name
    assert set(probed.enforced) == set(report.enforced)


def test_two_at_once_do_not_see_each_other(bench: "Bench", sandbox: Sandbox) -> None:
    first, first_report = sandbox.start(bench.job("sleep", "1000"))
    second = bench.run(sandbox, bench.python("import os; print(os.getpid())"))
    assert second.exit.exit_code == 0
    assert subprocess.run(["kill", "-0", str(first.pid)], check=False).returncode == 0
    assert bench.watch(first, first_report, Sandboxed.kill).exit.signal == signal.SIGKILL
