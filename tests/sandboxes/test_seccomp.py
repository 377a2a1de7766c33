"""The system call filter as bytes: loadable by the kernel without any tool."""

import subprocess
import sys

from proctor.sandboxes import seccomp

LOADER = """
import ctypes, os, sys
class Program(ctypes.Structure):
    _fields_ = [("length", ctypes.c_ushort), ("code", ctypes.c_void_p)]
code = ctypes.create_string_buffer(bytes.fromhex(sys.stdin.read()))
libc = ctypes.CDLL(None, use_errno=True)
assert libc.prctl(38, 1, 0, 0, 0) == 0
assert libc.prctl(22, 2, ctypes.byref(Program((len(code) - 1) // 8, ctypes.addressof(code))), 0, 0) == 0
print(libc.unshare(0x10000000), ctypes.get_errno(), libc.personality(0xFFFFFFFF) >= 0, os.getpid() > 0)
"""


def test_the_kernel_takes_the_bytes_and_obeys_them() -> None:
    done = subprocess.run(
        [sys.executable, "-c", LOADER],
        input=seccomp.program().hex(),
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.split() == ["-1", "1", "True", "True"]


def test_threads_processes_and_their_usual_calls_work_under_it() -> None:
    work = "import subprocess, threading; t = threading.Thread(target=print); t.start(); t.join()\n"
    work += "print(subprocess.run(['echo', 'child'], capture_output=True, text=True).stdout)"
    done = subprocess.run(
        [sys.executable, "-c", LOADER + work],
        input=seccomp.program().hex(),
        capture_output=True,
        text=True,
        check=True,
    )
    assert "child" in done.stdout


def test_the_program_is_whole_instructions_and_made_once() -> None:
    assert len(seccomp.program()) % 8 == 0
    assert seccomp.program() is seccomp.program()
