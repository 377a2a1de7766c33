"""The same truth inside the sandboxes: channel, interpreter, workers and limits."""

from collections.abc import Callable

import pytest

from proctor import TestResult

Run = Callable[..., TestResult]
MIB = 1024 * 1024
SUITE = """
import os, tempfile
def test_good():
    open("written-by-a-test", "w").close()
    tempfile.TemporaryFile().close()
def test_bad():
    x = 1
    assert x == 2
"""


@pytest.fixture(params=["bubblewrap", "landlock"])
def sandbox(request: pytest.FixtureRequest) -> str:
    """Each sandbox in turn."""
    return str(request.param)


def test_a_suite_is_reported_from_inside(run: Run, sandbox: str) -> None:
    result = run({"test_a.py": SUITE}, sandbox=sandbox)
    assert (result.verdict, result.summary.passed, result.summary.failed) == ("failed", 1, 1)
    assert result.sandbox.name == sandbox
    assert (result.tests[1].assertions[0].expected_value, result.tests[1].line) == ("2", 8)


def test_workers_of_xdist_report_from_inside(run: Run, sandbox: str) -> None:
    text = "".join(f"def test_{number}():\n    pass\n" for number in range(6))
    result = run({"test_a.py": text}, plugins="xdist", parallel=True, max_parallel=2, sandbox=sandbox)
    assert (result.verdict, result.summary.passed) == ("passed", 6), result.reasons


def test_a_kill_for_memory_keeps_what_finished(run: Run, sandbox: str) -> None:
    bomb = "def test_good():\n    pass\ndef test_bomb():\n    x = []\n    while True:\n        x.append(b'x' * 8_000_000)\n"
    result = run({"test_a.py": bomb}, sandbox=sandbox, max_memory=256 * MIB, timeout=60.0)
    assert result.verdict in ("interrupted", "failed")
    assert result.summary.passed == 1
    if result.verdict == "interrupted":
        assert "memory" in " ".join(result.reasons)


def test_an_exit_zero_in_the_middle_of_a_test_is_interrupted(run: Run, sandbox: str) -> None:
    text = "import os\ndef test_good():\n    pass\ndef test_exit():\n    os._exit(0)\n"
    result = run({"test_a.py": text}, sandbox=sandbox)
    assert (result.verdict, result.summary.passed, result.summary.unfinished) == ("interrupted", 1, 1)
