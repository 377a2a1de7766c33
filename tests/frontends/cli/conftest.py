"""Results and cases to render, and a way to call the command line in this process."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from proctor.frontends.cli.main import execute
from proctor.model.case import Case, Summary
from proctor.model.run import TestResult


class Answer(NamedTuple):
    """What one command line answered."""

    code: int
    out: str
    err: str


Call = Callable[..., Answer]


@pytest.fixture
def call(capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Call:
    monkeypatch.setenv("PROCTOR_HOME", str(tmp_path / "home"))

    def calling(*arguments: str) -> Answer:
        code = execute(arguments)
        captured = capfd.readouterr()
        return Answer(code, captured.out, captured.err)

    return calling


@pytest.fixture
def make_case() -> Callable[..., Case]:
    def making(name: str = "test_total", **fields: Any) -> Case:
        plain: dict[str, Any] = {"status": "pass", "file": "tests/test_cart.py", "line": 42}
        return Case(id=f"tests/test_cart.py::{name}", name=name, **{**plain, **fields})

    return making


@pytest.fixture
def make_result() -> Callable[..., TestResult]:
    def making(tests: Sequence[Case] = (), **fields: Any) -> TestResult:
        statuses = [case.status for case in tests]
        plain: dict[str, Any] = {
            "run_id": "run-01jd0000000000a",
            "project": "/src/shop",
            "name": "shop",
            "framework": "pytest",
            "category": "unit",
            "status": "PASSED",
            "verdict": "passed",
            "success": True,
            "reasons": ("1 test passed; report, totals and exit code agree",),
            "duration": 3.21,
            "tests": tuple(tests),
            "summary": Summary(
                total=len(statuses),
                passed=statuses.count("pass"),
                failed=statuses.count("fail"),
                skipped=statuses.count("skip"),
                errors=statuses.count("error"),
                unfinished=statuses.count("unfinished"),
            ),
        }
        return TestResult(**{**plain, **fields})

    return making
