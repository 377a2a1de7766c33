"""Fixtures for every test: a private home for Proctor's state, and projects made on the fly."""

import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from proctor import Proctor

Project = Callable[[Mapping[str, str]], Path]


@pytest.fixture(autouse=True)
def home(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A fresh PROCTOR_HOME, and the interpreter of this test run as the project's own."""
    directory = tmp_path_factory.mktemp("proctor-home")
    monkeypatch.setenv("PROCTOR_HOME", str(directory))
    monkeypatch.setenv("VIRTUAL_ENV", sys.prefix)
    return directory


@pytest.fixture
def proctor(home: Path) -> Proctor:
    """The use cases on the private home."""
    return Proctor(home)


@pytest.fixture
def make_project(tmp_path: Path) -> Project:
    """Return a function that writes files into a new project directory."""

    def make(files: Mapping[str, str]) -> Path:
        root = tmp_path / "project"
        for name, text in files.items():
            path = root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        return root

    return make


@pytest.fixture
def wait_until() -> Callable[[Callable[[], object]], None]:
    """Return a function that waits for a condition, at most 30 seconds."""

    def wait(condition: Callable[[], object], seconds: float = 30.0) -> None:
        until = time.monotonic() + seconds
        while not condition():
            assert time.monotonic() < until, "the condition did not come true in time"
            time.sleep(0.02)

    return wait
