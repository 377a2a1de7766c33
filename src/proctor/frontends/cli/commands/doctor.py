"""`proctor doctor`: what this machine offers, what to do about each gap, and how to mend the store."""

from typing import TYPE_CHECKING

import click

from proctor.frontends.cli import console
from proctor.frontends.cli.options import format_option, open_service

if TYPE_CHECKING:
    from proctor.service.proctor import Proctor


@click.command("doctor", epilog="\b\nExamples:\n  proctor doctor\n  proctor doctor --rebuild\n")
@click.option("--rebuild", is_flag=True, help="Build the database anew from the journals of all runs.")
@format_option()
@click.pass_context
def command(context: click.Context, rebuild: bool, wanted: str) -> int:
    """Say what this machine offers: sandboxes, toolchains, the store, and what to do about each gap.

    The exit status is 0 whatever is found; a gap is no failure.
    """
    service = open_service(context)
    console.emit(_rebuild(service, wanted) if rebuild else _examine(service, wanted))
    return 0


def _rebuild(service: "Proctor", wanted: str) -> str | bytes:
    from proctor.frontends.cli.encode import encode
    from proctor.frontends.cli.phrases import number_of

    rebuilt = service.rebuild()
    if wanted == "text":
        return f"the database was built anew from {number_of(rebuilt, 'journal')}\n"
    return encode({"runs_rebuilt": rebuilt}, wanted)


def _examine(service: "Proctor", wanted: str) -> str | bytes:
    report = service.doctor()
    if wanted == "text":
        from proctor.frontends.cli import tables

        return tables.doctor(report)
    from proctor.frontends.cli.encode import encode

    return encode(report, wanted)
