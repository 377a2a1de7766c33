"""`proctor cancel`: ask a run to end."""

import click

from proctor.frontends.cli import console
from proctor.frontends.cli.options import chosen_id, format_option, id_options, open_service


@click.command("cancel", epilog="\b\nExample:\n  proctor cancel run-01j\n")
@id_options
@format_option()
@click.pass_context
def command(context: click.Context, run_id: str | None, test_id: str | None, wanted: str) -> int:
    """End a run that is queued or running. Its finished tests are kept."""
    row = open_service(context).cancel(chosen_id(run_id, test_id))
    if wanted == "text":
        from proctor.frontends.cli.tables import run_line

        console.emit(run_line(row) + "\n")
        return 0
    from proctor.frontends.cli.encode import encode

    console.emit(encode(row, wanted))
    return 0
