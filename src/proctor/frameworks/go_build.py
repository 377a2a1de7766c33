"""What the Go tool says when packages cannot be built or found, as problems. Knows text, not streams."""

import posixpath
import re
from collections.abc import Iterator
from typing import Final

from proctor.formats.text import cut
from proctor.model.event import ProblemFound, ProblemKind

MOST_PROBLEMS: Final = 20
_DIAGNOSTIC = re.compile(
    r"(?:vet: )?(?P<file>[^\s:][^:\n]*\.(?:go|mod|s|c|h|work)):(?P<line>\d{1,9})(?::\d+)?: (?P<text>.*)"
)
_NOT_FOUND: Final = (
    "import cycle not allowed", "no required module provides", "missing go.sum entry", "is not in std",
    "is not in GOROOT", "cannot find package", "cannot find module", "module lookup disabled",
    "import lookup disabled", "updates to go.mod needed", "cannot query module", "inconsistent vendoring",
    "use of internal package", "dial tcp", "no Go files in",
)  # fmt: skip
_MISUSED: Final = (
    "go.mod file not found", "does not contain main module", "does not contain modules listed in go.work",
    "flag provided but not defined", "invalid value", "invalid regexp", "matched no packages",
    "no packages to test", "usage: go test", "directory not found",
    "current directory is contained in a module that is not",
)  # fmt: skip
_KINDS: Final[tuple[tuple[ProblemKind, tuple[str, ...]], ...]] = (("import", _NOT_FOUND), ("usage", _MISUSED))
_OFFLINE = (
    "missing go.sum entry", "module lookup disabled", "dial tcp", "cannot find module providing",
    "toolchain not available", "download go1.",
)  # fmt: skip
OFFLINE_HINT: Final = (
    "the sandbox has no network: run `go mod download` (or `go mod tidy`) first, or allow the network"
)


def kind_of(text: str) -> ProblemKind:
    """Return the kind of problem that a message of the Go tool tells of."""
    for kind, phrases in _KINDS:
        if any(phrase in text for phrase in phrases):
            return kind
    return "build"


def problems(text: str) -> Iterator[ProblemFound]:
    """Yield one problem for each place that the text names, or one for the whole if it names none."""
    found = list(_places(text))
    for file, line, message in found[:MOST_PROBLEMS]:
        yield _problem(message, file, line)
    if len(found) > MOST_PROBLEMS:
        yield _problem(f"{len(found) - MOST_PROBLEMS} more errors", "", 0)
    said = "\n".join(line for line in text.splitlines() if line and not line.startswith("# ")).strip()
    if not found and said:
        yield _problem(said, "", 0)


def _places(text: str) -> Iterator[tuple[str, int, str]]:
    """Yield file, line and message; indented lines belong to the message before them."""
    file, number, message = "", 0, ""
    for line in text.splitlines():
        if found := _DIAGNOSTIC.match(line):
            if message:
                yield file, number, message
            file = posixpath.normpath(found["file"])
            number, message = int(found["line"]), found["text"]
        elif message and line.startswith(("\t", "    ")):
            message += "\n" + line
        elif message:
            yield file, number, message
            message = ""
    if message:
        yield file, number, message


def _problem(message: str, file: str, line: int) -> ProblemFound:
    hint = f"\n({OFFLINE_HINT})" if any(phrase in message for phrase in _OFFLINE) else ""
    return ProblemFound(kind=kind_of(message), message=cut(message) + hint, file=file, line=line, fatal=True)
