"""No sandbox: it says so, and keeps its limits all the same."""

from typing import TYPE_CHECKING

from proctor.model.plan import Limits
from proctor.sandboxes.bare import BareSandbox

if TYPE_CHECKING:
    from tests.conftest import Bench

MIB = 1024 * 1024


def test_it_says_that_it_protects_nothing(bench: "Bench") -> None:
    report = BareSandbox().probe()
    assert report.name == "off"
    assert {"read-only file system", "network off", "seccomp", "hidden paths"} <= set(report.unavailable)
    assert bench.run(BareSandbox(), bench.job("true")).report.unavailable == report.unavailable


def test_open_files_file_sizes_and_core_dumps_are_limited(bench: "Bench") -> None:
    program = """
import resource, signal
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
print(*(resource.getrlimit(getattr(resource, "RLIMIT_" + name)) for name in ("NOFILE", "CORE", "FSIZE")))
try:
    with open("large", "wb") as file:
        file.write(bytes(2 * 1024 * 1024))
except OSError as error:
    print(error.errno)
"""
    limits = Limits(open_files=64, file_size=MIB)
    outcome = bench.run(BareSandbox(), bench.python(program, limits=limits))
    assert outcome.stdout == f"(64, 64) (1, 1) ({MIB}, {MIB})\n27"
    assert {"open files 64"} <= set(outcome.report.enforced)


def test_a_memory_bomb_is_stopped_or_the_missing_limit_is_named(bench: "Bench") -> None:
    limits = Limits(memory=64 * MIB)
    outcome = bench.run(BareSandbox(), bench.python("x = bytearray(512 * 1024 * 1024)", limits=limits))
    assert outcome.exit.exit_code != 0
    assert outcome.exit.out_of_memory or "memory limit for the whole tree" in outcome.report.unavailable


def test_the_command_has_its_own_session_and_no_terminal(bench: "Bench") -> None:
    program = """
import os
print(os.getsid(0) == os.getpid(), os.read(0, 1))
try:
    os.open("/dev/tty", os.O_RDWR)
except OSError as error:
    print("no terminal")
"""
    assert bench.run(BareSandbox(), bench.python(program)).stdout == "True b''\nno terminal"


def test_its_temporary_directory_is_the_private_one(bench: "Bench") -> None:
    outcome = bench.run(BareSandbox(), bench.python("import tempfile; print(tempfile.mkstemp()[1])"))
    assert outcome.stdout.startswith(f"{bench.scratch}/")
