"""What cargo, libtest and our own runner write, as types. Knows nothing of what it means."""

from typing import Literal

import msgspec

from proctor.model.event import ProblemKind


class Begin(msgspec.Struct, frozen=True, kw_only=True, tag_field="proctor", tag="begin"):
    """A test binary, or rustdoc, is about to run."""

    kind: Literal["test", "plain", "doc"]
    path: str
    package: str
    directory: str


class Listed(msgspec.Struct, frozen=True, kw_only=True, tag_field="proctor", tag="listed"):
    """The tests that it is going to run: name, file, line."""

    tests: list[tuple[str, str, int]]
    deselected: int
    base: str


class End(msgspec.Struct, frozen=True, kw_only=True, tag_field="proctor", tag="end"):
    """It is gone."""

    path: str
    code: int
    signal: int
    lines: int
    crc: int
    run: bool


class Trouble(msgspec.Struct, frozen=True, kw_only=True, tag_field="proctor", tag="problem"):
    """Something could not be started."""

    kind: ProblemKind
    message: str


class Done(msgspec.Struct, frozen=True, kw_only=True, tag_field="proctor", tag="done"):
    """Cargo is gone; nothing follows."""

    code: int
    signal: int
    lines: int
    crc: int


class Suite(msgspec.Struct, frozen=True, kw_only=True, tag_field="type", tag="suite"):
    """A harness begins or ends."""

    event: Literal["started", "ok", "failed"]
    test_count: int = 0
    passed: int = 0
    failed: int = 0
    ignored: int = 0
    measured: int = 0
    filtered_out: int = 0


class Test(msgspec.Struct, frozen=True, kw_only=True, tag_field="type", tag="test"):
    """A test begins or ends. ``timeout`` only says that it takes long."""

    __test__ = False

    event: Literal["started", "ok", "failed", "ignored", "timeout"]
    name: str
    exec_time: float = 0.0
    stdout: str = ""
    message: str = ""
    reason: str = ""


class Bench(msgspec.Struct, frozen=True, kw_only=True, tag_field="type", tag="bench"):
    """A benchmark was measured."""

    name: str


class Report(msgspec.Struct, frozen=True, kw_only=True, tag_field="type", tag="report"):
    """Rustdoc's times."""


class Target(msgspec.Struct, frozen=True, kw_only=True):
    """One target of a package."""

    kind: list[str]
    name: str
    src_path: str = ""


class Profile(msgspec.Struct, frozen=True, kw_only=True):
    """How a target was built."""

    test: bool


class Artifact(msgspec.Struct, frozen=True, kw_only=True, tag_field="reason", tag="compiler-artifact"):
    """Something was built."""

    target: Target
    profile: Profile
    executable: str | None = None


class Span(msgspec.Struct, frozen=True, kw_only=True):
    """A place in the source."""

    file_name: str
    line_start: int
    is_primary: bool


class Diagnostic(msgspec.Struct, frozen=True, kw_only=True):
    """What the compiler has to say."""

    level: str
    message: str
    spans: list[Span] = []
    rendered: str | None = None


class CompilerMessage(msgspec.Struct, frozen=True, kw_only=True, tag_field="reason", tag="compiler-message"):
    """The compiler says something about a target."""

    message: Diagnostic
    target: Target


class BuildFinished(msgspec.Struct, frozen=True, kw_only=True, tag_field="reason", tag="build-finished"):
    """All is built, or could not be."""

    success: bool


Own = Begin | Listed | End | Trouble | Done
Libtest = Suite | Test | Bench | Report
Cargo = Artifact | CompilerMessage | BuildFinished
Line = Own | Libtest | Cargo

_OWN: msgspec.json.Decoder[Own] = msgspec.json.Decoder(Own)
_LIBTEST: msgspec.json.Decoder[Libtest] = msgspec.json.Decoder(Libtest)
_CARGO: msgspec.json.Decoder[Cargo] = msgspec.json.Decoder(Cargo)


def decode(line: bytes) -> Line:
    """Return what a line says; raise msgspec.DecodeError if nobody we know wrote it."""
    if line.startswith(b'{"proctor": "'):
        return _OWN.decode(line)
    if line.startswith(b'{ "type": "'):
        return _LIBTEST.decode(line)
    return _CARGO.decode(line)
