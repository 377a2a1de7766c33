"""Reads the run's private channel while it grows. Knows bytes only, not what they mean."""

import os


class ChannelTail:
    """The growing end of a channel file. A file that shrinks was tampered with, and stays marked so."""

    def __init__(self, path: str, limit: int) -> None:
        self._fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW)
        self._limit = limit
        self._offset = 0
        self.shrunk = False

    @property
    def overfull(self) -> bool:
        """More was written than a run may write."""
        return self._offset >= self._limit

    def read(self, most: int = 1 << 20) -> bytes:
        """Return the next bytes, empty when there are none now."""
        if os.fstat(self._fd).st_size < self._offset:
            self.shrunk = True
        if self.overfull:
            return b""
        data = os.pread(self._fd, most, self._offset)
        self._offset += len(data)
        return data

    def close(self) -> None:
        """Give the descriptor back."""
        if self._fd >= 0:
            os.close(self._fd)
            self._fd = -1
