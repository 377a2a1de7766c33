"""`proctor work`: what the background process of `run --detach` does. People need not call it."""

import click

from proctor.frontends.cli.options import open_service


@click.command("work", hidden=True)
@click.argument("run_id", metavar="ID")
@click.option(
    "--lock", type=int, required=True, metavar="FD", help="The inherited descriptor that owns the run."
)
@click.pass_context
def command(context: click.Context, run_id: str, lock: int) -> int:
    """Run one queued run to its end."""
    open_service(context).work(run_id, lock)
    return 0
