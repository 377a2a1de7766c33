import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest
import yaml
from inline_snapshot import snapshot

Call = Callable[..., Any]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((), "a command is missing"),
        (("rum",), "'run'"),
        (("run", "--formt", "json"), "'--format'"),
        (("run", "--timeout", "5 parsecs"), "5 parsecs"),
        (("run", "--timeout", "-1"), "-1"),
        (("run", "--memory", "much"), "much"),
        (("run", "--env", "NAME"), "NAME"),
        (("run", "--env", "1A=x"), "1A=x"),
        (("run", "--parallel", "0"), "--parallel"),
        (("run", "--parallel", "1025", "--command", "true"), "1025"),
        (("run", "--retries", "-1"), "--retries"),
        (("run", "--cpus", "many"), "--cpus"),
        (("run", "--cpus", "nan", "--command", "true"), "processors"),
        (("run", "--sandbox", "wishful"), "wishful"),
        (("run", "--format", "xml"), "xml"),
        (("run", "a", "b"), "extra argument"),
        (("run", "--command", "true", "--detach", "--junit", "x.xml"), "--junit"),
        (("run", "/no/such/project"), "/no/such/project"),
        (("status",), "id of a run is missing"),
        (("status", "run-0", "--test-id", "run-1"), "two ids"),
        (("status", "run-0"), "run-0"),
        (("results", "run-0"), "run-0"),
        (("results", "../../etc"), "../../etc"),
        (("cancel", "--test-id", "run-0"), "run-0"),
        (("list", "--limit", "0"), "between 1 and 500"),
        (("list", "--limit", "501"), "between 1 and 500"),
        (("list", "--status", "odd"), "odd"),
        (("list", "--tests", "--status", "failed"), "--tests"),
        (("list", "--page-token", "nonsense"), "token"),
        (("run", "\udcff"), "UTF-8"),
    ],
)  # fmt: skip
def test_a_bad_request_says_what_and_what_to_do(call: Call, arguments: tuple[str, ...], words: str) -> None:
    code, out, err = call(*arguments)
    assert (code, out) == (2, "")
    error, hint = err.splitlines()
    assert error.startswith("error: ")
    assert words in error
    assert hint.startswith("hint: ")


def test_for_programs_an_error_is_an_object_on_stdout(call: Call) -> None:
    code, out, err = call("run", "--timeout", "5 parsecs", "--format", "json")
    assert (code, err) == (2, "")
    assert msgspec.json.decode(out) == snapshot(
        {
            "error": {
                "code": "bad_request",
                "message": "'5 parsecs' is not a duration above zero",
                "hint": 'write seconds (300) or a time with units: "500ms", "300s", "5m", "1h30m"',
            }
        }
    )
    assert yaml.safe_load(call("status", "run-0", "--format=yaml").out)["error"]["code"] == "not_found"
    assert (
        msgspec.json.decode(call("run", "--nonsense", "--format", "jsonl").out)["error"]["code"]
        == "bad_request"
    )


def test_a_project_that_nothing_describes_cannot_be_run(call: Call, tmp_path: Path) -> None:
    code, _, err = call("run", str(tmp_path))
    assert code == 7
    assert "--command" in err


def test_the_version_and_the_help_are_on_stdout(call: Call) -> None:
    assert call("-V") == (0, "proctor 0.1.0\n", "")
    code, out, err = call("--help")
    assert (code, err) == (0, "")
    assert " run " in out
    assert " work " not in out


def test_a_bug_of_ours_has_its_own_exit_code_and_keeps_its_traceback(
    call: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    monkeypatch.setitem(sys.modules, "proctor.frontends.cli.commands.doctor", None)
    code, out, err = call("doctor")
    assert (code, out) == (70, "")
    (kept,) = tmp_path.glob("proctor-traceback-*.txt")
    assert str(kept) in err
    assert "Traceback" in kept.read_text()
    monkeypatch.setenv("PROCTOR_DEBUG", "1")
    assert "Traceback" in call("doctor").err


def test_a_reader_who_leaves_early_is_no_error() -> None:
    reader, writer = os.pipe()
    os.close(reader)
    done = subprocess.run(
        [sys.executable, "-m", "proctor", "--help"], stdout=writer, stderr=subprocess.PIPE, timeout=60
    )
    os.close(writer)
    assert (done.returncode, done.stderr) == (0, b"")


def test_a_full_disk_under_the_answer_is_told(tmp_path: Path) -> None:
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "proctor", "--home", str(tmp_path), "list"],
            stdout=full, stderr=subprocess.PIPE, text=True, timeout=60,
        )  # fmt: skip
    assert done.returncode == 70
    assert "No space left" in done.stderr


def test_closed_standard_streams_are_no_bug(tmp_path: Path) -> None:
    line = f'"{sys.executable}" -m proctor --home "{tmp_path}" list >&- 2>&-'
    assert subprocess.run(["/bin/sh", "-c", line], timeout=60).returncode == 0


def test_a_stream_needs_something_to_follow(call: Call) -> None:
    code, out, _ = call("status", "run-0", "--format", "jsonl")
    assert code == 2
    assert "--follow" in msgspec.json.decode(out)["error"]["hint"]


def test_a_start_imports_only_what_it_needs(tmp_path: Path) -> None:
    script = (
        "import sys; from proctor.frontends.cli.main import execute; "
        "code = execute(['list', '--format', 'json']); "
        "heavy = {'rich', 'yaml', 'asyncio', 'proctor.frontends.cli.commands.run'} & set(sys.modules); "
        "sys.exit(f'imported: {heavy}' if heavy or code else 0)"
    )
    environment = {**os.environ, "PROCTOR_HOME": str(tmp_path)}
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, timeout=60, env=environment
    )
    assert (done.returncode, done.stderr) == (0, "")
