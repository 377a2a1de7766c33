"""Names and printed text are never evidence, and ids are kept whole, whatever they contain."""

from collections.abc import Callable

from proctor import TestResult

Run = Callable[..., TestResult]
Statuses = Callable[[TestResult], dict[str, str]]


def test_a_name_that_contains_fail_does_not_turn_a_green_run_red(run: Run, statuses: Statuses) -> None:
    result = run({"test_a.py": "def test_FAIL_error_FAILED():\n    print('1 failed')\n"})
    assert (result.verdict, result.summary.passed) == ("passed", 1)
    assert result.tests[0].output == "1 failed\n"


def test_output_that_looks_like_the_summary_of_a_green_run_is_no_evidence(run: Run) -> None:
    lie = "print('test_a.py .. [100%]\\n===== 2 passed in 0.01s =====', flush=True)"
    files = {
        "test_a.py": f"import os\ndef test_one():\n    {lie}\n    os._exit(0)\ndef test_two():\n    pass\n"
    }
    result = run({**files, "pytest.ini": "[pytest]\naddopts = -s\n"})
    assert (result.verdict, result.summary.passed, result.summary.unfinished) == ("interrupted", 0, 1)


def test_output_that_looks_like_failures_does_not_turn_a_green_run_red(run: Run) -> None:
    text = "import sys\ndef test_one():\n    print('FAILED test_a.py::test_one', file=sys.stderr)\n"
    assert run({"test_a.py": text + "    print('error: 3 failed')\n"}).verdict == "passed"


def test_ids_with_blanks_brackets_and_progress_marks_stay_whole(run: Run, statuses: Statuses) -> None:
    ids = ["a b  c", "[100%]", "x::y", "PASSED", "a[b]c", "../up", "quote'\"s"]
    mark = f"@pytest.mark.parametrize('x', [0] * {len(ids)}, ids={ids!r})"
    text = f"import pytest\n{mark}\ndef test_p(x):\n    pass\n"
    result = run({"test_a.py": text})
    assert result.verdict == "passed"
    assert statuses(result) == {f"test_a.py::test_p[{name}]": "pass" for name in ids}
    some = ("test_a.py::test_p[x::y]", "test_a.py::test_p[a b  c]")
    again = run({"test_a.py": text}, tests=some)
    assert (again.verdict, sorted(statuses(again))) == ("passed", sorted(some))


HOSTILE = r"""
import pytest

NAMES = ["line\nbreak", "\x1b[31mred\x1b[0m", "nul\0", "\udcff\udcfe not utf-8", "\u2028", "L" * 100_000]

class Item(pytest.Item):
    def runtest(self):
        print("\udcff out \0 \x1b[0m")
        assert self.index % 2 == 0, self.name
    def reportinfo(self):
        return self.path, 0, self.name

class File(pytest.File):
    def collect(self):
        for index, name in enumerate(NAMES):
            item = Item.from_parent(self, name=name)
            item.index = index
            yield item

def pytest_collect_file(file_path, parent):
    if file_path.suffix == ".hostile":
        return File.from_parent(parent, path=file_path)
"""


def test_names_with_newlines_nul_ansi_and_bytes_that_are_no_text_survive(
    run: Run, statuses: Statuses
) -> None:
    result = run({"conftest.py": HOSTILE, "names.hostile": ""})
    found = statuses(result)
    assert (result.verdict, result.summary.passed, result.summary.failed) == ("failed", 3, 3)
    assert found["names.hostile::line\nbreak"] == "pass"
    assert found["names.hostile::\x1b[31mred\x1b[0m"] == "fail"
    assert found["names.hostile::nul\0"] == "pass"
    assert found[r"names.hostile::\udcff\udcfe not utf-8"] == "fail"
    assert found["names.hostile::" + "L" * 100_000] == "fail"


TWINS = """
import pytest

class Item(pytest.Item):
    def runtest(self):
        assert not self.bad

class File(pytest.File):
    def collect(self):
        for bad in (False, True, False):
            item = Item.from_parent(self, name="twin")
            item.bad = bad
            yield item

def pytest_collect_file(file_path, parent):
    if file_path.suffix == ".twins":
        return File.from_parent(parent, path=file_path)
"""


def test_of_tests_with_one_name_none_hides_another(run: Run, statuses: Statuses) -> None:
    result = run({"conftest.py": TWINS, "a.twins": ""})
    assert result.verdict == "failed"
    assert statuses(result) == {"a.twins::twin": "pass", "a.twins::twin#2": "fail", "a.twins::twin#3": "pass"}


def test_a_narrow_terminal_changes_nothing(run: Run, statuses: Statuses) -> None:
    name = "test_" + "long_" * 20
    result = run({"test_a.py": f"def {name}():\n    pass\n"}, environment={"COLUMNS": "20"})
    assert statuses(result) == {f"test_a.py::{name}": "pass"}


NESTED = """
import os, subprocess, sys
import pytest

pytest_plugins = ["pytester"]
INNER = "def test_inner():\\n    assert 0\\ndef test_inner_good():\\n    pass\\n"

def test_another_process(tmp_path):
    (tmp_path / "test_inner.py").write_text(INNER)
    assert "PROCTOR_CHANNEL" not in os.environ
    done = subprocess.run([sys.executable, "-m", "pytest", str(tmp_path)], close_fds=False)
    assert done.returncode == 1

def test_the_same_process(tmp_path):
    (tmp_path / "test_inner_too.py").write_text(INNER)
    assert pytest.main([str(tmp_path), "-p", "no:cacheprovider"]) == 1

def test_pytester(pytester):
    pytester.makepyfile(INNER)
    pytester.runpytest_inprocess().assert_outcomes(passed=1, failed=1)
    pytester.runpytest_subprocess().assert_outcomes(passed=1, failed=1)

def test_no_child_gets_the_channel():
    listing = "import os; print(sorted(map(int, os.listdir('/proc/self/fd'))))"
    done = subprocess.run([sys.executable, "-c", listing], close_fds=False, capture_output=True, text=True)
    assert max(eval(done.stdout)) < 30
"""


def test_nested_runs_do_not_report_into_this_one(run: Run, statuses: Statuses) -> None:
    result = run({"test_a.py": NESTED})
    assert result.verdict == "passed", result.tests
    assert len(statuses(result)) == 4


def test_reports_left_by_other_runs_are_no_evidence(run: Run) -> None:
    report = '<testsuite tests="1" failures="1"><testcase name="x"><failure/></testcase></testsuite>'
    files = {"report.xml": report, ".report.json": '{"summary": {"failed": 1}}'}
    assert run({**files, "test_a.py": "def test_one():\n    pass\n"}).verdict == "passed"


def test_a_build_warning_printed_as_error_is_no_evidence(run: Run) -> None:
    conftest = "import sys\nprint('error: warning treated as error', file=sys.stderr)\n"
    assert run({"conftest.py": conftest, "test_a.py": "def test_one():\n    pass\n"}).verdict == "passed"
