"""Control groups of this machine, whatever version it has."""

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from proctor.model.plan import Limits
from proctor.sandboxes.cgroups import ControlGroup, remove_stale
from proctor.sandboxes.hierarchies import find_hierarchies

MIB = 1024 * 1024
Wait = Callable[[Callable[[], object]], None]
Groups = Callable[[int], set[str]]


@pytest.fixture
def group(groups_of: Groups) -> Iterator[ControlGroup]:
    made, enforced, unavailable = ControlGroup.create("test", Limits(memory=64 * MIB, processes=20, cpus=0.5))
    assert made is not None, (enforced, unavailable)
    assert len(enforced) + len(unavailable) == 3
    yield made
    made.remove()
    made.remove()
    assert groups_of(os.getpid()) == set()


def start(group: ControlGroup, program: str) -> "subprocess.Popen[bytes]":
    """Start a program that waits until it is in the group."""
    process = subprocess.Popen(
        [sys.executable, "-c", "import os, sys; sys.stdin.readline()\n" + program], stdin=subprocess.PIPE
    )
    group.add(process.pid)
    assert process.stdin is not None
    process.stdin.write(b"\n")
    process.stdin.close()
    return process


def test_a_memory_limit_holds_and_the_kill_is_seen(group: ControlGroup) -> None:
    process = start(group, "x = bytearray(512 * 1024 * 1024)")
    assert process.wait(timeout=30) == -9
    usage = group.usage()
    assert usage.oom_killed
    assert 0 < usage.peak_memory <= 64 * MIB


def test_a_count_of_processes_holds(group: ControlGroup) -> None:
    program = """
try:
    for number in range(100):
        if os.fork() == 0:
            __import__("time").sleep(1000)
except OSError:
    os._exit(number)
"""
    process = start(group, program)
    assert 10 < process.wait(timeout=30) < 20


def test_a_kill_reaches_every_process_even_while_it_forks(group: ControlGroup, wait_until: Wait) -> None:
    process = start(group, "while True:\n    try: os.fork()\n    except OSError: pass")
    wait_until(lambda: len(group.pids()) > 10)
    group.kill()
    assert group.pids() == ()
    assert process.wait(timeout=30) == -9


def test_time_used_is_counted(group: ControlGroup) -> None:
    process = start(group, "sum(range(3_000_000))")
    assert process.wait(timeout=30) == 0
    assert group.usage().cpu_seconds > 0
    assert not group.usage().oom_killed


def test_a_group_of_a_dead_owner_is_removed_with_what_runs_in_it(groups_of: Groups) -> None:
    program = """
import os, subprocess, sys
from proctor.model.plan import Limits
from proctor.sandboxes.cgroups import ControlGroup
group, _, _ = ControlGroup.create("left", Limits())
child = subprocess.Popen(["sleep", "1000"])
group.add(child.pid)
print(child.pid, flush=True)
os._exit(0)
"""
    owner = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE)
    with owner:
        assert owner.stdout is not None
        left = int(owner.stdout.readline())
    assert groups_of(owner.pid) != set()
    for hierarchy in find_hierarchies():
        remove_stale(hierarchy.base)
    assert groups_of(owner.pid) == set()
    assert not Path(f"/proc/{left}/cwd").exists()


def test_the_group_of_a_living_owner_stays(group: ControlGroup, groups_of: Groups) -> None:
    before = groups_of(os.getpid())
    for hierarchy in find_hierarchies():
        remove_stale(hierarchy.base)
    assert groups_of(os.getpid()) == before != set()
