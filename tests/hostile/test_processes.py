"""Processes that will not go, hide, or take others with them: the end is told truly and nothing is left."""

import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from proctor.model.plan import Limits
from proctor.ports import Process, Sandbox

if TYPE_CHECKING:
    from tests.conftest import Bench

MIB = 1024 * 1024
Wait = Callable[[Callable[[], object]], None]

DAEMON = """
import os, signal, sys, time
def daemon(stdio):
    if os.fork() == 0:
        os.setsid()
        for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
            signal.signal(number, signal.SIG_IGN)
        if os.fork() == 0:
            if not stdio:
                for number in (0, 1, 2):
                    os.close(number)
            open("daemon", "w").close()
            time.sleep(1000)
        os._exit(0)
    while not os.path.exists("daemon"):
        time.sleep(0.005)
"""


@pytest.mark.parametrize("stdio", [True, False], ids=["holding the pipes", "without stdio"])
def test_a_double_forked_daemon_dies_with_its_command(bench: "Bench", sandbox: Sandbox, stdio: bool) -> None:
    outcome = bench.run(sandbox, bench.python(DAEMON + f"daemon({stdio}); print('over')"))
    assert outcome.stdout == "over"
    assert outcome.exit.exit_code == 0


def test_an_orphan_that_holds_the_pipe_does_not_hold_the_run(bench: "Bench", sandbox: Sandbox) -> None:
    outcome = bench.run(sandbox, bench.job("sh", "-c", "sleep 1000 & echo over; exit 3"))
    assert (outcome.stdout, outcome.exit.exit_code) == ("over", 3)


def test_a_request_to_end_reaches_every_process(bench: "Bench", sandbox: Sandbox, wait_until: Wait) -> None:
    program = """
import os, signal, sys, time
def end(*_):
    open(f"ended-{role}", "w").close()
    if child:
        os.waitpid(child, 0)  # what outlives the command is killed, and could not end by itself
    os._exit(5)
child = os.fork()
role = "parent" if child else "child"
signal.signal(signal.SIGTERM, end)
open(f"ready-{role}", "w").close()
while True:
    time.sleep(1000)
"""
    process, report = sandbox.start(bench.python(program))

    def act(process: Process) -> None:
        wait_until(lambda: len(list(bench.project.glob("ready-*"))) == 2)
        process.terminate()

    assert bench.watch(process, report, act).exit.exit_code == 5
    assert (bench.project / "ended-child").exists()


def test_one_that_ignores_the_request_to_end_is_killed(
    bench: "Bench", sandbox: Sandbox, wait_until: Wait
) -> None:
    program = """
import signal, time
signal.signal(signal.SIGTERM, lambda *_: open("asked", "w").close())
open("ready", "w").close()
while True:
    time.sleep(1000)
"""
    process, report = sandbox.start(bench.python(program))

    def act(process: Process) -> None:
        wait_until((bench.project / "ready").exists)
        process.terminate()
        wait_until((bench.project / "asked").exists)
        process.kill()

    assert bench.watch(process, report, act).exit.signal == signal.SIGKILL


def test_one_that_stops_itself_is_killed(bench: "Bench", sandbox: Sandbox, wait_until: Wait) -> None:
    program = 'import os, signal; open("ready", "w").close(); os.kill(os.getpid(), signal.SIGSTOP)'
    process, report = sandbox.start(bench.python(program))

    def act(process: Process) -> None:
        wait_until((bench.project / "ready").exists)
        process.kill()

    assert bench.watch(process, report, act).exit.signal == signal.SIGKILL


def test_a_storm_of_zombies_passes(bench: "Bench", sandbox: Sandbox) -> None:
    program = """
import os
for _ in range(150):
    if os.fork() == 0:
        if os.fork() == 0:
            os._exit(0)
        os._exit(0)
    os.wait()
for _ in range(50):
    if os.fork() == 0:
        os._exit(0)
print("over")
"""
    outcome = bench.run(sandbox, bench.python(program, limits=Limits(processes=100)))
    assert (outcome.stdout, outcome.exit.exit_code) == ("over", 0)


def test_a_signal_to_everybody_reaches_only_its_own(
    bench: "Bench", sandbox: Sandbox, bystander: "subprocess.Popen[bytes]"
) -> None:
    program = """
import os, signal, time
if os.fork() == 0:
    time.sleep(1000)
os.kill(-1, signal.SIGKILL)
os.kill(os.getpid(), signal.SIGKILL)
"""
    assert bench.run(sandbox, bench.python(program)).exit.signal == signal.SIGKILL
    assert bystander.poll() is None


def test_an_early_exit_is_told_as_it_was(bench: "Bench", sandbox: Sandbox) -> None:
    outcome = bench.run(sandbox, bench.python("import os; print('half', end='', flush=True); os._exit(0)"))
    assert (outcome.stdout, outcome.exit.exit_code, outcome.exit.signal) == ("half", 0, 0)


def test_a_segmentation_fault_is_told_and_leaves_no_core(bench: "Bench", sandbox: Sandbox) -> None:
    outcome = bench.run(sandbox, bench.python("import ctypes; ctypes.string_at(0)"))
    assert (outcome.exit.exit_code, outcome.exit.signal) == (None, signal.SIGSEGV)
    assert list(bench.project.iterdir()) == []


def test_a_child_killed_for_its_memory_is_told_though_its_parent_ends_well(
    bench: "Bench", sandbox: Sandbox
) -> None:
    program = """
import os
if os.fork() == 0:
    x = bytearray(512 * 1024 * 1024)
os.wait()
print("fine")
"""
    outcome = bench.run(sandbox, bench.python(program, limits=Limits(memory=64 * MIB)))
    assert (outcome.stdout, outcome.exit.exit_code) == ("fine", 0)
    assert outcome.exit.out_of_memory


STARTER = """
import os, sys, time
from proctor.model.plan import Command, Job, Limits, Policy
from proctor.sandboxes.{module} import {name}
root, mark, program = sys.argv[1:]
job = Job(command=Command(argv=(sys.executable, "-c", program), cwd=root), limits=Limits(), scratch=root,
          environment={{"MARK": mark, "PATH": os.environ["PATH"]}}, policy=Policy(writable=(root,)))
process, report = {name}().start(job)
print("started", flush=True)
time.sleep(1000)
"""


def test_killing_proctor_ends_daemons_too(
    bench: "Bench", sandbox: Sandbox, wait_until: Wait, groups_of: Callable[[int], set[str]]
) -> None:
    kind = type(sandbox)
    starter = STARTER.format(module=kind.__module__.rsplit(".", 1)[1], name=kind.__name__)
    program = DAEMON + "daemon(True); time.sleep(1000)"
    proctor = subprocess.Popen(
        [sys.executable, "-c", starter, str(bench.project), bench.mark, program], stdout=subprocess.PIPE
    )
    assert proctor.stdout is not None
    with proctor.stdout:
        assert proctor.stdout.readline() == b"started\n"
        wait_until((bench.project / "daemon").exists)
        proctor.kill()
        proctor.wait()
    wait_until(lambda: not _processes_with(bench.mark))
    # The next run takes away the control groups that the killed one could not.
    bench.run(sandbox, bench.job("true"))
    assert groups_of(proctor.pid) == set()


def _processes_with(mark: str) -> list[str]:
    found = []
    for pid in filter(str.isdecimal, os.listdir("/proc")):
        try:
            if mark.encode() in Path(f"/proc/{pid}/environ").read_bytes():
                found.append(pid)
        except OSError:
            continue
    return found
