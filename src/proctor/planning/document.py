"""A YAML text as a small tree that knows its lines. Refuses aliases, tags, duplicate keys, depth and size;
knows nothing of which keys exist."""

from typing import TYPE_CHECKING, NoReturn

import msgspec

from proctor.model.errors import BadConfig

if TYPE_CHECKING:
    import yaml

MAX_CHARACTERS = 256 * 1024
MAX_DEPTH = 8


class Scalar(msgspec.Struct, frozen=True):
    """One value as it was written. ``kind`` is what YAML takes it for: str, int, float, bool, null."""

    text: str
    kind: str
    line: int


class Items(msgspec.Struct, frozen=True):
    """A list."""

    nodes: "tuple[Node, ...]"
    line: int


class Entry(msgspec.Struct, frozen=True):
    """One key of a mapping with its value."""

    key: str
    line: int
    node: "Node"


class Entries(msgspec.Struct, frozen=True):
    """A mapping, in the order of the file."""

    entries: tuple[Entry, ...]
    line: int


Node = Scalar | Items | Entries


def refuse(file: str, line: int, message: str, hint: str = "", key: str = "") -> NoReturn:
    """Say what is wrong in which line of which file."""
    fields = {"file": file, "line": str(line)} | ({"key": key} if key else {})
    raise BadConfig(f"{file}:{line}: {message}", hint=hint, fields=fields)


def read_document(text: str, file: str) -> Node | None:
    """Return the one document of a YAML text, or None if there is nothing in it."""
    # Starting a command that has no configuration file must not pay for importing PyYAML.
    import yaml

    if len(text) > MAX_CHARACTERS:
        refuse(
            file, 1, f"the file is larger than {MAX_CHARACTERS // 1024} kB", "a configuration is a few lines"
        )
    try:
        _check_shape(text, file)
        root = yaml.compose(text, Loader=yaml.SafeLoader)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None) or getattr(error, "context_mark", None)
        problem = getattr(error, "problem", None) or getattr(error, "reason", None) or "cannot be read"
        refuse(
            file, mark.line + 1 if mark else 1, f"not valid YAML: {problem}", "check indentation and quotes"
        )
    return None if root is None else _convert(root, file)


def _check_shape(text: str, file: str) -> None:
    """Walk the event stream, which costs no recursion, before anything is built from it."""
    import yaml

    depth = 0
    for event in yaml.parse(text, Loader=yaml.SafeLoader):
        line = event.start_mark.line + 1
        if isinstance(event, yaml.AliasEvent) or getattr(event, "anchor", None):
            refuse(file, line, "anchors and aliases (& and *) are not allowed", "write the value out")
        if getattr(event, "tag", None):
            refuse(file, line, f"the tag {event.tag} is not allowed", "write plain values without ! tags")
        if isinstance(event, yaml.CollectionStartEvent):
            depth += 1
        elif isinstance(event, yaml.CollectionEndEvent):
            depth -= 1
        if depth > MAX_DEPTH:
            refuse(file, line, f"nested deeper than {MAX_DEPTH} levels")


def _convert(node: "yaml.Node", file: str) -> Node:
    import yaml

    line = node.start_mark.line + 1
    if isinstance(node, yaml.MappingNode):
        return Entries(_convert_entries(node, file), line)
    if isinstance(node, yaml.SequenceNode):
        return Items(tuple(_convert(child, file) for child in node.value), line)
    return Scalar(str(node.value), str(node.tag).rpartition(":")[2], line)


def _convert_entries(node: "yaml.MappingNode", file: str) -> tuple[Entry, ...]:
    first_seen: dict[str, int] = {}
    entries = []
    for key_node, value_node in node.value:
        line = key_node.start_mark.line + 1
        if not isinstance(key_node.value, str):
            refuse(file, line, "a key must be a plain word")
        key = key_node.value
        if key in first_seen:
            refuse(file, line, f"the key {key!r} is already set in line {first_seen[key]}", key=key)
        first_seen[key] = line
        entries.append(Entry(key, line, _convert(value_node, file)))
    return tuple(entries)
