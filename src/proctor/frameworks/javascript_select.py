"""Which tests of a JavaScript project are meant: paths, exact ids, patterns, as its tools take them. Pure."""

import json
import re
from typing import NamedTuple

from proctor.model.plan import Task
from proctor.ports import ProjectView

SEPARATOR = " > "
_SOURCE = re.compile(r"\.[cm]?[jt]sx?$")
_MOST = 100_000
"""The system limits one argument to 128 KiB; with more ids than this whole files are run."""


class Selection(NamedTuple):
    """Files to run (none: all), a regular expression for full names (empty: all), paths to leave out."""

    files: tuple[str, ...]
    names: str
    left_out: tuple[str, ...]


def is_path(pattern: str) -> bool:
    """Tell whether a pattern means a file rather than a test's name."""
    return "::" in pattern or bool(_SOURCE.search(pattern)) or ("/" in pattern and " " not in pattern)


def select(task: Task, project: ProjectView, *, leaf_only: bool = False) -> Selection:
    """Turn a task's wishes into files and names. ``leaf_only``: the tool matches a test's own name alone."""
    wanted = [*task.tests]
    pattern = task.pattern
    if pattern and is_path(pattern):
        wanted += project.find(pattern) if any(mark in pattern for mark in "*?") else [pattern]
        pattern = ""
    files = tuple(dict.fromkeys(test.partition("::")[0] for test in wanted))
    exact = [test.partition("::")[2] for test in wanted]
    names = [_exactly(name, leaf_only) for name in exact] if exact and all(exact) else []
    if sum(map(len, names)) > _MOST:
        names = []
    if pattern:
        names = [_glob(pattern) if "*" in pattern or "?" in pattern else pattern]
    unwanted = [_glob(name) for name in task.exclude if not is_path(name)]
    left_out = tuple(name for name in task.exclude if is_path(name))
    return Selection(files, _expression(names, unwanted), left_out)


def wishes(task: Task) -> dict[str, str]:
    """Return the variable that tells a reporter which tests were asked for by name."""
    exact = [test for test in task.tests if "::" in test]
    text = json.dumps({"tests": exact})
    return {"PROCTOR_WISHES": text} if exact and len(text) <= _MOST else {}


def _exactly(name: str, leaf_only: bool) -> str:
    parts = name.split(SEPARATOR)
    return "^" + _escape(parts[-1] if leaf_only else " ".join(parts)) + "$"


def _escape(text: str) -> str:
    """Quote for JavaScript, whose expressions know fewer escapes than Python's."""
    return re.sub(r"[\\^$.*+?()\[\]{}|/]", lambda found: "\\" + found.group(), text).replace("\n", "\\n")


def _glob(pattern: str) -> str:
    return _escape(pattern).replace("\\*", ".*").replace("\\?", ".")


def _expression(names: list[str], unwanted: list[str]) -> str:
    wanted = names[0] if len(names) == 1 else "|".join(f"(?:{name})" for name in names)
    if not unwanted:
        return wanted
    barrier = f"^(?!.*(?:{'|'.join(unwanted)}))"
    return f"{barrier}(?=.*(?:{wanted}))" if names else barrier
