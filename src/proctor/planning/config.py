"""Reads a configuration file's text into settings; every refusal names file, line and what is allowed.

Knows no disk: the text comes in, and the file's name only for messages.
"""

import difflib
from typing import Any, NoReturn

from proctor.model.errors import BadRequest
from proctor.planning.document import Entries, Entry, Items, Node, Scalar, read_document, refuse
from proctor.planning.keys import (
    GLOBAL_SANDBOX_NAMES,
    KEYS,
    PROJECT_SANDBOX_KEYS,
    SANDBOX_KEYS,
    USER_WIDE_KEYS,
    BadValue,
    Decoder,
)
from proctor.planning.settings import SandboxSettings, Settings


def parse_settings(text: str, file: str, *, user_wide: bool = False) -> Settings:
    """Return what a configuration file says; raise BadConfig for an unknown key or a bad value.

    ``user_wide``: the file is the user's own, which may say more than a project's file may.
    """
    document = read_document(text, file)
    if document is None or (isinstance(document, Scalar) and document.kind == "null"):
        return Settings()
    return _Reading(file, user_wide).settings(document)


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
        for alias, name in GLOBAL_SANDBOX_NAMES.items():
            if alias in values:
                sandbox = {name: values[alias]} | sandbox
                del values[alias]
        if "default_timeout" in values:
            values = {"timeout": values["default_timeout"]} | values
            del values["default_timeout"]
        self._check_timeouts(values, top)
        return Settings(**values, sandbox=SandboxSettings(**sandbox))

    def _table(self) -> dict[str, Decoder]:
        table = dict(KEYS) | {"sandbox": self._sandbox}
        return table | USER_WIDE_KEYS if self.user_wide else table

    def _sandbox(self, node: Node) -> dict[str, Any]:
        table = SANDBOX_KEYS if self.user_wide else PROJECT_SANDBOX_KEYS
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
        except BadValue as bad:
            refuse(self.file, entry.node.line, f"{name}: {_got(entry.node)}", bad.expected, name)
        except BadRequest as bad:
            if "file" in bad.fields:
                raise
            refuse(self.file, entry.node.line, f"{name}: {bad.message}", bad.hint, name)

    def _refuse_key(self, entry: Entry, table: dict[str, Decoder], prefix: str) -> NoReturn:
        allowed = ", ".join(sorted(table))
        name = prefix + entry.key
        reserved = (USER_WIDE_KEYS if not prefix else SANDBOX_KEYS).keys() - table.keys()
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
