"""Reads a configuration file's text into settings; every refusal names file, line and what is allowed.

Knows no disk: the text comes in, and the file's name only for messages.
"""

import difflib
import math
from collections.abc import Callable
from typing import Any, NoReturn, TypeVar

from proctor.model.errors import BadRequest
from proctor.model.request import SANDBOX_MODES
from proctor.planning.document import Entries, Entry, Items, Node, Scalar, read_document, refuse
from proctor.planning.settings import SandboxSettings, Settings
from proctor.planning.values import is_variable_name, parse_duration, parse_size

_Value = TypeVar("_Value")
_TRUE, _FALSE = ("true", "yes", "on"), ("false", "no", "off")
Decoder = Callable[[Node], object]


def parse_settings(text: str, file: str, *, user_wide: bool = False) -> Settings:
    """Return what a configuration file says; raise BadConfig for an unknown key or a bad value.

    ``user_wide``: the file is the user's own, which may say more than a project's file may.
    """
    document = read_document(text, file)
    if document is None or (isinstance(document, Scalar) and document.kind == "null"):
        return Settings()
    return _Reading(file, user_wide).settings(document)


class _Bad(Exception):
    """A value that does not fit; becomes a BadConfig with its place where it is caught."""

    def __init__(self, expected: str) -> None:
        super().__init__(expected)
        self.expected = expected


class _Reading:
    """One pass over one file."""

    def __init__(self, file: str, user_wide: bool) -> None:
        self.file = file
        self.user_wide = user_wide

    def settings(self, document: Node) -> Settings:
        top = self._mapping(document, "the file")
        if len(top.entries) == 1 and top.entries[0].key == "testing":
            inner = top.entries[0].node
            if isinstance(inner, Scalar) and inner.kind == "null":
                return Settings()
            top = self._mapping(inner, "testing")
        values = self._values(top, self._table(), "")
        sandbox: dict[str, Any] = values.pop("sandbox", {})
        for alias, name in _GLOBAL_SANDBOX_NAMES.items():
            if alias in values:
                sandbox = {name: values[alias]} | sandbox
                del values[alias]
        if "default_timeout" in values:
            values = {"timeout": values["default_timeout"]} | values
            del values["default_timeout"]
        self._check_timeouts(values, top)
        return Settings(**values, sandbox=SandboxSettings(**sandbox))

    def _table(self) -> dict[str, Decoder]:
        table = dict(_KEYS) | {"sandbox": self._sandbox}
        return table | _USER_WIDE_KEYS if self.user_wide else table

    def _sandbox(self, node: Node) -> dict[str, Any]:
        table = _SANDBOX_KEYS if self.user_wide else _PROJECT_SANDBOX_KEYS
        return self._values(self._mapping(node, "sandbox"), table, "sandbox.")

    def _values(self, mapping: Entries, table: dict[str, Decoder], prefix: str) -> dict[str, Any]:
        values: dict[str, Any] = {}
        for entry in mapping.entries:
            decode = table.get(entry.key)
            if decode is None:
                self._refuse_key(entry, table, prefix)
            if isinstance(entry.node, Scalar) and entry.node.kind == "null":
                continue
            values[entry.key] = self._decoded(entry, decode, prefix)
        return values

    def _decoded(self, entry: Entry, decode: Decoder, prefix: str) -> object:
        name = prefix + entry.key
        try:
            return decode(entry.node)
        except _Bad as bad:
            refuse(self.file, entry.node.line, f"{name}: {_got(entry.node)}", bad.expected, name)
        except BadRequest as bad:
            if "file" in bad.fields:
                raise
            refuse(self.file, entry.node.line, f"{name}: {bad.message}", bad.hint, name)

    def _refuse_key(self, entry: Entry, table: dict[str, Decoder], prefix: str) -> NoReturn:
        allowed = ", ".join(sorted(table))
        name = prefix + entry.key
        reserved = (_USER_WIDE_KEYS if not prefix else _SANDBOX_KEYS).keys() - table.keys()
        if entry.key in reserved:
            hint = f"only the user-wide file may set it; allowed here: {allowed}"
            refuse(self.file, entry.line, f"{name} is not for a project's file", hint, name)
        near = difflib.get_close_matches(entry.key, table, n=1)
        meant = f"did you mean {near[0]!r}? " if near else ""
        refuse(self.file, entry.line, f"unknown key {name!r}", f"{meant}allowed keys: {allowed}", name)

    def _mapping(self, node: Node, name: str) -> Entries:
        if not isinstance(node, Entries):
            hint = "write keys with values, one `key: value` a line"
            refuse(self.file, node.line, f"{name}: {_got(node)}", hint)
        return node

    def _check_timeouts(self, values: dict[str, Any], top: Entries) -> None:
        timeout, most = values.get("timeout"), values.get("max_timeout")
        if timeout is not None and most is not None and timeout > most:
            line = next(e.line for e in top.entries if e.key in ("timeout", "default_timeout"))
            refuse(
                self.file,
                line,
                "timeout is above max_timeout",
                "raise max_timeout or lower timeout",
                "timeout",
            )


def _got(node: Node) -> str:
    if isinstance(node, Scalar):
        return f"{node.text[:80]!r} does not fit" if node.kind != "null" else "has no value"
    return "a list does not fit" if isinstance(node, Items) else "a mapping does not fit"


def _text(node: Node) -> str:
    if not isinstance(node, Scalar) or node.kind not in ("str", "int", "float") or "\0" in node.text:
        raise _Bad("write one text (in quotes if in doubt)")
    return node.text


def _texts(node: Node) -> tuple[str, ...]:
    if isinstance(node, Items) and all(isinstance(item, Scalar) and item.text for item in node.nodes):
        return tuple(_text(item) for item in node.nodes)
    if isinstance(node, Scalar) and node.kind == "str" and node.text:
        return (_text(node),)
    raise _Bad('write a list of texts: ["a", "b"]')


def _flag(node: Node) -> bool:
    text = node.text.lower() if isinstance(node, Scalar) and node.kind == "bool" else ""
    if text not in _TRUE + _FALSE:
        raise _Bad("write true or false")
    return text in _TRUE


def _scalar(node: Node, parse: Callable[[str], _Value], expected: str) -> _Value:
    if not isinstance(node, Scalar) or node.kind not in ("str", "int", "float"):
        raise _Bad(expected)
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
            raise _Bad(expected)
        return int(text)

    return decode


def _processors(node: Node) -> float:
    try:
        number = float(node.text) if isinstance(node, Scalar) and node.kind in ("int", "float") else 0.0
    except ValueError:
        number = 0.0
    if not math.isfinite(number) or number <= 0:
        raise _Bad("write a number of processors above zero: 2, 0.5")
    return number


def _environment(node: Node) -> dict[str, str]:
    expected = 'write names and values: {CI: "1"}'
    if not isinstance(node, Entries):
        raise _Bad(expected)
    values = {}
    for entry in node.entries:
        # A value is kept as it was written: `GO111MODULE: on` means the text "on", not a truth value.
        if not is_variable_name(entry.key) or not isinstance(entry.node, Scalar) or "\0" in entry.node.text:
            raise _Bad(f"{expected}; {entry.key[:80]!r} in line {entry.line} is not that")
        values[entry.key] = "" if entry.node.kind == "null" else entry.node.text
    return values


def _mode(modes: tuple[str, ...]) -> Decoder:
    def decode(node: Node) -> str:
        # YAML 1.1 reads a bare `off` as a truth value; what was written counts.
        text = node.text if isinstance(node, Scalar) else ""
        if text not in modes:
            raise _Bad(f"write one of: {', '.join(modes)}")
        return text

    return decode


def _only_true(node: Node) -> bool:
    if not _flag(node):
        raise _Bad(
            "a project cannot switch the sandbox off: ask for it with the run (sandbox off), "
            "or write `sandbox_enabled: false` in the user-wide file"
        )
    return True


_KEYS: dict[str, Decoder] = {
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
_USER_WIDE_KEYS: dict[str, Decoder] = {
    "allow_network": _flag,
    "max_memory": _size,
    "sandbox_enabled": _flag,
    "max_runs": _whole_number(1),
}
_GLOBAL_SANDBOX_NAMES = {
    "allow_network": "allow_network",
    "max_memory": "max_memory",
    "sandbox_enabled": "enabled",
}
_SANDBOX_KEYS: dict[str, Decoder] = {
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
_PROJECT_SANDBOX_KEYS: dict[str, Decoder] = {
    **{name: decode for name, decode in _SANDBOX_KEYS.items() if name != "writable"},
    "enabled": _only_true,
    "mode": _mode(tuple(mode for mode in SANDBOX_MODES if mode != "off")),
}
