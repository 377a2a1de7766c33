"""Options that several commands share, and the way from them to the service."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from proctor.model.errors import BadRequest

if TYPE_CHECKING:
    from proctor.service.proctor import Proctor

_Function = Callable[..., Any]


def format_option(*formats: str) -> Callable[[_Function], _Function]:
    """Return the `--format` option with `text`, `json`, `yaml` and further formats."""
    return click.option(
        "--format",
        "wanted",
        type=click.Choice(["text", "json", "yaml", *formats]),
        default="text",
        show_default=True,
        help="How to answer.",
    )


def id_options(command: _Function) -> _Function:
    """Accept the id of a run as an argument or as `--test-id`."""
    command = click.option("--test-id", metavar="ID", help="The same as the argument ID.")(command)
    return click.argument("run_id", metavar="ID", required=False)(command)


def chosen_id(run_id: str | None, test_id: str | None) -> str:
    """Return the one id that was given."""
    if run_id and test_id and run_id != test_id:
        raise BadRequest(f"two ids are given: {run_id} and {test_id}", hint="give one of them")
    chosen = run_id or test_id
    if not chosen:
        raise BadRequest("the id of a run is missing", hint="`proctor list` shows the ids")
    return chosen


def open_service(context: click.Context) -> "Proctor":
    """Return the service, with its files where the caller wants them."""
    from proctor.service.proctor import Proctor

    home = context.find_root().obj
    return Proctor(Path(home) if home else None)
