"""`proctor status`: where a run is, once or until it ends."""

import sys
from typing import TYPE_CHECKING

import click

from proctor.frontends.cli import console
from proctor.frontends.cli.options import chosen_id, format_option, id_options, open_service
from proctor.model.codes import VERDICT_EXITS
from proctor.model.errors import BadRequest

if TYPE_CHECKING:
    from proctor.service.proctor import Proctor

_EPILOG = """
\b
Examples:
  proctor status run-01j
  proctor status run-01j --follow
  proctor status run-01j --follow --format jsonl
"""


@click.command("status", epilog=_EPILOG)
@id_options
@click.option("--follow", is_flag=True, help="Show progress until the run has ended.")
@format_option("jsonl")
@click.pass_context
def command(
    context: click.Context, run_id: str | None, test_id: str | None, follow: bool, wanted: str
) -> int:
    """Say where a run is.

    Without --follow the exit status is 0 for every known run. With it, the exit status is that of the
    verdict, as for `run`; `--format jsonl` then streams the run's events from their beginning, and the
    result last.
    """
    chosen = chosen_id(run_id, test_id)
    service = open_service(context)
    if follow:
        return _follow(service, chosen, wanted)
    if wanted == "jsonl":
        raise BadRequest("--format jsonl needs --follow", hint="add --follow, or ask for --format json")
    _show(service, chosen, wanted)
    return 0


def _show(service: "Proctor", run_id: str, wanted: str) -> None:
    row = service.status(run_id)
    if wanted == "text":
        from proctor.frontends.cli.tables import run_line

        console.emit(run_line(row) + "\n")
        return
    from proctor.frontends.cli.encode import encode

    console.emit(encode(row, wanted))


def _follow(service: "Proctor", run_id: str, wanted: str) -> int:
    from proctor.frontends.cli.progress import watcher
    from proctor.frontends.cli.stream import EventStream

    run_id = service.status(run_id).run_id
    with watcher(wanted) as watching:
        for event in service.follow(run_id):
            watching(run_id, event)
            if isinstance(watching, EventStream) and not watching.read:
                return 0
    result = service.results(run_id)
    if wanted == "text":
        from proctor.frontends.cli.answer import headline

        console.emit(headline(result, colour=console.has_colour(sys.stdout)) + "\n")
    elif wanted == "jsonl":
        from proctor.frontends.cli.encode import result_line

        console.emit(result_line(result))
    else:
        _show(service, run_id, wanted)
    return VERDICT_EXITS[result.verdict or "interrupted"]
