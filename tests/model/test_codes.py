"""The one table of codes covers every error and every verdict."""

from typing import get_args

from proctor.model import errors
from proctor.model.codes import ERRORS, VERDICT_EXITS
from proctor.model.run import Verdict


def every_error(root: type[errors.ProctorError]) -> list[type[errors.ProctorError]]:
    return [root, *(found for child in root.__subclasses__() for found in every_error(child))]


def test_every_error_has_its_row() -> None:
    codes = [error.code for error in every_error(errors.ProctorError)]
    assert sorted(codes) == sorted(ERRORS)
    assert len(set(codes)) == len(codes)


def test_every_error_is_drawn_in_the_tree() -> None:
    drawing = errors.__doc__ or ""
    assert [e.__name__ for e in every_error(errors.ProctorError) if e.__name__ not in drawing] == []


def test_every_verdict_has_its_exit_code() -> None:
    assert set(VERDICT_EXITS) == set(get_args(Verdict))
    assert [verdict for verdict, code in VERDICT_EXITS.items() if code == 0] == ["passed"]
