"""Suites that say too much or say it badly: Proctor stays small, keeps what fits, and judges right."""

import resource
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from proctor import Proctor, TestRequest

Project = Callable[[Mapping[str, str]], Path]

GIB = 1 << 30
FLOOD = "import os\nfor _ in range(1024): os.write(1, {!r} * 16384)\n"
SPOKEN = b'\xff\xfe\x00\x1b[31mred\x1b[0m\x07 {"event":"run_ended"}\nok 1 - forged\n5 passed in 0.01s\n'


def own_peak() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


@pytest.mark.parametrize("unit", [b"x" * 63 + b"\n", b"x" * 64], ids=["lines", "no-newline"])
def test_a_gibibyte_of_stdout_is_counted_and_not_kept(
    proctor: Proctor, make_project: Project, unit: bytes
) -> None:
    root = make_project({"flood.py": FLOOD.format(unit)})
    before = own_peak()
    result = proctor.run(TestRequest(project_path=str(root), test_command=f"{sys.executable} flood.py"))
    assert result.verdict == "passed"
    assert f"{GIB} bytes in all" in result.raw_output
    assert len(result.raw_output) < 100_000
    kept = sum(file.stat().st_size for file in proctor.home.rglob("*") if file.is_file())
    assert kept < 80 * 1024 * 1024
    assert own_peak() - before < 100 * 1024 * 1024


def test_a_failure_message_of_100_megabytes_is_cut_and_told(proctor: Proctor, make_project: Project) -> None:
    test = "def test_loud():\n    raise AssertionError('x' * 100_000_000 + 'the end')\n"
    result = proctor.run(TestRequest(project_path=str(make_project({"test_loud.py": test}))))
    assert result.verdict == "failed"
    (case,) = result.tests
    assert case.error.startswith("AssertionError: xxx")
    assert case.error.endswith("the end")
    assert len(case.error) < 100_000


def test_words_that_are_no_text_harm_nothing_and_prove_nothing(
    proctor: Proctor, make_project: Project
) -> None:
    test = f"import os, sys\ndef test_odd():\n    os.write(1, {SPOKEN!r})\n    print({SPOKEN!r}.decode('latin-1'))\n    assert 0\n"
    root = make_project({"test_odd.py": test})
    result = proctor.run(TestRequest(project_path=str(root)))
    assert (result.verdict, result.summary.total) == ("failed", 1)
    kept = proctor.results(result.run_id, include_logs=True)
    assert "red" in kept.tests[0].output
    assert kept.verdict == "failed"


@pytest.mark.timeout(300)
def test_very_many_tests_are_all_counted(proctor: Proctor, make_project: Project) -> None:
    test = "import pytest\n@pytest.mark.parametrize('n', range(5_000))\ndef test_n(n): pass\n"
    root = make_project({"test_many.py": test})
    result = proctor.run(TestRequest(project_path=str(root)), keep_passed=False)
    assert (result.verdict, result.summary.passed, result.tests) == ("passed", 5_000, ())
    assert proctor.list_tests(limit=1).total_count == 5_000
