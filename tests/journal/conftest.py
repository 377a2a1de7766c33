"""What the tests of the journal share: a home, a run, and children that can be killed."""

import subprocess
import sys
import textwrap
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from proctor.journal.blobs import Blobs
from proctor.journal.journal import Journals
from proctor.model.ids import new_run_id

Child = Callable[..., "subprocess.Popen[bytes]"]


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "home"


@pytest.fixture
def run_id() -> str:
    return new_run_id()


@pytest.fixture
def journals(home: Path) -> Journals:
    return Journals(home)


@pytest.fixture
def blobs(home: Path) -> Blobs:
    return Blobs(home)


@pytest.fixture
def child() -> Iterator[Child]:
    """Starts Python code in another process; whatever still runs at the end of the test is killed."""
    started: list[subprocess.Popen[bytes]] = []

    def start(code: str, *arguments: object, prefix: tuple[str, ...] = ()) -> "subprocess.Popen[bytes]":
        command = [*prefix, sys.executable, "-c", textwrap.dedent(code), *map(str, arguments)]
        process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        started.append(process)
        return process

    yield start
    for process in started:
        process.kill()
        process.communicate()
