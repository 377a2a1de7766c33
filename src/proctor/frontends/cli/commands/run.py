"""`proctor run`: from options to a request, and from its result to an answer and an exit code."""

import sys
from typing import TYPE_CHECKING, TypedDict, Unpack

import click

from proctor.frontends.cli import console
from proctor.frontends.cli.options import format_option, open_service
from proctor.model.codes import ERRORS, VERDICT_EXITS
from proctor.model.errors import BadRequest
from proctor.model.request import SANDBOX_MODES, TestRequest

if TYPE_CHECKING:
    from proctor.model.run import TestResult
    from proctor.service.proctor import Proctor

_EPILOG = """
Exit status: {codes}, 2 bad request, 70 a bug of Proctor.

\b
Examples:
  proctor run
  proctor run ../shop -k "cart and not slow" --timeout 90s
  proctor run --command "make check" --report tap
  proctor run --sandbox bubblewrap --memory 1GB --no-network
  proctor run --detach
"""


class RunOptions(TypedDict):
    """What the options of `run` say."""

    path: str
    pattern: str
    test: tuple[str, ...]
    framework: str
    test_command: str
    report: tuple[str, ...]
    timeout: str | None
    env: tuple[str, ...]
    parallel: int | None
    retries: int
    category: str
    name: str
    sandbox: str | None
    network: bool | None
    memory: str | None
    cpus: float | None
    detach: bool
    junit: str | None
    wanted: str


def _exit_codes() -> str:
    by_code: dict[int, list[str]] = {}
    for verdict, code in VERDICT_EXITS.items():
        by_code.setdefault(code, []).append(verdict)
    return ", ".join(f"{code} {' or '.join(verdicts)}" for code, verdicts in sorted(by_code.items()))


@click.command("run", epilog=_EPILOG.format(codes=_exit_codes()))
@click.argument("path", default=".")
@click.option("-k", "--pattern", default="", help="Run only the tests that match; as the framework means it.")
@click.option("--test", multiple=True, metavar="CASE", help="Run only this test, by its id. Repeatable.")
@click.option("--framework", default="", help="Use this test framework instead of detecting one.")
@click.option(
    "--command",
    "test_command",
    default="",
    metavar="LINE",
    help="Run this shell command; its exit code decides.",
)
@click.option(
    "--report",
    multiple=True,
    metavar="SPEC",
    help='Read what the command reports: "tap" (its stdout) or "junit:GLOB" (files it leaves). Repeatable.',
)
@click.option("--timeout", metavar="TIME", help='The most time the run may take: "90s", "5m", or seconds.')
@click.option("--env", multiple=True, metavar="K=V", help="Set an environment variable. Repeatable.")
@click.option("--parallel", type=click.IntRange(min=1), metavar="N", help="Run N tests at a time.")
@click.option(
    "--retries",
    type=click.IntRange(min=0),
    default=0,
    metavar="N",
    help="Try failing tests up to N times more.",
)
@click.option("--category", default="", help="File the run under this category.")
@click.option("--name", default="", help="Call the run this.")
@click.option(
    "--sandbox",
    type=click.Choice(SANDBOX_MODES),
    help="How to isolate the tests; `off` must be asked for.",
)
@click.option("--network/--no-network", default=None, help="Allow or forbid the tests the network.")
@click.option("--memory", metavar="SIZE", help='The most memory the run may take: "512MB", "1GiB".')
@click.option("--cpus", type=float, metavar="N", help="The most processors the run may use, such as 1.5.")
@click.option("--detach", is_flag=True, help="Queue the run, print its id at once, and leave.")
@click.option("--junit", metavar="FILE", help="Also write the result to FILE as JUnit XML.")
@format_option("jsonl")
@click.pass_context
def command(context: click.Context, **options: Unpack[RunOptions]) -> int:
    """Run the tests of the project at PATH and answer with a verdict.

    PATH may also be a directory or file inside a project, or the id of a test (file.py::test).

    The answer goes to stdout, progress to stderr. `--format jsonl` streams every event as it happens; its
    last line is the whole result.
    """
    request = _request(options)
    if options["junit"]:
        _check_junit(options["junit"], options["detach"])
    service = open_service(context)
    if options["detach"]:
        return _detach(service, request, options["wanted"])
    return _run(service, request, options["wanted"], options["junit"])


def _request(options: RunOptions) -> TestRequest:
    from proctor.service.values import parse_assignment, parse_duration, parse_size

    timeout, memory, parallel = options["timeout"], options["memory"], options["parallel"]
    return TestRequest(
        project_path=options["path"],
        test_command=options["test_command"],
        framework=options["framework"],
        test_pattern=options["pattern"],
        tests=options["test"],
        environment=dict(parse_assignment(text) for text in options["env"]),
        timeout=None if timeout is None else parse_duration(timeout),
        parallel=(parallel or 1) > 1,
        max_parallel=parallel or 0,
        retries=options["retries"],
        category=options["category"],
        name=options["name"],
        reports=options["report"],
        sandbox=options["sandbox"] or "",
        allow_network=options["network"],
        max_memory=None if memory is None else parse_size(memory),
        max_cpu=options["cpus"],
    )


def _check_junit(file: str, detach: bool) -> None:
    from proctor.frontends.cli.junit_file import check_writable

    if detach:
        raise BadRequest("--junit cannot be written by a detached run", hint="leave out --detach or --junit")
    check_writable(file)


def _detach(service: "Proctor", request: TestRequest, wanted: str) -> int:
    run_id = service.submit(request)
    if wanted == "text":
        console.emit(f"{run_id}\n")
        console.say(f"queued; to watch it: proctor status {run_id} --follow")
        return 0
    from proctor.frontends.cli.encode import encode

    console.emit(encode({"run_id": run_id}, wanted))
    return 0


def _run(service: "Proctor", request: TestRequest, wanted: str, junit: str | None) -> int:
    from proctor.frontends.cli.progress import watcher

    with watcher(wanted) as watching:
        whole = wanted != "text" or junit is not None
        result = service.run(request, on_event=watching, keep_passed=whole)
    try:
        console.emit(_answer(result, wanted))
    finally:
        unwritten = _write_junit(junit, result) if junit else ""
    code = VERDICT_EXITS[result.verdict or "interrupted"]
    if not unwritten:
        return code
    console.say(f"error: {unwritten}")
    return code or ERRORS["state_fault"].exit


def _write_junit(file: str, result: "TestResult") -> str:
    from proctor.frontends.cli import junit_file
    from proctor.service import exports

    return junit_file.write(file, exports.junit(result))


def _answer(result: "TestResult", wanted: str) -> str | bytes:
    if wanted == "text":
        from proctor.frontends.cli import answer

        return answer.text(result, limit=answer.SHOWN_BY_RUN, colour=console.has_colour(sys.stdout))
    from proctor.frontends.cli.encode import encode, result_line

    return result_line(result) if wanted == "jsonl" else encode(result, wanted)
