"""Whatever is done to a recorded report of cargo: it never raises and never turns green."""

import functools
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from proctor.frameworks.cargo import FRAMEWORK
from proctor.model.event import Event, ProcessEnded, RunEnded, RunStarted
from proctor.model.fold import Fold
from proctor.model.plan import Task
from proctor.model.verdict import judge

CORPUS = Path(__file__).parents[1] / "verdicts" / "corpus" / "cargo"
SAMPLES = sorted(path.parent for path in CORPUS.glob("*/channel"))
every_sample = pytest.mark.parametrize("place", SAMPLES, ids=lambda place: place.name)
_many = settings(
    max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture], database=None
)


def verdict(data: bytes, exit_code: int | None, chunk: int = 0) -> str:
    reader = FRAMEWORK.reader(Task(root="/p"), 1)
    events: list[Event] = [RunStarted(argv=(), cwd="/p", sandbox="off")]
    size = chunk or max(len(data), 1)
    for start in range(0, len(data), size):
        events += reader.feed("channel", data[start : start + size])
    events += reader.finish(exit_code)
    events += [ProcessEnded(exit_code=exit_code), RunEnded(cause="finished")]
    judgement = judge(Fold().apply_all(events))
    assert judgement is not None
    return judgement.verdict


@functools.cache
def load(place: Path) -> tuple[bytes, int | None]:
    situation: dict[str, Any] = yaml.safe_load((place / "situation.yaml").read_text(encoding="utf-8"))
    return (place / "channel").read_bytes(), situation["exit_code"]


def not_green(damaged: bytes, data: bytes, exit_code: int | None) -> None:
    for code in {exit_code, 0}:
        if damaged != data or code != exit_code:
            assert verdict(damaged, code) != "passed"


@every_sample
def test_a_report_read_in_small_pieces_means_the_same(place: Path) -> None:
    data, exit_code = load(place)
    assert verdict(data, exit_code, chunk=7) == verdict(data, exit_code)


@every_sample
def test_no_report_is_green_with_another_exit_code(place: Path) -> None:
    data, exit_code = load(place)
    assert verdict(data, None) != "passed"
    not_green(data, data, exit_code)


@every_sample
@_many
@given(draw=st.data())
def test_a_cut_report_is_never_green(place: Path, draw: st.DataObject) -> None:
    data, exit_code = load(place)
    start = draw.draw(st.integers(0, len(data)))
    end = draw.draw(st.integers(start, len(data)))
    not_green(data[:end], data, exit_code)
    not_green(data[:start] + data[end:], data, exit_code)


@every_sample
@_many
@given(draw=st.data())
def test_a_report_with_doubled_or_swapped_lines_is_never_green(place: Path, draw: st.DataObject) -> None:
    data, exit_code = load(place)
    lines = data.splitlines(keepends=True)
    start = draw.draw(st.integers(0, len(lines)))
    end = draw.draw(st.integers(start, len(lines)))
    not_green(b"".join(lines[:end] + lines[start:]), data, exit_code)
    not_green(b"".join(lines[:start] + lines[end:] + lines[start:end]), data, exit_code)


@every_sample
@_many
@given(draw=st.data())
def test_a_report_with_lines_of_another_is_never_green(place: Path, draw: st.DataObject) -> None:
    data, exit_code = load(place)
    lines, others = data.splitlines(keepends=True), load(SAMPLES[0])[0].splitlines(keepends=True)
    at = draw.draw(st.integers(0, len(lines)))
    line = draw.draw(st.sampled_from(others))
    not_green(b"".join([*lines[:at], line, *lines[at:]]), data, exit_code)


@every_sample
@_many
@given(draw=st.data())
def test_a_report_with_changed_bytes_is_never_green(place: Path, draw: st.DataObject) -> None:
    data, exit_code = load(place)
    damaged = bytearray(data)
    for _ in range(draw.draw(st.integers(1, 4))):
        damaged[draw.draw(st.integers(0, len(damaged) - 1))] = draw.draw(st.integers(0, 255))
    not_green(bytes(damaged), data, exit_code)


@_many
@given(noise=st.binary(max_size=300), exit_code=st.sampled_from([0, 101, None]))
def test_noise_never_raises_and_is_never_green(noise: bytes, exit_code: int | None) -> None:
    assert verdict(noise, exit_code) != "passed"
