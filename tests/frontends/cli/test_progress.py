import pytest
from inline_snapshot import snapshot

from proctor.frontends.cli.progress import Lines, Silence, Tally, watcher
from proctor.frontends.cli.stream import EventStream
from proctor.model.event import CaseEnded, CaseStarted, Collected, Event, ProblemFound, RunQueued, RunStarted
from proctor.model.request import TestRequest

RUN = "run-01jd0000000000a"


class Told:
    """Lines with a clock that is set by hand."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.now = 100.0
        self.watcher = Lines(self.lines.append, lambda: self.now)

    def see(self, *events: Event) -> list[str]:
        for event in events:
            self.watcher(RUN, event)
        return self.lines


def passed(number: int) -> CaseEnded:
    return CaseEnded(id=f"t{number}", status="pass")


def test_a_quick_green_run_tells_little() -> None:
    told = Told()
    queued = RunQueued(
        run_id=RUN,
        project="p",
        root="/src/shop",
        name="shop",
        framework="pytest",
        category="unit",
        request=TestRequest(),
    )
    assert told.see(
        queued, RunStarted(argv=("x",), cwd="/", sandbox="off"), Collected(total=2), passed(1), passed(2)
    ) == snapshot(['run-01jd0000000000a: pytest in /src/shop', '2 tests collected'])  # fmt: skip


def test_failures_are_told_as_they_happen_and_cleaned() -> None:
    told = Told()
    told.see(
        CaseEnded(id="a.py::t", name="t\x1b[31m", file="a.py", line=3, status="fail", error="long"),
        CaseEnded(id="again", status="fail", retried=True),
        ProblemFound(kind="import", message="no module\nx", file="b.py"),
    )
    assert told.lines == snapshot(["FAIL a.py:3 t", "ERROR b.py no module\\nx"])


def test_a_long_run_tells_how_far_it_is_every_few_seconds() -> None:
    told = Told()
    told.see(RunStarted(argv=("x",), cwd="/", sandbox="off"), Collected(total=9))
    told.lines.clear()
    for number in range(8):
        told.now += 2.0
        told.see(passed(number))
    assert told.lines == snapshot(["3/9 tests, 6.0s", "6/9 tests, 12.0s"])


def test_a_thousand_failures_are_not_a_thousand_lines() -> None:
    told = Told()
    told.see(*(CaseEnded(id=f"t{number}", status="fail") for number in range(1000)))
    assert len(told.lines) == 21
    assert told.lines[-1] == "further failures are counted only"


def test_a_new_attempt_counts_from_nothing() -> None:
    tally = Tally()
    for event in (Collected(total=2), passed(1), CaseEnded(id="t2", status="error")):
        tally.count(event)
    assert str(tally) == "2/2 tests, 1 failed"
    tally.count(RunStarted(argv=("x",), cwd="/", sandbox="off", attempt=2))
    tally.count(CaseStarted(id="t2"))
    assert str(tally) == "0/0 tests"


def test_who_asked_for_data_gets_no_words(capfd: pytest.CaptureFixture[str]) -> None:
    assert isinstance(watcher("json"), Silence)
    assert isinstance(watcher("yaml"), Silence)
    assert isinstance(watcher("text"), Lines)
    stream = watcher("jsonl")
    assert isinstance(stream, EventStream)
    stream(RUN, Collected(total=1))
    captured = capfd.readouterr()
    assert (captured.out, captured.err) == ('{"event":"collected","total":1}\n', "")
