"""What every store must do, whatever database it stands on."""

from collections.abc import Callable, Iterator
from pathlib import Path
from threading import Thread

import msgspec
import pytest

from proctor.model.case import Summary
from proctor.model.errors import BadPageToken, BadRequest, StateFault
from proctor.model.ids import new_run_id
from proctor.model.run import CaseRow, RunRow, TestRow
from proctor.ports import Beat, CancelAsked, CasesEnded, Ended, Enqueued, Released, RunQuery, Store, TestQuery
from proctor.stores.sqlite import SqliteStore

STORES: dict[str, Callable[[Path], SqliteStore]] = {
    "sqlite": lambda directory: SqliteStore(directory / "proctor.db"),
}


@pytest.fixture(params=STORES)
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Store]:
    with STORES[request.param](tmp_path) as opened:
        yield opened


def queued(number: int, **fields: object) -> RunRow:
    row = RunRow(
        run_id=new_run_id(1000.0 + number), project="/p", name="p", framework="pytest", category="unit",
        status="QUEUED", queued_at=1000.0 + number,
    )  # fmt: skip
    return msgspec.structs.replace(row, **fields)


def ended(row: RunRow, **fields: object) -> RunRow:
    last = msgspec.structs.replace(
        row, status="PASSED", verdict="passed", started_at=row.queued_at + 1, ended_at=row.queued_at + 3,
        duration=2.0, summary=Summary(total=3, passed=2, skipped=1),
    )  # fmt: skip
    return msgspec.structs.replace(last, **fields)


def case(name: str, status: str = "pass", duration: float = 0.5, attempts: int = 1) -> CaseRow:
    return CaseRow(
        test_id=f"test-{name}", case_id=name, name=name, status=status, duration=duration, attempts=attempts
    )


def find_one(store: Store, run_id: str) -> RunRow:
    (row,) = store.find(run_id)
    return row


def known_tests(store: Store) -> dict[str, TestRow]:
    return {row.name: row for row in store.tests(TestQuery()).tests}


def test_a_queued_run_is_found_as_it_was_told(store: Store) -> None:
    row = queued(1, owner="me", heartbeat_at=5.5, detached=True, commit="abc", branch="main", error="é\n")
    store.record(Enqueued(row=row))
    assert store.find(row.run_id) == (row,)


def test_telling_of_a_run_twice_changes_nothing(store: Store) -> None:
    row = queued(1)
    store.record(Enqueued(row=row))
    assert store.claim(row.run_id, "me", 1001.5, 1)
    claimed = find_one(store, row.run_id)
    store.record(Enqueued(row=row))
    assert find_one(store, row.run_id) == claimed


def test_an_id_may_be_shortened_and_wildcards_mean_nothing(store: Store) -> None:
    rows = [queued(number) for number in range(12)]
    store.record(*[Enqueued(row=row) for row in rows])
    assert store.find(rows[3].run_id[:-1]) == (rows[3],)
    assert store.find("run-") == tuple(reversed(rows[2:]))
    for nonsense in (
        "",
        " ",
        "%",
        "_",
        "run_",
        "run-%",
        "!",
        "run-zzz",
        "\udcff",
        "\0",
        "'; DROP TABLE runs; --",
    ):
        assert store.find(nonsense) == ()


def test_a_claim_makes_the_run_running(store: Store) -> None:
    row = queued(1)
    store.record(Enqueued(row=row))
    assert store.claim(row.run_id, "me", 2000.0, 1)
    expected = msgspec.structs.replace(
        row, status="RUNNING", owner="me", started_at=2000.0, heartbeat_at=2000.0
    )
    assert find_one(store, row.run_id) == expected


def test_a_released_run_is_queued_again_at_its_old_place(store: Store) -> None:
    first, second = queued(1), queued(2)
    store.record(Enqueued(row=first), Enqueued(row=second))
    assert store.claim(first.run_id, "me", 2000.0, 1)
    store.record(Released(run_id=first.run_id))
    assert find_one(store, first.run_id) == first
    assert not store.claim(second.run_id, "you", 2001.0, 1)
    assert store.claim(first.run_id, "you", 2001.0, 1)


def test_an_ended_run_is_not_released(store: Store) -> None:
    row = ended(queued(1))
    store.record(Enqueued(row=queued(1)), Ended(row=row), Released(run_id=row.run_id))
    assert find_one(store, row.run_id).status == "PASSED"


def test_a_run_is_claimed_once(store: Store) -> None:
    row = queued(1)
    store.record(Enqueued(row=row))
    assert store.claim(row.run_id, "me", 2000.0, 5)
    assert not store.claim(row.run_id, "you", 2001.0, 5)
    assert find_one(store, row.run_id).owner == "me"
    assert not store.claim(new_run_id(), "me", 2000.0, 5)


def test_runs_start_in_the_order_they_came(store: Store) -> None:
    late, early = queued(2), queued(1)
    store.record(Enqueued(row=late), Enqueued(row=early))
    assert not store.claim(late.run_id, "me", 2000.0, 1)
    assert store.claim(early.run_id, "me", 2000.0, 1)
    assert not store.claim(late.run_id, "me", 2000.0, 1)
    store.record(Ended(row=ended(early)))
    assert store.claim(late.run_id, "me", 2001.0, 1)


def test_one_who_sleeps_in_the_queue_keeps_nobody_from_a_free_place(store: Store) -> None:
    rows = [queued(number) for number in range(3)]
    store.record(*[Enqueued(row=row) for row in rows])
    assert not store.claim(rows[2].run_id, "me", 2000.0, 2)
    assert store.claim(rows[1].run_id, "me", 2000.0, 2)
    assert not store.claim(rows[2].run_id, "me", 2000.0, 2)
    assert store.claim(rows[0].run_id, "me", 2000.0, 2)


def test_no_place_means_no_claim(store: Store) -> None:
    row = queued(1)
    store.record(Enqueued(row=row))
    assert not store.claim(row.run_id, "me", 2000.0, 0)


def test_only_the_owner_keeps_a_run_alive(store: Store) -> None:
    row = queued(1)
    store.record(Enqueued(row=row))
    store.claim(row.run_id, "me", 2000.0, 1)
    store.record(Beat(run_id=row.run_id, owner="you", at=2005.0))
    assert find_one(store, row.run_id).heartbeat_at == 2000.0
    store.record(Beat(run_id=row.run_id, owner="me", at=2005.0))
    assert find_one(store, row.run_id).heartbeat_at == 2005.0


def test_a_wish_to_cancel_is_kept_and_an_ended_run_hears_nothing(store: Store) -> None:
    row, done = queued(1), queued(2)
    store.record(Enqueued(row=row), Enqueued(row=done), Ended(row=ended(done)))
    store.record(CancelAsked(run_id=row.run_id), CancelAsked(run_id=done.run_id))
    assert find_one(store, row.run_id).cancel_asked
    assert not find_one(store, done.run_id).cancel_asked
    last = ended(row, status="CANCELLED", verdict="cancelled")
    store.record(Ended(row=last))
    assert find_one(store, row.run_id) == msgspec.structs.replace(last, cancel_asked=True)


def test_an_ended_run_stays_as_it_ended(store: Store) -> None:
    row = queued(1)
    last = ended(row)
    store.record(Enqueued(row=row), Ended(row=last))
    store.record(Ended(row=ended(row, status="INTERRUPTED", verdict="interrupted")))
    store.record(Enqueued(row=row), Beat(run_id=row.run_id, owner="", at=9999.0))
    assert not store.claim(row.run_id, "me", 2000.0, 5)
    assert find_one(store, row.run_id) == last


def test_a_run_that_was_never_queued_may_end(store: Store) -> None:
    last = ended(queued(1), owner="me")
    store.record(CasesEnded(run_id=last.run_id, rows=[case("a")]), Ended(row=last))
    assert store.find(last.run_id) == (last,)
    assert known_tests(store)["a"].total_runs == 1


def test_totals_count_every_ended_run_once_however_often_it_is_told(store: Store) -> None:
    for number, status in enumerate(["pass", "fail", "error", "unfinished", "skip", "pass"]):
        row = queued(10 * number)
        cases = CasesEnded(run_id=row.run_id, rows=[case("a", status, duration=1.0 + number)])
        last = Ended(row=ended(row))
        store.record(Enqueued(row=row), cases)
        store.record(cases)
        store.record(last, last)
        store.record(cases, last)
    (test,) = store.tests(TestQuery()).tests
    assert test == TestRow(
        test_id="test-a", name="a", category="unit", project="/p", framework="pytest", last_status="pass",
        last_run_id=row.run_id, last_run_timestamp_ms=1_053_000, total_runs=6, pass_count=2, fail_count=3,
        average_duration_ms=3200,
    )  # fmt: skip


def test_a_case_counts_when_its_run_has_ended_and_not_before(store: Store) -> None:
    row = queued(1)
    store.record(Enqueued(row=row), CasesEnded(run_id=row.run_id, rows=[case("a")]))
    page = store.tests(TestQuery())
    assert (page.tests, page.total_count) == ((), 0)
    store.record(Ended(row=ended(row)))
    assert store.tests(TestQuery()).total_count == 1


def test_the_last_attempt_of_a_case_counts(store: Store) -> None:
    row = queued(1)
    store.record(
        CasesEnded(run_id=row.run_id, rows=[case("a", "fail", attempts=1), case("b", "pass", attempts=2)]),
        CasesEnded(run_id=row.run_id, rows=[case("a", "pass", attempts=2), case("b", "fail", attempts=1)]),
        Ended(row=ended(row)),
    )
    assert {row.last_status for row in known_tests(store).values()} == {"pass"}


def test_what_comes_after_the_end_of_a_run_changes_nothing(store: Store) -> None:
    row = queued(1)
    store.record(CasesEnded(run_id=row.run_id, rows=[case("a")]), Ended(row=ended(row)))
    before = store.tests(TestQuery())
    late = [msgspec.structs.replace(case("a", "fail", attempts=2), name="another name"), case("b")]
    store.record(CasesEnded(run_id=row.run_id, rows=late), Ended(row=ended(row)))
    assert store.tests(TestQuery()) == before


def test_an_old_run_told_of_late_counts_but_is_not_the_last(store: Store) -> None:
    new, old = queued(100), queued(1, category="nightly")
    store.record(CasesEnded(run_id=new.run_id, rows=[case("a")]), Ended(row=ended(new)))
    store.record(CasesEnded(run_id=old.run_id, rows=[case("a", "fail")]), Ended(row=ended(old)))
    test = known_tests(store)["a"]
    assert (test.last_run_id, test.last_status, test.category) == (new.run_id, "pass", "unit")
    assert (test.total_runs, test.pass_count, test.fail_count) == (2, 1, 1)


def test_changes_are_recorded_together_or_not_at_all(store: Store) -> None:
    row = queued(1)
    broken = CasesEnded(run_id=row.run_id, rows=[msgspec.structs.replace(case("a"), status=None)])
    with pytest.raises(StateFault, match="NOT NULL"):
        store.record(Enqueued(row=row), broken)
    assert store.find(row.run_id) == ()
    store.record(Enqueued(row=row))
    assert store.find(row.run_id) == (row,)


def test_runs_are_listed_newest_first_and_paged_without_gaps(store: Store) -> None:
    same_time = [queued(5) for _ in range(3)]
    rows = [queued(number) for number in range(5)] + sorted(same_time, key=lambda row: row.run_id)
    store.record(*[Enqueued(row=row) for row in rows])
    first = store.runs(RunQuery(limit=2))
    assert first.total_count == 8
    store.record(Enqueued(row=queued(100)), Ended(row=ended(rows[0])))
    rest = store.runs(RunQuery(limit=100, page_token=first.next_page_token))
    assert [row.run_id for row in (*first.runs, *rest.runs)] == [row.run_id for row in reversed(rows)]


def test_the_last_page_has_no_token(store: Store) -> None:
    store.record(*[Enqueued(row=queued(number)) for number in range(4)])
    assert store.runs(RunQuery(limit=4)).next_page_token == ""
    page = store.runs(RunQuery(limit=3))
    assert store.runs(RunQuery(limit=3, page_token=page.next_page_token)).next_page_token == ""
    assert store.runs(RunQuery(category="none")).total_count == 0


def test_runs_are_filtered_by_category_project_status_and_verdict(store: Store) -> None:
    a, b, c, d = (queued(number) for number in range(4))
    b = msgspec.structs.replace(b, category="e2e", project="/q")
    store.record(*[Enqueued(row=row) for row in (a, b, c, d)])
    store.record(Ended(row=ended(a)), Ended(row=ended(c, status="FAILED", verdict="no_tests")))
    store.record(Ended(row=ended(d, status="FAILED", verdict="failed")))

    def ids(**fields: str) -> list[str]:
        page = store.runs(RunQuery(**fields))  # type: ignore[arg-type]
        assert page.total_count == len(page.runs)
        return [row.run_id for row in page.runs]

    assert (
        ids(category="e2e") == ids(project="/q") == ids(status="queued") == ids(status="QUEUED") == [b.run_id]
    )
    assert ids(status="PASSED") == ids(status="passed") == [a.run_id]
    assert ids(status="failed") == [d.run_id, c.run_id]
    assert ids(status="no_tests") == ids(status="No_Tests", category="unit") == [c.run_id]
    assert ids(status="interrupted") == ids(category="e2e", project="/p") == []
    with pytest.raises(BadRequest, match="neither a status nor a verdict"):
        ids(status="green")


def test_tests_are_filtered_and_paged(store: Store) -> None:
    for number, category in enumerate(["unit", "e2e"]):
        row = queued(number, category=category, project=f"/{category}")
        rows = [case(f"{category}-{index}") for index in range(5)]
        store.record(CasesEnded(run_id=row.run_id, rows=rows), Ended(row=ended(row)))
    names, token = [], ""
    for size in (4, 4, 2):
        page = store.tests(TestQuery(limit=4, page_token=token))
        assert (len(page.tests), page.total_count) == (size, 10)
        names += [row.name for row in page.tests]
        token = page.next_page_token
    assert token == ""
    assert [name[:3] for name in names] == ["e2e"] * 5 + ["uni"] * 5
    assert len(set(names)) == 10
    assert store.tests(TestQuery(category="unit")).total_count == 5
    assert store.tests(TestQuery(project="/e2e", category="unit")).total_count == 0


def test_a_token_is_good_for_its_own_list_only(store: Store) -> None:
    for number in range(3):
        row = queued(number)
        store.record(CasesEnded(run_id=row.run_id, rows=[case(str(number))]), Ended(row=ended(row)))
    token = store.runs(RunQuery(limit=1, category="unit")).next_page_token
    assert store.runs(RunQuery(limit=2, category="unit", page_token=token)).runs
    wrong = [token[:-1], token + "A", token.swapcase(), "x", "0", "é", "AAAAAAAAAAAAAAAA", "a" * 10_000]
    for nonsense in wrong:
        with pytest.raises(BadPageToken):
            store.runs(RunQuery(limit=1, category="unit", page_token=nonsense))
    with pytest.raises(BadPageToken):
        store.runs(RunQuery(limit=1, page_token=token))
    with pytest.raises(BadPageToken):
        store.tests(TestQuery(limit=1, category="unit", page_token=token))


def test_the_size_of_a_page_is_bounded(store: Store) -> None:
    store.record(*[Enqueued(row=queued(number)) for number in range(510)])
    assert len(store.runs(RunQuery(limit=10_000)).runs) == 500
    assert len(store.runs(RunQuery(limit=0)).runs) == 100
    with pytest.raises(BadRequest):
        store.runs(RunQuery(limit=-1))


def test_names_that_no_database_likes_are_kept_readable(store: Store) -> None:
    row = queued(1, project="/\udcff", category="a\0b", error="\ud800")
    odd = msgspec.structs.replace(case("a"), name="t[\udc80\0]")
    store.record(Enqueued(row=row), CasesEnded(run_id=row.run_id, rows=[odd]), Ended(row=ended(row)))
    assert find_one(store, row.run_id).project == "/\\udcff"
    assert store.runs(RunQuery(project="/\udcff", category="a\0b")).total_count == 1
    assert [test.name for test in store.tests(TestQuery()).tests] == ["t[\\udc80\ufffd]"]


def test_threads_may_share_a_store(store: Store) -> None:
    def work(number: int) -> None:
        for index in range(10):
            row = queued(100 * number + index)
            store.record(Enqueued(row=row), CasesEnded(run_id=row.run_id, rows=[case("a")]))
            store.record(Ended(row=ended(row)))
            store.runs(RunQuery(limit=1))

    threads = [Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert known_tests(store)["a"].total_runs == 40
