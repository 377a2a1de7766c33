"""The door of the command line: finds the command, and is the one place where errors become exit codes."""

import sys
from collections.abc import Sequence
from importlib import import_module
from typing import Any

import click

from proctor import __version__
from proctor.frontends.cli import console, failures
from proctor.model.codes import VERDICT_EXITS
from proctor.model.errors import BadRequest, ProctorError

_COMMANDS = {
    name: f"proctor.frontends.cli.commands.{name}:command"
    for name in ("run", "status", "results", "list", "cancel", "doctor", "work")
}


class LazyGroup(click.Group):
    """A group that imports a command only when it is called or its help is shown."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names in the order of use, not of the alphabet."""
        return list(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import and return the command of that name."""
        if cmd_name not in _COMMANDS:
            return None
        module, _, attribute = _COMMANDS[cmd_name].partition(":")
        found: click.Command = getattr(import_module(module), attribute)
        return found

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command, or say which ones there are: click would look among the imported ones only."""
        if args and not args[0].startswith("-") and args[0] not in _COMMANDS:
            raise click.exceptions.NoSuchCommand(args[0], possibilities=_COMMANDS, ctx=ctx)
        return super().resolve_command(ctx, args)


@click.group(
    cls=LazyGroup,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="""
\b
Examples:
  proctor run
  proctor run -k cart --format json
  proctor results run-01j --test test_total --include-logs
  proctor list --status failed
""",
)
@click.version_option(__version__, "-V", "--version", prog_name="proctor", message="%(prog)s %(version)s")
@click.option(
    "--home",
    metavar="DIR",
    help="Keep all runs in DIR. Default: $PROCTOR_HOME, else $XDG_STATE_HOME/proctor, else "
    "~/.local/state/proctor.",
)
@click.pass_context
def cli(context: click.Context, home: str | None) -> None:
    """Run any project's tests in a sandbox and get a verdict that is never wrong.

    An ID is the id of a run, as `run` and `list` show it; its beginning is enough while it fits one run only.
    """
    context.obj = home


def execute(arguments: Sequence[str]) -> int:
    """Carry out one command line and return its exit status."""
    wanted = failures.asked_format(arguments)
    try:
        return _invoke(arguments)
    except ProctorError as error:
        return failures.report(error, wanted)
    except click.exceptions.Exit as leave:
        return leave.exit_code
    except click.ClickException as error:
        return failures.report(failures.as_bad_request(error), wanted)
    except (KeyboardInterrupt, click.Abort):
        console.say("interrupted")
        return VERDICT_EXITS["interrupted"]
    except BrokenPipeError:
        console.abandon(sys.stdout)
        return 0
    except Exception as error:
        return failures.report_bug(error, wanted)


def _invoke(arguments: Sequence[str]) -> int:
    for argument in arguments:
        if not failures.is_text(argument):
            raise BadRequest(
                f"the argument {argument!a} is not valid UTF-8", hint="rename it, or leave it out"
            )
    with cli.make_context("proctor", list(arguments)) as context:
        outcome: Any = cli.invoke(context)
    return outcome if isinstance(outcome, int) else 0


def run() -> None:
    """Run the command line of this process."""
    sys.exit(execute(sys.argv[1:]))
