"""The private way from a test process to Proctor. Knows no pytest; standard library only, Python 3.8 and up.

Each event is one line of ASCII JSON in one write to a file open for appending, with a running number ``n``
and a kind ``e``:

header     format, python, executable, pytest
problem    kind, message, file, line, trace, fatal, report (pytest counts it as a failure)
note       message
collected  total, deselected, extra (not in pytest's own count); several add up
start      id, name, file, line, attempt
end        of (``n`` of its start), s (status), t (seconds); where there is something to say: detail, out,
           err, trace, line (where it failed), checks [[description, expected, actual, message]], retried,
           r (pytest's reports by category)
session    exitstatus, failed, loop_failed, collected, stats
done       code, total, configured, crc (of all bytes before this line). Always the last line.
"""

from __future__ import annotations

import binascii
import fcntl
import json
import os
import threading

LONG, SHORT, VALUE = 1024 * 1024, 64 * 1024, 16 * 1024


def clean(text: str, limit: int = SHORT) -> str:
    """Return the text with its middle cut out if it is too long, and without lone surrogates."""
    if len(text) > limit:
        half = limit // 2
        text = f"{text[:half]}\n[... {len(text) - 2 * half} characters cut ...]\n{text[-half:]}"
    return text if text.isascii() else text.encode("utf-8", "backslashreplace").decode("utf-8")


class Channel:
    """Only the process that opened it writes; after a write that failed nobody does."""

    def __init__(self, descriptor: int) -> None:
        self.descriptor = descriptor
        self.pid = os.getpid()
        self.number = 0
        self.crc = 0
        self.lock = threading.Lock()

    def event(self, kind: str, /, **fields: object) -> int:
        """Write one event and return its number."""
        return self.write(f'"e":"{kind}",{json.dumps(fields, separators=(",", ":"))[1:-1]}')

    def problem(self, kind: str, message: str, **more: object) -> None:
        """Report something wrong outside a test."""
        texts = {key: clean(value, LONG) if isinstance(value, str) else value for key, value in more.items()}
        self.event("problem", kind=kind, message=clean(message), **texts)

    def write(self, body: str) -> int:
        """Write the rest of a line after its number, and return that number."""
        if os.getpid() != self.pid:
            return -1  # a child that a test forked
        with self.lock:
            number = self.number
            self.number += 1
            line = f'{{"n":{number},{body}}}\n'.encode("ascii")
            self.crc = binascii.crc32(line, self.crc)
            try:
                while line and self.descriptor >= 0:
                    line = line[os.write(self.descriptor, line) :]
            except OSError:
                self.descriptor = -1  # what is missing shows that it is: there will be no "done"
        return number


def open_channel() -> Channel:
    """Take the channel out of reach of children: out of the environment, high, and closed on exec."""
    named = os.environ.pop("PROCTOR_CHANNEL", "")
    if not named:
        return Channel(-1)
    try:
        high = fcntl.fcntl(int(named), fcntl.F_DUPFD_CLOEXEC, 900)
    except OSError:  # a low limit on descriptors
        high = fcntl.fcntl(int(named), fcntl.F_DUPFD_CLOEXEC, 32)
    os.close(int(named))
    return Channel(high)
