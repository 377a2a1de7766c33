"""Which tests are wanted. Knows names and files, nothing of how tests are run. Standard library only."""

from __future__ import annotations

import fnmatch
import json
import os
from collections.abc import Mapping, Sequence


class Wishes:
    """What the caller asked for: exact tests, a pattern, and what to leave out."""

    def __init__(self, root: str, tests: list[str], pattern: str, exclude: list[str]) -> None:
        self.root, self.tests, self.pattern, self.exclude = root, set(tests), pattern, exclude
        self.words = [word.strip() for word in pattern.split(" or ") if word.strip()]

    @property
    def wants_all(self) -> bool:
        """Nothing is left out."""
        return not (self.tests or self.words or self.exclude)

    def want(self, ids: Sequence[str], name: str, file: str) -> bool:
        """Tell whether a test is wanted: ``ids`` are all that it may go by."""
        if self.wants_all:
            return True
        file = os.path.relpath(file, self.root) if file else ""
        if any(fits(word, name, file, ids) for word in self.exclude):
            return False
        if self.tests and not any(known in self.tests for known in (*ids, file, f"{file}::{name}")):
            return False
        return not self.words or any(fits(word, name, file, ids) for word in self.words)


def fits(word: str, name: str, file: str, ids: Sequence[str]) -> bool:
    """Tell whether a word names a test: a glob or a part of its name, its file or directory, its id."""
    if any(mark in word for mark in "*?["):
        last = name.rpartition("::")[2]
        return any(fnmatch.fnmatchcase(text, word) for text in (name, last, file, *ids))
    if file and (word in (file, f"{file}::{name}") or file.startswith(word.rstrip("/") + "/")):
        return True
    return word in name or word in ids


def read_wishes(environment: Mapping[str, str]) -> Wishes:
    """Put together what the launcher handed on in pieces."""
    pieces: list[str] = []
    while (piece := environment.get(f"PROCTOR_WISHES_{len(pieces)}")) is not None:
        pieces.append(piece)
    return Wishes(**json.loads("".join(pieces) or '{"root": "", "tests": [], "pattern": "", "exclude": []}'))
