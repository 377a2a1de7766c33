"""TAP that no recorded sample shows: each situation in a few lines."""

from collections.abc import Callable

import pytest

from proctor.formats.tap import TapReader
from proctor.model.case import Case
from proctor.model.fold import Fold
from proctor.model.verdict import judge

Run = Callable[..., Fold]


def verdict(fold: Fold) -> str:
    judgement = judge(fold)
    assert judgement is not None
    return judgement.verdict


def only(fold: Fold) -> Case:
    (case,) = fold.cases
    return case


@pytest.mark.parametrize(
    "text",
    [
        "1..2\nok 1\nok 2\n",
        "ok\nok\n1..2\n",
        "TAP version 14\n1..1\nok 1 - a\n",
        "TAP version 13\r\nok 1 - a\r\n1..1\r\n",
        "noise\n1..1\nwarning: error\nok 1 - FAIL is only a name\n# not ok 2\n",
        "pragma +strict\n1..1\nok 1 a # TODO came true\n",
        "1..2\nok 1 - a\nok 2 - b # skip no printer\n",
    ],
)
def test_a_whole_stream_without_a_failure_is_green(run: Run, text: str) -> None:
    assert verdict(run("tap", text.encode(), 0)) == "passed"


@pytest.mark.parametrize(
    ("text", "exit_code", "right"),
    [
        ("1..2\nok 1\n", 0, "inconsistent"),
        ("1..2\nok 1\n", 3, "interrupted"),
        ("1..1\nok 1\nok 2\n", 0, "inconsistent"),
        ("1..2\nok 1\nok 1\n", 0, "inconsistent"),
        ("1..2\nok 2\nok 1\n", 0, "inconsistent"),
        ("ok 1\n", 0, "inconsistent"),
        ("ok 1\n", 1, "interrupted"),
        ("1..1\n1..1\nok 1\n", 0, "inconsistent"),
        ("ok 1\n1..1\nok 2\n", 0, "inconsistent"),
        ("1..1\nok 1", 0, "inconsistent"),
        ("ok 1\n1..1", 0, "inconsistent"),
        ("1..1\nok 1\n  ---\n  a: b\n", 0, "inconsistent"),
        ("1..2\nok 1\n  ---\nok 2\n", 0, "inconsistent"),
        ("1..2\nok 1\nBail out! no database\n", 0, "interrupted"),
        ("1..0 # skip nothing to do\n", 0, "no_tests"),
        ("1..1\nok 1 # SKIP no printer\n", 0, "no_tests"),
        ("1..1\nnot ok 1 # SKIP but failed\n", 1, "failed"),
        ("1..1\nnot ok 1\n", 0, "inconsistent"),
        ("1..1\nokay 1\n", 0, "inconsistent"),
        ("1..1\nok1\n", 0, "inconsistent"),
    ],
)
def test_a_stream_that_lacks_something_is_never_green(
    run: Run, text: str, exit_code: int, right: str
) -> None:
    assert verdict(run("tap", text.encode(), exit_code)) == right


def test_text_that_looks_like_results_inside_blocks_comments_and_subtests_does_not_count(run: Run) -> None:
    text = """\
1..1
# not ok 7 - in a comment
    1..2
    ok 1 - inner
    ok 2 - inner
ok 1 - outer
  ---
  said: |
    not ok 2 - in a block
    1..9
  ...
"""
    fold = run("tap", text.encode(), 0)
    assert fold.summary.total == 1
    assert verdict(fold) == "passed"


def test_a_failed_subtest_is_told_with_its_parent(run: Run) -> None:
    text = "1..1\n    1..3\n    ok 1 - fine\n    not ok 2 - broken\n    not ok 3 - later # TODO\n"
    text += "not ok 1 - suite\n"
    case = only(run("tap", text.encode(), 1))
    assert (case.id, case.status, case.error) == ("suite", "fail", "not ok 2 - broken")


def test_diagnostics_give_message_place_duration_and_compared_values(run: Run) -> None:
    text = """\
1..1
not ok 1 - adds
  ---
  message: "wrong \\"sum\\""
  at: src/sum.js:12:4
  duration_ms: 250
  operator: equal
  expected:
    a: 1
  got: 'it''s 2'
  stack: |-
    sum (src/sum.js:12:4)
    main (src/main.js:1:1)
  ...
"""
    case = only(run("tap", text.encode(), 1))
    assert (case.file, case.line, case.duration) == ("src/sum.js", 12, 0.25)
    assert case.error == 'wrong "sum"'
    assert case.stack_trace == "sum (src/sum.js:12:4)\nmain (src/main.js:1:1)"
    (assertion,) = case.assertions
    assert (assertion.description, assertion.expected_value, assertion.actual_value) == (
        "equal",
        "a: 1",
        "it's 2",
    )


def test_escaped_marks_in_a_name_are_no_directive(run: Run) -> None:
    case = only(run("tap", b"1..1\nok 1 - about \\# skip and \\\\\n", 0))
    assert (case.name, case.status) == ("about # skip and \\", "pass")


def test_an_expected_failure_is_a_skip_and_an_unexpected_pass_says_so(run: Run) -> None:
    fold = run("tap", b"1..2\nnot ok 1 - a # TODO later\nok 2 - b # todo soon\n", 0)
    assert [(case.status, case.detail) for case in fold.cases] == [
        ("skip", "expected to fail: later"),
        ("pass", "unexpectedly passed: soon"),
    ]


def test_two_results_of_one_name_are_two_cases(run: Run) -> None:
    fold = run("tap", b"1..2\nok 1 - a\nok 2 - a\n", 0)
    assert [case.id for case in fold.cases] == ["a", "a#2"]


def test_names_survive_any_bytes_and_great_length(run: Run) -> None:
    name = b"\xff\x00\x1b[31m" + b"n" * 100_000
    case = only(run("tap", b"1..1\nok 1 - " + name + b"\n", 0))
    assert case.name == "\\xff\x00\x1b[31m" + "n" * 100_000


def test_a_line_without_end_and_a_flood_of_faults_stay_small() -> None:
    reader = TapReader()
    for _ in range(64):
        assert list(reader.feed(b"x" * (1 << 20))) == []
    flood = list(reader.feed(b"\n" + b"1..1\n" * 10_000 + b"ok 9\n" * 10_000))
    assert sum(event.__class__.__name__ == "ProblemFound" for event in flood) == 2


def test_a_result_is_told_as_soon_as_the_next_one_begins() -> None:
    reader = TapReader()
    assert list(reader.feed(b"ok 1 - a\n")) == []
    assert [event.__class__.__name__ for event in reader.feed(b"ok 2 - b\n")] == ["CaseEnded"]


def test_a_stopped_command_keeps_the_results_that_it_gave(run: Run) -> None:
    fold = run("tap", b"1..3\nok 1 - a\nok 2 - b\nok 3", None)
    assert [case.id for case in fold.cases] == ["a", "b"]
    assert verdict(fold) == "interrupted"
