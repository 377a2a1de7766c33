"""How errors look on the command line: two lines for people, one object for programs, always an exit code.

What only an error needs is imported with it: a good start must not pay for a bad one.
"""

import os
from collections.abc import Sequence

import click

from proctor.frontends.cli import console
from proctor.model.codes import ERRORS, INTERNAL
from proctor.model.errors import BadRequest, ProctorError, StateFault

_MACHINE_FORMATS = ("json", "jsonl", "yaml")


def asked_format(arguments: Sequence[str]) -> str:
    """Return the format that the caller wants, even where the command line is too wrong to be parsed."""
    wanted = "text"
    for position, argument in enumerate(arguments):
        if argument == "--":
            break
        if argument == "--format" and position + 1 < len(arguments):
            wanted = arguments[position + 1]
        elif argument.startswith("--format="):
            wanted = argument.partition("=")[2]
    return wanted if wanted in _MACHINE_FORMATS else "text"


def is_text(argument: str) -> bool:
    """Tell whether an argument can be written as UTF-8, as every journal must."""
    try:
        argument.encode()
    except UnicodeEncodeError:
        return False
    return True


def as_bad_request(error: click.ClickException) -> BadRequest:
    """Say in our words what click found wrong with a command line."""
    context = error.ctx if isinstance(error, click.UsageError) else None
    path = context.command_path if context else "proctor"
    if isinstance(error, click.exceptions.NoArgsIsHelpError):
        return BadRequest("a command is missing", hint=f"{_commands_of(context)}; see `{path} --help`")
    return BadRequest(error.format_message(), hint=f"see `{path} --help`")


def report(error: ProctorError, wanted: str) -> int:
    """Show an error in the wanted format and return the exit status of its code."""
    _show(error.code, error.message, error.hint, dict(error.fields), wanted)
    return ERRORS.get(error.code, INTERNAL).exit


def report_bug(error: Exception, wanted: str) -> int:
    """Show that Proctor itself failed, and where the details are."""
    message = f"a bug in Proctor: {type(error).__name__}: {error}"
    if os.environ.get("PROCTOR_DEBUG"):
        import traceback

        traceback.print_exception(error)
        hint = "the traceback is on stderr; please report it"
    else:
        kept = _keep_traceback(error)
        hint = f"the traceback is in {kept}; please report it" if kept else "set PROCTOR_DEBUG=1 to see where"
    _show("internal", message, hint, {}, wanted)
    return INTERNAL.exit


def _show(code: str, message: str, hint: str, fields: dict[str, str], wanted: str) -> None:
    if wanted != "text":
        from proctor.frontends.cli.encode import encode

        body: dict[str, object] = {"code": code, "message": message, "hint": hint}
        if fields:
            body["fields"] = fields
        try:
            console.emit(encode({"error": body}, wanted))
            return
        except StateFault:
            pass  # stdout takes nothing: stderr is the only way left
    from proctor.frontends.cli.clean import clean_line

    console.say(f"error: {clean_line(message, 2000)}")
    if hint:
        console.say(f"hint: {clean_line(hint, 2000)}")


def _keep_traceback(error: Exception) -> str:
    import tempfile
    import traceback

    try:
        with tempfile.NamedTemporaryFile(
            "w", prefix="proctor-traceback-", suffix=".txt", delete=False, errors="backslashreplace"
        ) as file:
            traceback.print_exception(error, file=file)
    except OSError:
        return ""
    return file.name


def _commands_of(context: click.Context | None) -> str:
    if context is None or not isinstance(context.command, click.Group):
        return "add one"
    return "one of " + ", ".join(name for name in context.command.list_commands(context) if name != "work")
