"""What the tests of report readers share: the recorded samples, and a run built around a report."""

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest

from proctor.frameworks.generic import FRAMEWORK
from proctor.model.event import Event, ProcessEnded, ReaderEvent, RunEnded, RunStarted
from proctor.model.fold import Fold
from proctor.model.plan import Task
from proctor.ports import Stream

SAMPLES = Path(__file__).parent.parent / "samples"


class Sample(NamedTuple):
    """A recorded report: what the tool wrote, how it ended, and what that amounts to."""

    path: Path
    kind: str
    data: bytes
    exit_code: int
    verdict: str

    @property
    def golden(self) -> bytes:
        return (self.path / "events.jsonl").read_bytes()


Read = Callable[..., list[ReaderEvent]]
Run = Callable[..., Fold]


def _read(kind: str, data: bytes, exit_code: int | None, *, chunk: int = 0) -> list[ReaderEvent]:
    reports = ("tap",) if kind == "tap" else ("report.xml",)
    reader = FRAMEWORK.reader(Task(root="/p", command="make test", reports=reports), 1)
    stream: Stream = "stdout" if kind == "tap" else "report"
    events: list[ReaderEvent] = []
    size = chunk or max(len(data), 1)
    for start in range(0, max(len(data), 1), size):
        events += reader.feed(stream, data[start : start + size])
    events += reader.finish(exit_code)
    return events


def _run(kind: str, data: bytes, exit_code: int | None, *, chunk: int = 0) -> Fold:
    around: list[Event] = [RunStarted(argv=("sh",), cwd="/p", sandbox="off")]
    around += _read(kind, data, exit_code, chunk=chunk)
    around += [ProcessEnded(exit_code=exit_code), RunEnded(cause="finished")]
    return Fold().apply_all(around)


def _load(path: Path) -> Sample:
    fields = dict(line.split(": ", 1) for line in (path / "command.txt").read_text().splitlines())
    kind = path.parent.name
    data = (path / ("output.tap" if kind == "tap" else "report.xml")).read_bytes()
    return Sample(path, kind, data, int(fields["exit code"]), fields["verdict"])


ALL = [
    _load(path.parent)
    for path in sorted(SAMPLES.glob("*/*/command.txt"))
    if path.parent.parent.name in ("junit", "tap")
]


@pytest.fixture(params=ALL, ids=lambda sample: f"{sample.kind}-{sample.path.name}")
def sample(request: pytest.FixtureRequest) -> Sample:
    """Each recorded sample in turn."""
    chosen = request.param
    assert isinstance(chosen, Sample)
    return chosen


@pytest.fixture
def read() -> Read:
    """Read a report as the generic framework does: ``read(kind, data, exit_code, chunk=…)``."""
    return _read


@pytest.fixture
def run() -> Run:
    """Fold a whole run around a report: ``run(kind, data, exit_code, chunk=…)``."""
    return _run
