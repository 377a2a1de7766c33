"""Attacks as small Python programs, the sandboxes to withstand them, and things of the host to attack."""

import subprocess
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from proctor.ports import Sandbox
from proctor.sandboxes.bubblewrap import BubblewrapSandbox
from proctor.sandboxes.landlock import LandlockSandbox

if TYPE_CHECKING:
    from tests.conftest import Bench

Assault = Callable[..., dict[str, str]]

PRELUDE = """
import ctypes, errno, os, signal, socket, subprocess, sys, time
libc = ctypes.CDLL(None, use_errno=True)
def attempt(name, action):
    try:
        value = action()
    except OSError as error:
        print(name, errno.errorcode[error.errno], flush=True)
    else:
        print(name, "done", value if isinstance(value, (bytes, str, int)) else "", flush=True)
def write(path):
    with open(path, "a") as file:
        file.write("x")
def read(path):
    with open(path, "rb") as file:
        return file.read(200)
def call(name, *arguments):
    result = getattr(libc, name)(*arguments)
    if result == -1:
        raise OSError(ctypes.get_errno(), name)
    return result
def connect(address, family=socket.AF_UNIX):
    with socket.socket(family) as end:
        end.settimeout(3)
        end.connect(address)
"""


@pytest.fixture(params=["bubblewrap", "landlock"])
def sandbox(request: pytest.FixtureRequest) -> Sandbox:
    """Each sandbox that promises protection."""
    return BubblewrapSandbox() if request.param == "bubblewrap" else LandlockSandbox()


@pytest.fixture
def assault(bench: "Bench", sandbox: Sandbox) -> Assault:
    """Return a function that runs an attack and returns what became of each of its attempts."""

    def run(program: str, *arguments: str, **settings: object) -> dict[str, str]:
        outcome = bench.run(sandbox, bench.python(PRELUDE + program, *arguments, **settings))
        assert outcome.exit.exit_code == 0, outcome
        return dict(line.split(" ", 1) for line in outcome.stdout.splitlines())

    return run


@pytest.fixture
def prelude() -> str:
    """The words that attacks are written in."""
    return PRELUDE


@pytest.fixture
def outside() -> Iterator[Path]:
    """A directory of the host that is neither in the project nor in a temporary place."""
    with tempfile.TemporaryDirectory(prefix=".proctor-test-", dir=Path.home()) as name:
        yield Path(name)


@pytest.fixture
def bystander() -> Iterator["subprocess.Popen[bytes]"]:
    """A process of the host that must survive."""
    process = subprocess.Popen(["sleep", "1000"], env={"BYSTANDER": "its-secret"})
    yield process
    assert process.poll() is None
    process.kill()
    process.wait()
