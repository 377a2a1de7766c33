"""The YAML block below a TAP result, read loosely: keys with plain, quoted or block values. Never raises.

A real YAML reader would be slower, and a hostile test could choose what it is fed.
"""

import math
import re
from typing import NamedTuple

from proctor.model.case import Assertion

_ENTRY = re.compile(r"([A-Za-z_][\w.-]{0,80}):(?:\s+(.*)|$)", re.DOTALL)
_LOCATION = re.compile(r"(.+?):(\d{1,9})(?::\d{1,9})?", re.DOTALL)
_LOCATION_BOUND = 4096


class Diagnostics(NamedTuple):
    """What a block says about its result."""

    message: str = ""
    stack: str = ""
    file: str = ""
    line: int = 0
    duration: float = 0.0
    assertions: tuple[Assertion, ...] = ()


def read_diagnostics(lines: list[str]) -> Diagnostics:
    """Return what is known from the lines between `---` and `...`."""
    if not lines:
        return Diagnostics()
    values = _values(lines)
    message = values.get("message") or values.get("error") or ""
    file, line = _place(values)
    return Diagnostics(
        message=message.strip(),
        stack=values.get("stack", "").strip("\n"),
        file=file,
        line=line,
        duration=_duration(values),
        assertions=_assertions(values, message),
    )


def _values(lines: list[str]) -> dict[str, str]:
    """Return the outermost keys; what stands deeper below a key is its text, without the common indent."""
    indent = min((_indent(line) for line in lines if line.strip()), default=0)
    values: dict[str, str] = {}
    key, below = "", list[str]()
    for line in lines:
        found = _ENTRY.fullmatch(line[indent:]) if _indent(line) == indent else None
        if found:
            _store(values, key, below)
            key, below = found[1], []
            values.setdefault(key, _unquoted((found[2] or "").strip()))
        else:
            below.append(line)
    _store(values, key, below)
    return values


def _store(values: dict[str, str], key: str, below: list[str]) -> None:
    if not key or not any(line.strip() for line in below):
        return
    indent = min(_indent(line) for line in below if line.strip())
    text = "\n".join(line[indent:] for line in below)
    first = values[key]
    values[key] = text if not first or first[0] in "|>" else f"{first}\n{text}"


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip(" "))


def _unquoted(text: str) -> str:
    if len(text) >= 2 and text[0] == text[-1] == "'":
        return text[1:-1].replace("''", "'")
    if len(text) >= 2 and text[0] == text[-1] == '"':
        return text[1:-1].replace('\\"', '"').replace("\\n", "\n").replace("\\\\", "\\")
    return text


def _place(values: dict[str, str]) -> tuple[str, int]:
    place = values.get("location") or values.get("at") or ""
    found = _LOCATION.fullmatch(place[:_LOCATION_BOUND])
    if found:
        return found[1], int(found[2])
    line = values.get("line", "")
    known = line.isascii() and line.isdigit() and len(line) < 10
    return values.get("file", "")[:_LOCATION_BOUND], int(line) if known else 0


def _duration(values: dict[str, str]) -> float:
    for key, factor in (("duration_ms", 0.001), ("duration", 1.0), ("time", 1.0)):
        try:
            number = float(values.get(key, "")) * factor
        except ValueError:
            continue
        if math.isfinite(number) and number >= 0:
            return number
    return 0.0


def _assertions(values: dict[str, str], message: str) -> tuple[Assertion, ...]:
    actual = values.get("actual", values.get("got", values.get("found")))
    expected = values.get("expected", values.get("wanted"))
    if actual is None and expected is None:
        return ()
    return (
        Assertion(
            description=values.get("operator", "") or "compare",
            passed=False,
            expected_value=expected or "",
            actual_value=actual or "",
            error_message=message.strip().split("\n", 1)[0],
        ),
    )
