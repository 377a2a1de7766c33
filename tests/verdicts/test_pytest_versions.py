"""The same verdicts from Python 3.8 and pytest 6.0 up, with the plugins of each time."""

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from proctor import TestResult

Run = Callable[..., TestResult]
REPORTERS = Path(__file__).parents[2] / "src/proctor/frameworks/reporters"
WISHED = {
    "3.8": ("6.0.2", "6.2.5"),
    "3.9": ("7.4.4",),
    "3.10": ("8.4.2",),
    "3.11": ("9.0.*",),
    "3.12": ("8.0.2",),
    "3.13": (">=9.1",),
}


def pythons(version: str) -> list[Path]:
    """Return the interpreters of that version on this machine."""
    folders = [*Path("~/.pyenv/versions").expanduser().glob(f"{version}.*/bin"), Path(sys.executable).parent]
    folders += [Path("/usr/bin"), Path("/usr/local/bin")]
    return [place for folder in folders if (place := folder / f"python{version}").exists()]


PAIRS = [(python, wanted) for python, wishes in WISHED.items() if pythons(python) for wanted in wishes]

SUITE = """
import unittest
import pytest

@pytest.fixture
def broken():
    raise LookupError("no setup")

@pytest.fixture
def broken_after():
    yield
    raise LookupError("no teardown")

def test_good():
    print("out")

def test_bad():
    x = 2
    assert x == 3

def test_setup(broken):
    pass

def test_teardown(broken_after):
    pass

@pytest.mark.xfail(reason="bug")
def test_xfail():
    assert 0

@pytest.mark.xfail
def test_xpass():
    pass

@pytest.mark.xfail(strict=True)
def test_xpass_strict():
    pass

def test_skip():
    pytest.skip("why")

@pytest.mark.parametrize("x", ["a b", "x::y"])
def test_ids(x):
    pass

tries = []

@pytest.mark.flaky(reruns=2)
def test_flaky():
    tries.append(1)
    assert len(tries) > 1

def test_raises():
    with pytest.raises(ValueError):
        pass

class TestOld(unittest.TestCase):
    def test_equal(self):
        self.assertEqual(1, 2)

    def test_sub(self):
        for i in range(3):
            with self.subTest(i=i):
                self.assertNotEqual(i, 1)

    @unittest.expectedFailure
    def test_expected(self):
        assert 0

    @unittest.skip("old")
    def test_skipped(self):
        pass
"""
EXPECTED = {
    "test_good": "pass", "test_bad": "fail", "test_setup": "error", "test_teardown": "error",
    "test_xfail": "skip", "test_xpass": "pass", "test_xpass_strict": "fail", "test_skip": "skip",
    "test_ids[a b]": "pass", "test_ids[x::y]": "pass", "test_flaky": "pass", "test_raises": "fail",
    "TestOld.test_equal": "fail", "TestOld.test_sub (i=1)": "fail", "TestOld.test_expected": "skip",
    "TestOld.test_skipped": "skip",
}  # fmt: skip


@pytest.fixture(params=PAIRS, ids=[f"python{python}-pytest{wanted}" for python, wanted in PAIRS])
def prepared(
    request: pytest.FixtureRequest, environment: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> str:
    """Let the project's interpreter be one of another time; return its version of pytest."""
    python, wanted = request.param
    exact = f"pytest{wanted}" if wanted[0] == ">" else f"pytest=={wanted}"
    subtests = () if "9." in wanted else ("pytest-subtests",)
    place = environment(pythons(python)[0], exact, "pytest-xdist", "pytest-rerunfailures", *subtests)
    monkeypatch.setenv("VIRTUAL_ENV", str(place))
    monkeypatch.delenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD")
    return str(wanted)


@pytest.mark.parametrize("options", ["-W error", "-n 2"])
def test_each_outcome_is_told_alike(run: Run, prepared: str, options: str) -> None:
    result = run({"test_a.py": SUITE, "pytest.ini": f"[pytest]\naddopts = {options}\n"})
    seen = {case.name: case.status for case in result.tests}
    around_subtests = seen.pop("TestOld.test_sub")
    assert seen == EXPECTED
    assert around_subtests in ("pass", "fail")
    assert (result.verdict, result.problems) == ("failed", ()), result.reasons
    checks = {case.name: case.assertions[0] for case in result.tests if case.assertions}
    assert (checks["test_bad"].expected_value, checks["test_bad"].actual_value) == ("3", "2")
    assert (checks["TestOld.test_equal"].expected_value, checks["TestOld.test_equal"].actual_value) == (
        "2",
        "1",
    )
    assert checks["test_raises"].actual_value == "no exception"


def test_what_keeps_tests_from_running_is_named(run: Run, prepared: str) -> None:
    result = run({"test_a.py": "import no_such_module\n", "test_b.py": "def test_it():\n    pass\n"})
    assert (result.verdict, result.problems[0].kind, result.problems[0].line) == ("error", "import", 1)
    result = run({"conftest.py": "import no_such_module\n"})
    assert (result.verdict, result.problems[0].file) == ("error", "conftest.py")


def test_a_green_run_is_green_and_its_tests_can_be_chosen(run: Run, prepared: str) -> None:
    text = "import pytest\n@pytest.mark.parametrize('x', ['a::b', 'c'])\ndef test_it(x):\n    pass\n"
    result = run({"test_a.py": text}, tests=("test_a.py::test_it[a::b]",), timeout=60.0)
    assert (result.verdict, [case.id for case in result.tests]) == ("passed", ["test_a.py::test_it[a::b]"])


def test_the_reporter_compiles_on_old_pythons() -> None:
    vermin = Path(sys.executable).with_name("vermin")
    files = [str(file) for file in REPORTERS.glob("proctor_pytest*.py")]
    command = [str(vermin), "-q", "--no-tips", "-t=3.8-", "--violations", *files]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize("version", [version for version in ("3.6", "3.7") if pythons(version)])
def test_a_python_that_is_too_old_says_so(
    run: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, version: str
) -> None:
    (tmp_path / "old/bin").mkdir(parents=True)
    (tmp_path / "old/bin/python").symlink_to(pythons(version)[0])
    monkeypatch.setenv("VIRTUAL_ENV", str(tmp_path / "old"))
    result = run({"test_a.py": "def test_it():\n    pass\n"})
    assert (result.verdict, result.problems[0].kind) == ("error", "missing_tool")
    assert f"is Python {version}" in result.problems[0].message
