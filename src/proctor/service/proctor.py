"""The use cases, as every frontend calls them."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from proctor.model.doctor import DoctorReport
from proctor.model.errors import AlreadyEnded, BadRequest, ProctorError
from proctor.model.event import Event
from proctor.model.fold import Fold
from proctor.model.request import TestRequest
from proctor.model.result import build_result, build_row
from proctor.model.run import Page, RunRow, TestResult
from proctor.ports import CancelAsked, RunQuery, TestQuery
from proctor.service.execution import Execution, StopSignal, enqueue, refuse
from proctor.service.home import find_home
from proctor.service.implementations import load_executor
from proctor.service.office import Office, make_home, open_office
from proctor.service.preparation import prepare
from proctor.service.reading import knows_its_request, read_run, require_journal
from proctor.service.recorder import Listener
from proctor.service.recovery import close_dead_runs, close_if_dead

MOST_ROWS = 500


class Proctor:
    """Everything that can be asked of Proctor, on the state of one home directory."""

    def __init__(self, home: Path | None = None) -> None:
        self.home = (home or find_home()).absolute()

    def run(
        self,
        request: TestRequest,
        *,
        on_event: Listener | None = None,
        keep_passed: bool = True,
        stop: StopSignal | None = None,
    ) -> TestResult:
        """Run tests here and now and return the result. SIGINT and SIGTERM cancel the run.

        With ``keep_passed`` false the passed cases are counted but left out of ``tests``, to save memory.
        """
        prepared = prepare(request, self.home)
        stop = stop or StopSignal()
        with stop.on_signals(), open_office(self.home) as office:
            row, writer = enqueue(office, prepared, detached=False)
            execution = Execution(
                office, prepared, row, writer, listener=on_event, keep_passed=keep_passed, stop=stop
            )
            execution.perform()
            return build_result(execution.recorder.fold)

    def submit(self, request: TestRequest) -> str:
        """Queue a run for a background process and return its id at once."""
        prepared = prepare(request, self.home)
        with open_office(self.home) as office:
            row, writer = enqueue(office, prepared, detached=True)
            try:
                load_executor("local").submit(row.run_id, str(self.home), writer.lock)
            finally:
                writer.close()
            return row.run_id

    def work(self, run_id: str, lock: int) -> None:
        """Run one queued run whose lock this process inherited. This is what the background process does."""
        with open_office(self.home) as office:
            writer = office.journals.adopt(run_id, lock)
            row = office.row(run_id)
            fold = self._fold(office, row, keep_all=False)
            if fold.queued is None or not knows_its_request(fold.queued) or fold.started is not None:
                raise BadRequest(
                    f"{run_id} is not waiting to be started", hint="`proctor run --detach` starts one"
                )
            try:
                prepared = prepare(fold.queued.request, self.home)
            except ProctorError as error:
                refuse(office, row, writer, error)
                return
            stop = StopSignal()
            with stop.on_signals():
                Execution(office, prepared, row, writer, stop=stop).perform()

    def status(self, run_id: str) -> RunRow:
        """Return where a run is, with the counts so far."""
        with self._office() as office:
            row = office.row(run_id)
            close_if_dead(office, row)
            if row.ended_at:
                return row
            return build_row(self._fold(office, row, keep_all=False), row)

    def results(self, run_id: str, *, include_logs: bool = False) -> TestResult:
        """Return everything about a run; with ``include_logs`` long texts are whole, not head and tail."""
        from proctor.service.logs import with_logs, without_logs

        with self._office() as office:
            row = office.row(run_id)
            fold = self._fold(office, row, keep_all=True)
            result = build_result(fold)
            return with_logs(result, fold, office.blobs) if include_logs else without_logs(result)

    def follow(self, run_id: str) -> Iterator[Event]:
        """Yield the events of a run from its start to its end, as they happen."""
        from proctor.service.following import follow_events

        with self._office() as office:
            row = office.row(run_id)
            require_journal(office.journals, row)
            yield from follow_events(office, row.run_id)

    def list_runs(
        self, *, category: str = "", status: str = "", limit: int = 20, page_token: str = ""
    ) -> Page:
        """Return a page of runs, newest first."""
        _check_limit(limit)
        with self._office() as office:
            return office.store.runs(
                RunQuery(category=category, status=status, limit=limit, page_token=page_token)
            )

    def list_tests(self, *, category: str = "", limit: int = 100, page_token: str = "") -> Page:
        """Return a page of all known tests with their totals, last run first."""
        _check_limit(limit)
        with self._office() as office:
            return office.store.tests(TestQuery(category=category, limit=limit, page_token=page_token))

    def cancel(self, run_id: str) -> RunRow:
        """Ask a run to end; its owner does so within a second."""
        with self._office() as office:
            row = office.row(run_id)
            if row.ended_at:
                verdict = row.verdict or row.status.lower()
                raise AlreadyEnded(f"{row.run_id} is over: {verdict}", hint=f"proctor results {row.run_id}")
            office.store.record(CancelAsked(run_id=row.run_id))
            row = office.row(row.run_id)
            return row if row.ended_at else build_row(self._fold(office, row, keep_all=False), row)

    def doctor(self) -> DoctorReport:
        """Look at what this machine offers, and say what to do about each gap."""
        from proctor.service.examination import examine

        return examine(self.home)

    def rebuild(self) -> int:
        """Build the database anew from the journals; return how many runs it holds."""
        from proctor.service.rebuilding import rebuild_index

        make_home(self.home)
        count = rebuild_index(self.home)
        with self._office():
            return count

    @contextmanager
    def _office(self) -> Iterator[Office]:
        with open_office(self.home) as office:
            close_dead_runs(office)
            yield office

    @staticmethod
    def _fold(office: Office, row: RunRow, *, keep_all: bool) -> Fold:
        return Fold(keep_all=keep_all).apply_all(read_run(office.journals, row))


def _check_limit(limit: int) -> None:
    if not 1 <= limit <= MOST_ROWS:
        raise BadRequest(f"a page has between 1 and {MOST_ROWS} rows, not {limit}", hint="--limit 100")
