"""The SQL of the store, in what SQLite and PostgreSQL both understand. Values are always parameters."""
# ruff: noqa: S608 - what is put together here are names of columns, never values

from proctor.stores.rows import RUN_COLUMNS, TEST_COLUMNS

_RUN_LIST = ", ".join(RUN_COLUMNS)
_RUN_MARKS = ", ".join("?" for _ in RUN_COLUMNS)
# What only the queue knows stays as it is when a run ends.
_ENDED_COLUMNS = [
    column
    for column in RUN_COLUMNS
    if column not in ("run_id", "queued_at", "owner", "heartbeat_at", "cancel_asked", "detached")
]

ENQUEUE = f"""
INSERT INTO runs ({_RUN_LIST}, counted) VALUES ({_RUN_MARKS}, 0)
ON CONFLICT (run_id) DO NOTHING
"""

RELEASE = """
UPDATE runs SET status = 'QUEUED', owner = '', started_at = 0, heartbeat_at = 0
WHERE run_id = ? AND status = 'RUNNING' AND counted = 0
"""

BEAT = "UPDATE runs SET heartbeat_at = ? WHERE run_id = ? AND owner = ? AND counted = 0"

ASK_CANCEL = "UPDATE runs SET cancel_asked = 1 WHERE run_id = ? AND counted = 0"

IS_COUNTED = "SELECT 1 FROM runs WHERE run_id = ? AND counted = 1"

# A test is known from its first execution on, but has no totals (and is not listed) before a run of it ended.
ADD_TEST = """
INSERT INTO tests (test_id, name, category, project, framework, last_status, last_run_id, last_run_at,
                   total_runs, pass_count, fail_count, skip_count, total_duration)
VALUES (?, ?, '', '', '', '', '', 0, 0, 0, 0, 0, 0)
ON CONFLICT (test_id) DO UPDATE SET name = excluded.name WHERE tests.name <> excluded.name
"""

# A later attempt replaces an earlier one, never the other way round.
ADD_EXECUTION = """
INSERT INTO executions (run_id, test_id, status, duration, attempts) VALUES (?, ?, ?, ?, ?)
ON CONFLICT (run_id, test_id) DO UPDATE
SET status = excluded.status, duration = excluded.duration, attempts = excluded.attempts
WHERE excluded.attempts >= executions.attempts
"""

END_RUN = f"""
INSERT INTO runs ({_RUN_LIST}, counted) VALUES ({_RUN_MARKS}, 1)
ON CONFLICT (run_id) DO UPDATE
SET counted = 1, {", ".join(f"{column} = excluded.{column}" for column in _ENDED_COLUMNS)}
"""

# A run that is told of late (a rebuild, a slow machine) counts, but does not become a test's last run.
_LAST_COLUMNS = ("category", "project", "framework", "last_status", "last_run_id", "last_run_at")
_NEWER = "excluded.last_run_at >= tests.last_run_at"
ADD_TOTALS = f"""
INSERT INTO tests (test_id, name, category, project, framework, last_status, last_run_id, last_run_at,
                   total_runs, pass_count, fail_count, skip_count, total_duration)
SELECT test_id, '', ?, ?, ?, status, run_id, ?, 1,
       CASE WHEN status = 'pass' THEN 1 ELSE 0 END,
       CASE WHEN status IN ('fail', 'error', 'unfinished') THEN 1 ELSE 0 END,
       CASE WHEN status = 'skip' THEN 1 ELSE 0 END,
       CASE WHEN status = 'skip' THEN 0 ELSE duration END
FROM executions WHERE run_id = ?
ON CONFLICT (test_id) DO UPDATE
SET total_runs = tests.total_runs + 1,
    pass_count = tests.pass_count + excluded.pass_count,
    fail_count = tests.fail_count + excluded.fail_count,
    skip_count = tests.skip_count + excluded.skip_count,
    total_duration = tests.total_duration + excluded.total_duration,
    {", ".join(f"{c} = CASE WHEN {_NEWER} THEN excluded.{c} ELSE tests.{c} END" for c in _LAST_COLUMNS)}
"""

COUNT_RUNNING = "SELECT COUNT(*) FROM runs WHERE status = 'RUNNING'"

FIRST_IN_LINE = "SELECT run_id FROM runs WHERE status = 'QUEUED' ORDER BY queued_at, run_id LIMIT ?"

CLAIM = """
UPDATE runs SET status = 'RUNNING', owner = ?, started_at = ?, heartbeat_at = ?
WHERE run_id = ? AND status = 'QUEUED'
"""

FIND_RUN = f"SELECT {_RUN_LIST} FROM runs WHERE run_id = ?"

FIND_RUNS = f"SELECT {_RUN_LIST} FROM runs WHERE run_id LIKE ? ESCAPE '!' ORDER BY run_id DESC LIMIT 10"


def list_runs(where: str, after: bool) -> str:
    """Return the statement of one page of runs, newest first."""
    return _page(_RUN_LIST, "runs", where, ("queued_at", "run_id"), after)


def list_tests(where: str, after: bool) -> str:
    """Return the statement of one page of tests, by last run, newest first."""
    return _page(", ".join(TEST_COLUMNS), "tests", where, ("last_run_at", "test_id"), after)


def count(table: str, where: str) -> str:
    """Return the statement that counts what all pages together hold."""
    return f"SELECT COUNT(*) FROM {table} WHERE {where}"


def _page(columns: str, table: str, where: str, key: tuple[str, str], after: bool) -> str:
    beyond = f" AND ({key[0]}, {key[1]}) < (?, ?)" if after else ""
    order = f"ORDER BY {key[0]} DESC, {key[1]} DESC LIMIT ?"
    return f"SELECT {columns} FROM {table} WHERE {where}{beyond} {order}"
