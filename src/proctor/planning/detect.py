"""Decides which framework a run uses: asked for, implied by a command, or found in the project."""

import difflib
from collections.abc import Mapping
from typing import NoReturn

from proctor.model.errors import BadRequest, NoFramework
from proctor.model.plan import Detection
from proctor.ports import Framework, ProjectView

GENERIC = "generic"
CLOSE = 10
"""Two detections nearer than this are ambiguous: guessing would run only half of the tests."""


def rank(frameworks: Mapping[str, Framework], view: ProjectView) -> tuple[Detection, ...]:
    """Return what each framework recognises in the project, the surest first."""
    found = [detection for name in sorted(frameworks) if (detection := frameworks[name].detect(view))]
    return tuple(sorted(found, key=lambda detection: (-detection.confidence, detection.framework)))


def choose(
    frameworks: Mapping[str, Framework], view: ProjectView, *, asked: str = "", command: str = ""
) -> str:
    """Return the framework's name: the one asked for, else `generic` for a command, else the one detected."""
    if asked:
        return _known(frameworks, asked, command)
    if command:
        return _known(frameworks, GENERIC, command)
    detections = rank(frameworks, view)
    if not detections:
        raise NoFramework(
            f"nothing in {view.root} says how it is tested",
            hint=f"name the framework ({', '.join(sorted(frameworks))}) or give a command, "
            "for example --command 'make test'",
        )
    first, *others = detections
    rivals = [other for other in others if first.confidence - other.confidence < CLOSE]
    if rivals:
        _refuse_ambiguity([first, *rivals])
    return first.framework


def _known(frameworks: Mapping[str, Framework], name: str, command: str) -> str:
    if name not in frameworks:
        near = difflib.get_close_matches(name, frameworks, n=1)
        meant = f"did you mean {near[0]!r}? " if near else ""
        raise BadRequest(
            f"unknown framework {name[:80]!r}", hint=f"{meant}known: {', '.join(sorted(frameworks))}"
        )
    if command and name != GENERIC:
        raise BadRequest(
            f"a command and the framework {name!r} exclude each other: a given command is run as it is",
            hint=f"leave out the command to let {name} be called by its adapter, or leave out the framework",
        )
    return name


def _refuse_ambiguity(candidates: list[Detection]) -> NoReturn:
    lines = "; ".join(
        f"{one.framework} ({', '.join(one.reasons) or 'no reason given'})" for one in candidates
    )
    names = " or ".join(f"--framework {one.framework}" for one in candidates)
    raise BadRequest(
        f"several frameworks fit this project: {lines}",
        hint=f"choose with {names}, or write `framework:` in .proctor/testing.yaml",
    )
