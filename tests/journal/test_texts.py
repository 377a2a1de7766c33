from pathlib import Path

import msgspec

from proctor.journal.blobs import Blobs
from proctor.journal.texts import MOST_ASSERTIONS, bound_case, bound_problem
from proctor.model.case import Assertion
from proctor.model.event import CaseEnded, ProblemFound


def test_small_texts_are_left_alone(blobs: Blobs) -> None:
    event = CaseEnded(
        id="a", status="fail", error="x" * 16_384, assertions=(Assertion(description="d", passed=True),)
    )
    assert bound_case(event, blobs) is event


def test_a_large_text_keeps_its_ends_and_names_its_blob(blobs: Blobs) -> None:
    text = "begin " + "é" * 50_000_000 + " end"
    bounded = bound_case(CaseEnded(id="a", status="fail", error=text, output="o" * 20_000), blobs)
    head, note, tail = bounded.error.split("\n")
    assert text.startswith(head)
    assert text.endswith(tail)
    cut = len(text.encode()) - len(head.encode()) - len(tail.encode())
    ref = note.rsplit(" ", 1)[1].rstrip("]")
    assert note == f"[… {cut} bytes cut; whole text: {ref}]"
    with blobs.open(ref) as file:
        assert file.read() == text.encode()
    assert len(msgspec.json.encode(bounded)) < 40_000


def test_lone_surrogates_in_a_large_text_do_no_harm(blobs: Blobs) -> None:
    bounded = bound_case(CaseEnded(id="a", status="fail", error="\udcff" * 20_000), blobs)
    assert bounded.error.startswith("\\udcff\\udcff")


def test_the_values_of_assertions_are_bounded(blobs: Blobs) -> None:
    large = Assertion(description="d", passed=False, expected_value="e" * 100_000, actual_value="small")
    (bounded,) = bound_case(CaseEnded(id="a", status="fail", assertions=(large,)), blobs).assertions
    assert len(bounded.expected_value) < 17_000
    assert (bounded.description, bounded.actual_value) == ("d", "small")


def test_too_many_assertions_are_cut_and_a_failure_among_them_stays_visible(blobs: Blobs) -> None:
    many = tuple(Assertion(description=str(number), passed=number != 900) for number in range(1000))
    bounded = bound_case(CaseEnded(id="a", status="fail", assertions=many), blobs).assertions
    assert bounded[:-1] == many[:MOST_ASSERTIONS]
    assert bounded[-1].description.startswith("[… 950 more assertions cut; whole text: sha256:")
    assert not bounded[-1].passed


def test_a_large_problem_is_bounded(blobs: Blobs) -> None:
    event = ProblemFound(kind="import", message="m" * 100_000, stack_trace="s")
    bounded = bound_problem(event, blobs)
    assert len(bounded.message) < 17_000
    assert bounded.stack_trace == "s"


def test_a_text_that_cannot_be_kept_says_so(tmp_path: Path) -> None:
    (tmp_path / "blobs").write_text("in the way")
    bounded = bound_case(CaseEnded(id="a", status="fail", error="x" * 100_000), Blobs(tmp_path))
    assert "bytes cut; the whole text could not be kept: cannot create the directory" in bounded.error
