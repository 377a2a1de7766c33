"""What a failed Rust test printed, taken apart: the panic, where it was, and the compared values. Pure."""

import re
from typing import NamedTuple

from proctor.formats.text import cut
from proctor.model.case import Assertion

_PANIC = re.compile(r"^thread '(.*)'(?: \(\d+\))? panicked at (.*)$", re.MULTILINE)
_PLACE = re.compile(r"(.+?):(\d+):\d+:?$")
_OLD_STYLE = re.compile(r"thread '.*?' panicked at '(.*?)', ([^\n]+?):(\d+):\d+$", re.DOTALL | re.MULTILINE)
"""Before Rust 1.73 the message stood before the place."""
_END = re.compile(
    r"^(?:stack backtrace:|note: run with `RUST_BACKTRACE=|note: Some details are omitted)", re.MULTILINE
)
_COMPARED = re.compile(
    r"assertion `left (?P<op>==|!=|matches) right` failed(?:: (?P<said>.*?))?\n"
    r"  left: (?P<left>.*?)\n right: (?P<right>.*)",
    re.DOTALL,
)
_OLD_COMPARED = re.compile(
    r"assertion failed: `\(left (?P<op>==|!=) right\)`\n"
    r"  left: `(?P<left>.*?)`,\n right: `(?P<right>.*?)`(?:: (?P<said>.*))?",
    re.DOTALL,
)
MOST_ERROR = 64 * 1024
MOST_OUTPUT = 1024 * 1024


class Failure(NamedTuple):
    """Why a test failed, as far as its output tells."""

    error: str = ""
    file: str = ""
    line: int = 0
    stack_trace: str = ""
    assertions: tuple[Assertion, ...] = ()


def explain(name: str, output: str, message: str) -> Failure:
    """Return what made a test fail: its own last panic, else the last of another thread, else its words."""
    panics = list(_PANIC.finditer(output))
    own = [panic for panic in panics if panic[1] in (name, "main")] or panics
    if not own:
        return Failure(error=cut(message or _error_line(output) or "the test failed", MOST_ERROR))
    panic = own[-1]
    text = output[panic.start() :]
    said, file, line = _said(panic, text)
    error = f"{said}\n{message}" if message and said else message or said
    return Failure(
        error=cut(error or "the test panicked", MOST_ERROR),
        file=file,
        line=line,
        stack_trace=cut(text.strip(), MOST_OUTPUT),
        assertions=_assertions(said),
    )


def _said(panic: re.Match[str], text: str) -> tuple[str, str, int]:
    body = text[panic.end() - panic.start() :].lstrip("\n")
    end = _END.search(body)
    body = (body[: end.start()] if end else body).strip("\n")
    place = _PLACE.fullmatch(panic[2])
    if place is not None:
        return body, place[1], int(place[2])
    old = _OLD_STYLE.match(text)
    return (old[1], old[2], int(old[3])) if old else (panic[2], "", 0)


def _assertions(said: str) -> tuple[Assertion, ...]:
    compared = _COMPARED.match(said) or _OLD_COMPARED.fullmatch(said)
    if compared is None:
        return ()
    return (
        Assertion(
            description=f"left {compared['op']} right",
            passed=False,
            expected_value=cut(compared["right"]),
            actual_value=cut(compared["left"]),
            error_message=cut(compared["said"] or ""),
        ),
    )


def _error_line(output: str) -> str:
    """A test that returns an error prints it as its last word."""
    at = output.rfind("\nError: ") + 1
    return output[at:].strip() if at or output.startswith("Error: ") else ""
