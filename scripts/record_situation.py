"""Records one situation for the verdict corpus: runs a project with the real tool, keeps what it said.

    python scripts/record_situation.py go panic-in-test PROJECT --title "a test panics" --verdict failed \\
        --tool "$(go version)" --source golang/go#37555

The project is copied to a fresh directory first. What each stream said, how the process ended, and the
verdict and counts that are right go to ``tests/verdicts/corpus/FRAMEWORK/NAME/``; it is refused if Proctor
judges otherwise.
"""

import argparse
import shutil
import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path

import msgspec
import yaml

from proctor.model.event import ReaderEvent
from proctor.model.plan import Command, Detection, Task
from proctor.model.request import TestRequest
from proctor.model.run import TestResult
from proctor.ports import Framework, ProjectView, Reader, Stream
from proctor.service import implementations
from proctor.service.proctor import Proctor

ROOT = Path(__file__).resolve().parent.parent
CORPUS = ROOT / "tests" / "verdicts" / "corpus"


class Tape:
    """Everything that the readers of one run were fed, by stream; each report file apart."""

    def __init__(self) -> None:
        self.streams: dict[str, bytearray] = {}
        self.reports: list[bytes] = []
        self.exit_code: int | None = None

    def keep(self, stream: Stream, data: bytes) -> None:
        """Remember some bytes."""
        if stream == "report":
            self.reports.append(data)
        else:
            self.streams.setdefault(stream, bytearray()).extend(data)


class TapedReader:
    """A reader that remembers what it is fed."""

    def __init__(self, reader: Reader, tape: Tape) -> None:
        self._reader, self._tape = reader, tape

    def feed(self, stream: Stream, data: bytes) -> Iterable[ReaderEvent]:
        """Remember, then read."""
        self._tape.keep(stream, data)
        return self._reader.feed(stream, data)

    def finish(self, exit_code: int | None) -> Iterable[ReaderEvent]:
        """Remember, then finish."""
        self._tape.exit_code = exit_code
        return self._reader.finish(exit_code)


class TapedFramework:
    """A framework whose readers remember what they are fed."""

    def __init__(self, framework: Framework, tape: Tape) -> None:
        self._framework, self._tape = framework, tape
        self.name = framework.name

    def detect(self, project: ProjectView) -> Detection | None:
        """As the framework does."""
        return self._framework.detect(project)

    def command(self, task: Task, project: ProjectView) -> Command:
        """As the framework does."""
        return self._framework.command(task, project)

    def reader(self, task: Task, attempt: int) -> Reader:
        """Return a reader that remembers."""
        return TapedReader(self._framework.reader(task, attempt), self._tape)


def record(wishes: argparse.Namespace) -> tuple[TestResult, Tape]:
    """Run the project once and return what came of it."""
    tape = Tape()
    known = implementations.frameworks()
    known[wishes.framework] = TapedFramework(known[wishes.framework], tape)
    with tempfile.TemporaryDirectory(prefix="situation-") as directory:
        project = Path(directory) / wishes.project.name
        shutil.copytree(wishes.project, project, symlinks=True)
        request = TestRequest(
            project_path=str(project),
            framework=wishes.framework,
            test_pattern=wishes.pattern,
            timeout=wishes.timeout,
            sandbox=wishes.sandbox,
            environment=dict(item.split("=", 1) for item in wishes.env),
        )
        return Proctor(Path(directory) / "home").run(request), tape


def save(wishes: argparse.Namespace, result: TestResult, tape: Tape) -> Path:
    """Write the situation."""
    place = CORPUS / wishes.framework / wishes.name
    shutil.rmtree(place, ignore_errors=True)
    place.mkdir(parents=True)
    for stream, data in tape.streams.items():
        # Where Proctor itself lay is nobody's business; a channel keeps it, since its bytes are summed up.
        own = b"" if stream == "channel" else f"{ROOT}/".encode()
        (place / stream).write_bytes(data.replace(own, b"") if own else data)
    for number, data in enumerate(tape.reports, 1):
        (place / f"report-{number}").write_bytes(data)
    situation = {
        "title": wishes.title,
        "source": wishes.source,
        "tool": wishes.tool,
        "command": " ".join(result.command).replace(f"{ROOT}/", ""),
        "exit_code": result.exit_code,
        "signal": wishes.signal,
        "cause": {"timeout": "timeout", "cancelled": "cancelled"}.get(str(result.verdict), "finished"),
        "verdict": result.verdict,
        "summary": msgspec.to_builtins(result.summary),
        "reason": result.reasons[0],
    }
    text = yaml.safe_dump(situation, sort_keys=False, allow_unicode=True, width=110)
    (place / "situation.yaml").write_text(text, encoding="utf-8")
    return place


def main() -> int:
    """Record one situation."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("framework")
    parser.add_argument("name")
    parser.add_argument("project", type=Path)
    parser.add_argument("--title", required=True, help="the situation in one sentence")
    parser.add_argument("--verdict", required=True, help="the right answer, known before it is run")
    parser.add_argument("--tool", required=True, help="the tool with its version")
    parser.add_argument("--source", default="", help="the public report that it comes from")
    parser.add_argument("--pattern", default="")
    parser.add_argument("--timeout", type=float)
    parser.add_argument("--signal", type=int, default=0, help="the signal that ended the process, if one did")
    parser.add_argument("--sandbox", default="off")
    parser.add_argument("--env", action="append", default=[], metavar="K=V")
    wishes = parser.parse_args()
    result, tape = record(wishes)
    print(f"{result.verdict}: {result.reasons}", result.summary)
    if result.verdict != wishes.verdict:
        print(f"not recorded: {wishes.verdict} is right, Proctor says {result.verdict}", file=sys.stderr)
        return 1
    print(save(wishes, result, tape))
    return 0


if __name__ == "__main__":
    sys.exit(main())
