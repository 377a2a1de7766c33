"""Where words go: answers to stdout, everything else to stderr. A reader who left is no error."""

import os
import sys
from typing import TextIO

from proctor.model.errors import StateFault

_refusing: dict[str, object] = {}
"""The stdout that refused an answer in this process, and why."""


def emit(answer: str | bytes) -> bool:
    """Write an answer to stdout at once; return False when nobody reads it any more."""
    stream = sys.stdout
    if stream is None:
        return False
    if stream is _refusing.get("stdout"):
        raise _unwritten(_refusing["reason"])
    try:
        stream.buffer.write(_encoded(answer, stream))
        stream.flush()
    except BrokenPipeError:
        abandon(stream)
        return False
    except OSError as error:
        # An answer after this one must not seem to be written either, nor Python fail at its own last flush.
        _refusing.update(stdout=stream, reason=error.strerror)
        abandon(stream)
        raise _unwritten(error.strerror) from error
    return True


def _unwritten(reason: object) -> StateFault:
    return StateFault(
        f"the answer could not be written to stdout: {reason}",
        hint="the run is kept: `proctor results ID` shows it again",
    )


def say(line: str) -> None:
    """Write a remark to stderr; that it cannot be written is not worth a failure."""
    stream = sys.stderr
    if stream is None:
        return
    try:
        stream.write(line + "\n")
        stream.flush()
    except (OSError, ValueError):
        abandon(stream)


def abandon(stream: TextIO) -> None:
    """Let all further words to a stream vanish, also those that Python flushes at its end."""
    try:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, stream.fileno())
        os.close(nowhere)
    except (OSError, ValueError):
        return


def is_terminal(stream: TextIO | None) -> bool:
    """Tell whether a person watches this stream on a terminal that can draw."""
    return stream is not None and stream.isatty() and os.environ.get("TERM", "") != "dumb"


def has_colour(stream: TextIO | None) -> bool:
    """Tell whether colours are welcome on this stream."""
    return is_terminal(stream) and not os.environ.get("NO_COLOR")


def _encoded(answer: str | bytes, stream: TextIO) -> bytes:
    if isinstance(answer, bytes):
        return answer
    return answer.encode(stream.encoding or "utf-8", "backslashreplace")
