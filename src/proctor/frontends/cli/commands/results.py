"""`proctor results`: what a run amounted to, and what is known about each of its tests."""

import sys
from collections.abc import Sequence

import click
import msgspec

from proctor.frontends.cli import answer, console
from proctor.frontends.cli.options import chosen_id, format_option, id_options, open_service
from proctor.model.case import Case
from proctor.model.errors import NotFound
from proctor.model.run import TestResult

_EPILOG = """
\b
Examples:
  proctor results run-01j
  proctor results run-01j --test test_total --include-logs
  proctor results run-01j --format yaml
"""


@click.command("results", epilog=_EPILOG)
@id_options
@click.option(
    "--test", "case", metavar="CASE", help="Show only this test: its id, its name, or a part of the id."
)
@click.option("--include-logs", is_flag=True, help="Add what the tests and the command printed.")
@format_option()
@click.pass_context
def command(
    context: click.Context,
    run_id: str | None,
    test_id: str | None,
    case: str | None,
    include_logs: bool,
    wanted: str,
) -> int:
    """Show the result of a run. The exit status is 0 for every known run, whatever its verdict."""
    chosen = chosen_id(run_id, test_id)
    result = open_service(context).results(chosen, include_logs=include_logs)
    found = _matching(result, case) if case else None
    console.emit(_answer(result, found, include_logs, wanted))
    return 0


def _answer(result: TestResult, found: Sequence[Case] | None, logs: bool, wanted: str) -> str | bytes:
    if wanted != "text":
        from proctor.frontends.cli.encode import encode

        return encode(
            result if found is None else msgspec.structs.replace(result, tests=tuple(found)), wanted
        )
    if found is not None:
        return answer.cases(result, found, logs=logs)
    colour = console.has_colour(sys.stdout)
    return answer.text(result, limit=answer.SHOWN_BY_RESULTS, logs=logs, colour=colour)


def _matching(result: TestResult, wish: str) -> Sequence[Case]:
    exact = [case for case in result.tests if case.id == wish]
    named = exact or [case for case in result.tests if case.name == wish]
    found = named or [case for case in result.tests if wish in case.id]
    if not found:
        raise NotFound(f"no test of {result.run_id} is called {wish!r}", hint=_similar(result, wish))
    return found


def _similar(result: TestResult, wish: str) -> str:
    from difflib import get_close_matches

    names = [case.name for case in result.tests[:5000]]
    close = get_close_matches(wish, names, n=3, cutoff=0.5)
    if close:
        return f"similar: {', '.join(close)}"
    return f"`proctor results {result.run_id} --format json` lists all {len(result.tests)} tests"
