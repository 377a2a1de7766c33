"""Which packages and tests a Go run is narrowed to: patterns, ids and files become arguments. Pure."""

import posixpath
import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from proctor.model.errors import BadRequest
from proctor.ports import ProjectView

_LONGEST_PATTERN = 100_000
"""The system limits one argument to 128 KiB; more tests than fit are run by several calls."""
_FUNCTION = re.compile(r"^func ((?:Test|Fuzz|Example)\w*)\(", re.MULTILINE)
_MOST_FILES = 5000
_DEEPEST = 6


class Call(NamedTuple):
    """One call of `go test`: the patterns of tests (none means all), and the packages."""

    run: str
    packages: tuple[str, ...]


def calls(
    tests: tuple[str, ...], pattern: str, packages: tuple[str, ...], view: ProjectView
) -> tuple[Call, ...]:
    """Return the calls that run exactly the tests that were asked for; ``packages`` are all there are."""
    wanted = tests or tuple(word for part in pattern.split(" or ") if (word := part.strip()))
    names: list[str] = []
    places: list[str] = []
    exact: dict[str, list[str]] = {}
    for word in wanted:
        place, parted, name = word.partition("::")
        if parted or word.endswith(".go"):
            exact.setdefault(_package(place), []).extend(_of_file(place, name, view))
        elif _is_package(word, view):
            places.append(_package(word))
        else:
            names.append(_as_regexp(word))
    found = list(_exact_calls(exact))
    if names or places or not found:
        found.append(Call("|".join(names), tuple(places) or packages))
    return tuple(found)


def without(
    excluded: Iterable[str], packages: tuple[str, ...], view: ProjectView
) -> tuple[tuple[str, ...], str]:
    """Return the packages that are left, and the `-skip` pattern, after leaving out what is excluded."""
    names, places = [], []
    for word in excluded:
        _, parted, name = word.partition("::")
        if parted:
            names.append(_anchored(name))
        elif _is_package(word, view):
            places.append(posixpath.normpath(word.removesuffix("...")))
        else:
            names.append(_as_regexp(word))
    return (_left(places, view) if places else packages), "|".join(names)


def _left(places: list[str], view: ProjectView) -> tuple[str, ...]:
    files = view.find("*.go")
    if len(view.find("*")) >= _MOST_FILES or any(file.count("/") >= _DEEPEST for file in files):
        raise BadRequest(
            "directories cannot be excluded from so large a Go project",
            hint="name the packages to run instead, or exclude tests by name",
        )
    directories = dict.fromkeys(posixpath.dirname(file) for file in files)
    kept = [
        d for d in directories if not any(d == p or d.startswith(f"{p}/") for p in places) and not _ignored(d)
    ]
    return tuple(f"./{directory}" if directory else "." for directory in kept)


def _ignored(directory: str) -> bool:
    """Directories that Go's own `...` leaves out."""
    return any(part in ("testdata", "vendor") or part[0] in "._" for part in directory.split("/") if part)


def _exact_calls(exact: dict[str, list[str]]) -> Iterator[Call]:
    """Packages that share a pattern share a call; a pattern for another package would run too much."""
    shared: dict[str, list[str]] = {}
    for package, tests in exact.items():
        for run in _chunks(sorted(set(tests))):
            shared.setdefault(run, []).append(package)
    for run, packages in shared.items():
        yield Call(run, tuple(packages))


def _chunks(tests: list[str]) -> Iterator[str]:
    pattern = ""
    for test in tests:
        more = _anchored(test)
        if pattern and len(pattern) + len(more) > _LONGEST_PATTERN:
            yield pattern
            pattern = ""
        pattern = f"{pattern}|{more}" if pattern else more
    yield pattern


def _anchored(test: str) -> str:
    """Return the pattern that fits this test, and its subtests, alone."""
    return "/".join(f"^{_quote(part)}$" for part in test.split("/"))


def _quote(text: str) -> str:
    """Quote for Go's regular expressions, which refuse escapes of letters and of other plain characters."""
    return re.sub(r"[\\.+*?()|\[\]{}^$]", lambda found: "\\" + found[0], text)


def _package(place: str) -> str:
    """Return a directory, file or import path as `go test` takes it."""
    file = place.endswith(".go")
    place = posixpath.dirname(place) if file else place.rstrip("/")
    inside = place in ("", ".") or place.startswith(("/", "./", "../")) or not file
    return (place or ".") if inside else f"./{place}"


def _is_package(word: str, view: ProjectView) -> bool:
    if any(mark in word for mark in "*?^$()[]{}|\\ "):
        return False
    return (
        word.startswith(("./", "../"))
        or word.endswith("...")
        or ("/" in word and view.exists(word))
        or ("." in word.split("/", 1)[0] and "/" in word)
    )


def _of_file(place: str, name: str, view: ProjectView) -> list[str]:
    if name or not place.endswith(".go"):
        return [name] if name else []
    found = _FUNCTION.findall(view.read_text(place))
    if not found:
        raise BadRequest(f"{place} has no test functions", hint="name a file that ends in _test.go")
    return found


def _as_regexp(word: str) -> str:
    """Return a glob as a regular expression; anything else is Go's own `-run` pattern already."""
    globbed = any(mark in word for mark in "*?") and not any(mark in word for mark in "^$()[]{}|+\\.")
    if not globbed:
        return word.replace(" ", "_")
    parts = (
        re.sub(r"[*?]", lambda found: ".*" if found[0] == "*" else ".", part) for part in word.split("/")
    )
    return "/".join(f"^{part}$" for part in parts)
