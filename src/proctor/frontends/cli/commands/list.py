"""`proctor list`: the runs, or the tests with their totals, newest first."""

from typing import get_args

import click

from proctor.frontends.cli import console
from proctor.frontends.cli.options import format_option, open_service
from proctor.model.errors import BadRequest
from proctor.model.run import Page, RunStatus, Verdict

_WORDS = tuple(dict.fromkeys(word.lower() for word in (*get_args(RunStatus), *get_args(Verdict))))
_RUNS_A_PAGE, _TESTS_A_PAGE = 20, 100
_EPILOG = """
\b
Examples:
  proctor list
  proctor list --status failed --limit 5
  proctor list --tests --category unit
"""


@click.command("list", epilog=_EPILOG)
@click.option("--tests", is_flag=True, help="List the known tests with their totals instead of the runs.")
@click.option("--category", default="", help="Only this category.")
@click.option(
    "--status",
    type=click.Choice(_WORDS, case_sensitive=False),
    help="Only runs with this status or verdict.",
)
@click.option(
    "--limit",
    type=int,
    metavar="N",
    help="At most N, from 1 to 500. Default: 20, with --tests 100.",
)
@click.option("--page-token", default="", metavar="TOKEN", help="Go on where the last page ended.")
@format_option()
@click.pass_context
def command(
    context: click.Context,
    tests: bool,
    category: str,
    status: str | None,
    limit: int | None,
    page_token: str,
    wanted: str,
) -> int:
    """List runs, newest first, or the tests that are known."""
    if tests and status:
        raise BadRequest("--status is for runs, not for --tests", hint="leave out one of the two")
    service = open_service(context)
    if limit is None:
        limit = _TESTS_A_PAGE if tests else _RUNS_A_PAGE
    if tests:
        page = service.list_tests(category=category, limit=limit, page_token=page_token)
    else:
        page = service.list_runs(category=category, status=status or "", limit=limit, page_token=page_token)
    console.emit(_answer(page, tests, wanted))
    return 0


def _answer(page: Page, tests: bool, wanted: str) -> str | bytes:
    if wanted == "text":
        from proctor.frontends.cli import tables

        text = tables.tests(page) if tests else tables.runs(page)
        return text + (f"next page: --page-token {page.next_page_token}\n" if page.next_page_token else "")
    from proctor.frontends.cli.encode import encode

    rows = page.tests if tests else page.runs
    shown = {"next_page_token": page.next_page_token, "total_count": page.total_count}
    return encode({"tests" if tests else "runs": rows, **shown}, wanted)
