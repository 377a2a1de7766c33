"""The keys of configuration files and how each value is read. Knows neither files nor lines."""

import math
from collections.abc import Callable
from typing import TypeVar

from proctor.model.request import SANDBOX_MODES
from proctor.planning.document import Entries, Items, Node, Scalar
from proctor.planning.values import is_variable_name, parse_duration, parse_size

_Value = TypeVar("_Value")
_TRUE, _FALSE = ("true", "yes", "on"), ("false", "no", "off")
Decoder = Callable[[Node], object]


class BadValue(Exception):
    """A value that does not fit; its reader adds the place and makes it a BadConfig."""

    def __init__(self, expected: str) -> None:
        super().__init__(expected)
        self.expected = expected


def _text(node: Node) -> str:
    if not isinstance(node, Scalar) or node.kind not in ("str", "int", "float") or "\0" in node.text:
        raise BadValue("write one text (in quotes if in doubt)")
    return node.text


def _texts(node: Node) -> tuple[str, ...]:
    if isinstance(node, Items) and all(isinstance(item, Scalar) and item.text for item in node.nodes):
        return tuple(_text(item) for item in node.nodes)
    if isinstance(node, Scalar) and node.kind == "str" and node.text:
        return (_text(node),)
    raise BadValue('write a list of texts: ["a", "b"]')


def _flag(node: Node) -> bool:
    text = node.text.lower() if isinstance(node, Scalar) and node.kind == "bool" else ""
    if text not in _TRUE + _FALSE:
        raise BadValue("write true or false")
    return text in _TRUE


def _scalar(node: Node, parse: Callable[[str], _Value], expected: str) -> _Value:
    if not isinstance(node, Scalar) or node.kind not in ("str", "int", "float"):
        raise BadValue(expected)
    return parse(node.text)


def _duration(node: Node) -> float:
    return _scalar(node, parse_duration, "write a duration: 300, 300s, 5m, 1h30m")


def _size(node: Node) -> int:
    return _scalar(node, parse_size, "write a size: 512MB, 1GB")


def _whole_number(least: int) -> Decoder:
    expected = f"write a whole number, {least} or more"

    def decode(node: Node) -> int:
        text = node.text if isinstance(node, Scalar) and node.kind == "int" else ""
        if not (text.isascii() and text.isdigit() and len(text) < 10) or int(text) < least:
            raise BadValue(expected)
        return int(text)

    return decode


def _processors(node: Node) -> float:
    try:
        number = float(node.text) if isinstance(node, Scalar) and node.kind in ("int", "float") else 0.0
    except ValueError:
        number = 0.0
    if not math.isfinite(number) or number <= 0:
        raise BadValue("write a number of processors above zero: 2, 0.5")
    return number


def _environment(node: Node) -> dict[str, str]:
    expected = 'write names and values: {CI: "1"}'
    if not isinstance(node, Entries):
        raise BadValue(expected)
    values = {}
    for entry in node.entries:
        # A value is kept as it was written: `GO111MODULE: on` means the text "on", not a truth value.
        if not is_variable_name(entry.key) or not isinstance(entry.node, Scalar) or "\0" in entry.node.text:
            raise BadValue(f"{expected}; {entry.key[:80]!r} in line {entry.line} is not that")
        values[entry.key] = "" if entry.node.kind == "null" else entry.node.text
    return values


def _mode(modes: tuple[str, ...]) -> Decoder:
    def decode(node: Node) -> str:
        # YAML 1.1 reads a bare `off` as a truth value; what was written counts.
        text = node.text if isinstance(node, Scalar) else ""
        if text not in modes:
            raise BadValue(f"write one of: {', '.join(modes)}")
        return text

    return decode


def _only_true(node: Node) -> bool:
    if not _flag(node):
        raise BadValue(
            "a project cannot switch the sandbox off: ask for it with the run (sandbox off), "
            "or write `sandbox_enabled: false` in the user-wide file"
        )
    return True


KEYS: dict[str, Decoder] = {
    "framework": _text,
    "command": _text,
    "timeout": _duration,
    "default_timeout": _duration,
    "max_timeout": _duration,
    "patterns": _texts,
    "exclude": _texts,
    "environment": _environment,
    "category": _text,
    "retries": _whole_number(0),
    "parallel": _whole_number(1),
    "reports": _texts,
    "arguments": _texts,
}
USER_WIDE_KEYS: dict[str, Decoder] = {
    "allow_network": _flag,
    "max_memory": _size,
    "sandbox_enabled": _flag,
    "max_runs": _whole_number(1),
}
GLOBAL_SANDBOX_NAMES = {
    "allow_network": "allow_network",
    "max_memory": "max_memory",
    "sandbox_enabled": "enabled",
}
SANDBOX_KEYS: dict[str, Decoder] = {
    "enabled": _flag,
    "mode": _mode(SANDBOX_MODES),
    "allow_network": _flag,
    "max_memory": _size,
    "max_cpu": _processors,
    "max_processes": _whole_number(1),
    "writable": _texts,
    "readonly": _texts,
    "hidden": _texts,
}
PROJECT_SANDBOX_KEYS: dict[str, Decoder] = {
    **{name: decode for name, decode in SANDBOX_KEYS.items() if name != "writable"},
    "enabled": _only_true,
    "mode": _mode(tuple(mode for mode in SANDBOX_MODES if mode != "off")),
}
