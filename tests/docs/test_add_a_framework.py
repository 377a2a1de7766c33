"""The worked example of a framework keeps the promises that its page asks of every framework."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from proctor.model.event import Event, ProcessEnded, RunEnded, RunStarted
from proctor.model.fold import Fold
from proctor.model.verdict import judge

PAGE = Path(__file__).parents[2] / "docs" / "how-to" / "add-a-framework.md"
GREEN = b"pass adds\npass divides\ndone 2\n"

Verdict = Callable[[bytes, int | None], str]


@pytest.fixture
def verdict(written_files: Callable[[Path], dict[str, str]]) -> Verdict:
    names: dict[str, Any] = {}
    exec(written_files(PAGE)["proctor-lines/proctor_lines.py"], names)

    def judged(data: bytes, exit_code: int | None) -> str:
        reader = names["FRAMEWORK"].reader(None, 1)
        events: list[Event] = [RunStarted(argv=("sh",), cwd="/p", sandbox="off")]
        for byte in data:
            events += reader.feed("stdout", bytes([byte]))
        events += reader.finish(exit_code)
        ends = (ProcessEnded(exit_code=exit_code), RunEnded(cause="finished"))
        judgement = judge(Fold().apply_all([*events, *ends]))
        assert judgement is not None
        return judgement.verdict

    return judged


def test_a_whole_report_is_green(verdict: Verdict) -> None:
    assert verdict(GREEN, 0) == "passed"


@pytest.mark.parametrize("exit_code", [1, None])
def test_a_whole_report_with_another_end_is_not(verdict: Verdict, exit_code: int | None) -> None:
    assert verdict(GREEN, exit_code) != "passed"


def test_a_report_cut_at_any_byte_is_not_green(verdict: Verdict) -> None:
    assert "passed" not in {verdict(GREEN[:end], 0) for end in range(len(GREEN))}


def test_a_report_with_a_lost_line_is_inconsistent(verdict: Verdict) -> None:
    assert verdict(GREEN.replace(b"pass divides\n", b""), 0) == "inconsistent"


def test_noise_is_not_green(verdict: Verdict) -> None:
    assert verdict(b"\xff\x00done \xb2\nfail\n: :\n", 0) != "passed"
