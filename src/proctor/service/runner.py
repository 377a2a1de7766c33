"""The library's own door: a project, and its tests run from Python."""

import queue
import threading
from collections.abc import Iterator
from pathlib import Path

from msgspec.structs import replace

from proctor.model.case import Case
from proctor.model.event import Event
from proctor.model.fold import Fold
from proctor.model.request import TestRequest
from proctor.model.run import TestResult
from proctor.service.execution import StopSignal
from proctor.service.preparation import prepare
from proctor.service.proctor import Proctor


class TestRunner:
    """Runs the tests of one project.

    >>> result = TestRunner("path/to/project").run(TestRequest(test_pattern="test_total"))
    >>> result.verdict, result.summary.passed
    """

    __test__ = False

    def __init__(self, project: str | Path = ".", *, home: str | Path | None = None) -> None:
        self._project = str(project)
        self._proctor = Proctor(Path(home) if home is not None else None)

    def run(self, request: TestRequest | None = None) -> TestResult:
        """Run and return the result, whatever the test suite did.

        Raises a ProctorError only for a request that makes no sense or a state that cannot be kept.
        """
        wanted = self._here(request)
        return self._proctor.run(wanted)

    def run_streaming(self, request: TestRequest | None = None) -> Iterator[Case]:
        """Yield each case as it finishes. Leaving the loop early cancels the run."""
        wanted = self._here(request)
        finished: queue.SimpleQueue[Case | BaseException | None] = queue.SimpleQueue()
        fold = Fold(keep_all=False, on_case=finished.put)
        stop = StopSignal()

        def take(_: str, event: Event) -> None:
            fold.apply(event)

        def work() -> None:
            try:
                self._proctor.run(wanted, on_event=take, keep_passed=False, stop=stop)
                finished.put(None)
            except BaseException as error:
                finished.put(error)

        thread = threading.Thread(target=work, name="proctor-run")
        thread.start()
        try:
            while (item := finished.get()) is not None:
                if isinstance(item, BaseException):
                    raise item
                yield item
        finally:
            stop.ask("the caller stopped listening")
            thread.join()

    def detect_framework(self) -> str:
        """Return the name of the project's test framework; raise NoFramework if nothing says it."""
        return prepare(self._here(None), self._proctor.home).plan.framework

    def build_command(self, framework: str = "", pattern: str = "") -> list[str]:
        """Return the command line that a run would start."""
        wanted = replace(self._here(None), framework=framework, test_pattern=pattern)
        return list(prepare(wanted, self._proctor.home).plan.command.argv)

    def _here(self, request: TestRequest | None) -> TestRequest:
        request = request or TestRequest()
        return replace(request, project_path=self._project) if request.project_path == "." else request
