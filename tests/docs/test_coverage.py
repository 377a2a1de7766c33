"""Everything that can be typed or set is explained on a page that a person wrote."""

import re
from collections.abc import Iterator
from pathlib import Path

import click
import msgspec
import pytest

from proctor import TestRequest, TestResult
from proctor.frontends.cli.main import cli
from proctor.model.codes import VERDICT_EXITS
from proctor.planning import keys

ROOT = Path(__file__).parents[2]
HOW_TO = ROOT / "docs" / "how-to"
WRITTEN = [ROOT / "README.md", ROOT / "docs" / "security.md", *sorted(HOW_TO.glob("*.md"))]


def written() -> str:
    return "\n".join(page.read_text(encoding="utf-8") for page in WRITTEN)


def options() -> Iterator[tuple[str, str]]:
    context = click.Context(cli, info_name="proctor")
    for name in ["", *cli.list_commands(context)]:
        command = cli.get_command(context, name) if name else cli
        assert command is not None
        if not command.hidden:
            for parameter in command.get_params(context):
                if isinstance(parameter, click.Option):
                    longest = max(parameter.opts, key=len)
                    yield from ((name, flag) for flag in (longest, *parameter.secondary_opts))


@pytest.mark.parametrize(("command", "flag"), sorted(set(options())))
def test_a_flag_is_explained(command: str, flag: str) -> None:
    assert re.search(rf"{re.escape(flag)}(?![\w-])", written()), f"{command} {flag}"


@pytest.mark.parametrize("command", ["run", "status", "results", "list", "cancel", "doctor"])
def test_a_command_is_explained(command: str) -> None:
    assert f"proctor {command}" in written()


def test_every_command_is_looked_for() -> None:
    context = click.Context(cli)
    commands = [(name, cli.get_command(context, name)) for name in cli.list_commands(context)]
    shown = [name for name, command in commands if command is not None and not command.hidden]
    assert shown == ["run", "status", "results", "list", "cancel", "doctor"]


@pytest.mark.parametrize("key", sorted({*keys.KEYS, *keys.USER_WIDE_KEYS, "sandbox"}))
def test_a_setting_is_explained(key: str) -> None:
    assert f"`{key}`" in (HOW_TO / "configure.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("key", sorted(keys.SANDBOX_KEYS))
def test_a_setting_of_the_sandbox_is_explained(key: str) -> None:
    assert f"`sandbox.{key}`" in (HOW_TO / "configure.md").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    "variable", ["PROCTOR_HOME", "PROCTOR_DEBUG", "NO_COLOR", "XDG_STATE_HOME", "XDG_CONFIG_HOME"]
)
def test_a_variable_is_explained(variable: str) -> None:
    assert variable in written()


@pytest.mark.parametrize(("verdict", "status"), VERDICT_EXITS.items())
def test_a_verdict_is_explained_with_its_exit_status(verdict: str, status: int) -> None:
    assert re.search(
        rf"^\| {status} \| .*`{verdict}`", (ROOT / "README.md").read_text(encoding="utf-8"), re.MULTILINE
    )


@pytest.mark.parametrize("noun", [TestRequest, TestResult], ids=lambda noun: noun.__name__)
def test_every_field_is_explained_to_python_callers(noun: type[msgspec.Struct]) -> None:
    page = (HOW_TO / "python.md").read_text(encoding="utf-8")
    assert [name for name in noun.__struct_fields__ if f"`{name}`" not in page] == []
