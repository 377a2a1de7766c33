"""Bytes to lines, bounded: a line without end never fills the memory. Knows nothing of what lines mean."""

from collections.abc import Iterator

LONGEST_LINE = 256 * 1024


class LineSplitter:
    """Cuts a stream into lines without their ends; what exceeds the longest line is dropped from its tail."""

    def __init__(self, longest: int = LONGEST_LINE) -> None:
        self._longest = longest
        self._rest = bytearray()

    def feed(self, data: bytes) -> Iterator[str]:
        """Yield the lines that are complete now."""
        start = 0
        while (end := data.find(b"\n", start)) >= 0:
            self._add(data, start, end)
            yield self._take()
            start = end + 1
        self._add(data, start, len(data))

    def close(self) -> str:
        """Return the last line if it has no end, else an empty text."""
        return self._take()

    def _add(self, data: bytes, start: int, end: int) -> None:
        room = self._longest - len(self._rest)
        self._rest += data[start : min(end, start + room)]

    def _take(self) -> str:
        line = self._rest.decode("utf-8", "backslashreplace")
        self._rest.clear()
        return line.removesuffix("\r")
