"""What holds for every recorded report of a JavaScript framework: no damage raises, none looks green."""

from collections.abc import Callable, Iterable
from pathlib import Path

import pytest
import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from proctor.frameworks.javascript_reader import JavascriptReader
from proctor.model.event import CaseEnded, CaseStarted, ProblemFound, ReaderEvent, ReportEnded

Judge = Callable[[Iterable[ReaderEvent], int | None], str]
CORPUS = Path(__file__).parent.parent / "verdicts" / "corpus"
FRAMEWORKS = ("node-test", "vitest", "jest", "mocha")
_many = settings(
    max_examples=80, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture], database=None
)


def read(data: bytes, exit_code: int | None, *, chunk: int = 0, stderr: bytes = b"") -> list[ReaderEvent]:
    reader = JavascriptReader("Tool", 1, no_tests="No tests found")
    events: list[ReaderEvent] = list(reader.feed("stderr", stderr))
    size = chunk or max(len(data), 1)
    for start in range(0, len(data), size):
        events += reader.feed("channel", data[start : start + size])
    return [*events, *reader.finish(exit_code)]


def samples(framework: str) -> list[tuple[bytes, int | None]]:
    found = []
    for place in sorted((CORPUS / framework).iterdir()):
        if (place / "channel").exists() and not place.name.startswith("long-name"):
            exit_code = yaml.safe_load((place / "situation.yaml").read_text(encoding="utf-8"))["exit_code"]
            found.append(((place / "channel").read_bytes(), exit_code))
    assert found, f"nothing is recorded for {framework}"
    return found


@pytest.fixture(params=FRAMEWORKS)
def recorded(request: pytest.FixtureRequest) -> list[tuple[bytes, int | None]]:
    """The reports of one framework, each with the exit code of its run."""
    return samples(request.param)


Recorded = list[tuple[bytes, int | None]]


def test_reports_read_byte_by_byte_say_the_same(recorded: Recorded) -> None:
    for report, exit_code in recorded[:10]:
        assert read(report, exit_code, chunk=1) == read(report, exit_code)


@_many
@given(data=st.data())
def test_a_cut_report_is_never_green(recorded: Recorded, verdict: Judge, data: st.DataObject) -> None:
    report, _ = data.draw(st.sampled_from(recorded))
    end = data.draw(st.integers(0, max(len(report) - 1, 0)))
    assert verdict(read(report[:end], 0), 0) != "passed"


@_many
@given(data=st.data())
def test_a_report_with_a_repeated_part_is_never_green(
    recorded: Recorded, verdict: Judge, data: st.DataObject
) -> None:
    report, exit_code = data.draw(st.sampled_from(recorded))
    lines = report.splitlines(keepends=True) or [b"\n"]
    start = data.draw(st.integers(0, len(lines) - 1))
    end = data.draw(st.integers(start + 1, len(lines)))
    assert verdict(read(b"".join(lines[:end] + lines[start:]), exit_code), exit_code) != "passed"


@_many
@given(data=st.data())
def test_two_reports_in_one_are_never_green(recorded: Recorded, verdict: Judge, data: st.DataObject) -> None:
    one, exit_code = data.draw(st.sampled_from(recorded))
    other, _ = data.draw(st.sampled_from(recorded))
    lines = one.splitlines(keepends=True)
    at = data.draw(st.integers(0, len(lines)))
    mixed = b"".join([*lines[:at], other, *lines[at:]])
    assert verdict(read(mixed, exit_code), exit_code) != "passed" or not (one and other)


@_many
@given(
    which=st.integers(0, 10_000),
    changes=st.lists(st.tuples(st.integers(0, 1 << 24), st.integers(0, 255)), min_size=1, max_size=4),
)
def test_a_corrupted_report_is_never_green(
    recorded: Recorded, verdict: Judge, which: int, changes: list[tuple[int, int]]
) -> None:
    report, exit_code = recorded[which % len(recorded)]
    damaged = bytearray(report or b"\n")
    for place, byte in changes:
        damaged[place % len(damaged)] = byte
    assert verdict(read(bytes(damaged), exit_code), exit_code) != "passed" or damaged == report


@_many
@given(noise=st.binary(max_size=300), exit_code=st.sampled_from([0, 1, None]))
def test_noise_never_raises_and_is_never_green(verdict: Judge, noise: bytes, exit_code: int | None) -> None:
    assert verdict(read(noise, exit_code), exit_code) != "passed"


HEADER = b'{"n":0,"e":"header","format":1,"tool":"Tool","version":"1.0","runtime":"Node.js v20"}\n'
START = b'{"n":1,"e":"start","id":"a.js::x","name":"x","file":"t/a.js","line":3,"attempt":1}\n'


def test_a_test_that_began_is_told_at_once_and_stays_open() -> None:
    assert read(HEADER + START, None) == [
        CaseStarted(id="a.js::x", name="x", package="t", file="t/a.js", line=3),
    ]


def test_the_line_of_a_test_may_be_known_only_at_its_end() -> None:
    end = b'{"n":2,"e":"end","of":1,"s":"fail","t":0.5,"line":7,"err":"boom"}\n'
    *_, ended = read(HEADER + START + end, None)
    assert ended == CaseEnded(
        id="a.js::x", name="x", package="t", file="t/a.js", line=7, status="fail", duration=0.5, error="boom"
    )


def test_bytes_that_are_no_text_are_damage_and_no_exception() -> None:
    kinds = [
        event.kind
        for event in read(HEADER.replace(b"Tool", b"T\x82ol"), 0)
        if isinstance(event, ProblemFound)
    ]
    assert kinds == ["channel"]


def test_a_count_of_the_tool_that_differs_from_what_was_seen_is_a_problem() -> None:
    done = b'{"n":1,"e":"done","code":0,"total":0,"counts":{"pass":2},"crc":0}\n'
    kinds = {event.message for event in read(HEADER + done, 0) if isinstance(event, ProblemFound)}
    assert "Tool counted 2 (pass), 0 were seen" in kinds


def test_a_tool_that_ends_before_any_test_is_explained_by_what_it_printed(verdict: Judge) -> None:
    events = read(b"", 1, stderr=b"\n\x1b[31mERROR:\x1b[0m TypeError: bad setting\n    at x\n")
    assert isinstance(events[0], ProblemFound)
    assert events[0].message.endswith("before any test could run: ERROR: TypeError: bad setting")
    assert verdict(events, 1) == "error"


def test_a_tool_that_found_no_test_says_so_without_a_report(verdict: Judge) -> None:
    events = read(b"", 1, stderr=b"No tests found, exiting with code 1\n")
    assert events == [ReportEnded(total=0, exit_code=1)]
    assert verdict(events, 1) == "no_tests"
