from pathlib import Path

import click
import pytest

from proctor.frontends.cli.main import cli
from proctor.frontends.cli.reference import page

PAGE = Path(__file__).parents[3] / "docs" / "reference" / "cli.md"
COMMANDS = [name for name in cli.list_commands(click.Context(cli)) if name != "work"]


def test_the_page_is_current() -> None:
    made = page()
    assert PAGE.read_text() == made, "python -m proctor.frontends.cli.reference > docs/reference/cli.md"


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_and_option_is_documented(name: str) -> None:
    section = PAGE.read_text().split(f"\n## `proctor {name}`\n")[1].split("\n## ")[0]
    command = cli.get_command(click.Context(cli), name)
    assert command is not None
    options = [flag for parameter in command.params for flag in (*parameter.opts, *parameter.secondary_opts)]
    assert [flag for flag in options if flag.startswith("-") and flag not in section] == []


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_takes_a_format_and_every_option_has_help(name: str) -> None:
    command = cli.get_command(click.Context(cli), name)
    assert command is not None
    options = [parameter for parameter in command.params if isinstance(parameter, click.Option)]
    assert "--format" in [flag for option in options for flag in option.opts]
    assert [option.name for option in options if not option.help] == []
