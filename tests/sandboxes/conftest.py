"""Fixtures for sandboxes: jobs made of small Python programs, run to their end, with nothing left behind."""

import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import anyio
import pytest

from proctor.model.plan import Command, Job, Limits, Policy
from proctor.model.run import SandboxReport
from proctor.ports import Exit, Process, Sandbox

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
            environment={"PATH": os.environ["PATH"], **(environment or {})},
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


def _children() -> set[int]:
    found: set[int] = set()
    for task in os.listdir("/proc/self/task"):
        found |= set(map(int, Path(f"/proc/self/task/{task}/children").read_text().split()))
    return found


def _groups() -> set[str]:
    return {
        str(path) for path in Path("/sys/fs/cgroup").glob(f"**/proctor-*-{os.getpid()}-*") if path.is_dir()
    }


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Bench]:
    """A bench that looks afterwards for children, descriptors, control groups and mounts left behind."""
    directory = tmp_path / "bench"
    directory.mkdir()
    anyio.run(anyio.sleep, 0)  # an event loop's first use may leave descriptors that are not ours
    before = (
        _children(),
        set(os.listdir("/proc/self/fd")),
        _groups(),
        Path("/proc/self/mountinfo").read_text(),
    )
    yield Bench(directory)
    after = (
        _children(),
        set(os.listdir("/proc/self/fd")),
        _groups(),
        Path("/proc/self/mountinfo").read_text(),
    )
    assert after == before
