import pytest

def test_total(): assert 1 + 1 == 2
def test_wrong():
    print("counting \x1b[31mred\x1b[0m")
    assert 1 + 1 == 3
@pytest.mark.skip(reason="no printer")
def test_skipped(): pass
@pytest.mark.xfail(reason="known")
def test_known(): assert False
@pytest.fixture
def broken_end():
    yield
    raise RuntimeError("teardown broke")
def test_teardown(broken_end): pass
def test_both(broken_end): assert 0
@pytest.fixture
def broken(): raise RuntimeError("no database")
def test_setup(broken): pass
@pytest.mark.parametrize("x", ["a b", "<&>", "\x00\x1b", "é\ud800"])
def test_names(x): pass
