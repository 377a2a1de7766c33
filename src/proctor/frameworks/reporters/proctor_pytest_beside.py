"""What runs beside the tests: selection, and what failed assertions compared. PYTEST_DONT_REWRITE

Loaded in every process that collects or runs tests, the workers of xdist included. It has no channel: what it
finds out travels on pytest's reports, as their attribute ``proctor``.
"""

from __future__ import annotations

import fnmatch
import linecache
import os
import sys
from typing import Any, Generator, Iterator

import pytest
from proctor_pytest_case import is_subtest, label_of
from proctor_pytest_channel import VALUE, clean

PAIRS = (
    ("first", "second", ""),
    ("expr1", "expr2", ""),
    ("actual", "desired", ""),
    ("member", "container", "in "),
    ("obj", "cls", "an instance of "),
)
"""How the assert methods of unittest and numpy call the two values: actual, expected, and the relation."""

RAISED: dict[tuple[str, str], bool] = {}
"""Node id and phase of what raised an exception in the test that is running."""

COMPARED: dict[int, tuple[str, str, str]] = {}
"""Operator and values of the last comparison that failed, by the identity of its frame."""


def pytest_configure(config: Any) -> None:
    """Join a worker of xdist; in the main process the reporter has done it."""
    if hasattr(config, "workerinput") and "proctor" in config.workerinput:
        config.pluginmanager.register(Beside(config, *config.workerinput["proctor"]), "proctor-beside")
        config.pluginmanager.register(Labels(), "proctor-labels")


class Labels:
    """Names subtests before their reports travel: on arrival, pytest 9 quotes the values a second time."""

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_logreport(self, report: Any) -> None:
        """Put the name on the report."""
        if is_subtest(report):
            report.proctor_label = label_of(report)


class Beside:
    """Selects tests, and notes what raised and what was compared."""

    def __init__(self, config: Any, tests: list[str], match: list[str], exclude: list[str]) -> None:
        self.config, self.tests, self.match, self.exclude = config, set(tests), match, exclude
        self.missing: list[str] = []
        self.deselected = 0

    @pytest.hookimpl(hookwrapper=True)
    def pytest_make_collect_report(self) -> Generator[None, Any, None]:
        """Say which exception a file that cannot be collected raised, and where."""
        result = yield
        if result.excinfo is None:
            report = result.get_result()
            raised = getattr(getattr(report, "call", None), "excinfo", None)
            if report.failed and raised is not None:
                report.proctor = told(raised.value)

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, config: Any, items: list[Any]) -> None:
        """Keep the tests that were asked for."""
        if not (self.tests or self.match or self.exclude):
            return
        missing = set(self.tests)
        dropped = [item for item in items if not self.wants(item, missing)]
        if dropped:
            gone = set(map(id, dropped))
            items[:] = [item for item in items if id(item) not in gone]
            config.hook.pytest_deselected(items=dropped)
        self.missing = sorted(missing)

    def wants(self, item: Any, missing: Any) -> bool:
        """Tell whether a test was asked for. An id without parameters, or of a class, file or directory,
        stands for all below it, as on pytest's own command line."""
        parts = item.nodeid.partition("[")[0].split("::")
        names = [*parts[1:], item.name]
        if self.tests:
            ids = {item.nodeid, *("::".join(parts[: count + 1]) for count in range(len(parts)))}
            ids.update(folders_of(parts[0]))
            missing -= ids
            if self.tests.isdisjoint(ids):
                return False
        if self.match and not fits(names, self.match):
            return False
        return not fits(names, self.exclude)

    def pytest_deselected(self, items: list[Any]) -> None:
        """Count what was left out."""
        self.deselected += len(items)

    def pytest_sessionfinish(self) -> None:
        """Tell the main process of xdist what only a worker knows."""
        if hasattr(self.config, "workeroutput"):
            self.config.workeroutput["proctor"] = [self.deselected, self.missing]

    @pytest.hookimpl(hookwrapper=True, tryfirst=True)
    def pytest_runtestloop(self) -> Generator[None, Any, None]:
        """Register the witness: the last to come is the outermost, also of what a conftest adds."""
        self.config.pluginmanager.register(Witness(), "proctor-witness")
        yield

    @pytest.hookimpl(tryfirst=True)
    def pytest_assertrepr_compare(self, op: str, left: object, right: object) -> None:
        """Keep the values of a failed comparison, for the case that the test fails by it."""
        frame: Any = sys._getframe(1)
        while frame is not None and is_runner(frame.f_code.co_filename):
            frame = frame.f_back
        if len(COMPARED) < 100:
            COMPARED[id(frame)] = (op, show(left), show(right))


class Witness:
    """Sees whether a test raised before and after every other plugin had its say."""

    @pytest.hookimpl(hookwrapper=True, tryfirst=True)
    def pytest_runtest_makereport(self, item: Any, call: Any) -> Generator[None, Any, None]:
        """Mark the report of a phase that raised."""
        raised = call.excinfo
        result = yield
        raised = call.excinfo or raised
        if raised is not None and result.excinfo is None:
            RAISED[item.nodeid, call.when] = True
            report = result.get_result()
            report.proctor = {"hidden": report.outcome == "passed" and not hasattr(report, "wasxfail")}
            if report.outcome == "failed" and isinstance(
                raised.value, (AssertionError, pytest.fail.Exception)
            ):
                report.proctor["check"] = check(raised)
            if report.outcome == "failed":
                report.proctor["line"] = line_in(str(getattr(item, "path", None) or item.fspath), raised.tb)
            COMPARED.clear()


def folders_of(path: str) -> Iterator[str]:
    """Return every directory above a path, the nearest first."""
    while "/" in path:
        path = path.rpartition("/")[0]
        yield path


def fits(names: list[str], patterns: list[str]) -> bool:
    """Tell whether one of the names fits one of the patterns."""
    return any(fnmatch.fnmatchcase(name, pattern) for pattern in patterns for name in names)


def is_runner(path: str) -> bool:
    """Tell whether a source file is pytest's."""
    return "/_pytest/" in path or "/pluggy/" in path


def show(value: object) -> str:
    """Return a bounded repr, whatever the object does."""
    try:
        if isinstance(value, (str, bytes)) and len(value) > VALUE:
            return clean(f"{value[:VALUE]!r}... ({len(value)} long)", VALUE)
        return clean(repr(value), VALUE)
    except Exception as error:
        return f"<{type(value).__name__} whose repr raises {type(error).__name__}>"


def check(raised: Any) -> list[str]:
    """Describe a failed assertion: its source line, the expected and the actual value, its first line."""
    where, expected, actual = "", "", ""
    frame, traceback = None, raised.tb
    while traceback is not None:
        frame, path = traceback.tb_frame, traceback.tb_frame.f_code.co_filename
        library = path.endswith("/unittest/case.py") or "/numpy/testing/" in path
        if library and not expected:
            actual, expected = arguments(frame.f_locals)
        elif not library and not is_runner(path):
            where = linecache.getline(path, traceback.tb_lineno).strip()
        traceback = traceback.tb_next
    if id(frame) in COMPARED:
        operator, actual, expected = COMPARED[id(frame)]
        expected = expected if operator == "==" else f"{operator} {expected}"
    message = str(raised.value)[:VALUE].strip()
    if message.startswith("DID NOT RAISE "):
        expected, actual = message[len("DID NOT RAISE ") :], "no exception"
    return [clean(where, VALUE), expected, actual, clean(message.split("\n", 1)[0], VALUE)]


def arguments(values: dict[str, Any]) -> tuple[str, str]:
    """Return the actual and the expected value that an assert method was called with."""
    for left, right, relation in PAIRS:
        if left in values and right in values:
            return show(values[left]), relation + show(values[right])
    return "", ""


def line_in(path: str, traceback: Any) -> int:
    """Return the last line of a file that a traceback passes through, 0 if it passes none."""
    line = 0
    while traceback is not None:
        if traceback.tb_frame.f_code.co_filename == path:
            line = traceback.tb_lineno
        traceback = traceback.tb_next
    return line


def place(traceback: Any) -> tuple[str, int]:
    """Return file and line of the last frame of a traceback that lies in the project."""
    found = ("", 0)
    while traceback is not None:
        path = traceback.tb_frame.f_code.co_filename
        if path.startswith(os.getcwd() + os.sep) and "site-packages" not in path:
            found = (os.path.relpath(path), traceback.tb_lineno)
        traceback = traceback.tb_next
    return found


def told(error: BaseException) -> dict[str, Any]:
    """Say what an exception outside a test was, and where, without the wrappers of pytest's importer."""
    while type(error).__name__ in ("CollectError", "ConftestImportFailure") and error.__cause__ is not None:
        error = error.__cause__
    file, line = place(error.__traceback__)
    if isinstance(error, SyntaxError) and error.filename:
        file, line = os.path.relpath(error.filename), error.lineno or 0
    kind = "import" if isinstance(error, ImportError) else "collection"
    message = f"{type(error).__name__}: {error}"
    return {"kind": kind, "message": clean(message), "file": clean(file), "line": line}
