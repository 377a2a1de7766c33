import pytest

from proctor.frontends.cli.phrases import counts, lasted, place, when
from proctor.model.case import Summary


@pytest.mark.parametrize(
    ("seconds", "words"),
    [(0, "0ms"), (0.0404, "40ms"), (3.21, "3.2s"), (59.94, "59.9s"), (125, "2m05s"), (3720, "1h02m")],
)
def test_a_time_is_told_as_exactly_as_needed(seconds: float, words: str) -> None:
    assert lasted(seconds) == words


def test_what_there_is_none_of_is_not_counted() -> None:
    assert counts(Summary(total=3, passed=2, errors=1)) == "3 tests: 2 passed, 1 in error"
    assert counts(Summary()) == "0 tests"


def test_a_moment_is_told_in_utc_and_an_unknown_one_not_at_all() -> None:
    assert (when(0), when(1_700_000_000)) == ("", "2023-11-14T22:13Z")


def test_a_place_is_told_as_far_as_it_is_known() -> None:
    assert [place("", 3), place("a.py", 0), place("a.py", 3)] == ["", "a.py", "a.py:3"]
