"""What a failed Go test compared, found in the forms in which people write it."""

import pytest

from proctor.frameworks.go_failure import explain

TESTIFY = """    shop_test.go:6: 
        	Error Trace:	/srv/shop_test.go:6
        	Error:      	Not equal: 
        	            	expected: 1
        	            	actual  : 2
        	Test:       	TestEqual
        	Messages:   	the sum is wrong
"""  # noqa: W291, E101


@pytest.mark.parametrize(
    ("text", "expected", "actual"),
    [
        ("got 1, want 2", "2", "1"),
        ("got 1; want 2", "2", "1"),
        ("got: 1, want: 2", "2", "1"),
        ("Add(2, 2) = 4, want 5", "5", "4"),
        ("Sum() = [1 2], want [3, 4]", "[3, 4]", "[1 2]"),
        ("want 2, got 1", "2", "1"),
        ('expected "a b", got "c"', '"a b"', '"c"'),
        ("expected 2 but got 1", "2", "1"),
        ("unexpected sum: got 1, wanted 2", "2", "1"),
        ("mismatch:\n        got:  1\n        want: 2", "2", "1"),
    ],
)
def test_expected_and_actual_are_found(text: str, expected: str, actual: str) -> None:
    [check] = explain(f"    shop_test.go:7: {text}\n").assertions
    assert (check.expected_value, check.actual_value, check.passed) == (expected, actual, False)


@pytest.mark.parametrize(
    "text", ["it broke", "forgotten wantage", "got nothing", "want = ", "I have expectations"]
)
def test_other_messages_have_no_values(text: str) -> None:
    failure = explain(f"    shop_test.go:7: {text}\n")
    assert failure.assertions == ()
    assert failure.error == f"shop_test.go:7: {text}".strip()


def test_a_block_of_testify_is_understood() -> None:
    [check] = explain(TESTIFY).assertions
    assert (check.expected_value, check.actual_value, check.description) == ("1", "2", "the sum is wrong")


def test_an_example_shows_what_it_printed_and_what_was_wanted() -> None:
    [check] = explain("got:\nhello\nwant:\ngoodbye\n").assertions
    assert (check.expected_value, check.actual_value) == ("goodbye", "hello")


def test_several_failures_are_several_assertions() -> None:
    text = "    a_test.go:1: got 1, want 2\n    a_test.go:2: got 3, want 4\n"
    assert [check.expected_value for check in explain(text).assertions] == ["2", "4"]


def test_a_huge_message_takes_little_time_and_room() -> None:
    failure = explain("    a_test.go:1: " + "got " * 500_000 + "\n")
    assert len(failure.error) < 100_000
