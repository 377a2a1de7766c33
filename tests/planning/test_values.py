import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proctor.model.errors import BadRequest
from proctor.planning.values import (
    format_duration,
    format_size,
    parse_assignment,
    parse_duration,
    parse_size,
)


@pytest.mark.parametrize(
    ("written", "seconds"),
    [("300s", 300), ("5m", 300), ("5min", 300), ("1h30m", 5400), ("1h 30m", 5400), (300, 300), ("500ms", 0.5),
     ("2.5s", 2.5), ("1d", 86400), (0.25, 0.25), ("300", 300), (" 5m ", 300)],
)  # fmt: skip
def test_a_duration_is_read_as_people_write_it(written: str | float, seconds: float) -> None:
    assert parse_duration(written) == pytest.approx(seconds)


@pytest.mark.parametrize(
    "nonsense",
    ["", " ", "-1", "-5s", "0", 0, -3, math.nan, math.inf, "nan", "inf", "1e9", "5 parsecs", "m", "5m!", "٣s",
     True, "1" * 400, 10**400, "1..5s"],
)  # fmt: skip
def test_nonsense_is_no_duration_and_the_hint_says_how_to_write_one(nonsense: str | float) -> None:
    with pytest.raises(BadRequest) as caught:
        parse_duration(nonsense)
    assert "5m" in caught.value.hint


@pytest.mark.parametrize(
    ("written", "size"),
    [("1GB", 1 << 30), ("1GiB", 1 << 30), ("1g", 1 << 30), ("512MB", 512 << 20), ("64k", 64 << 10),
     (4096, 4096), ("4096", 4096), ("1.5GB", 3 << 29), ("10 B", 10)],
)  # fmt: skip
def test_a_size_is_read_in_powers_of_1024(written: str | int, size: int) -> None:
    assert parse_size(written) == size


@pytest.mark.parametrize(
    "nonsense",
    ["", "-1GB", "0", 0, "0.2B", math.nan, math.inf, "1PB", "GB", "1 GB 2", "9" * 60 + "TB", 10**400, True],
)
def test_nonsense_is_no_size_and_the_hint_says_how_to_write_one(nonsense: str | float) -> None:
    with pytest.raises(BadRequest) as caught:
        parse_size(nonsense)
    assert "512MB" in caught.value.hint


@given(st.integers(1, 10**7))
def test_a_formatted_duration_is_read_back_the_same(seconds: int) -> None:
    assert parse_duration(format_duration(seconds)) == seconds


@given(st.integers(1, 1 << 50))
def test_a_formatted_size_is_read_back_the_same(size: int) -> None:
    assert parse_size(format_size(size)) == size


def test_short_forms_are_short() -> None:
    assert [format_duration(s) for s in (0.5, 2.5, 300, 5400, 3661)] == [
        "500ms",
        "2.5s",
        "5m",
        "1h30m",
        "1h1m1s",
    ]
    assert [format_size(n) for n in (2 << 30, 512 << 20, 1000)] == ["2GB", "512MB", "1000B"]


def test_an_assignment_keeps_every_character_of_its_value() -> None:
    assert parse_assignment("KEY= a=b ") == ("KEY", " a=b ")
    assert parse_assignment("EMPTY=") == ("EMPTY", "")


@pytest.mark.parametrize("nonsense", ["", "KEY", "=x", "1A=x", "A B=x", "A=\0", "Ä=x"])
def test_nonsense_is_no_assignment(nonsense: str) -> None:
    with pytest.raises(BadRequest, match="does not set"):
        parse_assignment(nonsense)
