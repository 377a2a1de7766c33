"""Runs after they were started: detached, watched, listed, cancelled, looked up, rebuilt."""

import json
import signal
from typing import Any

import pytest
import yaml


@pytest.fixture
def finished(proctor: Any) -> str:
    run_id: str = json.loads(proctor("run", "--command", "echo printed; exit 1", "--format", "json").stdout)[
        "run_id"
    ]
    return run_id


def test_a_detached_run_prints_its_id_alone_and_can_be_followed(proctor: Any) -> None:
    done = proctor("run", "--detach", "--command", "echo late; exit 1")
    run_id = done.stdout.strip()
    assert (done.returncode, done.stdout) == (0, f"{run_id}\n")
    followed = proctor("status", run_id, "--follow")
    assert followed.returncode == 1
    assert followed.stdout.startswith("FAILED  1 failed of 1 test")
    assert proctor("status", run_id).returncode == 0


def test_a_detached_run_can_be_cancelled(proctor: Any) -> None:
    run_id = json.loads(proctor("run", "--detach", "--command", "sleep 60", "--format", "json").stdout)[
        "run_id"
    ]
    assert proctor("cancel", run_id).returncode == 0
    followed = proctor("status", "--test-id", run_id, "--follow", "--format", "json")
    assert followed.returncode == 6
    assert json.loads(followed.stdout)["status"] == "CANCELLED"
    again = proctor("cancel", run_id, "--format", "json")
    assert again.returncode == 2
    assert json.loads(again.stdout)["error"]["code"] == "already_ended"


def test_who_stops_watching_does_not_stop_the_run(proctor: Any) -> None:
    run_id = proctor("run", "--detach", "--command", "sleep 60").stdout.strip()
    watching = proctor.start("status", run_id, "--follow", "--format", "jsonl")
    assert watching.stdout is not None
    assert '"run_queued"' in watching.stdout.readline()
    watching.send_signal(signal.SIGINT)
    _, err = watching.communicate(timeout=60)
    assert (watching.returncode, err) == (6, "interrupted\n")
    assert json.loads(proctor("status", run_id, "--format", "json").stdout)["status"] in ("QUEUED", "RUNNING")
    proctor("cancel", run_id)
    assert proctor("status", run_id, "--follow").returncode == 6


def test_the_beginning_of_an_id_is_enough(proctor: Any, finished: str) -> None:
    assert finished in proctor("status", finished[:12]).stdout
    assert proctor("status", f"{finished}x").returncode == 2


def test_an_id_that_fits_two_runs_is_refused(proctor: Any, finished: str) -> None:
    proctor("run", "--command", "true")
    done = proctor("results", "run-", "--format", "json")
    assert done.returncode == 2
    assert json.loads(done.stdout)["error"]["code"] == "ambiguous_id"


def test_results_show_logs_only_when_asked(proctor: Any, finished: str) -> None:
    plain = json.loads(proctor("results", finished, "--format", "json").stdout)
    whole = json.loads(proctor("results", finished, "--format", "json", "--include-logs").stdout)
    assert (plain["raw_output"], whole["raw_output"]) == ("", "printed\n")
    text = proctor("results", finished, "--include-logs")
    assert text.returncode == 0
    assert "  output of the command:\n  | printed\n" in text.stdout


def test_one_test_of_a_run_can_be_picked(proctor: Any, finished: str) -> None:
    assert proctor("results", finished, "--test", "echo printed").stdout.startswith(
        "FAIL echo printed; exit 1\n"
    )
    picked = json.loads(proctor("results", finished, "--test", "exit 1", "--format", "json").stdout)
    assert [case["name"] for case in picked["tests"]] == ["echo printed; exit 1"]
    missing = proctor("results", finished, "--test", "echo printd")
    assert missing.returncode == 2
    assert "similar: echo printed; exit 1" in missing.stderr


def test_runs_are_listed_newest_first_page_by_page(proctor: Any) -> None:
    for name in ("one", "two", "three"):
        proctor("run", "--command", "true", "--name", name, "--category", "smoke")
    first = json.loads(proctor("list", "--limit", "2", "--format", "json").stdout)
    assert [row["name"] for row in first["runs"]] == ["three", "two"]
    text = proctor("list", "--limit", "2", "--category", "smoke").stdout
    assert text.splitlines()[-1].startswith("next page: --page-token ")
    second = yaml.safe_load(
        proctor("list", "--limit", "2", "--page-token", first["next_page_token"], "--format", "yaml").stdout
    )
    assert ([row["name"] for row in second["runs"]], second["next_page_token"]) == (["one"], "")
    assert proctor("list", "--status", "failed").stdout == "no runs\n"
    assert len(proctor("list", "--status", "passed").stdout.splitlines()) == 4


def test_known_tests_are_listed_with_their_totals(proctor: Any) -> None:
    for _ in range(2):
        proctor("run", "--command", "true")
    (row,) = json.loads(proctor("list", "--tests", "--format", "json").stdout)["tests"]
    assert (row["name"], row["total_runs"], row["pass_count"], row["fail_count"]) == ("true", 2, 2, 0)
    assert proctor("list", "--tests").stdout.endswith(" true\n")


def test_the_index_can_be_built_anew(proctor: Any, finished: str) -> None:
    before = proctor("list").stdout
    for file in proctor.home.glob("*.sqlite*"):
        file.write_bytes(b"not a database")
    done = proctor("doctor", "--rebuild")
    assert (done.returncode, done.stdout) == (0, "the database was built anew from 1 journal\n")
    assert proctor("list").stdout == before


def test_the_doctor_tells_what_there_is(proctor: Any) -> None:
    done = proctor("doctor")
    assert done.returncode == 0
    assert "sandbox" in done.stdout
    checks = json.loads(proctor("doctor", "--format", "json").stdout)["checks"]
    assert {"area", "name", "ok", "found", "advice"} == set(checks[0])
