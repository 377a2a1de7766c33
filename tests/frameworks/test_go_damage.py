"""What holds for every recorded Go run: cut, repeated, mixed or corrupted, it never raises and never turns green."""

from pathlib import Path
from typing import NamedTuple

import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from proctor.frameworks.go_reader import GoReader
from proctor.model.event import Event, ProcessEnded, RunEnded, RunStarted
from proctor.model.fold import Fold
from proctor.model.verdict import judge

CORPUS = Path(__file__).parents[1] / "verdicts" / "corpus" / "go"
LARGE = 200_000
_many = settings(max_examples=200, deadline=None, database=None)


class Sample(NamedTuple):
    name: str
    data: bytes
    stderr: bytes
    exit_code: int
    verdict: str


def _load(place: Path) -> Sample:
    situation = yaml.safe_load((place / "situation.yaml").read_text(encoding="utf-8"))
    stderr = (place / "stderr").read_bytes() if (place / "stderr").exists() else b""
    data = (place / "channel").read_bytes()
    return Sample(place.name, data, stderr, situation["exit_code"] or 0, situation["verdict"])


SAMPLES = [_load(path.parent) for path in sorted(CORPUS.glob("*/channel"))]
samples = st.sampled_from([sample for sample in SAMPLES if len(sample.data) < LARGE])


def verdict(data: bytes, exit_code: int | None, stderr: bytes = b"") -> str:
    reader = GoReader("/p", 1)
    events: list[Event] = [RunStarted(argv=(), cwd="/p", sandbox="off")]
    events += [*reader.feed("stderr", stderr), *reader.feed("channel", data), *reader.finish(exit_code)]
    events += [ProcessEnded(exit_code=exit_code), RunEnded(cause="finished")]
    judgement = judge(Fold().apply_all(events))
    assert judgement is not None
    return judgement.verdict


def test_there_are_samples_of_green_and_of_red_runs() -> None:
    assert {"passed", "failed", "error", "interrupted"} <= {sample.verdict for sample in SAMPLES}


def test_no_sample_is_green_with_another_exit_code_or_without_one() -> None:
    for sample in SAMPLES:
        assert verdict(sample.data, 0 if sample.exit_code else 1, sample.stderr) != "passed", sample.name
        assert verdict(sample.data, None, sample.stderr) != "passed", sample.name


@_many
@given(sample=samples, data=st.data())
def test_a_cut_report_is_never_green(sample: Sample, data: st.DataObject) -> None:
    end = data.draw(st.integers(0, len(sample.data) - 1))
    for exit_code in (sample.exit_code, 0):
        assert verdict(sample.data[:end], exit_code, sample.stderr) != "passed"


@_many
@given(sample=samples, data=st.data())
def test_a_report_with_a_repeated_part_is_never_green(sample: Sample, data: st.DataObject) -> None:
    lines = sample.data.splitlines(keepends=True)
    start = data.draw(st.integers(0, len(lines) - 1))
    end = data.draw(st.integers(start + 1, len(lines)))
    assert verdict(b"".join(lines[:end] + lines[start:]), sample.exit_code, sample.stderr) != "passed"


@_many
@given(sample=samples, data=st.data())
def test_a_report_without_one_of_its_lines_is_never_green(sample: Sample, data: st.DataObject) -> None:
    lines = sample.data.splitlines(keepends=True)
    gone = data.draw(st.integers(0, len(lines) - 1))
    assert verdict(b"".join(lines[:gone] + lines[gone + 1 :]), sample.exit_code, sample.stderr) != "passed"


@_many
@given(sample=samples, other=samples, data=st.data())
def test_two_reports_in_one_are_never_green(sample: Sample, other: Sample, data: st.DataObject) -> None:
    at = data.draw(st.integers(0, len(sample.data)))
    stop = data.draw(st.integers(1, len(other.data)))
    mixed = sample.data[:at] + other.data[:stop] + sample.data[at:]
    assert verdict(mixed, sample.exit_code, sample.stderr) != "passed"


@_many
@given(sample=samples, data=st.data())
def test_a_corrupted_report_never_turns_green(sample: Sample, data: st.DataObject) -> None:
    damaged = bytearray(sample.data)
    for _ in range(data.draw(st.integers(1, 4))):
        damaged[data.draw(st.integers(0, len(damaged) - 1))] = data.draw(st.integers(0, 255))
    assert verdict(bytes(damaged), sample.exit_code, sample.stderr) != "passed" or sample.verdict == "passed"


@_many
@given(noise=st.binary(max_size=300), exit_code=st.sampled_from([0, 1, None]))
def test_noise_is_never_green(noise: bytes, exit_code: int | None) -> None:
    assert verdict(noise, exit_code, noise) != "passed"
