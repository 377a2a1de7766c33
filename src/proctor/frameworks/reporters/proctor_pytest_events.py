"""The pytest plugin that writes the events. PYTEST_DONT_REWRITE

It lives in the process that Proctor started, which under xdist is the one that runs no tests itself.
"""

from __future__ import annotations

import os
from copy import copy
from json.encoder import encode_basestring_ascii as quote
from typing import Any, Generator

import pytest
from proctor_pytest_beside import RAISED, Beside, place, told
from proctor_pytest_case import (
    PHASES,
    Case,
    category,
    is_subtest,
    label_of,
    outcome,
    repeated,
    skip_reason,
    texts,
)
from proctor_pytest_channel import LONG, Channel, clean


class Reporter:
    """Turns pytest's hooks into lines on the channel."""

    def __init__(self, channel: Channel, wishes: Any) -> None:
        self.channel, self.wishes = channel, wishes
        self.beside: Beside | None = None
        self.session: Any = None
        self.root = os.getcwd()
        self.open: dict[str, Case] = {}
        self.tries: dict[str, int] = {}
        self.files: dict[str, str] = {}
        self.ways_down: dict[str, str] = {}
        self.total = 0
        self.loop_failed: int | None = None
        self.counted = self.told_by_worker = self.configured = False

    # How pytest starts. Innermost, because with some versions a wrapper that raises cuts off those around it.

    @pytest.hookimpl(hookwrapper=True, trylast=True)
    def pytest_cmdline_parse(self) -> Generator[None, Any, None]:
        """Say why pytest refuses to start."""
        result = yield
        self.refused(result.excinfo)

    @pytest.hookimpl(hookwrapper=True, trylast=True)
    def pytest_cmdline_main(self, config: Any) -> Generator[None, Any, None]:
        """Set the number of workers before xdist looks at it; say why pytest refuses to go on."""
        if self.wishes.parallel > 1 and hasattr(config.option, "numprocesses"):
            config.option.numprocesses = self.wishes.parallel
        elif self.wishes.parallel > 1:
            self.channel.event("note", message="pytest-xdist is not installed: the tests ran one by one")
        result = yield
        self.refused(result.excinfo)

    def refused(self, raised: Any) -> None:
        """Tell of an error in a conftest or on the command line."""
        if raised is not None and type(raised[1]).__name__ == "ConftestImportFailure":
            self.channel.event("problem", fatal=True, **told(raised[1]))
        elif raised is not None and isinstance(raised[1], pytest.UsageError):
            self.channel.problem("usage", str(raised[1]), fatal=True)

    def pytest_configure(self, config: Any) -> None:
        """Take part beside the tests, unless xdist has them run elsewhere."""
        self.root = str(getattr(config, "rootpath", None) or config.rootdir)
        wishes = self.wishes
        self.beside = Beside(config, wishes.tests, wishes.match, wishes.exclude)
        config.pluginmanager.register(self.beside, "proctor-beside")
        if getattr(config.option, "dist", "") == "each":
            self.channel.problem("usage", "with --dist=each the runs of one test cannot be told apart")

    def pytest_sessionstart(self, session: Any) -> None:
        """Remember the session, for its totals."""
        self.session = session

    # What is collected

    def pytest_collectreport(self, report: Any) -> None:
        """Tell of a file that could not be collected, or that skips all its tests."""
        if report.skipped:
            fields = {"s": "skip", "t": 0.0, "detail": clean(skip_reason(report)), "r": {"skipped": 1}}
            self.uncollected(report.nodeid, (report.nodeid, None, report.nodeid), fields)
        if not report.failed:
            return
        known = {"kind": "collection", "message": clean(str(report.longrepr)), "file": "", "line": 0}
        known.update(getattr(report, "proctor", {}))
        known["file"] = known["file"] or self.relative(report.nodeid.partition("::")[0])
        self.channel.event(
            "problem", fatal=True, report=True, trace=clean(report.longreprtext, LONG), **known
        )

    @pytest.hookimpl(trylast=True)
    def pytest_collection_finish(self, session: Any) -> None:
        """Say how many tests are going to run."""
        assert self.beside is not None
        self.collected(len(session.items), self.beside.deselected, self.beside.missing)

    def collected(self, total: int, deselected: int, missing: list[str]) -> None:
        """Write the counts, and the tests that were asked for and do not exist."""
        self.channel.event("collected", total=total, deselected=deselected)
        for test in missing:
            self.channel.problem("usage", f"there is no test {test}")

    @pytest.hookimpl(optionalhook=True)
    def pytest_xdist_node_collection_finished(self, ids: list[str]) -> None:
        """Say how many tests are going to run; each worker of xdist collects the same."""
        if not self.counted:
            self.collected(len(ids), 0, [])
        self.counted = True

    @pytest.hookimpl(optionalhook=True)
    def pytest_configure_node(self, node: Any) -> None:
        """Hand our wishes to a worker of xdist."""
        node.workerinput["proctor"] = [self.wishes.tests, self.wishes.match, self.wishes.exclude]

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any, error: object) -> None:
        """Take what a worker found out, or tell how it died."""
        known = getattr(node, "workeroutput", {}).get("proctor")
        if known and not self.told_by_worker and any(known):
            self.told_by_worker = True
            self.collected(0, *known)
        if error:
            how = self.ways_down[node.gateway.id] = way_down(node)
            self.channel.problem("worker", f"worker {node.gateway.id} died ({how or error})")

    # What runs

    @pytest.hookimpl(hookwrapper=True, trylast=True)
    def pytest_runtestloop(self, session: Any) -> Generator[None, Any, None]:
        """Note pytest's count of failures before other plugins add theirs."""
        yield
        self.loop_failed = session.testsfailed

    def relative(self, path: str) -> str:
        """Return a path of pytest's as seen from the working directory."""
        known = self.files.get(path)
        if known is None:
            known = os.path.relpath(os.path.join(self.root, path)) if path else ""
            known = self.files[path] = clean(known, LONG)
        return known

    def pytest_runtest_logstart(self, nodeid: str, location: Any) -> None:
        """A test begins."""
        if nodeid in self.open:
            self.close(self.open.pop(nodeid))
        self.start(nodeid, location)

    def start(self, nodeid: str, location: Any, told: str = "") -> Case:
        """Write that a try begins."""
        attempt = self.tries.pop(nodeid, 0) + 1
        file, line, name = location
        line = 0 if line is None else line + 1
        number = self.channel.write(
            f'"e":"start","id":{quote(clean(nodeid, LONG))},"name":{quote(clean(name, LONG))},'
            f'"file":{quote(self.relative(file))},"line":{line},"attempt":{attempt}'
        )
        case = self.open[nodeid] = Case(nodeid, location, number, attempt, told)
        return case

    def pytest_runtest_logreport(self, report: Any) -> None:
        """One phase of a test is over."""
        case = self.open.get(report.nodeid)
        if case is not None and not RAISED and case.goes_on_well(report):
            case.reports.append(report)
            case.seconds += report.duration
            return
        self.take_with_care(report, case)

    def take_with_care(self, report: Any, case: Case | None) -> None:
        """Take a report that is not just the next phase that passed."""
        if case is None:
            self.channel.problem("tampering", f"{report.nodeid} was reported, and had never started")
            return
        if is_subtest(report):
            RAISED.pop((case.id, report.when), None)
            case.subtests += [report] if report.failed else []
            return
        if any(report.when == known.when for known in case.reports):
            # A plugin tries again without a new start.
            self.close(case)
            case = self.start(case.id, case.location, repeated(case.reports))
        if report.outcome == "passed" and report.when != case.told and hides_a_failure(report):
            self.channel.problem("tampering", f"{case.id} raised an exception and was reported as passed")
        # One that is tried again is copied: a plugin goes on to use it for the next try.
        case.reports.append(report if report.outcome in ("passed", "failed", "skipped") else copy(report))
        case.seconds += report.duration
        if report.when not in PHASES:
            # Made by xdist for the test that killed its worker; no more will come.
            self.pytest_runtest_logfinish(case.id)

    def pytest_runtest_logfinish(self, nodeid: str) -> None:
        """A test, or one try of it, is over."""
        case = self.open.pop(nodeid, None)
        if case is not None:
            self.close(case)

    def close(self, case: Case) -> None:
        """Write the end of a try."""
        RAISED.clear()
        if not case.passed_quietly():
            self.close_with_care(case)
            return
        self.total += 1
        self.channel.write(f'"e":"end","of":{case.number},"s":"pass","t":{case.seconds:.6f}')

    def close_with_care(self, case: Case) -> None:
        """Write the end of a try about which there is something to say."""
        reports = case.reports
        status, detail = outcome(reports)
        counts: dict[str, int] = {}
        for word in filter(None, map(category, reports)):
            counts[word] = counts.get(word, 0) + 1
        if case.subtests:
            counts["subtests"] = len(case.subtests)
        fields: dict[str, Any] = dict(texts(reports), s=status, t=round(case.seconds, 6), r=counts)
        worker = getattr(getattr(reports[-1], "node", None), "gateway", None) if reports else None
        detail = detail or (self.ways_down.get(worker.id, "") if worker else "")
        if detail:
            fields["detail"] = clean(detail)
        if repeated(reports):
            fields["retried"] = True
            self.tries[case.id] = case.attempt
        else:
            self.total += 1
        self.channel.event("end", of=case.number, **fields)
        if "retried" not in fields:
            self.close_subtests(case)

    def close_subtests(self, case: Case) -> None:
        """Write each failed subtest as a case of its own."""
        file, line, name = case.location
        for report in case.subtests:
            label = getattr(report, "proctor_label", "") or label_of(report)
            fields = dict(texts([report]), s="fail", t=round(report.duration, 6), r={"failed": 1})
            self.uncollected(f"{case.id} {label}", (file, line, f"{name} {label}"), fields)

    def uncollected(self, nodeid: str, location: Any, fields: dict[str, Any]) -> None:
        """Write a whole case that pytest reports without having collected it."""
        self.channel.event("collected", total=1, deselected=0, extra=True)
        case = self.start(nodeid, location)
        self.open.pop(nodeid)
        self.total += 1
        self.channel.event("end", of=case.number, **fields)

    # How pytest ends

    def pytest_internalerror(self, excrepr: object, excinfo: Any) -> None:
        """Tell of an error of pytest or of a plugin."""
        file, line = place(excinfo.tb)
        message = f"{excinfo.typename}: {excinfo.value}"
        self.channel.problem("internal", message, file=file, line=line, trace=str(excrepr), fatal=True)

    def pytest_keyboard_interrupt(self, excinfo: Any) -> None:
        """Tell why the run stopped before its end."""
        reason = getattr(excinfo.value, "msg", None) or str(excinfo.value) or excinfo.typename
        if excinfo.typename == "Interrupted" and self.session is not None and self.session.testsfailed:
            self.channel.event("note", message=clean(f"pytest stopped early: {reason}"))
            return
        file, line = place(excinfo.tb)
        self.channel.problem("stopped", f"the run was stopped: {reason}", file=file, line=line)

    def pytest_unconfigure(self) -> None:
        """Pytest shuts down in good order."""
        self.configured = True

    def finish(self, code: int) -> None:
        """Tell pytest's own totals, and that this is the end."""
        if self.session is not None:
            terminal = self.session.config.pluginmanager.getplugin("terminalreporter")
            stats = getattr(terminal, "stats", None)
            self.channel.event(
                "session",
                exitstatus=int(self.session.exitstatus),
                failed=self.session.testsfailed,
                loop_failed=self.loop_failed,
                collected=self.session.testscollected,
                stats=None if stats is None else {str(word): len(found) for word, found in stats.items()},
            )
        channel, configured = self.channel, self.configured
        channel.event("done", code=code, total=self.total, configured=configured, crc=channel.crc)


def hides_a_failure(report: Any) -> bool:
    """Tell whether a plugin made a pass of what raised an exception."""
    known = (report.nodeid, report.when) in RAISED or getattr(report, "proctor", {}).get("hidden")
    return bool(known) and not hasattr(report, "wasxfail")


def way_down(node: Any) -> str:
    """Say how the process of an xdist worker ended, if that is known."""
    try:
        code = node.gateway._io.popen.wait(1)
        return f"signal {-code}" if code < 0 else f"exit code {code}"
    except Exception:  # private parts of execnet: where they differ, the cause stays unknown
        return ""
