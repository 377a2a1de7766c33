"""Answers for programs: JSON, one line of JSON, or YAML. Knows no command."""

import sys
from typing import Any

import msgspec

from proctor.frontends.cli import console
from proctor.model.event import Event
from proctor.model.run import TestResult


def encode(answer: Any, wanted: str) -> bytes:
    """Return an answer as bytes in one of the formats for programs."""
    if wanted == "yaml":
        return _yaml(answer)
    line = msgspec.json.encode(answer)
    if wanted == "json" and console.is_terminal(sys.stdout):
        line = msgspec.json.format(line, indent=2)
    return line + b"\n"


def event_line(event: Event) -> bytes:
    """Return one event as a line of JSON, as the journal keeps it."""
    return msgspec.json.encode(event) + b"\n"


def result_line(result: TestResult) -> bytes:
    """Return the last line of a stream of events: the whole result, tagged like an event."""
    return b'{"event":"result",' + msgspec.json.encode(result)[1:] + b"\n"


def _yaml(answer: Any) -> bytes:
    import yaml

    parent: Any = getattr(yaml, "CSafeDumper", yaml.SafeDumper)

    class Dumper(parent):  # type: ignore[misc]
        """The fastest dumper there is, with multi-line text as literal blocks."""

    def literal(dumper: Any, text: str) -> Any:
        return dumper.represent_scalar("tag:yaml.org,2002:str", text, style="|" if "\n" in text else None)

    Dumper.add_representer(str, literal)
    text = yaml.dump(
        msgspec.to_builtins(answer),
        Dumper=Dumper,
        allow_unicode=True,
        default_flow_style=False,
        sort_keys=False,
        width=1000,
    )
    return text.encode()
