"""A suite that takes all it can get: it hits its limits, and nothing is left when it is gone."""

import os
from collections.abc import Callable
from typing import TYPE_CHECKING

from proctor.model.plan import Limits
from proctor.ports import Process, Sandbox

if TYPE_CHECKING:
    from tests.conftest import Bench

MIB = 1024 * 1024
Assault = Callable[..., dict[str, str]]
Wait = Callable[[Callable[[], object]], None]


def test_a_fork_bomb_stops_at_its_limit(bench: "Bench", sandbox: Sandbox) -> None:
    program = """
import os, time
count = 0
try:
    while True:
        if os.fork() == 0:
            time.sleep(1000)
        count += 1
except BlockingIOError:
    print(count)
"""
    outcome = bench.run(sandbox, bench.python(program, limits=Limits(processes=40)))
    assert 10 < int(outcome.stdout) < 40


def test_a_fork_bomb_without_end_can_be_killed(bench: "Bench", sandbox: Sandbox, wait_until: Wait) -> None:
    program = """
import os
while True:
    try:
        os.fork()
    except OSError:
        open("full", "w").close()
"""
    process, report = sandbox.start(bench.python(program, limits=Limits(processes=30)))

    def act(process: Process) -> None:
        wait_until((bench.project / "full").exists)
        process.kill()

    assert bench.watch(process, report, act).exit.signal == 9


def test_a_thread_bomb_stops_at_its_limit(bench: "Bench", sandbox: Sandbox) -> None:
    program = """
import threading, time
count = 0
try:
    while True:
        threading.Thread(target=time.sleep, args=(1000,), daemon=True).start()
        count += 1
except RuntimeError:
    print(count, flush=True)
import os
os._exit(0)
"""
    outcome = bench.run(sandbox, bench.python(program, limits=Limits(processes=40)))
    assert 10 < int(outcome.stdout) < 40


def test_a_memory_bomb_is_killed_and_named(bench: "Bench", sandbox: Sandbox) -> None:
    program = "x = bytearray(512 * 1024 * 1024)"
    outcome = bench.run(sandbox, bench.python(program, limits=Limits(memory=64 * MIB)))
    assert outcome.exit.out_of_memory
    assert outcome.exit.signal == 9
    assert 0 < outcome.exit.peak_memory <= 64 * MIB


def test_a_memory_bomb_of_many_small_processes_is_killed_and_named(bench: "Bench", sandbox: Sandbox) -> None:
    program = """
import os, time
children = []
for _ in range(10):
    pid = os.fork()
    if pid == 0:
        x = bytearray(b"x") * (24 * 1024 * 1024)
        time.sleep(1000)
    children.append(pid)
print(os.waitpid(-1, 0)[1])
"""
    outcome = bench.run(sandbox, bench.python(program, limits=Limits(memory=96 * MIB)))
    assert outcome.exit.out_of_memory


def test_filling_shared_memory_ends_at_the_memory_limit(bench: "Bench", sandbox: Sandbox) -> None:
    program = """
import os
with open("/dev/shm/bomb", "wb") as file:
    for _ in range(512):
        file.write(bytes(1024 * 1024))
"""
    outcome = bench.run(sandbox, bench.python(program, limits=Limits(memory=64 * MIB)))
    assert outcome.exit.out_of_memory or "No space left" in outcome.stderr
    assert not os.path.exists("/dev/shm/bomb")


def test_exhausting_inodes_of_shared_memory_ends_at_the_memory_limit(
    bench: "Bench", sandbox: Sandbox
) -> None:
    program = """
import os
os.mkdir("/dev/shm/many")
for number in range(300_000):
    os.close(os.open(f"/dev/shm/many/{number}", os.O_CREAT))
print("all")
"""
    outcome = bench.run(sandbox, bench.python(program, limits=Limits(memory=48 * MIB)))
    assert outcome.exit.out_of_memory or "No space left" in outcome.stderr
    assert "all" not in outcome.stdout


def test_a_file_that_fills_the_workspace_stops_at_its_limit(assault: Assault) -> None:
    said = assault(
        """
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
def fill():
    with open("large", "wb") as file:
        for _ in range(64):
            file.write(bytes(1024 * 1024))
attempt("fill", fill)
print("size", os.path.getsize("large"))
""",
        limits=Limits(file_size=4 * MIB),
    )
    assert said == {"fill": "EFBIG", "size": str(4 * MIB)}


def test_descriptors_run_out_for_the_command_alone(assault: Assault) -> None:
    said = assault(
        """
opened = []
def exhaust():
    while True:
        opened.append(os.open("/dev/null", os.O_RDONLY))
attempt("open", exhaust)
print("count", len(opened))
""",
        limits=Limits(open_files=64),
    )
    assert said["open"] == "EMFILE"
    assert 40 < int(said["count"]) < 64


def test_spinning_processes_are_held_to_their_share_and_can_be_killed(
    bench: "Bench", sandbox: Sandbox, wait_until: Wait
) -> None:
    program = """
import os
os.fork(); os.fork()
open(f"spin{os.getpid()}", "w").close()
while True:
    pass
"""
    process, report = sandbox.start(bench.python(program, limits=Limits(cpus=0.5)))

    def act(process: Process) -> None:
        wait_until(lambda: len(list(bench.project.glob("spin*"))) == 4)
        process.kill()

    outcome = bench.watch(process, report, act)
    assert outcome.exit.signal == 9
    assert any(words.startswith("cpus 0.5") for words in outcome.report.enforced)


def test_a_command_that_sleeps_forever_can_be_killed(bench: "Bench", sandbox: Sandbox) -> None:
    process, report = sandbox.start(bench.job("sleep", "infinity"))
    assert bench.watch(process, report, lambda each: each.kill()).exit.signal == 9
