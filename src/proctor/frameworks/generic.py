"""Any command as a test: its exit code decides, or the TAP or JUnit report that was asked for. Pure."""

from collections.abc import Iterable, Iterator

from proctor.model.errors import BadRequest
from proctor.model.event import CaseEnded, CaseStarted, Collected, ProblemFound, ReaderEvent, ReportEnded
from proctor.model.plan import Command, Detection, Task
from proctor.ports import ProjectView, Reader, Stream

SHELL = "/bin/sh"
TAIL = 4096


class GenericFramework:
    """Runs a command line through the shell. Never detected: it is only used when a command is given."""

    @property
    def name(self) -> str:
        """The name to ask for."""
        return "generic"

    def detect(self, project: ProjectView) -> Detection | None:
        """Nothing in a project says that a plain command is its test."""
        return None

    def command(self, task: Task, project: ProjectView) -> Command:
        """Return the shell's call of the command line, in the project's root."""
        if not task.command.strip():
            raise BadRequest("the command is empty", hint="give one, for example 'make test'")
        return Command(argv=(SHELL, "-c", task.command), cwd=task.root)

    def reader(self, task: Task, attempt: int) -> Reader:
        """Return the reader of the reports that were asked for, or of the exit code alone."""
        return ExitCodeReader(task.command, attempt)


class ExitCodeReader:
    """The command is the one case; its exit code decides."""

    def __init__(self, command: str, attempt: int) -> None:
        self._command = command
        self._attempt = attempt
        self._started = False
        self._tail = bytearray()

    def feed(self, stream: Stream, data: bytes) -> Iterable[ReaderEvent]:
        """Keep the end of what is printed, for the error text."""
        self._tail += data[-TAIL:]
        del self._tail[:-TAIL]
        # A shell that complains first has not found the command: then no case ever began.
        if self._started or data.startswith((b"sh: ", SHELL.encode() + b": ")):
            return ()
        return tuple(self._start())

    def finish(self, exit_code: int | None) -> Iterable[ReaderEvent]:
        """End the case as the exit code says; without one it stays unfinished."""
        said = self._tail.decode("utf-8", "backslashreplace").strip()
        if exit_code in (126, 127) and not self._started:
            message = said or f"the shell could not run the command (exit code {exit_code})"
            return (ProblemFound(kind="missing_tool", message=message, fatal=True),)
        return (*self._start(), *self._end(exit_code, said))

    def _start(self) -> Iterator[ReaderEvent]:
        if not self._started:
            self._started = True
            yield Collected(total=1)
            yield CaseStarted(id=self._command, name=self._command, attempt=self._attempt)

    def _end(self, exit_code: int | None, said: str) -> Iterator[ReaderEvent]:
        if exit_code is None:
            return
        failed = exit_code != 0
        error = f"the command ended with exit code {exit_code}" + (f"\n{said}" if said else "")
        yield CaseEnded(
            id=self._command,
            name=self._command,
            attempt=self._attempt,
            status="fail" if failed else "pass",
            error=error if failed else "",
        )
        yield ReportEnded(total=1, exit_code=exit_code)


FRAMEWORK = GenericFramework()
