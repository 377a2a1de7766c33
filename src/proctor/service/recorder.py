"""Takes every event of one run: into the journal first, then into the fold, the index and the listener."""

from collections.abc import Callable, Iterable

from proctor.journal.blobs import Blobs
from proctor.journal.journal import JournalWriter
from proctor.journal.texts import bound_texts
from proctor.model import event as ev
from proctor.model.case import Case
from proctor.model.fold import Fold
from proctor.model.ids import stable_test_id
from proctor.model.result import build_row
from proctor.model.run import CaseRow, RunRow
from proctor.ports import CasesEnded, Ended, Store

Listener = Callable[[str, ev.Event], None]
_BATCH = 1000


def case_row(row: RunRow, case: Case) -> CaseRow:
    """Return what the index keeps of one case."""
    return CaseRow(
        test_id=stable_test_id(row.project, row.framework, case.id),
        case_id=case.id,
        name=case.name,
        status=case.status,
        duration=case.duration,
        attempts=case.attempts,
    )


class Recorder:
    """The one way by which something becomes known about a run. Nobody sees an event that is not kept."""

    def __init__(
        self,
        row: RunRow,
        writer: JournalWriter,
        blobs: Blobs,
        store: Store,
        listener: Listener | None = None,
        *,
        keep_passed: bool = False,
    ) -> None:
        self.row = row
        self.fold = Fold(keep_all=keep_passed, on_case=self._index)
        self._writer = writer
        self._blobs = blobs
        self._store = store
        self._listener = listener
        self._rows: list[CaseRow] = []

    def emit(self, events: Iterable[ev.Event]) -> None:
        """Keep events, then let them be seen."""
        kept = self._writer.append(*(bound_texts(event, self._blobs) for event in events))
        for event in kept:
            self.fold.apply(event)
            self._tell(event)
        if len(self._rows) >= _BATCH:
            self._flush()

    def announce(self, events: Iterable[ev.Event]) -> None:
        """Take events into account, and let them be seen, that the journal holds already."""
        for event in events:
            self.fold.apply(event)
            self._tell(event)

    def finish(self) -> RunRow:
        """Put the ended run into the index: its cases first, then its end."""
        self._flush()
        self._writer.sync()
        self.row = build_row(self.fold, self.row)
        self._store.record(Ended(row=self.row))
        return self.row

    def _index(self, case: Case) -> None:
        self._rows.append(case_row(self.row, case))

    def _flush(self) -> None:
        if self._rows:
            self._store.record(CasesEnded(run_id=self.row.run_id, rows=self._rows))
            self._rows = []

    def _tell(self, event: ev.Event) -> None:
        if self._listener is None:
            return
        try:
            self._listener(self.row.run_id, event)
        except Exception:  # a faulty listener must not harm the run; it is not called again
            self._listener = None
