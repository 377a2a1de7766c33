"""What only bubblewrap promises, and how it behaves where it cannot be had."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
import pytest

from proctor.model.errors import SandboxUnavailable
from proctor.model.plan import Limits, Policy
from proctor.sandboxes.bubblewrap import BubblewrapSandbox
from proctor.sandboxes.processes import is_alive

if TYPE_CHECKING:
    from tests.conftest import Bench

MIB = 1024 * 1024
NOBODY = 65534
IS_ROOT = os.geteuid() == 0


def test_the_private_temp_is_empty_bounded_and_gone_afterwards(bench: "Bench") -> None:
    program = """
import os, tempfile
print(tempfile.gettempdir(), [name for name in os.listdir("/tmp") if not NEEDED.startswith("/tmp/" + name)])
try:
    with open("/tmp/bomb", "wb") as file:
        for _ in range(64):
            file.write(bytes(1024 * 1024))
except OSError as error:
    print(error.strerror)
"""
    # The project, and a Python that lies below /tmp, are seen there.
    for needed in (str(bench.project), sys.prefix):
        program = program.replace(
            "not NEEDED", f"not {needed!r}.startswith('/tmp/' + name) and not NEEDED", 1
        )
    program = program.replace("NEEDED", repr(sys.base_prefix))
    outcome = bench.run(BubblewrapSandbox(), bench.python(program, limits=Limits(temp_size=8 * MIB)))
    assert outcome.stdout == "/tmp []\nNo space left on device"
    assert not os.path.exists("/tmp/bomb")


def test_programs_in_a_covered_directory_are_still_found(bench: "Bench", tmp_path: Path) -> None:
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", tmp_path / "environment"], check=True)
    python = str(tmp_path / "environment" / "bin" / "python")
    outcome = bench.run(BubblewrapSandbox(), bench.job(python, "-c", "import sys; print(sys.prefix)"))
    assert outcome.stdout == str(tmp_path / "environment")
    (tmp_path / "library").mkdir()
    (tmp_path / "library" / "needed.py").write_text("print('found')")
    environment = {"PYTHONPATH": str(tmp_path / "library")}
    assert (
        bench.run(
            BubblewrapSandbox(), bench.job(python, "-c", "import needed", environment=environment)
        ).stdout
        == "found"
    )


def test_the_deepest_entry_of_a_policy_decides(bench: "Bench") -> None:
    for name in ("closed/open", "secret/inner", "plain"):
        (bench.project / name).mkdir(parents=True)
    root = str(bench.project)
    policy = Policy(writable=(root,), readonly=(f"{root}/closed",), hidden=(f"{root}/secret",))
    program = (
        "for d in closed closed/open secret plain .; do touch $d/x 2>/dev/null && echo $d; done; ls secret"
    )
    job = msgspec.structs.replace(bench.job("sh", "-c", program), policy=policy)
    assert bench.run(BubblewrapSandbox(), job).stdout == "plain\n."


def test_the_whole_machine_cannot_be_the_project(bench: "Bench") -> None:
    job = msgspec.structs.replace(bench.job("true"), policy=Policy(writable=("/",)))
    with pytest.raises(SandboxUnavailable, match="root of the file system"):
        BubblewrapSandbox().start(job)


def test_a_script_that_cannot_be_executed_is_no_exit_code(bench: "Bench") -> None:
    script = bench.project / "script"
    script.write_text("#!/no/such/interpreter\n")
    script.chmod(0o755)
    with pytest.raises(SandboxUnavailable, match="could not be started"):
        bench.run(BubblewrapSandbox(), bench.job(str(script)))


def test_the_project_of_another_user_is_run_as_that_user(bench: "Bench") -> None:
    owner = _give_away(bench)
    program = "import os; print(os.getuid(), os.geteuid()); open('made', 'w').close()"
    program += "; os.write(int(os.environ['PROCTOR_CHANNEL']), b'told\\n')"
    outcome = bench.run(BubblewrapSandbox(), bench.job("/usr/bin/python3", "-c", program))
    assert outcome.stdout == f"{owner} {owner}", outcome
    assert (bench.project / "made").stat().st_uid == owner
    assert bench.channel.read_text() == "told\n"
    assert (f"user {owner}" in outcome.report.enforced) == IS_ROOT


def test_a_program_out_of_that_users_reach_is_run_without_power_and_it_says_so(
    bench: "Bench", tmp_path: Path
) -> None:
    owner = _give_away(bench)
    closed = tmp_path / "closed"
    closed.mkdir(mode=0o700)
    (closed / "program").write_text("#!/bin/sh\nid -u; grep CapEff /proc/self/status\n")
    (closed / "program").chmod(0o755)
    outcome = bench.run(BubblewrapSandbox(), bench.job(str(closed / "program")))
    assert outcome.stdout.split() == [str(os.geteuid()), "CapEff:", "0" * 16]
    assert any(f"user {owner}" in words for words in outcome.report.unavailable) == IS_ROOT


def _give_away(bench: "Bench") -> int:
    """Make the project somebody else's if we can, and the way to it passable; return its owner."""
    if IS_ROOT:
        for directory in (bench.project, *bench.project.parents[:-2]):
            directory.chmod(0o755)
        os.chown(bench.project, NOBODY, NOBODY)
    return bench.project.stat().st_uid


ELSEWHERE = """
import ctypes, os, sys
from proctor.model.errors import SandboxUnavailable
from proctor.model.plan import Command, Job, Limits, Policy
from proctor.sandboxes.bubblewrap import BubblewrapSandbox
ctypes.CDLL(None).prctl(47, 4, 0, 0, 0)  # no ambient capability: bubblewrap refuses to start with one
root, *argv = sys.argv[1:]
job = Job(command=Command(argv=tuple(argv), cwd=root), scratch=root, environment={"PATH": os.environ["PATH"]},
          policy=Policy(writable=(root,)), limits=Limits(processes=30, cpus=1))
try:
    process, report = BubblewrapSandbox().start(job)
except SandboxUnavailable as error:
    print("unavailable:", error.message, "|", error.hint)
else:
    os.set_blocking(process.stdout, True)
    while piece := os.read(process.stdout, 4096):
        print(piece.decode(), end="")
    process.close()
    print(report.enforced)
    print(report.unavailable)
    print("anyio" in sys.modules, "asyncio" in sys.modules, "json" in sys.modules)
"""


KILLED = """
import os, signal, sys
from proctor.sandboxes.bubblewrap_launch import Descriptors, launch
from proctor.sandboxes.keeper_identity import Identity
from proctor.sandboxes.processes import read_stat
options = ("--unshare-user", "--unshare-pid", "--die-with-parent", "--bind", "/", "/", "--chdir", sys.argv[1])
identity = Identity(os.geteuid(), os.getegid(), change=False)
started = launch("/usr/bin/bwrap", options, ("touch", "ran"), identity, Descriptors(), None)
print(started.first, read_stat(started.first).started, flush=True)
os.kill(os.getpid(), signal.SIGKILL)
"""


def test_a_proctor_killed_before_all_limits_hold_has_run_nothing(
    bench: "Bench", wait_until: Callable[[Callable[[], object]], None]
) -> None:
    done = subprocess.run(
        [sys.executable, "-c", KILLED, str(bench.project)], stdout=subprocess.PIPE, check=False
    )
    first, begun = map(int, done.stdout.split())
    wait_until(lambda: not is_alive(first, begun))
    assert list(bench.project.iterdir()) == []


def test_starting_loads_no_event_loop(bench: "Bench") -> None:
    done = subprocess.run(
        [sys.executable, "-c", ELSEWHERE, str(bench.project), "echo", "hello"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.splitlines()[0] == "hello"
    assert done.stdout.splitlines()[-1] == "False False False"


def test_where_namespaces_are_forbidden_nothing_is_run(bench: "Bench") -> None:
    """Inside a sandbox, which forbids them."""
    environment = {"PYTHONPATH": os.pathsep.join(sys.path)}
    job = bench.job(
        sys.executable, "-c", ELSEWHERE, str(bench.project), "touch", "ran", environment=environment
    )
    outcome = bench.run(BubblewrapSandbox(), job)
    assert outcome.stdout.startswith("unavailable: "), outcome
    assert "--sandbox landlock" in outcome.stdout
    assert not (bench.project / "ran").exists()


def test_an_ordinary_user_without_control_groups_is_told_what_is_missing(bench: "Bench") -> None:
    _give_away(bench)
    bomb = """
import os, time
try:
    for number in range(5000):
        if os.fork() == 0:
            time.sleep(1000)
except OSError:
    print("stopped", flush=True)
    os._exit(0)
"""
    done = subprocess.run(
        [
            *_ordinary_user(),
            sys.executable,
            "-c",
            ELSEWHERE,
            str(bench.project),
            "/usr/bin/python3",
            "-c",
            bomb,
        ],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.stderr == ""
    said, enforced, unavailable, _ = done.stdout.splitlines()
    assert said == "stopped"
    assert ("memory limit for the whole tree" in unavailable) == ("GiB for each process" in enforced)
    assert "process count limit" not in unavailable


def _ordinary_user() -> tuple[str, ...]:
    """Return words that make a command an ordinary user's, who yet can read an interpreter of root's."""
    seeing = ("--inh-caps", "+dac_read_search", "--ambient-caps", "+dac_read_search")
    user = ("--reuid", str(NOBODY), "--regid", str(NOBODY), "--clear-groups")
    return ("setpriv", *user, *seeing) if IS_ROOT else ()
