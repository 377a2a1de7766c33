"""Ids of runs and tests."""

from proctor.model.ids import is_run_id, new_run_id, stable_test_id


def test_run_ids_sort_by_time() -> None:
    ids = [new_run_id(now) for now in (1.0, 1_700_000_000.0, 1_700_000_000.002, 4_000_000_000.0)]
    assert ids == sorted(ids)


def test_run_ids_are_all_different() -> None:
    assert len({new_run_id(5.0) for _ in range(1000)}) == 1000


def test_nothing_but_a_run_id_is_taken_for_one() -> None:
    assert is_run_id(new_run_id())
    for wrong in (
        "",
        "run-",
        "../run-01jd00000000000",
        new_run_id() + "\n",
        new_run_id() + "/x",
        "run-" + "u" * 15,
    ):
        assert not is_run_id(wrong)


def test_a_test_keeps_its_id_whatever_is_in_its_name() -> None:
    name = "t.py::test_x[\udcff\n\x00]"
    assert stable_test_id("p", "pytest", name) == stable_test_id("p", "pytest", name)
    assert stable_test_id("p", "pytest", "a") != stable_test_id("p", "pytest", "b")
