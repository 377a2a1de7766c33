"""One test of each kind of outcome."""

import pytest

@pytest.fixture
def broken_setup():
    raise LookupError("no setup")

@pytest.fixture
def broken_teardown():
    yield
    raise LookupError("no teardown")

def test_passes():
    print("out")

def test_fails():
    assert 1 == 2

def test_setup(broken_setup):
    pass

def test_teardown(broken_teardown):
    pass

def test_both(broken_teardown):
    assert 1 == 2

@pytest.mark.skip(reason="not today")
def test_skipped():
    pass

def test_skips_itself():
    pytest.skip("no network")

@pytest.mark.xfail(reason="bug 7")
def test_xfail():
    assert 0

def test_xfail_itself():
    pytest.xfail("bug 8")

@pytest.mark.xfail(reason="bug 9")
def test_xpass():
    pass

@pytest.mark.xfail(strict=True, reason="bug 10")
def test_xpass_strict():
    pass

@pytest.mark.xfail(raises=ValueError)
def test_other_exception():
    raise KeyError("x")
