"""Why cargo could not do its work: places of compiler errors, and the words it ended with. Pure."""

import posixpath
import re

from proctor.formats.text import cut
from proctor.frameworks.cargo_wire import Diagnostic
from proctor.model.event import ProblemFound, ProblemKind

_ERROR = re.compile(r"^error(?:\[\w+\])?: .*", re.MULTILINE | re.DOTALL)
_KINDS: tuple[tuple[str, ProblemKind], ...] = (
    (r"toolchain '.*' is not installed|is not installed for the toolchain", "missing_tool"),
    (
        r"no such command|unexpected argument|invalid value|no .* target named|package ID specification",
        "usage",
    ),
    (r"the option .* is only accepted|did not match any packages|the package .* does not contain", "usage"),
)
_PLACE = re.compile(r"^\s*--> ([^\n]+?):(\d+)(?::\d+)?$", re.MULTILINE)
_NO_NETWORK = re.compile(r"--offline|offline mode|Could not resolve host|no matching package named")
_OFFLINE_HINT = "run `cargo fetch` once outside the sandbox, or allow the network"


def place_of(said: Diagnostic, root: str) -> tuple[str, int]:
    """Return file and line of an error, relative to the project where it lies in it."""
    for span in sorted(said.spans, key=lambda span: not span.is_primary)[:1]:
        inside = span.file_name.startswith(root.rstrip("/") + "/")
        return posixpath.relpath(span.file_name, root) if inside else span.file_name, span.line_start
    return "", 0


def explain_exit(exit_code: int, said: str) -> ProblemFound:
    """Return what cargo's last words mean, where it ran no test binary that failed."""
    found = _ERROR.search(said)
    if found is None:
        message = f"cargo ended with exit code {exit_code}, though no test binary did"
        return ProblemFound(kind="internal", message=message, stack_trace=cut(said.strip()))
    text = found[0].strip()
    kind: ProblemKind = next((kind for pattern, kind in _KINDS if re.search(pattern, text)), "build")
    hint = f" ({_OFFLINE_HINT})" if _NO_NETWORK.search(text) else ""
    first = text.partition("\n")[0].removeprefix("error: ")
    place = _PLACE.search(text)
    file, line = (place[1], int(place[2])) if place else ("", 0)
    return ProblemFound(
        kind=kind, message=cut(first) + hint, file=file, line=line, stack_trace=cut(text), fatal=True
    )
