"""Makes of what a test printed its error, its stack trace and the values it compared. Knows text only.

Nothing here decides whether a test failed: Go says that. This is for people to read.
"""

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from proctor.formats.text import cut
from proctor.model.case import Assertion

MOST_ASSERTIONS: Final = 20
_LONGEST_VALUE: Final = 4096
_LONGEST_FORM: Final = 1000
_SAID = re.compile(r"^ {4,}(?P<place>[^\s:]+\.go:\d+): ?(?P<text>.*)$")
_CRASH = re.compile(
    r"^(?:panic: |fatal error: |SIG[A-Z]+: |signal: |exit status \d|WARNING: DATA RACE|runtime: )"
)
_TRACE = re.compile(r"^goroutine \d+ .*\[.+\]:$")
_ACTUAL = r"(?: value)?[:=]? *(?P<actual>.+?)"
_EXPECTED = r"(?: value)?[:=]? *(?P<expected>.+?)"
_THEN = r" *[,;.]? *(?:but )?"
_GOT, _WANT = r"\b(?:got|actual|have|received)\b", r"\b(?:want(?:ed)?|expect(?:ed|ing)?)\b"
_FORMS: Final = tuple(
    re.compile(form, re.IGNORECASE)
    for form in (
        f"{_GOT}{_ACTUAL}{_THEN}{_WANT}{_EXPECTED}$",
        f"{_WANT}{_EXPECTED}{_THEN}{_GOT}{_ACTUAL}$",
        f" = (?P<actual>.+?)[,;] *{_WANT}{_EXPECTED}$",
    )
)
_LINE_FORMS: Final = (
    re.compile(r"^\s*(?:got|actual|have)\s*[:=]\s*(?P<actual>.*)$", re.IGNORECASE),
    re.compile(r"^\s*(?:want|wanted|expected)\s*[:=]\s*(?P<expected>.*)$", re.IGNORECASE),
)
_TESTIFY = re.compile(r"^\s*(?P<label>Error Trace|Error|Test|Messages):\s*\t?(?P<text>.*)$")


class Failure(NamedTuple):
    """What is to be read about one failed test."""

    error: str
    stack_trace: str
    assertions: tuple[Assertion, ...]


def explain(output: str) -> Failure:
    """Return what a failed test's own output tells."""
    lines = output.splitlines()
    said = list(_messages(lines))
    crash = next((n for n, line in enumerate(lines) if _CRASH.match(line)), None)
    errors = [f"{place}: {text}" for place, text in said]
    trace = ""
    if crash is not None:
        end = next((n for n in range(crash, len(lines)) if _TRACE.match(lines[n])), len(lines))
        errors.append("\n".join(lines[crash:end]).strip())
        trace = "\n".join(lines[end:])
    error = "\n".join(errors) or "\n".join(lines).strip()
    assertions = tuple(check for _, text in said for check in _assertion(text))
    return Failure(cut(error), cut(trace), assertions[:MOST_ASSERTIONS] or _of_example(lines))


def crash_line(output: str) -> str:
    """Return the first line that tells of a crash: a panic, a fatal error or a signal; else nothing."""
    return next((line.strip() for line in output.splitlines() if _CRASH.match(line)), "")


def skip_reason(output: str) -> str:
    """Return why a test was skipped, as far as it said."""
    return cut("\n".join(text for _, text in _messages(output.splitlines())).strip())


def _messages(lines: list[str]) -> Iterator[tuple[str, str]]:
    """Yield place and text of all that was logged; lines indented deeper belong to the one before."""
    place = ""
    text: list[str] = []
    for line in lines:
        if found := _SAID.match(line):
            if place:
                yield place, "\n".join(text).strip()
            place, text = found["place"], [found["text"]]
        elif place and line.startswith("        "):
            text.append(line[8:])
        elif place:
            yield place, "\n".join(text).strip()
            place = ""
    if place:
        yield place, "\n".join(text).strip()


def _assertion(text: str) -> Iterator[Assertion]:
    fields = _testify(text)
    message = fields.get("Error", text)
    values = _values(message)
    if not values and "Error" not in fields:
        return
    description = fields.get("Messages", "") or message.strip().split("\n", 1)[0]
    yield Assertion(
        description=cut(description.strip(), _LONGEST_VALUE),
        passed=False,
        expected_value=cut(values.get("expected", ""), _LONGEST_VALUE),
        actual_value=cut(values.get("actual", ""), _LONGEST_VALUE),
        error_message=cut(message.strip(), _LONGEST_VALUE),
    )


def _testify(text: str) -> dict[str, str]:
    """Return the parts of a block that testify wrote; of any other text none."""
    fields: dict[str, str] = {}
    label = ""
    for line in text.splitlines():
        if found := _TESTIFY.match(line):
            label = found["label"]
            fields[label] = found["text"].strip()
        elif label:
            fields[label] += "\n" + line.strip()
    return fields if "Error Trace" in fields else {}


def _values(text: str) -> dict[str, str]:
    clean = text.strip()
    by_line: dict[str, str] = {}
    for line in clean.splitlines():
        for form in _LINE_FORMS:
            if found := form.match(line.replace("actual  :", "actual:")):
                by_line.update(found.groupdict())
    if len(by_line) == 2:
        return by_line
    first = clean.split("\n", 1)[0][:_LONGEST_FORM]
    for form in _FORMS:
        if found := form.search(first):
            return {key: value.strip() for key, value in found.groupdict().items()}
    return {}


def _of_example(lines: list[str]) -> tuple[Assertion, ...]:
    """An example's failure shows what was printed and what was wanted, each below a line of its own."""
    clean = [line.rstrip() for line in lines]
    if "got:" not in clean or "want:" not in clean[clean.index("got:") :]:
        return ()
    got, want = clean.index("got:"), clean.index("want:", clean.index("got:"))
    actual, expected = "\n".join(clean[got + 1 : want]), "\n".join(clean[want + 1 :])
    return (
        Assertion(
            description="output of the example",
            passed=False,
            expected_value=cut(expected, _LONGEST_VALUE),
            actual_value=cut(actual, _LONGEST_VALUE),
        ),
    )
