"""Keeps texts of unknown size within bounds, and says so in them."""

from collections import deque

BOUND = 64 * 1024


def cut(text: str, most: int = BOUND) -> str:
    """Return the text, or its head and tail with a mark between if it is longer than ``most``."""
    if len(text) <= most:
        return text
    head, tail = most // 2, most - most // 2
    return f"{text[:head]}\n… {len(text) - most} characters left out …\n{text[-tail:]}"


class BoundedText:
    """A text that grows piece by piece and forgets its middle; ``str()`` gives head and tail."""

    def __init__(self, most: int = BOUND) -> None:
        self._half = most // 2
        self._head: list[str] = []
        self._room = self._half
        self._tail: deque[str] = deque()
        self._tail_size = 0
        self._forgotten = 0

    def add(self, piece: str) -> None:
        """Append a piece, in time that does not depend on what is already there."""
        if self._room > 0:
            self._head.append(piece[: self._room])
            piece = piece[self._room :]
            self._room -= len(self._head[-1])
        if piece:
            self._tail.append(piece)
            self._tail_size += len(piece)
            while self._tail_size - len(self._tail[0]) >= self._half:
                gone = len(self._tail.popleft())
                self._tail_size -= gone
                self._forgotten += gone

    def __str__(self) -> str:
        tail = "".join(self._tail)
        left_out = self._forgotten + max(0, len(tail) - self._half)
        mark = f"\n… {left_out} characters left out …\n" if left_out else ""
        return "".join(self._head) + mark + tail[-self._half :]
