"""A pytest project with failures of every kind, seen through the command line."""

import json
import re
import sys
from typing import Any

import pytest
from inline_snapshot import snapshot

CART = """
import pytest

@pytest.fixture
def shelf():
    raise RuntimeError("no shelf")

def test_total():
    print("adding up")
    assert 50 + 49 == 100

def test_shelf(shelf):
    pass

@pytest.mark.parametrize("name", ["a b", "c\\nd"])
def test_name(name):
    assert name

@pytest.mark.skip(reason="later")
def test_later():
    pass
"""


@pytest.fixture
def shop(proctor: Any) -> Any:
    (proctor.project / "tests").mkdir()
    (proctor.project / "tests" / "test_cart.py").write_text(CART)
    proctor.environment["VIRTUAL_ENV"] = sys.prefix  # where a pytest is surely found
    (proctor.project / "pytest.ini").write_text("[pytest]\n")
    return proctor


def test_the_answer_names_every_failure_and_its_place(shop: Any) -> None:
    done = shop("run")
    assert done.returncode == 1
    shown = re.sub(r"run-[0-9a-z]{15}, [0-9.ms]+", "RUN, TIME", done.stdout)
    shown = re.sub(r"  (note|not enforced).*\n", "", shown.replace("landlock", "bubblewrap"))
    assert re.sub(r"run-[0-9a-z]{15}", "RUN", shown) == snapshot("""\
FAILED  1 failed and 1 in error of 5 tests  (RUN, TIME, pytest, sandbox: bubblewrap)
  5 tests: 2 passed, 1 failed, 1 in error, 1 skipped
FAIL tests/test_cart.py:10 test_total
  assert (50 + 49) == 100
  expected 100, actual 99
ERROR tests/test_cart.py:6 test_shelf
  in setup: RuntimeError: no shelf
more: proctor results RUN --test test_total --include-logs
""")


def test_progress_is_on_stderr_with_a_line_for_each_failure(shop: Any) -> None:
    done = shop("run")
    assert "5 tests collected\n" in done.stderr
    assert re.search(r"^FAIL tests/test_cart.py:\d+ test_total$", done.stderr, re.MULTILINE)
    assert re.search(r"^ERROR tests/test_cart.py:\d+ test_shelf$", done.stderr, re.MULTILINE)


def test_one_test_can_be_run_by_pattern_or_by_id(shop: Any) -> None:
    by_pattern = json.loads(shop("run", "-k", "name", "--format", "json").stdout)
    assert (by_pattern["verdict"], by_pattern["summary"]["passed"]) == ("passed", 2)
    chosen = by_pattern["tests"][0]["id"]
    by_id = json.loads(shop("run", "--test", chosen, "--format", "json").stdout)
    assert [case["id"] for case in by_id["tests"]] == [chosen]


def test_a_pattern_that_fits_nothing_exits_with_3(shop: Any) -> None:
    done = shop("run", "-k", "nonsense")
    assert done.returncode == 3
    assert done.stdout.startswith("NO_TESTS  no test ran")


def test_a_file_that_cannot_be_imported_exits_with_7_and_is_named_once(shop: Any) -> None:
    (shop.project / "tests" / "test_bad.py").write_text("import nonsense\n")
    done = shop("run")
    assert done.returncode == 7
    assert done.stdout.count("tests/test_bad.py:1") == 1


def test_what_a_test_printed_is_shown_when_asked(shop: Any) -> None:
    run_id = json.loads(shop("run", "-k", "total", "--format", "json").stdout)["run_id"]
    assert (
        "  output:\n  | adding up\n"
        in shop("results", run_id, "--test", "test_total", "--include-logs").stdout
    )
    assert "adding up\n" not in shop("results", run_id).stdout
