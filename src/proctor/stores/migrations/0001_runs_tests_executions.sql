-- The queue and the list of runs.
CREATE TABLE runs (
    run_id TEXT NOT NULL PRIMARY KEY,
    project TEXT NOT NULL,
    name TEXT NOT NULL,
    framework TEXT NOT NULL,
    category TEXT NOT NULL,
    status TEXT NOT NULL,
    verdict TEXT NOT NULL,
    queued_at DOUBLE PRECISION NOT NULL,
    started_at DOUBLE PRECISION NOT NULL,
    ended_at DOUBLE PRECISION NOT NULL,
    duration DOUBLE PRECISION NOT NULL,
    total INTEGER NOT NULL,
    passed INTEGER NOT NULL,
    failed INTEGER NOT NULL,
    skipped INTEGER NOT NULL,
    errors INTEGER NOT NULL,
    unfinished INTEGER NOT NULL,
    error TEXT NOT NULL,
    commit_id TEXT NOT NULL,
    branch TEXT NOT NULL,
    owner TEXT NOT NULL,
    heartbeat_at DOUBLE PRECISION NOT NULL,
    cancel_asked INTEGER NOT NULL,
    detached INTEGER NOT NULL,
    -- 1 when the run has ended and its executions are in the totals of `tests`
    counted INTEGER NOT NULL
);
CREATE INDEX runs_newest ON runs (queued_at, run_id);
CREATE INDEX runs_by_status ON runs (status, queued_at, run_id);
CREATE INDEX runs_by_category ON runs (category, queued_at, run_id);
CREATE INDEX runs_by_project ON runs (project, queued_at, run_id);

-- Every test that is known, with its totals over all ended runs.
CREATE TABLE tests (
    test_id TEXT NOT NULL PRIMARY KEY,
    name TEXT NOT NULL,
    category TEXT NOT NULL,
    project TEXT NOT NULL,
    framework TEXT NOT NULL,
    last_status TEXT NOT NULL,
    last_run_id TEXT NOT NULL,
    last_run_at DOUBLE PRECISION NOT NULL,
    total_runs INTEGER NOT NULL,
    pass_count INTEGER NOT NULL,
    fail_count INTEGER NOT NULL,
    skip_count INTEGER NOT NULL,
    total_duration DOUBLE PRECISION NOT NULL
);
CREATE INDEX tests_newest ON tests (last_run_at, test_id);
CREATE INDEX tests_by_project ON tests (project, last_run_at, test_id);

-- One test in one run. What it printed and why it failed is in the journal of the run.
CREATE TABLE executions (
    run_id TEXT NOT NULL,
    test_id TEXT NOT NULL,
    status TEXT NOT NULL,
    duration DOUBLE PRECISION NOT NULL,
    attempts INTEGER NOT NULL,
    PRIMARY KEY (run_id, test_id)
);
