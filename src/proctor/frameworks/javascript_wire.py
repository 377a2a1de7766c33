"""What our JavaScript reporters write, as types. ``proctor_channel.cjs`` documents the format."""

from typing import Literal

import msgspec

from proctor.model.event import ProblemKind

LONGEST_LINE = 64 * 1024 * 1024


class _Line(msgspec.Struct, frozen=True, kw_only=True, tag_field="e", forbid_unknown_fields=True):
    n: int


class Header(_Line, frozen=True, kw_only=True, tag="header"):
    """Who reports."""

    format: Literal[1]
    tool: str
    version: str
    runtime: str


class ProblemLine(_Line, frozen=True, kw_only=True, tag="problem"):
    """Something wrong outside a test."""

    kind: ProblemKind
    message: str
    file: str = ""
    line: int = 0
    trace: str = ""
    fatal: bool = False


class NoteLine(_Line, frozen=True, kw_only=True, tag="note"):
    """A remark."""

    message: str


class CollectedLine(_Line, frozen=True, kw_only=True, tag="collected"):
    """Tests are going to run."""

    total: int
    deselected: int


class StartLine(_Line, frozen=True, kw_only=True, tag="start"):
    """A try of a test begins."""

    id: str
    name: str
    file: str
    line: int
    attempt: int


class EndLine(_Line, frozen=True, kw_only=True, tag="end"):
    """The try that began in line ``of`` is over. ``line``: where the test stands, if known only now."""

    of: int
    line: int = 0
    s: Literal["pass", "fail", "skip", "error"]
    t: float
    detail: str = ""
    out: str = ""
    err: str = ""
    trace: str = ""
    checks: tuple[tuple[str, str, str, str], ...] = ()
    retried: bool = False


class DoneLine(_Line, frozen=True, kw_only=True, tag="done"):
    """Nothing follows. ``counts`` is what the tool itself counted, by status."""

    code: int
    total: int
    counts: dict[Literal["total", "pass", "fail", "skip"], int]
    crc: int


Line = Header | ProblemLine | NoteLine | CollectedLine | StartLine | EndLine | DoneLine

decode = msgspec.json.Decoder(Line).decode
