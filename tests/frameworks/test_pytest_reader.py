"""The reader of the pytest reporter's channel, on recorded streams: whole, cut, doubled and damaged."""

from binascii import crc32
from collections.abc import Iterable
from itertools import pairwise
from pathlib import Path

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from proctor.frameworks.pytest import FRAMEWORK
from proctor.model.event import (
    CaseEnded,
    CaseStarted,
    Event,
    ProblemFound,
    ProcessEnded,
    ReaderEvent,
    ReportEnded,
    RunEnded,
)
from proctor.model.fold import Fold
from proctor.model.plan import Task
from proctor.model.run import Verdict
from proctor.model.verdict import judge

SAMPLES = Path(__file__).parents[1] / "samples" / "pytest"
GREEN = (SAMPLES / "green/channel.jsonl").read_bytes()
LINES = GREEN.splitlines(keepends=True)
CODES = {"green": 0, "kinds": 1}


def read(chunks: Iterable[bytes], exit_code: int | None = 0, attempt: int = 1) -> list[ReaderEvent]:
    reader = FRAMEWORK.reader(Task(root="/"), attempt)
    events = [event for chunk in chunks for event in reader.feed("channel", chunk)]
    return [*events, *reader.finish(exit_code)]


def verdict_of(events: Iterable[ReaderEvent], exit_code: int = 0) -> Verdict:
    ends: list[Event] = [ProcessEnded(exit_code=exit_code), RunEnded(cause="finished")]
    judgement = judge(Fold().apply_all([*events, *ends]))
    assert judgement is not None
    return judgement.verdict


@pytest.mark.parametrize("name", ["green", "kinds"])
def test_a_recorded_stream_means_what_was_recorded_with_it(name: str) -> None:
    place = SAMPLES / name
    golden = (place / "events.jsonl").read_bytes().splitlines()
    events = read([(place / "channel.jsonl").read_bytes()], CODES[name])
    assert [msgspec.json.encode(event) for event in events] == golden
    assert verdict_of(events, CODES[name]) == ("passed" if name == "green" else "failed")


@given(st.lists(st.integers(0, len(GREEN)), max_size=30))
def test_where_the_stream_is_divided_changes_nothing(places: list[int]) -> None:
    marks = [0, *sorted(places), len(GREEN)]
    assert read(GREEN[a:b] for a, b in pairwise(marks)) == read([GREEN])


@given(st.integers(0, len(GREEN) - 1))
@settings(max_examples=300)
def test_a_stream_cut_anywhere_is_never_green(place: int) -> None:
    events = read([GREEN[:place]])
    assert verdict_of(events) != "passed"
    assert not [event for event in events if isinstance(event, ProblemFound)], "being cut is no forgery"


@given(st.integers(0, len(GREEN) - 1), st.integers(1, 255))
@settings(max_examples=500)
def test_a_stream_with_a_changed_byte_is_never_green(place: int, change: int) -> None:
    damaged = bytearray(GREEN)
    damaged[place] ^= change
    assert verdict_of(read([bytes(damaged)])) != "passed"


@given(st.integers(0, len(GREEN)), st.binary(min_size=1, max_size=200))
@settings(max_examples=300)
def test_a_stream_with_foreign_bytes_is_never_green(place: int, foreign: bytes) -> None:
    assert verdict_of(read([GREEN[:place] + foreign + GREEN[place:]])) != "passed"


@given(st.integers(0, len(LINES) - 1), st.integers(0, len(LINES)))
def test_a_stream_with_a_line_twice_is_never_green(line: int, place: int) -> None:
    doubled = [*LINES[:place], LINES[line], *LINES[place:]]
    assert verdict_of(read(doubled)) == "inconsistent"


@given(st.integers(0, len(LINES) - 1))
def test_a_stream_without_one_of_its_lines_is_never_green(line: int) -> None:
    assert verdict_of(read([*LINES[:line], *LINES[line + 1 :]])) != "passed"


@given(st.permutations(range(len(LINES))))
@settings(suppress_health_check=[HealthCheck.too_slow])
def test_a_stream_in_another_order_is_never_green(order: list[int]) -> None:
    if order != sorted(order):
        assert verdict_of(read(LINES[index] for index in order)) != "passed"


@given(st.lists(st.binary(max_size=300)))
def test_no_bytes_make_the_reader_raise(chunks: list[bytes]) -> None:
    assert verdict_of(read(chunks)) != "passed"


def test_what_is_printed_is_not_read() -> None:
    reader = FRAMEWORK.reader(Task(root="/"), 1)
    assert [*reader.feed("stdout", GREEN), *reader.feed("stderr", GREEN), *reader.finish(0)] == []


def test_a_line_without_end_does_not_fill_the_memory() -> None:
    events = read([b"x" * 1_000_000] * 70)
    assert [event.kind for event in events if isinstance(event, ProblemFound)] == ["channel"]


def test_damage_is_told_once() -> None:
    events = read([b"one\ntwo\n", *LINES])
    assert len([event for event in events if isinstance(event, ProblemFound)]) == 1


def test_a_later_attempt_of_the_run_counts_on() -> None:
    tries = [
        event.attempt for event in read([GREEN], attempt=4) if isinstance(event, CaseEnded | CaseStarted)
    ]
    assert set(tries) == {4, 5}


@pytest.mark.parametrize(("code", "kind"), [(2, "stopped"), (3, "internal"), (4, "usage")])
def test_an_exit_status_that_nothing_explains_is_a_problem(code: int, kind: str) -> None:
    events = read(
        stream('"e":"header","format":1,"python":"3","executable":"x","pytest":"9"', done(code, 0)), code
    )
    assert [event.kind for event in events if isinstance(event, ProblemFound)] == [kind]
    assert isinstance(events[-1], ReportEnded)


def done(code: int, total: int) -> str:
    return f'"e":"done","code":{code},"total":{total},"configured":true,"crc":@'


def session(failed: int, collected: int, stats: str = "null") -> str:
    counts = f'"failed":{failed},"loop_failed":{failed},"collected":{collected},"stats":{stats}'
    return f'"e":"session","exitstatus":0,{counts}'


def stream(*bodies: str) -> list[bytes]:
    """Write lines as the reporter does; ``@`` stands for the checksum so far."""
    lines: list[bytes] = []
    for number, body in enumerate(bodies):
        body = body.replace("@", str(crc32(b"".join(lines))))
        lines.append(f'{{"n":{number},{body}}}\n'.encode())
    return lines


START = '"e":"start","id":"a::b","name":"b","file":"a","line":1,"attempt":1'
END = '"e":"end","of":0,"s":"pass","t":0.1'
COLLECTED = '"e":"collected","total":1,"deselected":0'


def test_totals_that_agree_are_green() -> None:
    lines = stream(START, END, COLLECTED, session(0, 1, '{"passed":1}'), done(0, 1))
    assert verdict_of(read(lines)) == "passed"


@pytest.mark.parametrize(
    ("told", "counted"),
    [
        (session(1, 1), 1),
        (session(0, 2), 1),
        (session(0, 1, '{"passed":2}'), 1),
        (session(0, 1, '{"passed":1,"failed":1}'), 1),
        (session(0, 1, '{"passed":1,"error":1}'), 1),
        (session(0, 1), 2),
    ],
)
def test_totals_that_do_not_add_up_are_inconsistent(told: str, counted: int) -> None:
    events = read(stream(START, END, COLLECTED, told, done(0, counted)))
    assert {event.kind for event in events if isinstance(event, ProblemFound)} == {"totals"}
    assert verdict_of(events) == "inconsistent"


def test_a_try_that_was_to_be_repeated_and_never_was_is_inconsistent() -> None:
    retried = '"e":"end","of":0,"s":"fail","t":0.1,"retried":true,"r":{"rerun":1}'
    events = read(stream(START, retried, COLLECTED, session(0, 1), done(0, 0)))
    assert verdict_of(events) == "inconsistent"


def test_a_pytest_that_did_not_shut_down_is_not_green() -> None:
    ending = done(0, 1).replace("true", "false")
    assert verdict_of(read(stream(START, END, COLLECTED, session(0, 1), ending))) == "error"


@pytest.mark.parametrize("place", [mark for mark, byte in enumerate(LINES[-1]) if byte in b",:{}"])
def test_a_last_line_written_by_another_hand_is_inconsistent(place: int) -> None:
    last = LINES[-1][: place + 1] + b" " + LINES[-1][place + 1 :]
    assert verdict_of(read([*LINES[:-1], last])) == "inconsistent"
