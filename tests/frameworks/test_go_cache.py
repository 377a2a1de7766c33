"""The program that fills a project's Go build cache from the user's, spoken to as Go speaks to it."""

import base64
import hashlib
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from proctor.frameworks.go import CACHE_PROGRAM


def digest(text: str) -> bytes:
    return hashlib.sha256(text.encode()).digest()


def store(cache: Path, action: str, data: bytes) -> None:
    """Write an entry as Go does."""
    name, output = digest(action).hex(), hashlib.sha256(data).hexdigest()
    for place in (cache / name[:2], cache / output[:2]):
        place.mkdir(parents=True, exist_ok=True)
    (cache / output[:2] / f"{output}-d").write_bytes(data)
    (cache / name[:2] / f"{name}-a").write_text(f"v1 {name} {output} {len(data):20d} {1:20d}\n")


class Talk:
    """Requests to the program, all written at once; its answers by number."""

    def __init__(self, private: Path, users: Path) -> None:
        self._places = (str(private), str(users))
        self._lines: list[str] = []

    def ask(self, command: str, action: str = "", data: bytes = b"") -> int:
        number = len(self._lines) + 1
        request: dict[str, Any] = {"ID": number, "Command": command}
        request["ActionID"] = base64.b64encode(digest(action)).decode()
        if command == "put":
            output = base64.b64encode(hashlib.sha256(data).digest()).decode()
            request |= {"OutputID": output, "BodySize": len(data)}
        body = f"\n{json.dumps(base64.b64encode(data).decode())}\n" if data else ""
        self._lines.append(f"{json.dumps(request)}\n{body}")
        return number

    def answers(self) -> dict[int, dict[str, Any]]:
        self.ask("close")
        argv = [sys.executable, "-I", "-S", CACHE_PROGRAM, *self._places]
        done = subprocess.run(argv, input="".join(self._lines), capture_output=True, text=True, timeout=30)
        assert (done.returncode, done.stderr) == (0, "")
        first, *rest = (json.loads(line) for line in done.stdout.splitlines())
        assert first == {"ID": 0, "KnownCommands": ["get", "put", "close"]}
        return {answer["ID"]: answer for answer in rest}


@pytest.fixture
def caches(tmp_path: Path) -> tuple[Path, Path]:
    private, users = tmp_path / "private", tmp_path / "users"
    private.mkdir()
    users.mkdir()
    return private, users


def test_what_the_user_has_built_is_copied(caches: tuple[Path, Path]) -> None:
    private, users = caches
    store(users, "compile", b"object")
    talk = Talk(private, users)
    number = talk.ask("get", "compile")
    answer = talk.answers()[number]
    assert answer["Size"] == 6
    assert Path(answer["DiskPath"]).read_bytes() == b"object"
    assert Path(answer["DiskPath"]).is_relative_to(private)
    entry = f"{digest('compile').hex()}-a"
    assert (private / entry[:2] / entry).read_bytes() == (users / entry[:2] / entry).read_bytes()


def test_results_of_tests_are_not_copied(caches: tuple[Path, Path]) -> None:
    private, users = caches
    store(users, "result", b"# test log\ngetenv HOME\n")
    talk = Talk(private, users)
    number = talk.ask("get", "result")
    assert talk.answers()[number].get("Miss") is True


def test_what_is_unknown_or_damaged_is_missing(caches: tuple[Path, Path]) -> None:
    private, users = caches
    store(users, "compile", b"object")
    for file in users.glob("*/*-d"):
        file.write_bytes(b"cut")
    talk = Talk(private, users)
    numbers = (talk.ask("get", "compile"), talk.ask("get", "never seen"))
    answers = talk.answers()
    assert [answers[number].get("Miss") for number in numbers] == [True, True]


def test_what_go_builds_is_kept_and_found_again(caches: tuple[Path, Path]) -> None:
    talk = Talk(*caches)
    put, empty, get = talk.ask("put", "link", b"binary"), talk.ask("put", "nothing"), talk.ask("get", "link")
    answers = talk.answers()
    assert answers[get]["DiskPath"] == answers[put]["DiskPath"]
    assert Path(answers[put]["DiskPath"]).read_bytes() == b"binary"
    assert Path(answers[empty]["DiskPath"]).read_bytes() == b""
    assert not list(caches[1].iterdir())
