"""The keeper: nothing that a command starts outlives it, however it ends and whoever dies first."""

import os
import signal
import subprocess
import sys
import textwrap
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
import pytest

from proctor.model.errors import SandboxUnavailable, ToolMissing
from proctor.model.plan import Command
from proctor.ports import Process
from proctor.sandboxes.bare import BareSandbox

if TYPE_CHECKING:
    from tests.conftest import Bench

Wait = Callable[[Callable[[], object]], None]

DAEMON = """
import os, signal, sys, time
def daemon(path, *ignored):
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            for number in ignored:
                signal.signal(number, signal.SIG_IGN)
            with open(path + ".new", "w") as file:
                file.write(str(os.getpid()))
            os.rename(path + ".new", path)
            while True:
                time.sleep(1000)
        os._exit(0)
    while not os.path.exists(path):
        time.sleep(0.005)
"""


def is_alive(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state not in "ZX"


def test_an_exit_code_is_told_exactly(bench: "Bench") -> None:
    outcome = bench.run(BareSandbox(), bench.python("import sys; print('out'); sys.exit('err')"))
    assert (outcome.exit.exit_code, outcome.exit.signal) == (1, 0)
    assert (outcome.stdout, outcome.stderr) == ("out", "err")


def test_a_deadly_signal_is_told_exactly(bench: "Bench") -> None:
    outcome = bench.run(BareSandbox(), bench.python("import os; os.kill(os.getpid(), 11)"))
    assert (outcome.exit.exit_code, outcome.exit.signal) == (None, signal.SIGSEGV)


def test_a_daemon_dies_when_the_command_ends(bench: "Bench") -> None:
    program = DAEMON + "daemon('pid', signal.SIGTERM, signal.SIGHUP)"
    outcome = bench.run(BareSandbox(), bench.python(program))
    assert outcome.exit.exit_code == 0
    assert not is_alive(int((bench.project / "pid").read_text()))


@pytest.mark.parametrize("last_act", ["time.sleep(1000)", "os.kill(os.getpid(), signal.SIGSTOP)"])
def test_a_kill_reaches_daemons_that_ignore_signals_and_stopped_commands(
    bench: "Bench", wait_until: Wait, last_act: str
) -> None:
    ignored = "signal.SIGTERM, signal.SIGHUP, signal.SIGINT"
    program = f"{DAEMON}daemon('pid', {ignored})\nopen('ready', 'w').close()\n{last_act}"

    def kill(process: Process) -> None:
        wait_until((bench.project / "ready").exists)
        process.terminate()
        process.kill()

    outcome = bench.watch(*BareSandbox().start(bench.python(program)), kill)
    assert outcome.exit.exit_code is None
    assert not is_alive(int((bench.project / "pid").read_text()))


def test_a_request_to_end_reaches_every_process(bench: "Bench", wait_until: Wait) -> None:
    program = """
        import os, signal, sys, time
        child = os.fork()
        if child == 0:
            os.setsid()
        name = "child" if child == 0 else "parent"
        def end(number, frame):
            open(name + ".ended", "w").close()
            if child:
                os.waitpid(child, 0)
            sys.exit(0)
        signal.signal(signal.SIGTERM, end)
        open(name + ".ready", "w").close()
        while True:
            time.sleep(1000)
    """

    def terminate(process: Process) -> None:
        wait_until(lambda: len(list(bench.project.glob("*.ready"))) == 2)
        process.terminate()

    outcome = bench.watch(*BareSandbox().start(bench.python(textwrap.dedent(program))), terminate)
    assert outcome.exit.exit_code == 0
    assert sorted(path.name for path in bench.project.glob("*.ended")) == ["child.ended", "parent.ended"]


def test_a_bounded_fork_bomb_is_gone_to_the_last_process(bench: "Bench", wait_until: Wait) -> None:
    program = """
        import os, signal, time
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        for _ in range(6):
            try:
                os.fork()
            except OSError:
                pass
            os.setsid() if os.getpgrp() != os.getpid() else None
            open(f"pid.{os.getpid()}", "w").close()
        time.sleep(1000)
    """

    def kill(process: Process) -> None:
        wait_until(lambda: len(list(bench.project.glob("pid.*"))) == 64)
        process.kill()

    bench.watch(*BareSandbox().start(bench.python(textwrap.dedent(program))), kill)
    assert not [path.name for path in bench.project.glob("pid.*") if is_alive(int(path.suffix[1:]))]


def test_orphans_are_reaped_while_the_command_runs(bench: "Bench") -> None:
    program = """
        import os, time
        def orphan():
            if os.fork() == 0:
                if os.fork() == 0:
                    os._exit(0)
                os._exit(0)
            os.wait()
        for _ in range(200):
            for _ in range(2000):
                try:
                    orphan()
                    break
                except BlockingIOError:
                    time.sleep(0.001)
            else:
                raise SystemExit("zombies fill the process table")
    """
    assert bench.run(BareSandbox(), bench.python(textwrap.dedent(program))).exit.exit_code == 0


OWNER = """
import os, sys, time
from proctor.model.plan import Command, Job, Limits, Policy
from proctor.sandboxes.bare import BareSandbox
project, scratch, script, fork = sys.argv[1:]
job = Job(command=Command(argv=("/bin/sh", "-c", script), cwd=project), environment={"PATH": "/usr/bin:/bin"},
          policy=Policy(writable=(project,)), limits=Limits(), scratch=scratch)
process, report = BareSandbox().start(job)
if fork == "fork" and os.fork() == 0:
    with open(project + "/fork.pid", "w") as file:
        file.write(str(os.getpid()))
time.sleep(1000)
"""


@pytest.mark.parametrize("fork", ["", "fork"])
def test_killing_proctor_ends_the_command_even_if_a_fork_of_it_lives_on(
    bench: "Bench", wait_until: Wait, ordinary_user: tuple[str, ...], fork: str
) -> None:
    script = """
        daemon='trap "" TERM HUP; echo $$ > new; mv new daemon.pid; while :; do sleep 1000; done'
        (setsid sh -c "$daemon" &)
        while ! test -e daemon.pid; do sleep 0.01; done
        echo $$ > new; mv new main.pid
        sleep 1000
    """
    arguments = (str(bench.project), str(bench.scratch), script, fork)
    # Without a control group the keeper is alone with it.
    owner = subprocess.Popen([*ordinary_user, sys.executable, "-c", OWNER, *arguments])
    wait_until(lambda: len(list(bench.project.glob("*.pid"))) == (3 if fork else 2))
    owner.kill()
    owner.wait()
    try:
        for name in ("main.pid", "daemon.pid"):
            pid = int((bench.project / name).read_text())
            wait_until(lambda pid=pid: not is_alive(pid))  # type: ignore[misc]
    finally:
        if fork:
            os.kill(int((bench.project / "fork.pid").read_text()), signal.SIGKILL)


def test_a_command_that_kills_its_keeper_is_still_ended(bench: "Bench") -> None:
    program = DAEMON + "daemon('pid')\nos.kill(os.getppid(), signal.SIGKILL)\ntime.sleep(1000)"
    outcome = bench.run(BareSandbox(), bench.python(program))
    assert (outcome.exit.exit_code, outcome.exit.signal) == (None, signal.SIGKILL)
    swept = not is_alive(int((bench.project / "pid").read_text()))
    assert swept or "signals kept inside" in outcome.report.unavailable


def test_a_command_that_stops_its_keeper_can_still_be_killed(bench: "Bench", wait_until: Wait) -> None:
    program = (
        "import os, signal, time; os.kill(os.getppid(), signal.SIGSTOP); open('ready', 'w'); time.sleep(1000)"
    )

    def kill(process: Process) -> None:
        wait_until((bench.project / "ready").exists)
        process.kill()

    outcome = bench.watch(*BareSandbox().start(bench.python(program)), kill)
    assert outcome.exit.signal == signal.SIGKILL


def test_a_missing_program_is_named_and_nothing_is_left(bench: "Bench") -> None:
    with pytest.raises(ToolMissing, match="no-such-program"):
        BareSandbox().start(bench.job("no-such-program"))


def test_a_missing_directory_is_named_and_nothing_is_left(bench: "Bench") -> None:
    command = Command(argv=("true",), cwd="/no/such/directory")
    job = msgspec.structs.replace(bench.job("true"), command=command)
    with pytest.raises(SandboxUnavailable, match="/no/such/directory"):
        BareSandbox().start(job)


def test_closing_ends_a_running_command_and_may_be_repeated(bench: "Bench", wait_until: Wait) -> None:
    process, _ = BareSandbox().start(bench.python(DAEMON + "daemon('pid')\ntime.sleep(1000)"))
    wait_until((bench.project / "pid").exists)
    process.close()
    process.close()
    process.terminate()
    process.kill()
    assert not is_alive(int((bench.project / "pid").read_text()))


def test_the_end_of_the_output_is_seen_while_the_command_runs_on(bench: "Bench", wait_until: Wait) -> None:
    program = "import os, time; os.close(1); os.close(2)\nwhile not os.path.exists('go'): time.sleep(0.005)"

    def read_to_the_end(process: Process) -> None:
        for descriptor in (process.stdout, process.stderr):
            wait_until(lambda descriptor=descriptor: _is_at_end(descriptor))  # type: ignore[misc]
        (bench.project / "go").touch()

    outcome = bench.watch(*BareSandbox().start(bench.python(program)), read_to_the_end)
    assert outcome.exit.exit_code == 0


def _is_at_end(descriptor: int) -> bool:
    try:
        return os.read(descriptor, 1) == b""
    except BlockingIOError:
        return False


def test_the_channel_is_an_inherited_descriptor(bench: "Bench") -> None:
    bench.channel.write_bytes(b"before,")
    program = "import os; os.write(int(os.environ['PROCTOR_CHANNEL']), b'after')"
    assert bench.run(BareSandbox(), bench.python(program)).exit.exit_code == 0
    assert bench.channel.read_bytes() == b"before,after"


def test_bytes_that_are_no_text_reach_the_command(bench: "Bench") -> None:
    odd = os.fsdecode(b"\xff\xfe")
    program = "import os, sys; print(os.fsencode(sys.argv[1]), os.environb[b'ODD'])"
    outcome = bench.run(BareSandbox(), bench.python(program, odd, environment={"ODD": odd}))
    assert outcome.stdout == "b'\\xff\\xfe' b'\\xff\\xfe'"
