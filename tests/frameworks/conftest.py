"""What the tests of the frameworks share: a project that exists only in memory, and what a report amounts to."""

import fnmatch
from collections.abc import Callable, Iterable, Mapping

import pytest

from proctor.model.event import Event, ProcessEnded, ReaderEvent, RunEnded, RunStarted
from proctor.model.fold import Fold
from proctor.model.verdict import judge


class MemoryView:
    """A project made of texts (``ports.ProjectView``)."""

    def __init__(self, files: Mapping[str, str], environment: Mapping[str, str]) -> None:
        self.root = "/p"
        self.environment = dict(environment)
        self._files = {name if name.startswith("/") else f"/p/{name}": text for name, text in files.items()}

    def exists(self, path: str) -> bool:
        return self._full(path) in self._files

    def read_text(self, path: str) -> str:
        return self._files.get(self._full(path), "")

    def find(self, pattern: str) -> tuple[str, ...]:
        names = sorted(name.removeprefix("/p/") for name in self._files if name.startswith("/p/"))
        inside = [name for name in names if "node_modules/" not in name]
        whole = "/" in pattern
        return tuple(n for n in inside if fnmatch.fnmatch(n if whole else n.rpartition("/")[2], pattern))

    def _full(self, path: str) -> str:
        return path if path.startswith("/") else f"/p/{path}"


@pytest.fixture
def project() -> Callable[..., MemoryView]:
    """Return a function that makes a project with node in its PATH: ``project({"package.json": "{}"})``."""

    def make(files: Mapping[str, str], **environment: str) -> MemoryView:
        return MemoryView({"/usr/bin/node": "", **files}, {"PATH": "/usr/bin", **environment})

    return make


@pytest.fixture
def verdict() -> Callable[[Iterable[ReaderEvent], int | None], str]:
    """Return a function that judges a run in which a reader said this and the process ended so."""

    def judged(events: Iterable[ReaderEvent], exit_code: int | None) -> str:
        around: list[Event] = [RunStarted(argv=(), cwd="/p", sandbox="off"), *events]
        around += [ProcessEnded(exit_code=exit_code), RunEnded(cause="finished")]
        judgement = judge(Fold().apply_all(around))
        assert judgement is not None
        return judgement.verdict

    return judged
