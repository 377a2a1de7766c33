"""What is particular to SQLite: its file, its migrations, its damages, and many processes on it."""

import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import msgspec
import pytest

from proctor.model.errors import StateFault, StoreBusy, StoreDamaged
from proctor.model.ids import new_run_id
from proctor.model.run import CaseRow, RunRow
from proctor.ports import CasesEnded, Ended, Enqueued, RunQuery, TestQuery
from proctor.stores import schema
from proctor.stores.sqlite import SqliteStore

# Every process queues ten runs of five tests, claims its turn, and ends them.
WORK = """
import sys, time
from pathlib import Path
import msgspec
from proctor.model.ids import new_run_id
from proctor.model.run import CaseRow, RunRow
from proctor.ports import Beat, CasesEnded, Ended, Enqueued, RunQuery
from proctor.stores.sqlite import SqliteStore

path, me = Path(sys.argv[1]), sys.argv[2]
sys.stdin.readline()
until = time.monotonic() + 60
with SqliteStore(path) as store:
    for number in range(10):
        row = RunRow(run_id=new_run_id(), project="/p", name="p", framework="pytest", category="unit",
                     status="QUEUED", queued_at=time.time())
        store.record(Enqueued(row=row))
        while not store.claim(row.run_id, me, time.time(), 3):
            assert time.monotonic() < until, "never got a turn"
            time.sleep(0.002)
        running = [run for run in store.runs(RunQuery(status="RUNNING")).runs]
        assert len(running) <= 3, running
        cases = [CaseRow(test_id=f"test-{i}", case_id=str(i), name=str(i), status="pass", duration=1.0)
                 for i in range(5)]
        beat = Beat(run_id=row.run_id, owner=me, at=time.time())
        store.record(CasesEnded(run_id=row.run_id, rows=cases), beat)
        last = msgspec.structs.replace(row, status="PASSED", verdict="passed", ended_at=time.time())
        store.record(Ended(row=last))
print("done")
"""


FILL_THE_DISK = """
import resource, sys
from pathlib import Path
from proctor.model.errors import StateFault, StoreBusy, StoreDamaged
from proctor.model.run import CaseRow
from proctor.ports import CasesEnded
from proctor.stores.sqlite import SqliteStore

def batch(number):
    name = f"{number:0>1000}"
    rows = [CaseRow(test_id=f"test-{number}-{i}", case_id=name, name=name, status="pass", duration=1.0)
            for i in range(20)]
    return CasesEnded(run_id="run-000000000000000", rows=rows)

with SqliteStore(Path(sys.argv[1])) as store:
    hard = resource.getrlimit(resource.RLIMIT_FSIZE)[1]
    resource.setrlimit(resource.RLIMIT_FSIZE, (300_000, hard))
    try:
        for number in range(1000):
            store.record(batch(number))
    except StateFault as fault:
        assert not isinstance(fault, (StoreBusy, StoreDamaged)), fault
        assert fault.hint, fault
    else:
        raise SystemExit("the disk never filled up")
    resource.setrlimit(resource.RLIMIT_FSIZE, (hard, hard))
    store.record(batch(number))
print(number)
"""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "home" / "proctor.db"


def queued_run(number: int) -> RunRow:
    return RunRow(
        run_id=new_run_id(1000.0 + number), project="/p", name="p", framework="pytest", category="unit",
        status="QUEUED", queued_at=1000.0 + number,
    )  # fmt: skip


def ended_run(number: int) -> tuple[CasesEnded, Ended]:
    row = queued_run(number)
    last = msgspec.structs.replace(row, status="PASSED", verdict="passed", ended_at=1001.0 + number)
    case = CaseRow(test_id="test-a", case_id="a", name="a", status="pass", duration=1.0)
    return CasesEnded(run_id=row.run_id, rows=[case]), Ended(row=last)


def test_eight_processes_at_once_create_the_store_and_lose_nothing(path: Path) -> None:
    processes = [
        subprocess.Popen(
            [sys.executable, "-c", WORK, path, f"worker-{number}"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        for number in range(8)
    ]
    try:
        for process in processes:
            assert process.stdin is not None
            process.stdin.write(b"go\n")
            process.stdin.flush()
        outputs = [process.communicate(timeout=100)[0] for process in processes]
    finally:
        for process in processes:
            process.kill()
            process.wait()
    assert outputs == [b"done\n"] * 8
    with SqliteStore(path) as store:
        assert store.runs(RunQuery(status="passed")).total_count == 80
        tests = store.tests(TestQuery()).tests
    assert {(test.total_runs, test.pass_count, test.average_duration_ms) for test in tests} == {
        (80, 80, 1000)
    }
    assert len(tests) == 5


class OvertakenStore(SqliteStore):
    """Another process takes the last free place just before this one begins to write."""

    @contextmanager
    def _writing(self) -> Iterator[sqlite3.Connection]:
        with SqliteStore(self._path) as other:
            earlier = queued_run(0)
            other.record(Enqueued(row=earlier))
            assert other.claim(earlier.run_id, "faster", 2000.0, 1)
        with super()._writing() as connection:
            yield connection


def test_a_place_taken_at_the_last_moment_is_not_taken_twice(path: Path) -> None:
    row = queued_run(1)
    with SqliteStore(path) as store:
        store.record(Enqueued(row=row))
    with OvertakenStore(path) as store:
        assert not store.claim(row.run_id, "slower", 2000.0, 1)
        assert store.find(row.run_id) == (row,)


def test_a_full_disk_loses_nothing_recorded_and_the_store_works_again_when_there_is_room(path: Path) -> None:
    child = subprocess.run(
        [sys.executable, "-c", FILL_THE_DISK, path], stdout=subprocess.PIPE, timeout=60, check=True
    )
    connection = sqlite3.connect(path)
    assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    recorded = connection.execute("SELECT COUNT(*) FROM executions").fetchone()[0]
    connection.close()
    assert recorded == 20 * (int(child.stdout) + 1)


def test_the_store_is_private_and_in_wal_mode(path: Path) -> None:
    with SqliteStore(path) as store:
        store.record(*ended_run(1))
        for file in path.parent.iterdir():
            assert file.stat().st_mode & 0o777 == 0o600
        assert path.parent.stat().st_mode & 0o777 == 0o700
        assert {file.name for file in path.parent.iterdir()} == {
            "proctor.db", "proctor.db-wal", "proctor.db-shm", "proctor.db.lock",
        }  # fmt: skip


def test_a_store_survives_being_closed_and_closed_again(path: Path) -> None:
    store = SqliteStore(path)
    store.record(*ended_run(1))
    store.close()
    store.close()
    with pytest.raises(StateFault):
        store.runs(RunQuery())
    with SqliteStore(path) as again:
        assert again.runs(RunQuery()).total_count == 1


def test_the_newest_schema_is_the_last_migration() -> None:
    assert len(schema.migrations()) == schema.NEWEST
    names = sorted(file.name for file in (Path(schema.__file__).parent / "migrations").iterdir())
    assert [int(name[:4]) for name in names] == list(range(1, schema.NEWEST + 1))


def test_a_database_of_a_newer_proctor_is_refused_and_left_alone(path: Path) -> None:
    SqliteStore(path).close()
    with sqlite3.connect(path) as connection:
        connection.execute("UPDATE schema_version SET version = 99")
    connection.close()
    before = path.read_bytes()
    with pytest.raises(StateFault, match=r"has schema 99.*a newer Proctor made it"):
        SqliteStore(path)
    assert path.read_bytes() == before


def test_a_migration_that_fails_leaves_nothing_behind(path: Path) -> None:
    path.parent.mkdir()
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE executions (x INTEGER)")
    connection.close()
    with pytest.raises(StoreDamaged, match="already exists"):
        SqliteStore(path)
    with sqlite3.connect(path) as connection:
        names = [row[0] for row in connection.execute("SELECT name FROM sqlite_master")]
    connection.close()
    assert names == ["executions"]


def test_a_file_that_is_no_database_is_said_to_be_damaged(path: Path) -> None:
    path.parent.mkdir()
    path.write_bytes(b"no database at all " * 1000)
    with pytest.raises(StoreDamaged) as caught:
        SqliteStore(path)
    assert "proctor doctor --rebuild" in caught.value.hint


def test_a_damaged_page_is_said_to_be_damage(path: Path) -> None:
    with SqliteStore(path) as store:
        store.record(*[change for number in range(200) for change in ended_run(number)])
    content = bytearray(path.read_bytes())
    content[8192:] = b"\xaa" * (len(content) - 8192)
    path.write_bytes(content)
    with SqliteStore(path) as store, pytest.raises(StoreDamaged):
        store.runs(RunQuery(limit=500))


def test_a_locked_store_is_busy_after_the_patience_is_used_up(path: Path) -> None:
    with SqliteStore(path, patience=0.05) as store:
        other = sqlite3.connect(path, isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(StoreBusy):
            store.record(*ended_run(1))
        assert store.runs(RunQuery()).total_count == 0
        other.execute("ROLLBACK")
        other.close()
        store.record(*ended_run(1))
        assert store.runs(RunQuery()).total_count == 1


def test_a_directory_that_cannot_be_made_is_a_state_fault(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(StateFault):
        SqliteStore(tmp_path / "file" / "proctor.db")
    (tmp_path / "proctor.db").mkdir()
    with pytest.raises(StateFault):
        SqliteStore(tmp_path / "proctor.db")


def test_a_fresh_store_takes_the_place_of_a_damaged_one(path: Path) -> None:
    with SqliteStore(path) as store:
        store.record(*[change for number in range(100) for change in ended_run(number)])
        log = Path(f"{path}-wal").read_bytes()
    path.write_bytes(b"rubbish" * 1000)
    Path(f"{path}-wal").write_bytes(log)
    with SqliteStore.fresh(path) as store:
        store.record(*ended_run(1))
    with SqliteStore(path) as store:
        assert store.runs(RunQuery()).total_count == 1
    assert sorted(file.name for file in path.parent.iterdir()) == ["proctor.db", "proctor.db.lock"]


def test_a_rebuild_that_fails_leaves_the_old_store(path: Path) -> None:
    with SqliteStore(path) as store:
        store.record(*ended_run(1))
    with pytest.raises(AssertionError), SqliteStore.fresh(path) as store:
        store.record(*ended_run(2), *ended_run(3), "no change")  # type: ignore[arg-type]
    with SqliteStore(path) as store:
        assert store.runs(RunQuery()).total_count == 1
    assert sorted(file.name for file in path.parent.iterdir()) == ["proctor.db", "proctor.db.lock"]


def test_a_store_in_use_is_not_replaced_and_one_being_replaced_is_not_opened(path: Path) -> None:
    with SqliteStore(path):
        with pytest.raises(StoreBusy, match="in use"), SqliteStore.fresh(path, patience=0.05):
            pass
        with SqliteStore(path):
            pass
    with SqliteStore.fresh(path), pytest.raises(StoreBusy, match="being rebuilt"):
        SqliteStore(path, patience=0.05)


def test_a_rebuilt_store_equals_the_one_that_grew(path: Path, tmp_path: Path) -> None:
    changes = [change for number in range(5) for change in ended_run(number)]
    with SqliteStore(path) as grown, SqliteStore(tmp_path / "other.db") as rebuilt:
        for change in changes:
            if isinstance(change, Ended):
                queued = msgspec.structs.replace(change.row, status="QUEUED", verdict=None, ended_at=0.0)
                grown.record(Enqueued(row=queued))
            grown.record(change)
        for change in sorted(changes, key=lambda change: isinstance(change, Ended)):
            rebuilt.record(change)
        assert grown.runs(RunQuery()) == rebuilt.runs(RunQuery())
        assert grown.tests(TestQuery()) == rebuilt.tests(TestQuery())
