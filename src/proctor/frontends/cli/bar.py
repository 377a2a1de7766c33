"""A progress bar on a terminal. Drawing is imported when the tests already run, so that it costs no time."""

import sys
import time
from typing import TYPE_CHECKING, Self

from proctor.frontends.cli.clean import clean_line
from proctor.frontends.cli.progress import Tally
from proctor.model.event import CaseEnded, CaseStarted, Event, RunStarted

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

_BETWEEN_DRAWINGS = 0.1


class Bar:
    """A bar with counts and the test at work; it leaves nothing behind."""

    def __init__(self) -> None:
        self._tally = Tally()
        self._progress: Progress | None = None
        self._task: TaskID | None = None
        self._drawn = 0.0

    def __call__(self, run_id: str, event: Event) -> None:
        """Move the bar, at most ten times a second."""
        self._tally.count(event)
        if isinstance(event, RunStarted) and self._progress is None:
            self._open()
        if isinstance(event, CaseStarted | CaseEnded):
            now = time.monotonic()
            if now - self._drawn >= _BETWEEN_DRAWINGS:
                self._drawn = now
                self._draw(event.name or event.id)

    def _open(self) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

        self._progress = Progress(
            BarColumn(bar_width=30),
            TextColumn("{task.fields[counts]}", markup=False),
            TimeElapsedColumn(),
            TextColumn("{task.fields[case]}", markup=False),
            console=Console(file=sys.stderr, highlight=False),
            transient=True,
            redirect_stdout=False,
            redirect_stderr=False,
        )
        self._progress.start()
        self._task = self._progress.add_task("", total=None, counts="", case="")

    def _draw(self, name: str) -> None:
        if self._progress is None or self._task is None:
            return
        self._progress.update(
            self._task,
            total=self._tally.total or None,
            completed=self._tally.done,
            counts=str(self._tally),
            case=clean_line(name, 50),
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *reason: object) -> None:
        if self._progress is not None:
            self._progress.stop()
