"""Real pytest projects, run through the whole house; and environments with other versions of pytest."""

import fcntl
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from proctor import TestRequest, TestResult, TestRunner

Run = Callable[..., TestResult]
CACHE = Path(__file__).parents[2] / ".cache" / "environments"


@pytest.fixture
def run(make_project: Callable[[Mapping[str, str]], Path], monkeypatch: pytest.MonkeyPatch) -> Run:
    """Return a function that makes a project of files and runs its tests: the one place that says how.

    Of the installed plugins only the named ones are loaded, because loading them all takes most of the time.
    """
    monkeypatch.delenv("PYTEST_ADDOPTS", raising=False)
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")

    def start(files: Mapping[str, str], plugins: str = "", **wishes: Any) -> TestResult:
        root = make_project(files)
        environment = {"PYTEST_PLUGINS": plugins, **wishes.pop("environment", {})}
        usual = {"framework": "pytest", "sandbox": "off", "environment": environment}
        return TestRunner(root).run(TestRequest(**{**usual, **wishes}))

    return start


@pytest.fixture
def statuses() -> Callable[[TestResult], dict[str, str]]:
    """Return a function that gives each case's id its status."""
    return lambda result: {case.id: case.status for case in result.tests}


@pytest.fixture(scope="session")
def environment() -> Callable[..., Path]:
    """Return a function that gives a virtual environment with the wished packages, made once and kept."""

    def make(python: Path, *packages: str) -> Path:
        name = "-".join((python.resolve().name, *packages)).translate(str.maketrans("=<>,*", "-----"))
        place = CACHE / name
        CACHE.mkdir(parents=True, exist_ok=True)
        with open(f"{place}.lock", "w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)  # another worker may be making the same one
            if not (place / "ready").exists():
                shutil.rmtree(place, ignore_errors=True)
                uv = [sys.executable, "-m", "uv", "-q", "--system-certs"]
                subprocess.run([*uv, "venv", "--python", str(python), str(place)], check=True)
                target = ["pip", "install", "--compile-bytecode", "--python", str(place / "bin/python")]
                subprocess.run([*uv, *target, *packages], check=True)
                (place / "ready").touch()
        return place

    return make
