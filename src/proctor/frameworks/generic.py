"""Any command as a test: its exit code decides, or the TAP or JUnit report that was asked for. Pure."""

from proctor.model.errors import BadRequest
from proctor.model.plan import Command, Detection, Task
from proctor.ports import ProjectView, Reader

SHELL = "/bin/sh"
REPORTS_HINT = "write `tap` for TAP on stdout, or `junit:PATTERN` for JUnit files in the project"


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
        patterns = read_wishes(task.reports)[1]
        return Command(argv=(SHELL, "-c", task.command), cwd=task.root, reports=patterns)

    def reader(self, task: Task, attempt: int) -> Reader:
        """Return the reader of the reports that were asked for, or of the exit code alone."""
        # Needed only once the command runs: what is imported before delays its start.
        from proctor.frameworks.generic_reader import ExitCodeReader, ReportReader

        if not task.reports:
            return ExitCodeReader(task.command, attempt)
        tap, patterns = read_wishes(task.reports)
        return ReportReader(tap, patterns, attempt)


def read_wishes(reports: tuple[str, ...]) -> tuple[bool, tuple[str, ...]]:
    """Return whether TAP is expected on stdout, and the patterns of the JUnit files that are expected."""
    patterns = []
    for wish in reports:
        pattern = wish.removeprefix("junit:")
        if wish == "tap":
            continue
        if not pattern or (pattern == wish and not wish.endswith(".xml")):
            raise BadRequest(f"unknown report {wish[:80]!r}", hint=REPORTS_HINT)
        if pattern.startswith("/") or ".." in pattern.split("/"):
            raise BadRequest(f"the report {wish[:80]!r} lies outside the project", hint=REPORTS_HINT)
        patterns.append(pattern)
    return "tap" in reports, tuple(patterns)


FRAMEWORK = GenericFramework()
