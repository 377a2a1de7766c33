"""Bytes to lines, bounded: a line without end never fills the memory. Knows nothing of what lines mean."""

LONGEST_LINE = 256 * 1024


class LineSplitter:
    """Cuts a stream into lines without their ends; what exceeds the longest line is dropped from its tail."""

    def __init__(self, longest: int = LONGEST_LINE) -> None:
        self._longest = longest
        self._rest = b""

    def feed(self, data: bytes) -> list[str]:
        """Return the lines that are complete now."""
        *lines, rest = data.split(b"\n")
        if lines:
            lines[0] = self._rest + lines[0]
            self._rest = b""
        # What is beyond the bound is cut off at once, so joining the rest again and again stays cheap.
        self._rest = (self._rest + rest)[: self._longest] if len(self._rest) < self._longest else self._rest
        return [self._decode(line) for line in lines]

    def close(self) -> str:
        """Return the last line if it has no end, else an empty text."""
        rest, self._rest = self._rest, b""
        return self._decode(rest)

    def _decode(self, line: bytes) -> str:
        return line[: self._longest].decode("utf-8", "backslashreplace").removesuffix("\r")
