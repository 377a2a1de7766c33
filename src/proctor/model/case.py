"""One test and what became of it."""

from typing import Literal

import msgspec

CaseStatus = Literal["pass", "fail", "skip", "error", "unfinished"]


class Assertion(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One check inside a test, with the values it compared as text."""

    description: str
    passed: bool
    expected_value: str = ""
    actual_value: str = ""
    error_message: str = ""


class Case(msgspec.Struct, frozen=True, kw_only=True):
    """One test in one run. ``id`` is the framework's own, kept whole; ``detail`` says what the status hides
    (an expected failure, an unexpected pass, the reason of a skip)."""

    id: str
    name: str
    package: str = ""
    file: str = ""
    line: int = 0
    status: CaseStatus
    duration: float = 0.0
    attempts: int = 1
    detail: str = ""
    output: str = ""
    error: str = ""
    stack_trace: str = ""
    assertions: tuple[Assertion, ...] = ()


class Summary(msgspec.Struct, frozen=True, kw_only=True):
    """How many cases ended in which way. Derived from the cases, never kept beside them."""

    total: int = 0
    passed: int = 0
    failed: int = 0
    skipped: int = 0
    errors: int = 0
    unfinished: int = 0
