"""Fixtures for every test: a private home, projects made on the fly, and a bench for sandboxes."""

import os
import sys
import tempfile
import time
import uuid
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

import anyio
import pytest

from proctor import Proctor
from proctor.model.plan import Command, Job, Limits, Policy
from proctor.model.run import SandboxReport
from proctor.ports import Exit, Process, Sandbox

Project = Callable[[Mapping[str, str]], Path]


@pytest.fixture(autouse=True)
def home(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A fresh PROCTOR_HOME, and the interpreter of this test run as the project's own."""
    directory = tmp_path_factory.mktemp("proctor-home")
    monkeypatch.setenv("PROCTOR_HOME", str(directory))
    monkeypatch.setenv("VIRTUAL_ENV", sys.prefix)
    monkeypatch.delenv("PYTHONDONTWRITEBYTECODE", raising=False)
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


MIB = 1024 * 1024


class Outcome(NamedTuple):
    exit: Exit
    stdout: str
    stderr: str
    report: SandboxReport


class Bench:
    """A project, a temporary directory, a channel, and commands that run between them."""

    def __init__(self, root: Path) -> None:
        self.project = root / "project"
        self.scratch = root / "scratch"
        self.channel = root / "state" / "channel.jsonl"
        self.mark = uuid.uuid4().hex
        for directory in (self.project, self.scratch, self.channel.parent):
            directory.mkdir()

    def job(
        self,
        *argv: str,
        readonly: tuple[str, ...] = (),
        hidden: tuple[str, ...] = (),
        network: bool = False,
        environment: dict[str, str] | None = None,
        limits: Limits | None = None,
    ) -> Job:
        return Job(
            command=Command(argv=argv, cwd=str(self.project)),
            environment={"PATH": os.environ["PATH"], "MARK": self.mark, **(environment or {})},
            policy=Policy(writable=(str(self.project),), readonly=readonly, hidden=hidden, network=network),
            limits=limits or Limits(memory=256 * MIB, processes=128),
            scratch=str(self.scratch),
            channel_path=str(self.channel),
        )

    def python(self, program: str, *arguments: str, **settings: object) -> Job:
        return self.job(sys.executable, "-I", "-c", program, *arguments, **settings)  # type: ignore[arg-type]

    def run(self, sandbox: Sandbox, job: Job) -> Outcome:
        process, report = sandbox.start(job)
        return self.watch(process, report)

    def watch(
        self, process: Process, report: SandboxReport, act: Callable[[Process], None] | None = None
    ) -> Outcome:
        """Wait at most 20 s for the command, then read what it printed and close it."""

        async def wait() -> Exit:
            with anyio.fail_after(20):
                return await process.wait()

        try:
            if act is not None:
                act(process)
            end = anyio.run(wait)
            return Outcome(end, _read(process.stdout), _read(process.stderr), report)
        finally:
            process.close()


def _read(descriptor: int) -> str:
    pieces = []
    while piece := os.read(descriptor, 65536):
        pieces.append(piece)
    return b"".join(pieces).decode("utf-8", "replace").strip()


class Traces:
    """What a command could leave behind on the host. The mark is in the environment of all its processes."""

    def __init__(self, mark: str, temporary: Path) -> None:
        self._mark = mark.encode()
        self._temporary = temporary

    def see(self) -> dict[str, object]:
        return {
            "processes": self._marked(),
            "children": _children(),
            "descriptors": set(os.listdir("/proc/self/fd")),
            "groups": control_groups_of(os.getpid()),
            "mounts": self._mounts(),
            "temporary files": sorted(self._temporary.rglob("*")),
        }

    def _mounts(self) -> list[str]:
        """The mounts below our own directories; other people on this machine make and unmake theirs."""
        lines = Path("/proc/self/mountinfo").read_text().splitlines()
        return [line for line in lines if str(self._temporary) in line or "proctor" in line]

    def _marked(self) -> set[str]:
        found = set()
        for pid in filter(str.isdecimal, os.listdir("/proc")):
            try:
                if self._mark in Path(f"/proc/{pid}/environ").read_bytes():
                    found.add(pid)
            except OSError:
                continue
        return found


def control_groups_of(pid: int) -> set[str]:
    """By ``os.walk``, which does not mind that groups of others come and go meanwhile."""
    return {
        os.path.join(directory, name)
        for directory, names, _ in os.walk("/sys/fs/cgroup")
        for name in names
        if name.startswith("proctor-") and name.split("-")[2] == str(pid)
    }


def _children() -> set[int]:
    found: set[int] = set()
    for task in os.listdir("/proc/self/task"):
        found |= set(map(int, Path(f"/proc/self/task/{task}/children").read_text().split()))
    return found


@pytest.fixture
def groups_of() -> Callable[[int], set[str]]:
    """Return a function that finds the control groups that a process made."""
    return control_groups_of


@pytest.fixture
def bench(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Bench]:
    """A bench that looks afterwards for anything left behind."""
    directory, temporary = tmp_path / "bench", tmp_path / "temporary"
    directory.mkdir()
    temporary.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(temporary))
    anyio.run(anyio.sleep, 0)  # an event loop's first use may leave descriptors that are not ours
    made = Bench(directory)
    traces = Traces(made.mark, temporary)
    before = traces.see()
    yield made
    assert traces.see() == before
