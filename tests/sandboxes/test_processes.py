"""What is read from /proc."""

import os
import subprocess
import sys
from collections.abc import Callable

from proctor.sandboxes.processes import is_alive, list_children, list_descendants, read_stat

Wait = Callable[[Callable[[], object]], None]


def test_a_process_is_known_by_its_start_not_by_its_number_alone() -> None:
    stat = read_stat(os.getpid())
    assert stat is not None
    assert is_alive(os.getpid(), stat.started)
    assert not is_alive(os.getpid(), stat.started + 1)
    assert stat.parent == os.getppid()


def test_a_zombie_is_not_alive(wait_until: Wait) -> None:
    child = subprocess.Popen(["true"])
    stat = read_stat(child.pid)
    assert stat is not None
    wait_until(lambda: not is_alive(child.pid, stat.started))
    child.wait()
    assert read_stat(child.pid) is None


def test_a_name_with_brackets_and_spaces_does_not_confuse() -> None:
    program = "import ctypes, sys; ctypes.CDLL(None).prctl(15, b') Z 1 (x'); print('ready', flush=True)"
    program += "; sys.stdin.read()"
    child = subprocess.Popen([sys.executable, "-c", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    with child:
        assert child.stdout is not None
        assert child.stdout.readline() == b"ready\n"
        stat = read_stat(child.pid)
        assert stat is not None
        assert (stat.parent, stat.state != "Z") == (os.getpid(), True)


def test_descendants_are_found_parents_first(wait_until: Wait) -> None:
    child = subprocess.Popen(["sh", "-c", "sh -c 'read x; true'; true"], stdin=subprocess.PIPE)
    with child:
        wait_until(lambda: len(list_descendants(child.pid)) == 1)
        (grandchild,) = list_descendants(child.pid)
        assert list_children(child.pid) == (grandchild,)
        assert child.pid in list_children(os.getpid())
