"""Keeps texts of unknown size within bounds, and says so in them."""

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
        self._head_size = 0
        self._tail = ""
        self._left_out = 0

    def add(self, piece: str) -> None:
        """Append a piece."""
        room = self._half - self._head_size
        if room > 0:
            self._head.append(piece[:room])
            self._head_size += len(self._head[-1])
            piece = piece[room:]
        if piece:
            joined = self._tail + piece
            # Cutting only at twice the bound keeps the copying in proportion to what is added.
            if len(joined) > 2 * self._half:
                self._left_out += len(joined) - self._half
                joined = joined[-self._half :]
            self._tail = joined

    def __str__(self) -> str:
        mark = f"\n… {self._left_out} characters left out …\n" if self._left_out else ""
        return "".join(self._head) + mark + self._tail

    def __bool__(self) -> bool:
        return self._head_size > 0
