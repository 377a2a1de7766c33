"""Documentation as a script: the marked blocks of a page, and a place where they are carried out.

An HTML comment marks the block below it. `<!-- run -->`: commands after `$ ` and what they print, or a Python
program with what it prints in the `text` block below. `<!-- file: PATH -->`: a file to write.
In what is printed, `…` stands for anything; run ids, times and dates stand for others of their kind. What a
machine cannot enforce differs from machine to machine: that line is left out of the comparison.
"""

import os
import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).parents[2]
_FENCE = re.compile(
    r"^<!-- (?P<mark>run|file: (?P<path>\S+)) -->\n+```(?P<kind>\w+)\n(?P<body>.*?)^```\n"
    r"(?:\n*```text\n(?P<said>.*?)^```)?",
    re.MULTILINE | re.DOTALL,
)
_VARIABLE = re.compile(
    r"(?P<id>\brun-[0-9a-z]{15}\b)"
    r"|(?P<any> *…)"
    r"|(?P<date>\d{4}-\d\d-\d\dT[\d:.]+Z)"
    r"|(?P<time>\b(?:\d+m\d\ds|\d+(?:\.\d+)?m?s)\b)"
    r"|(?P<space>[ ]{2,})"
)
_DIFFERS = re.compile(r"^  not enforced here: .*\n", re.MULTILINE)
_STANDS_FOR = {
    "any": r"[\s\S]*?",
    "date": r"\d{4}-\d\d-\d\dT[\d:.]+Z",
    "time": r"(?:\d+m\d\ds|\d+(?:\.\d+)?m?s)",
    "space": " {2,}",
}


class Block(NamedTuple):
    """One marked block of a page."""

    kind: str
    body: str
    path: str
    said: str


def blocks(page: Path) -> Iterator[Block]:
    for found in _FENCE.finditer(page.read_text(encoding="utf-8")):
        yield Block(found["kind"], found["body"], found["path"] or "", found["said"] or "")


def commands(block: str) -> Iterator[tuple[str, str]]:
    """Yield each command of a console block with what it prints."""
    for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
        line, _, said = part.partition("\n")
        while line.endswith("\\"):
            more, _, said = said.partition("\n")
            line += "\n" + more
        yield line, said


class Session:
    """A reader who types what a page says, beside a copy of the examples."""

    def __init__(self, place: Path, environment: dict[str, str]) -> None:
        self._place = place
        self._environment = environment
        self._status = 0
        self._ids: dict[str, str] = {}

    def follow(self, block: Block) -> None:
        if block.path:
            self._write(block)
        elif block.kind == "python":
            self._expect(block.said, self._run([sys.executable, "-c", block.body]))
        else:
            for line, said in commands(block.body):
                self._type(line, said)

    def _type(self, line: str, said: str) -> None:
        for shown, real in self._ids.items():
            line = line.replace(shown, real)
        if line.startswith("cd "):
            self._place /= line.removeprefix("cd ")
            return
        # `$?` of one command is asked for by the next, which runs in a shell of its own.
        self._expect(said, self._run(["sh", "-c", f"(exit {self._status}); {line}"]))

    def _run(self, argv: list[str]) -> str:
        done = subprocess.run(
            argv, cwd=self._place, env=self._environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, text=True, timeout=100, check=False,
        )  # fmt: skip
        self._status = done.returncode
        return done.stdout

    def _expect(self, said: str, real: str) -> None:
        pattern, ids = _pattern(_DIFFERS.sub("", said).rstrip())
        found = re.fullmatch(pattern, _DIFFERS.sub("", real).rstrip())
        assert found, f"the page says:\n{said}\nreally:\n{real}"
        self._ids |= {shown: found[name] for name, shown in ids.items()}

    def _write(self, block: Block) -> None:
        path = self._place / block.path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(block.body, encoding="utf-8")
        if path.name == "pyproject.toml":
            self._install(path)

    def _install(self, path: Path) -> None:
        """Make the entry points of a package known as its installation would."""
        project = tomllib.loads(path.read_text(encoding="utf-8"))["project"]
        lines = [
            f"[{group}]\n" + "".join(f"{name} = {value}\n" for name, value in points.items())
            for group, points in project.get("entry-points", {}).items()
        ]
        if lines:
            metadata = path.parent / f"{project['name'].replace('-', '_')}-{project['version']}.dist-info"
            metadata.mkdir()
            (metadata / "METADATA").write_text(f"Name: {project['name']}\nVersion: {project['version']}\n")
            (metadata / "entry_points.txt").write_text("".join(lines))
            self._environment["PYTHONPATH"] = str(path.parent)


def _pattern(said: str) -> tuple[str, dict[str, str]]:
    """Return the expression that fits what is really printed, and the ids that its groups stand for."""
    names: dict[str, str] = {}
    parts: list[str] = []
    end = 0
    for found in _VARIABLE.finditer(said):
        parts.append(re.escape(said[end : found.start()]))
        end = found.end()
        kind = str(found.lastgroup)
        if kind != "id":
            parts.append(_STANDS_FOR[kind])
        elif found[0] in names:
            parts.append(f"(?P={names[found[0]]})")
        else:
            names[found[0]] = f"id{len(names)}"
            parts.append(f"(?P<{names[found[0]]}>run-[0-9a-z]{{15}})")
    return "".join((*parts, re.escape(said[end:]))), {name: shown for shown, name in names.items()}


@pytest.fixture
def follow(tmp_path: Path, home: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[Path], int]:
    """Return a function that does what a page says and returns how many blocks that were."""
    shutil.copytree(
        ROOT / "examples", tmp_path / "examples", ignore=shutil.ignore_patterns(".*", "__pycache__")
    )
    environment = {
        "PATH": f"{sys.prefix}/bin:/usr/bin:/bin",
        "HOME": os.path.expanduser("~"),
        "VIRTUAL_ENV": sys.prefix,
        "PROCTOR_HOME": str(home),
        "LANG": "C.UTF-8",
        "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
    }

    def following(page: Path) -> int:
        session = Session(tmp_path, environment)
        marked = list(blocks(page))
        for block in marked:
            session.follow(block)
        return len(marked)

    return following


@pytest.fixture
def written_files() -> Callable[[Path], dict[str, str]]:
    """Return a function that gives the files which a page writes."""
    return lambda page: {block.path: block.body for block in blocks(page) if block.path}
