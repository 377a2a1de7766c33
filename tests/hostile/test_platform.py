"""Faults of the platform: a full disk, damaged or vanished state, a refusing sandbox, many callers at once.

Each ends in a clear error or a right verdict, and nothing that was finished is lost.
"""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from proctor import Proctor, TestRequest
from proctor.model.errors import BadRequest, NotFound
from proctor.service.execution import enqueue
from proctor.service.office import open_office
from proctor.service.preparation import prepare

Project = Callable[[Mapping[str, str]], Path]
Wait = Callable[[Callable[[], object]], None]

PROCTOR = (sys.executable, "-m", "proctor")
PRIVATE_MOUNTS = ("unshare", "--user", "--map-root-user", "--mount")
MANY_FAILURES = """
import pytest

@pytest.mark.parametrize("number", range(3000))
def test_it(number):
    assert number % 2, "x" * 500
"""


def journal_of(home: Path, run_id: str) -> Path:
    return home / "runs" / run_id / "journal.jsonl"


def command(root: Path, line: str = "true", sandbox: str = "off") -> TestRequest:
    return TestRequest(project_path=str(root), test_command=line, sandbox=sandbox)


@pytest.fixture
def small_home(tmp_path: Path) -> Callable[[str, str], "subprocess.CompletedProcess[str]"]:
    """Return a function that runs a script with a PROCTOR_HOME on a disk of that size."""
    disk = tmp_path / "disk"
    disk.mkdir()

    def run(size: str, script: str) -> "subprocess.CompletedProcess[str]":
        prepare = f"mount -t tmpfs -o size={size} none {disk} && export PROCTOR_HOME={disk} && "
        environment = {**os.environ, "PROCTOR": " ".join(PROCTOR), "DISK": str(disk)}
        line = [*PRIVATE_MOUNTS, "sh", "-c", prepare + script]
        return subprocess.run(line, env=environment, text=True, capture_output=True, timeout=100, check=False)

    return run


def test_a_disk_too_small_for_the_database_is_called_full_not_damaged(
    small_home: Callable[[str, str], "subprocess.CompletedProcess[str]"],
) -> None:
    done = small_home("64k", "$PROCTOR list")
    assert done.returncode == 70
    assert "disk is full" in done.stderr
    assert "hint: free some disk space" in done.stderr


def test_a_disk_that_fills_up_during_a_run_is_said_and_what_finished_stays(
    small_home: Callable[[str, str], "subprocess.CompletedProcess[str]"], make_project: Project
) -> None:
    root = make_project({"test_it.py": MANY_FAILURES})
    done = small_home(
        "600k",
        f"$PROCTOR run {root} --sandbox off >&2; echo run $?;"
        "$PROCTOR list --format json; ID=$(ls $DISK/runs);"
        "$PROCTOR status $ID >&2; echo status $?;"
        "$PROCTOR results $ID --format json; mount -o remount,size=20m $DISK;"
        "$PROCTOR results $ID --format json",
    )
    ran, listed, status, during, after = done.stdout.splitlines()
    assert (ran, status) == ("run 70", "status 70")
    assert "a bug in Proctor" not in done.stderr
    assert "No space left on device" in done.stderr
    assert json.loads(listed)["total_count"] == 1
    finished, closed = json.loads(during)["summary"], json.loads(after)
    assert closed["verdict"] == "interrupted"
    assert closed["summary"]["passed"] >= finished["passed"] > 0


@pytest.mark.parametrize("wanted", ["text", "json", "jsonl", "yaml"])
def test_an_answer_that_cannot_be_written_is_an_error_in_every_format(
    make_project: Project, wanted: str
) -> None:
    root = make_project({"a": ""})
    line = [*PROCTOR, "run", str(root), "--command", "true", "--sandbox", "off", "--format", wanted]
    with open("/dev/full", "wb") as full:
        done = subprocess.run(line, stdout=full, stderr=subprocess.PIPE, text=True, timeout=60, check=False)
    assert done.returncode == 70
    assert "error: the answer could not be written" in done.stderr
    assert "Traceback" not in done.stderr


def test_when_one_sandbox_refuses_the_next_one_runs_a_reporting_framework(
    proctor: Proctor, home: Path, make_project: Project
) -> None:
    # A bwrap from a place that the tests may write is never trusted: so bubblewrap is not to be had.
    places = ["/usr", "/bin", "/run", *os.environ["PATH"].split(":")]
    settings = {"sandbox": {"writable": [place for place in places if os.path.isdir(place)]}}
    (home / "testing.yaml").write_text(json.dumps(settings))
    root = make_project({"test_it.py": "def test_it(): pass\n"})
    result = proctor.run(TestRequest(project_path=str(root)))
    assert (result.verdict, result.sandbox.name) == ("passed", "landlock")
    assert "bubblewrap is not used: bubblewrap (bwrap) is not installed" in result.notes


def test_a_removed_run_is_called_removed_and_a_rebuild_forgets_it(
    proctor: Proctor, home: Path, make_project: Project
) -> None:
    root = make_project({"a": ""})
    gone = proctor.run(command(root)).run_id
    kept = proctor.run(command(root)).run_id
    journal_of(home, gone).unlink()
    for use in (proctor.results, lambda run_id: list(proctor.follow(run_id))):
        with pytest.raises(NotFound, match="was removed") as caught:
            use(gone)
        assert "--rebuild" in caught.value.hint
    assert proctor.rebuild() == 1
    assert [row.run_id for row in proctor.list_runs().runs] == [kept]


@pytest.mark.parametrize("damaged", [0, 1])
def test_a_damaged_journal_is_never_green_and_keeps_its_tests(
    proctor: Proctor, home: Path, make_project: Project, damaged: int
) -> None:
    run_id = proctor.run(command(make_project({"a": ""}))).run_id
    journal = journal_of(home, run_id)
    lines = journal.read_bytes().splitlines(keepends=True)
    lines[damaged] = b"\xff\x00garbage\n"
    journal.write_bytes(b"".join(lines))
    result = proctor.results(run_id)
    assert (result.verdict, result.summary.passed) == ("inconsistent", 1)
    assert proctor.rebuild() == 1
    row = proctor.status(run_id)
    assert (row.verdict, row.summary.passed) == ("inconsistent", 1)


def test_a_run_whose_worker_died_before_it_started_anything_is_run_in_its_turn(
    proctor: Proctor, home: Path, make_project: Project
) -> None:
    (home / "testing.yaml").write_text("max_runs: 1\n")
    root = make_project({"a": ""})
    with open_office(home) as office:
        row, writer = enqueue(office, prepare(command(root), home), detached=True)
        assert office.store.claim(row.run_id, "a worker that is no more", row.queued_at, 1)
        writer.close()
    second = proctor.submit(command(root))
    list(proctor.follow(second))
    assert [proctor.results(run_id).verdict for run_id in (row.run_id, second)] == ["passed", "passed"]


def test_a_dead_run_whose_journal_lost_everything_is_closed_and_not_started_again(
    proctor: Proctor, home: Path, make_project: Project, wait_until: Wait
) -> None:
    root = make_project({"a": ""})
    run_id = proctor.submit(command(root, "sleep 600"))
    wait_until(lambda: proctor.status(run_id).owner)
    os.kill(int(proctor.status(run_id).owner.rpartition(":")[2]), signal.SIGKILL)
    journal_of(home, run_id).write_bytes(b"")
    wait_until(lambda: proctor.status(run_id).ended_at)
    assert proctor.results(run_id).verdict == "interrupted"


def test_a_journal_that_was_never_begun_is_no_run(
    proctor: Proctor, home: Path, make_project: Project
) -> None:
    run_id = proctor.run(command(make_project({"a": ""}))).run_id
    never = "run-" + "0" * (len(run_id) - 4)
    journal_of(home, never).parent.mkdir()
    journal_of(home, never).touch()
    assert proctor.rebuild() == 1
    assert next(check for check in proctor.doctor().checks if check.name == "store").ok


def test_garbage_in_the_database_is_named_and_a_rebuild_brings_every_run_back(
    proctor: Proctor, home: Path, make_project: Project
) -> None:
    run_id = proctor.run(command(make_project({"a": ""}))).run_id
    (home / "proctor.db").write_bytes(os.urandom(50_000))
    line = [*PROCTOR, "list", "--format", "json"]
    done = subprocess.run(line, capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, json.loads(done.stdout)["error"]["code"]) == (70, "store_damaged")
    assert proctor.rebuild() == 1
    assert proctor.results(run_id).verdict == "passed"


def test_an_argument_longer_than_the_system_allows_is_a_bad_request(
    proctor: Proctor, make_project: Project
) -> None:
    root = str(make_project({"test_it.py": ""}))
    for request in (
        TestRequest(project_path=root, test_pattern="x" * 200_000),
        TestRequest(project_path=root, test_command="echo " + "x" * 200_000),
        TestRequest(project_path=root, environment={"LONG": "x" * 200_000}),
    ):
        with pytest.raises(BadRequest, match="is too long"):
            proctor.run(request)
    assert proctor.list_runs().total_count == 0


@pytest.mark.parametrize("arguments", [("list",), ("doctor", "--rebuild"), ("run", "--command", "true")])
def test_a_home_that_is_no_directory_is_a_fault_of_the_state_with_a_hint(
    make_project: Project, arguments: tuple[str, ...]
) -> None:
    root = make_project({"home": "a file"})
    line = [*PROCTOR, "--home", str(root / "home"), *arguments, "--format", "json"]
    done = subprocess.run(line, cwd=root, capture_output=True, text=True, timeout=60, check=False)
    error = json.loads(done.stdout)["error"]
    assert (done.returncode, error["code"]) == (70, "state_fault")
    assert "PROCTOR_HOME" in error["hint"]
