"""Puts the whole texts back into a result, or leaves them out of it."""

from msgspec.structs import replace

from proctor.journal.blobs import Blobs
from proctor.journal.texts import restore_text
from proctor.model.case import Case
from proctor.model.fold import Fold
from proctor.model.run import TestResult


def without_logs(result: TestResult) -> TestResult:
    """Return the result without what was printed: few need it, and it is long."""
    tests = tuple(replace(case, output="") if case.output else case for case in result.tests)
    return replace(result, tests=tests, raw_output="")


def with_logs(result: TestResult, fold: Fold, blobs: Blobs) -> TestResult:
    """Return the result with every cut text whole again."""
    raw = result.raw_output
    if fold.output is not None and fold.output.blob:
        with blobs.open(fold.output.blob) as file:
            raw = file.read().decode("utf-8", "replace")
    return replace(result, tests=tuple(_whole(case, blobs) for case in result.tests), raw_output=raw)


def _whole(case: Case, blobs: Blobs) -> Case:
    return replace(
        case,
        output=restore_text(case.output, blobs),
        error=restore_text(case.error, blobs),
        stack_trace=restore_text(case.stack_trace, blobs),
    )
