"""One run through the whole house, by plain commands: judged, stopped, kept, found again."""

import os
import shutil
import threading
import time
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from proctor import Proctor, TestRequest
from proctor.model.errors import AlreadyEnded, AmbiguousId, BadConfig, BadRequest, NotFound, StateFault
from proctor.model.event import Event, RunStarted
from proctor.model.plan import Policy
from proctor.service.execution import StopSignal
from proctor.service.places import on_this_disk

Project = Callable[[Mapping[str, str]], Path]
SANDBOXES = ("bubblewrap", "landlock", "off")


def request(root: Path, command: str, sandbox: str = "off", **more: object) -> TestRequest:
    return TestRequest(project_path=str(root), test_command=command, sandbox=sandbox, **more)  # type: ignore[arg-type]


@pytest.mark.parametrize("sandbox", SANDBOXES)
@pytest.mark.parametrize(
    ("command", "verdict", "exit_code"),
    [("true", "passed", 0), ("exit 3", "failed", 3), ("kill -SEGV $$", "interrupted", None)],
)
def test_the_exit_of_a_command_decides(
    proctor: Proctor, make_project: Project, sandbox: str, command: str, verdict: str, exit_code: int | None
) -> None:
    result = proctor.run(request(make_project({"a": ""}), command, sandbox))
    assert (result.verdict, result.exit_code, result.sandbox.name) == (verdict, exit_code, sandbox)
    assert proctor.results(result.run_id).verdict == verdict


@pytest.mark.parametrize("sandbox", SANDBOXES)
def test_at_the_time_limit_every_descendant_goes(
    proctor: Proctor, make_project: Project, sandbox: str
) -> None:
    root = make_project({"stay.sh": "trap '' TERM HUP INT\nwhile :; do sleep 0.05; date >> ticks; done\n"})
    command = "trap '' TERM; (setsid sh stay.sh &) & sh stay.sh"
    result = proctor.run(request(root, command, sandbox, timeout=1.0))
    assert (result.verdict, result.timed_out) == ("timeout", True)
    assert result.reasons[0] == "the time limit of 1 s was reached"
    ticks = (root / "ticks").stat().st_size
    assert ticks > 0
    time.sleep(0.2)  # a survivor would have written again by now
    assert (root / "ticks").stat().st_size == ticks


def test_a_wish_to_stop_cancels(proctor: Proctor, make_project: Project) -> None:
    stop = StopSignal()

    def on_event(_: str, event: Event) -> None:
        if isinstance(event, RunStarted):
            stop.ask("enough")

    result = proctor.run(request(make_project({"a": ""}), "sleep 60"), on_event=on_event, stop=stop)
    assert (result.verdict, result.reasons[0]) == ("cancelled", "enough")


def test_a_cancelled_run_is_over_for_good(proctor: Proctor, make_project: Project) -> None:
    result = proctor.run(request(make_project({"a": ""}), "true"))
    with pytest.raises(AlreadyEnded):
        proctor.cancel(result.run_id)


def test_a_listener_that_breaks_does_not_break_the_run(proctor: Proctor, make_project: Project) -> None:
    def on_event(_: str, __: Event) -> None:
        raise RuntimeError("listener")

    assert proctor.run(request(make_project({"a": ""}), "true"), on_event=on_event).verdict == "passed"


def test_runs_are_listed_newest_first_and_found_by_prefix(proctor: Proctor, make_project: Project) -> None:
    root = make_project({"a": ""})
    first = proctor.run(request(root, "true"))
    second = proctor.run(request(root, "false", category="e2e"))
    assert [row.run_id for row in proctor.list_runs().runs] == [second.run_id, first.run_id]
    assert [row.run_id for row in proctor.list_runs(category="e2e").runs] == [second.run_id]
    assert [row.run_id for row in proctor.list_runs(status="passed").runs] == [first.run_id]
    assert proctor.status(second.run_id[:-2]).verdict == "failed"
    with pytest.raises(AmbiguousId):
        proctor.status("run-")
    with pytest.raises(NotFound):
        proctor.status("run-nothing")
    with pytest.raises(BadRequest):
        proctor.list_runs(limit=0)


def test_a_test_is_known_over_its_runs(proctor: Proctor, make_project: Project) -> None:
    root = make_project({"a": ""})
    for command in ("test -e b", "test -e b"):
        proctor.run(request(root, command))
        (root / "b").touch()
    (row,) = proctor.list_tests().tests
    assert (row.total_runs, row.pass_count, row.fail_count, row.last_status) == (2, 1, 1, "pass")


def test_the_database_can_be_rebuilt_from_the_journals(
    proctor: Proctor, make_project: Project, home: Path
) -> None:
    root = make_project({"a": ""})
    for command in ("true", "false"):
        proctor.run(request(root, command))
    before = proctor.list_runs().runs, proctor.list_tests().tests
    for file in home.glob("proctor.db*"):
        file.unlink()
    assert proctor.rebuild() == 2
    after = proctor.list_runs().runs, proctor.list_tests().tests
    assert [(r.run_id, r.verdict, r.summary) for r in after[0]] == [
        (r.run_id, r.verdict, r.summary) for r in before[0]
    ]
    assert after[1] == before[1]


def test_long_output_is_kept_whole_but_shown_by_head_and_tail(
    proctor: Proctor, make_project: Project
) -> None:
    result = proctor.run(request(make_project({"a": ""}), "echo first; seq 20000; echo last"))
    assert len(result.raw_output) < 20_000
    assert result.raw_output.startswith("first\n1\n2\n")
    assert result.raw_output.endswith("20000\nlast\n")
    assert "bytes in all" in result.raw_output
    assert [(kept.name, kept.size) for kept in result.artifacts] == [("output", 108_905)]
    whole = proctor.results(result.run_id, include_logs=True).raw_output
    assert whole == "first\n" + "".join(f"{n}\n" for n in range(1, 20001)) + "last\n"
    assert proctor.results(result.run_id).raw_output == ""


def test_nothing_of_an_ended_run_stays_but_its_journal(
    proctor: Proctor, make_project: Project, home: Path
) -> None:
    result = proctor.run(request(make_project({"a": ""}), "echo x; touch $TMPDIR/y"))
    assert sorted(os.listdir(home / "runs" / result.run_id)) == ["journal.jsonl", "lock"]


def test_more_runs_than_allowed_wait_for_their_turn(
    proctor: Proctor, make_project: Project, home: Path
) -> None:
    (home / "testing.yaml").write_text("max_runs: 1\n")
    root = make_project({"a": ""})
    command = "test ! -e busy || exit 9; touch busy; sleep 0.3; rm busy"
    verdicts: list[str | None] = []

    def work() -> None:
        verdicts.append(proctor.run(request(root, command)).verdict)

    threads = [threading.Thread(target=work) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert verdicts == ["passed"] * 3


@pytest.mark.parametrize("sandbox", ["bubblewrap", "landlock"])
def test_a_run_cannot_read_what_other_runs_left(
    proctor: Proctor, make_project: Project, home: Path, sandbox: str
) -> None:
    root = make_project({"a": ""})
    secret = proctor.run(request(root, "true", environment={"DATABASE": "hunter2"})).run_id
    assert "hunter2" in (home / "runs" / secret / "journal.jsonl").read_text()
    result = proctor.run(request(root, f"grep -r hunter2 {home}; touch $TMPDIR/x", sandbox))
    assert (result.verdict, "hunter2" in result.raw_output) == ("passed", False)


def test_a_writable_place_that_is_missing_is_refused(
    proctor: Proctor, make_project: Project, home: Path
) -> None:
    (home / "testing.yaml").write_text("sandbox:\n  writable: [/nowhere/at/all]\n")
    with pytest.raises(BadConfig, match="/nowhere/at/all is not a directory"):
        proctor.run(request(make_project({"a": ""}), "true"))


def test_a_home_that_holds_the_program_is_hidden_secret_by_secret(tmp_path: Path) -> None:
    program = tmp_path / "bin" / "python"
    program.parent.mkdir()
    program.touch()
    hidden = on_this_disk(Policy(hidden=(str(tmp_path), "/etc/shadow")), str(program)).hidden
    assert str(tmp_path) not in hidden
    assert {str(tmp_path / ".ssh"), "/etc/shadow"} <= set(hidden)


def test_a_run_whose_state_is_removed_ends(proctor: Proctor, make_project: Project, home: Path) -> None:
    def on_event(_: str, event: Event) -> None:
        if isinstance(event, RunStarted):
            shutil.rmtree(home)

    with pytest.raises(StateFault):
        proctor.run(request(make_project({"a": ""}), "sleep 60"), on_event=on_event)
