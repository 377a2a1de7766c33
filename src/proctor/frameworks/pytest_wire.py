"""What the pytest reporter writes, as types. Its docstring documents the format; nothing else reads it."""

from typing import Literal

import msgspec

from proctor.model.event import ProblemKind

LONGEST_LINE = 64 * 1024 * 1024


class _Line(msgspec.Struct, frozen=True, kw_only=True, tag_field="e", forbid_unknown_fields=True):
    n: int


class Header(_Line, frozen=True, kw_only=True, tag="header"):
    """Who reports."""

    format: Literal[1]
    python: str
    executable: str
    pytest: str


class ProblemLine(_Line, frozen=True, kw_only=True, tag="problem"):
    """Something wrong outside a test."""

    kind: ProblemKind
    message: str
    file: str = ""
    line: int = 0
    trace: str = ""
    fatal: bool = False
    report: bool = False
    """Whether pytest counts it among its failures."""


class NoteLine(_Line, frozen=True, kw_only=True, tag="note"):
    """A remark."""

    message: str


class CollectedLine(_Line, frozen=True, kw_only=True, tag="collected"):
    """Tests are going to run."""

    total: int
    deselected: int
    extra: bool = False
    """Whether pytest does not count them as collected: failed subtests, files skipped as a whole."""


class StartLine(_Line, frozen=True, kw_only=True, tag="start"):
    """A try of a test begins."""

    id: str
    name: str
    file: str
    line: int
    attempt: int


class EndLine(_Line, frozen=True, kw_only=True, tag="end"):
    """The try that began in line ``of`` is over."""

    of: int
    s: Literal["pass", "fail", "skip", "error"]
    t: float
    detail: str = ""
    out: str = ""
    err: str = ""
    trace: str = ""
    line: int = 0
    checks: tuple[tuple[str, str, str, str], ...] = ()
    retried: bool = False
    r: dict[str, int] | None = None


class SessionLine(_Line, frozen=True, kw_only=True, tag="session"):
    """What pytest itself counted."""

    exitstatus: int
    failed: int
    loop_failed: int | None
    collected: int
    stats: dict[str, int] | None


class DoneLine(_Line, frozen=True, kw_only=True, tag="done"):
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
