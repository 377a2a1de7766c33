"""The few functions of the C library libseccomp that a filter needs. Knows no rule of ours.

By ``ctypes`` and the library's stable name: a lookup by ``ldconfig`` would cost 30 ms on every run.
"""

import ctypes
import os
from typing import Final, NamedTuple

ALLOW: Final = 0x7FFF0000
KILL_PROCESS: Final = 0x80000000
EQ: Final = 4
GT: Final = 6
MASKED_EQ: Final = 7

_SONAME: Final = "libseccomp.so.2"
_ACT_BADARCH: Final = 2
_ARCH_NATIVE: Final = 0


def refusal(code: int) -> int:
    """Return the action that answers a call with this error number."""
    return 0x00050000 | code


class Arg(NamedTuple):
    """One comparison of an argument of a call; for MASKED_EQ ``value`` is the mask."""

    position: int
    operator: int
    value: int
    masked_value: int = 0


class _ArgCmp(ctypes.Structure):
    _fields_ = (
        ("arg", ctypes.c_uint),
        ("op", ctypes.c_int),
        ("datum_a", ctypes.c_uint64),
        ("datum_b", ctypes.c_uint64),
    )


class SystemCallFilter:
    """A filter under construction. Raises OSError when the library is missing or refuses a rule."""

    def __init__(self, default: int, foreign_architecture: int) -> None:
        self._library = ctypes.CDLL(_SONAME)
        self._library.seccomp_init.restype = ctypes.c_void_p
        self._context = ctypes.c_void_p(self._library.seccomp_init(ctypes.c_uint32(default)))
        if not self._context:
            raise OSError("seccomp_init failed")
        self._check(
            self._library.seccomp_attr_set(self._context, _ACT_BADARCH, ctypes.c_uint32(foreign_architecture))
        )

    def number(self, name: str) -> int | None:
        """Return the number of a call, or None if this architecture or library does not know it."""
        number = int(self._library.seccomp_syscall_resolve_name_arch(_ARCH_NATIVE, name.encode()))
        return number if number >= 0 else None

    def add(self, action: int, name: str, *args: Arg) -> None:
        """Answer a call with ``action`` when all its arguments compare true; unknown calls are skipped."""
        number = self.number(name)
        if number is None:
            return
        array = (_ArgCmp * len(args))(*(_ArgCmp(*arg) for arg in args))
        self._check(
            self._library.seccomp_rule_add_array(
                self._context, ctypes.c_uint32(action), number, len(args), array
            )
        )

    def compile(self) -> bytes:
        """Return the program and let go of the filter."""
        with open(os.memfd_create("seccomp", os.MFD_CLOEXEC), "w+b") as file:
            self._check(self._library.seccomp_export_bpf(self._context, file.fileno()))
            self._library.seccomp_release(self._context)
            file.seek(0)
            return file.read()

    @staticmethod
    def _check(result: int) -> None:
        if result < 0:
            raise OSError(-result, os.strerror(-result))
