"""What the pytest reporter writes besides the lines of every reporter (``formats.channel``), as types."""

from typing import Literal

import msgspec

from proctor.formats.channel import (
    CollectedLine,
    EndLine,
    NoteLine,
    NumberedLine,
    ProblemLine,
    StartLine,
)


class Header(NumberedLine, frozen=True, kw_only=True, tag="header"):
    """Who reports."""

    format: Literal[1]
    python: str
    executable: str
    pytest: str


class SessionLine(NumberedLine, frozen=True, kw_only=True, tag="session"):
    """What pytest itself counted."""

    exitstatus: int
    failed: int
    loop_failed: int | None
    collected: int
    stats: dict[str, int] | None


class DoneLine(NumberedLine, frozen=True, kw_only=True, tag="done"):
    """Nothing follows."""

    code: int
    total: int
    configured: bool
    crc: int

    def as_written(self) -> bytes:
        """Return the line as the reporter writes it: no checksum covers the last line itself."""
        configured = "true" if self.configured else "false"
        fields = f'"code":{self.code},"total":{self.total},"configured":{configured},"crc":{self.crc}'
        return f'{{"n":{self.n},"e":"done",{fields}}}\n'.encode()


Line = (
    Header | ProblemLine | NoteLine | CollectedLine | StartLine | EndLine | SessionLine | DoneLine
)  # fmt: skip

decode = msgspec.json.Decoder(Line).decode
