"""Records what the reporter says about the suites beside this file: `python tests/samples/pytest/record.py`.

Writes channel.jsonl (the recording), command.txt (what made it) and events.jsonl (what it means) anew.
"""

import os
import shutil
import subprocess
import sys
import tempfile
from binascii import crc32
from pathlib import Path

import msgspec
import pytest

from proctor.frameworks.pytest import FRAMEWORK, REPORTER
from proctor.model.plan import Task

HERE = Path(__file__).parent
ARGUMENTS = ("-q", "-p", "no:cacheprovider", "-p", "pytest_rerunfailures")


def record(place: Path) -> None:
    """Run one suite in a directory of its own and write the three files."""
    with tempfile.TemporaryDirectory() as folder:
        for file in place.glob("*.py"):
            shutil.copy(file, folder)
        code, said = run(folder)
    (place / "channel.jsonl").write_bytes(said)
    versions = f"pytest {pytest.__version__}, Python {sys.version.split()[0]}, exit code {code}"
    (place / "command.txt").write_text(f"python proctor_pytest.py {' '.join(ARGUMENTS)}\n{versions}\n")
    reader = FRAMEWORK.reader(Task(root="."), 1)
    events = [*reader.feed("channel", said), *reader.finish(code)]
    (place / "events.jsonl").write_bytes(b"".join(msgspec.json.encode(event) + b"\n" for event in events))


def run(folder: str) -> tuple[int, bytes]:
    """Return the exit code and the bytes on the channel, with a neutral name for this interpreter."""
    channel = Path(folder, "channel")
    descriptor = os.open(channel, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
    environment = {**os.environ, "PROCTOR_CHANNEL": str(descriptor), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    command = [sys.executable, REPORTER, *ARGUMENTS]
    code = subprocess.run(command, cwd=folder, env=environment, pass_fds=[descriptor]).returncode
    os.close(descriptor)
    said = channel.read_bytes()
    whole, _, last = said.rstrip(b"\n").rpartition(b"\n")
    neutral = whole.replace(sys.executable.encode(), b"/project/.venv/bin/python") + b"\n"
    return code, neutral + last.replace(str(crc32(whole + b"\n")).encode(), str(crc32(neutral)).encode()) + b"\n"


if __name__ == "__main__":
    for found in sorted(HERE.glob("*/")):
        record(found)
