"""An edit of the same size in the same second must not run the old code."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from proctor import TestRequest, TestResult, TestRunner

SECOND = 1_700_000_000
TEST = "import shop\nwanted = 1\ndef test_it():\n    assert shop.price == wanted\n"
FILES = {"shop.py": "price = 1\n", "test_a.py": TEST}


def write(root: Path, files: dict[str, str], fraction: float) -> None:
    for name, text in files.items():
        (root / name).write_text(text)
        os.utime(root / name, (SECOND + fraction, SECOND + fraction))


@pytest.fixture
def edited(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], Path]:
    """Return a function that runs a project once, with compiled files, and then edits one of its files."""
    monkeypatch.delenv("PYTHONDONTWRITEBYTECODE", raising=False)
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")

    def make(name: str) -> Path:
        write(tmp_path, FILES, 0.2)
        assert plain_pytest(tmp_path) == 0
        write(tmp_path, {name: FILES[name].replace("1", "2")}, 0.4)
        return tmp_path

    return make


def plain_pytest(root: Path) -> int:
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"]
    return subprocess.run(command, cwd=root, stdout=subprocess.DEVNULL, timeout=60).returncode


def run(root: Path) -> TestResult:
    return TestRunner(root).run(TestRequest(framework="pytest", sandbox="off"))


def test_the_new_code_runs(edited: Callable[[str], Path]) -> None:
    root = edited("shop.py")
    assert plain_pytest(root) == 0, "Python has learned it: this protection may go"
    assert run(root).verdict == "failed"


def test_the_new_tests_run(edited: Callable[[str], Path]) -> None:
    assert run(edited("test_a.py")).verdict == "failed"


def test_compiled_files_that_are_newer_than_their_source_stay(edited: Callable[[str], Path]) -> None:
    root = edited("shop.py")
    kept = root / "__pycache__" / f"test_a.{sys.implementation.cache_tag}-pytest-{pytest.__version__}.pyc"
    before = kept.stat().st_ino
    run(root)
    assert kept.stat().st_ino == before


def test_a_cache_that_cannot_be_cleared_is_not_used(
    edited: Callable[[str], Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    root = edited("shop.py")
    refusing = "import os\ndef remove(path):\n    raise PermissionError(path)\nos.remove = remove\n"
    (root / "lib").mkdir()
    (root / "lib/sitecustomize.py").write_text(refusing)
    request = TestRequest(framework="pytest", sandbox="off", environment={"PYTHONPATH": str(root / "lib")})
    assert TestRunner(root).run(request).verdict == "failed"
    assert not (root / ".no-such-cache").exists()
