"""A project on disk: its root, its identity, and the read-only view that planning and frameworks get."""

import fnmatch
import os
from collections.abc import Iterator, Mapping
from pathlib import Path

from proctor.model.errors import NoProject

_INNER_MARKS = (".proctor", "pyproject.toml", "pytest.ini", "tox.ini", "setup.cfg", "setup.py")
"""What makes an ancestor of a named directory the project: a repository may hold many projects."""
_ROOT_MARKS = (*_INNER_MARKS, "go.mod", "go.work", "Cargo.toml", "package.json", ".git")
_PASSED_OVER = frozenset(
    {".git", ".hg", ".venv", "venv", "env", "node_modules", "__pycache__", ".tox", ".nox", "site-packages",
     "target", "build", "dist", ".mypy_cache", ".pytest_cache", ".ruff_cache"}
)  # fmt: skip
_MOST_BYTES = 1 << 20
_MOST_FILES = 5000
_DEEPEST = 6


class DiskView:
    """A bounded, read-only view of a project directory (``ports.ProjectView``)."""

    def __init__(self, root: Path, environment: Mapping[str, str]) -> None:
        self._root = root
        self._environment = dict(environment)
        self._files: tuple[str, ...] | None = None

    @property
    def root(self) -> str:
        """The absolute path of the project."""
        return str(self._root)

    @property
    def environment(self) -> dict[str, str]:
        """The environment that Proctor itself was started with."""
        return self._environment

    def exists(self, path: str) -> bool:
        """Tell whether a file or directory of that path exists."""
        return (self._root / path).exists()

    def read_text(self, path: str) -> str:
        """Return the text of a small file, or an empty string if it cannot be read."""
        try:
            with (self._root / path).open("rb") as file:
                return file.read(_MOST_BYTES).decode("utf-8", "replace")
        except OSError:
            return ""

    def find(self, pattern: str) -> tuple[str, ...]:
        """Return the files whose relative path (or name, for a pattern without slash) fits the pattern."""
        if self._files is None:
            self._files = tuple(_walk(self._root))
        if "/" in pattern:
            return tuple(file for file in self._files if fnmatch.fnmatch(file, pattern))
        return tuple(file for file in self._files if fnmatch.fnmatch(os.path.basename(file), pattern))


def locate(path: str, *, whole: bool = False) -> tuple[Path, tuple[str, ...]]:
    """Return the project root for what a caller named, and the tests if it named less than a project:
    a file, a node id, or a directory inside one (a ``whole`` directory is taken as it is)."""
    file, _, node = path.partition("::")
    place = Path(file).expanduser()
    if not place.exists():
        raise NoProject(f"no such file or directory: {file}", hint="name the project's directory")
    place = place.resolve()
    if place.is_dir() and (whole or _is_project(place, _ROOT_MARKS)):
        return place, ()
    root = _root_of(place)
    if root == place:
        return place, ()
    relative = place.relative_to(root).as_posix()
    return root, (f"{relative}::{node}" if node else relative,)


def identity(root: Path) -> str:
    """Return the name of a project in the history: the same for all worktrees of one repository."""
    repository = _git_directory(root)
    if repository is None:
        return str(root)
    top, directory = repository
    common = _common_directory(directory)
    inside = root.relative_to(top).as_posix()
    base = common.parent if common.name == ".git" else common
    return str(base) if inside == "." else f"{base}/{inside}"


def head_of(root: Path) -> tuple[str, str]:
    """Return the commit and the branch that are checked out, empty strings where there are none."""
    repository = _git_directory(root)
    if repository is None:
        return "", ""
    directory = repository[1]
    head = _read_line(directory / "HEAD")
    if not head.startswith("ref: "):
        return head, ""
    ref = head.removeprefix("ref: ")
    common = _common_directory(directory)
    commit = _read_line(common / ref) or _packed_ref(common, ref)
    return commit, ref.removeprefix("refs/heads/")


def _root_of(place: Path) -> Path:
    """Return the nearest directory that looks like a project's; never a home or what lies above one, for
    the project is what tests may write."""
    start = place if place.is_dir() else place.parent
    marks = _INNER_MARKS if place.is_dir() else _ROOT_MARKS
    home = Path.home()
    for directory in (start, *start.parents):
        if directory != start and (directory == home or directory in home.parents):
            break
        if _is_project(directory, marks):
            return directory
    return start


def _is_project(directory: Path, marks: tuple[str, ...]) -> bool:
    return any((directory / mark).exists() for mark in marks)


def _walk(root: Path) -> Iterator[str]:
    count = 0
    for directory, names, files in os.walk(root):
        relative = os.path.relpath(directory, root)
        depth = 0 if relative == "." else relative.count(os.sep) + 1
        names[:] = sorted(n for n in names if n not in _PASSED_OVER) if depth < _DEEPEST else []
        for file in sorted(files):
            count += 1
            if count > _MOST_FILES:
                return
            yield file if relative == "." else f"{relative}/{file}"


def _git_directory(root: Path) -> tuple[Path, Path] | None:
    for top in (root, *root.parents):
        mark = top / ".git"
        if mark.is_dir():
            return top, mark
        if mark.is_file():
            target = _read_line(mark).removeprefix("gitdir: ")
            return top, (top / target).resolve()
    return None


def _common_directory(directory: Path) -> Path:
    named = _read_line(directory / "commondir")
    return (directory / named).resolve() if named else directory


def _packed_ref(directory: Path, ref: str) -> str:
    try:
        with (directory / "packed-refs").open(encoding="utf-8", errors="replace") as lines:
            for line in lines:
                commit, _, name = line.strip().partition(" ")
                if name == ref:
                    return commit
    except OSError:
        pass
    return ""


def _read_line(path: Path) -> str:
    try:
        with path.open(encoding="utf-8", errors="replace") as file:
            return file.readline(4096).strip()
    except OSError:
        return ""
