"""What our JavaScript reporters write besides the lines of every reporter (``formats.channel``), as types."""

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
    tool: str
    version: str
    runtime: str


class DoneLine(NumberedLine, frozen=True, kw_only=True, tag="done"):
    """Nothing follows. ``counts`` is what the tool itself counted, by status."""

    code: int
    total: int
    counts: dict[Literal["total", "pass", "fail", "skip"], int]
    crc: int


Line = Header | ProblemLine | NoteLine | CollectedLine | StartLine | EndLine | DoneLine

decode = msgspec.json.Decoder(Line).decode
