"""A green suite with everything that a green suite may contain."""

import pytest

TRIES = []


def test_total():
    print("printed")


@pytest.mark.parametrize("price", ["one two", "[100%]"])
def test_price(price):
    assert price


@pytest.mark.skip(reason="not today")
def test_skipped():
    pass


@pytest.mark.xfail(reason="bug 7")
def test_expected_failure():
    assert 0


@pytest.mark.flaky(reruns=2)
def test_second_try():
    TRIES.append(1)
    assert len(TRIES) == 2
