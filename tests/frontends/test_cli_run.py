"""`proctor run`, from the outside: what it prints where, and how it exits."""

import json
import os
import signal
import subprocess
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
import yaml

GREEN = ("run", "--command", "echo all is well")
RED = ("run", "--command", "echo something broke; exit 3")


def test_a_green_command_is_told_in_one_line_and_exits_with_0(proctor: Any) -> None:
    done = proctor(*GREEN)
    assert done.returncode == 0
    assert done.stdout.startswith("PASSED  1 test passed; report, totals and exit code agree  (run-")
    assert "not enforced" in done.stdout or done.stdout.count("\n") == 1
    assert "generic in" in done.stderr


def test_a_red_command_exits_with_1_and_says_what_broke(proctor: Any) -> None:
    done = proctor(*RED)
    assert done.returncode == 1
    assert done.stdout.startswith("FAILED  1 failed of 1 test")
    assert "something broke" in done.stdout
    assert "\nmore: proctor results run-" in done.stdout


def test_json_and_yaml_say_the_same_and_nothing_else_is_printed(proctor: Any) -> None:
    done = proctor(*RED, "--format", "json")
    assert (done.returncode, done.stderr) == (1, "")
    result = json.loads(done.stdout)
    assert (result["verdict"], result["success"], result["summary"]["failed"]) == ("failed", False, 1)
    later = proctor("results", result["run_id"], "--format", "yaml", "--include-logs")
    assert yaml.safe_load(later.stdout) == result


def test_a_stream_is_every_event_and_then_the_result(proctor: Any) -> None:
    done = proctor(*GREEN, "--format", "jsonl")
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    assert [lines[0]["event"], lines[-2]["event"], lines[-1]["event"]] == [
        "run_queued",
        "run_ended",
        "result",
    ]
    assert lines[-1]["run_id"] == lines[0]["run_id"]
    assert (done.returncode, done.stderr) == (0, "")
    followed = proctor("status", lines[0]["run_id"], "--follow", "--format", "jsonl")
    assert [json.loads(line) for line in followed.stdout.splitlines()][:-1] == lines[:-1]


def test_the_time_limit_ends_the_run_with_5(proctor: Any) -> None:
    done = proctor("run", "--command", "sleep 60", "--timeout", "300ms")
    assert done.returncode == 5
    assert done.stdout.startswith("TIMEOUT  ")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_run_is_cancelled_and_told(proctor: Any, number: signal.Signals) -> None:
    running = proctor.start("run", "--command", "sleep 60", "--format", "jsonl")
    assert running.stdout is not None
    for line in running.stdout:
        if '"run_started"' in line:
            break
    running.send_signal(number)
    rest, err = running.communicate(timeout=60)
    assert running.returncode == 6, err
    assert json.loads(rest.splitlines()[-1])["verdict"] == "cancelled"


def test_the_environment_reaches_the_command(proctor: Any) -> None:
    done = proctor("run", "--env", "FLAVOUR=a=b c", "--command", 'test "$FLAVOUR" = "a=b c"')
    assert done.returncode == 0, done.stdout


def test_what_a_command_prints_cannot_touch_the_terminal(proctor: Any) -> None:
    done = proctor("run", "--command", r"printf '\033]0;owned\007\033[2J\nPASSED  forged\n'; exit 1")
    assert "\x1b" not in done.stdout + done.stderr
    assert not [line for line in done.stdout.splitlines() if line.startswith("PASSED")]


@pytest.mark.parametrize("wanted", ["text", "json", "jsonl"])
def test_a_reader_who_leaves_early_changes_no_verdict(proctor: Any, wanted: str) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    running = proctor.start(*RED, "--format", wanted, stdout=writer)
    os.close(writer)
    _, err = running.communicate(timeout=60)
    assert running.returncode == 1
    assert "error:" not in err


def test_every_option_reaches_the_request(proctor: Any) -> None:
    done = proctor(
        "run", str(proctor.project), "--command", "true", "--timeout", "1m30s", "--env", "A=1",
        "--env", "B=", "--parallel", "3", "--retries", "2", "--category", "smoke", "--name", "mine",
        "--report", "tap", "--sandbox", "off", "--no-network", "--memory", "512MB", "--cpus", "1.5",
        "--format", "jsonl",
    )  # fmt: skip
    queued = json.loads(done.stdout.splitlines()[0])
    assert queued["request"] == {
        "project_path": str(proctor.project),
        "test_command": "true",
        "environment": {"A": "1", "B": ""},
        "timeout": 90.0,
        "parallel": True,
        "max_parallel": 3,
        "retries": 2,
        "category": "smoke",
        "name": "mine",
        "reports": ["tap"],
        "sandbox": "off",
        "allow_network": False,
        "max_memory": 512 * 1024 * 1024,
        "max_cpu": 1.5,
    }


def test_junit_is_written_beside_the_answer(proctor: Any, tmp_path: Path) -> None:
    done = proctor(*RED, "--junit", "report.xml")
    assert done.returncode == 1
    root = ElementTree.parse(proctor.project / "report.xml").getroot()
    assert root.find(".//testcase") is not None
    assert root.find(".//failure") is not None


def test_an_unwritable_junit_file_is_refused_before_anything_runs(proctor: Any) -> None:
    done = proctor("run", "--command", "touch ran", "--junit", "nowhere/report.xml")
    assert done.returncode == 2
    assert not (proctor.project / "ran").exists()
    assert json.loads(proctor("list", "--format", "json").stdout)["total_count"] == 0


def test_all_state_is_in_the_home_that_was_named(proctor: Any, tmp_path: Path) -> None:
    proctor.environment["HOME"] = str(tmp_path / "user")
    proctor.environment.pop("XDG_STATE_HOME", None)
    (tmp_path / "user").mkdir()
    proctor(*GREEN)
    proctor("--home", str(tmp_path / "other"), *GREEN)
    assert list((tmp_path / "user").iterdir()) == []
    assert sorted(path.name for path in tmp_path.iterdir()) == ["home", "other", "project", "user"]
    listed = json.loads(proctor("--home", str(tmp_path / "other"), "list", "--format", "json").stdout)
    assert listed["total_count"] == 1


def test_no_sandbox_is_never_a_secret(proctor: Any) -> None:
    done = proctor(*GREEN, "--sandbox", "off")
    assert "sandbox: off" in done.stdout
    assert "not enforced here: " in done.stdout
    assert "seccomp" in done.stdout


def test_a_full_disk_under_the_answer_keeps_the_run(proctor: Any) -> None:
    with open("/dev/full", "w") as full:
        running = proctor.start(*GREEN, stdout=full.fileno())
        _, err = running.communicate(timeout=60)
    assert running.returncode == 70
    assert "No space left" in err
    assert json.loads(proctor("list", "--format", "json").stdout)["runs"][0]["verdict"] == "passed"


def test_an_answer_for_a_narrow_character_set_is_still_given(proctor: Any) -> None:
    proctor.environment["PYTHONIOENCODING"] = "ascii"
    done: subprocess.CompletedProcess[str] = proctor("run", "--command", "echo naïve; exit 1")
    assert done.returncode == 1
    assert "na\\xefve" in done.stdout
