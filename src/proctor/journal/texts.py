"""Keeps events small: a text above the bound goes to a blob, its head and tail stay in the event."""

import re

import msgspec

from proctor.journal.blobs import Blobs
from proctor.model.case import Assertion
from proctor.model.errors import ProctorError, StateFault
from proctor.model.event import CaseEnded, Event, ProblemFound

WHOLE = 16 * 1024
PART = 8 * 1024
MOST_ASSERTIONS = 50

_MARK = re.compile(r"\n\[… \d+ bytes cut; whole text: (sha256:[0-9a-f]{64})\]\n")

_CASE_FIELDS = ("detail", "output", "error", "stack_trace")
_PROBLEM_FIELDS = ("message", "stack_trace")
_ASSERTION_FIELDS = ("description", "expected_value", "actual_value", "error_message")


def bound_case(event: CaseEnded, blobs: Blobs) -> CaseEnded:
    """Return the event with no text above the bound; what is cut is in a blob that the text names."""
    changes: dict[str, object] = _bounded_fields(event, _CASE_FIELDS, blobs)
    if event.assertions:
        assertions = _bound_assertions(event.assertions, blobs)
        if assertions != event.assertions:
            changes["assertions"] = assertions
    return msgspec.structs.replace(event, **changes) if changes else event


def bound_problem(event: ProblemFound, blobs: Blobs) -> ProblemFound:
    """Return the event with no text above the bound; what is cut is in a blob that the text names."""
    changes = _bounded_fields(event, _PROBLEM_FIELDS, blobs)
    return msgspec.structs.replace(event, **changes) if changes else event


def bound_texts(event: Event, blobs: Blobs) -> Event:
    """Return any event with no text above the bound."""
    match event:
        case CaseEnded():
            return bound_case(event, blobs)
        case ProblemFound():
            return bound_problem(event, blobs)
        case _:
            return event


def restore_text(text: str, blobs: Blobs) -> str:
    """Return the whole text of one that was cut. A text that only looks as if it were cut stays as it is."""
    for mark in _MARK.finditer(text) if len(text) > WHOLE // 4 else ():
        head, tail = text[: mark.start()], text[mark.end() :]
        try:
            with blobs.open(mark[1]) as file:
                whole = file.read().decode("utf-8", "replace")
        except ProctorError:
            continue
        if whole.startswith(head) and whole.endswith(tail):
            return whole
    return text


def head_of(data: bytes) -> str:
    """Return the first part of some output as text, no character cut in two."""
    return _text(data[:PART])


def tail_of(data: bytes) -> str:
    """Return the last part of some output as text, no character cut in two."""
    part = data[-PART:]
    start = 0
    while len(part) == PART and start < 3 and part[start] & 0xC0 == 0x80:
        start += 1
    return part[start:].decode("utf-8", "replace")


def whole_text(data: bytes) -> str:
    """Return output as text; bytes that are no UTF-8 show as replacement characters."""
    return data.decode("utf-8", "replace")


def _text(data: bytes) -> str:
    for cut in range(1, min(4, len(data) + 1)):
        if data[-cut] & 0xC0 != 0x80:  # the beginning of the last character: is it whole?
            needed = 4 if data[-cut] >= 0xF0 else 3 if data[-cut] >= 0xE0 else 2 if data[-cut] >= 0xC0 else 1
            return whole_text(data[:-cut] if needed > cut else data)
    return whole_text(data)


def _bounded_fields(event: msgspec.Struct, fields: tuple[str, ...], blobs: Blobs) -> dict[str, object]:
    changes: dict[str, object] = {}
    for field in fields:
        text: str = getattr(event, field)
        # No text of so few characters can be above the bound in bytes.
        if len(text) > WHOLE // 4 and (bounded := _bound(text, blobs)) is not text:
            changes[field] = bounded
    return changes


def _bound(text: str, blobs: Blobs) -> str:
    data = text.encode("utf-8", "backslashreplace")
    if len(data) <= WHOLE:
        return text
    head, tail = head_of(data), tail_of(data)
    cut = len(data) - len(head.encode()) - len(tail.encode())
    return f"{head}\n[… {cut} bytes cut; {_kept(data, blobs)}]\n{tail}"


def _kept(data: bytes, blobs: Blobs) -> str:
    try:
        return f"whole text: {blobs.put(data)}"
    except StateFault as fault:
        return f"the whole text could not be kept: {fault.message}"


def _bound_assertions(assertions: tuple[Assertion, ...], blobs: Blobs) -> tuple[Assertion, ...]:
    shown = assertions[:MOST_ASSERTIONS]
    bounded = tuple(
        msgspec.structs.replace(assertion, **changes) if changes else assertion
        for assertion in shown
        for changes in (_bounded_fields(assertion, _ASSERTION_FIELDS, blobs),)
    )
    rest = assertions[MOST_ASSERTIONS:]
    if not rest:
        return bounded
    kept = _kept(msgspec.json.encode(assertions), blobs)
    more = f"[… {len(rest)} more assertions cut; {kept}]"
    return (*bounded, Assertion(description=more, passed=all(assertion.passed for assertion in rest)))
