"""Calls the real command line in a process of its own, with its state in a directory of the test."""

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

Done = subprocess.CompletedProcess[str]


class CommandLine:
    """The command line of one home directory, called in one project directory."""

    def __init__(self, home: Path, project: Path) -> None:
        self.home = home
        self.project = project
        self.environment = {**os.environ, "PROCTOR_HOME": str(home), "TERM": "xterm"}

    def argv(self, arguments: Sequence[str]) -> list[str]:
        return [sys.executable, "-m", "proctor", *arguments]

    def __call__(self, *arguments: str) -> Done:
        return subprocess.run(
            self.argv(arguments),
            cwd=self.project,
            env=self.environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=60,
        )

    def start(self, *arguments: str, stdout: int = subprocess.PIPE) -> subprocess.Popen[str]:
        return subprocess.Popen(
            self.argv(arguments),
            cwd=self.project,
            env=self.environment,
            stdin=subprocess.DEVNULL,
            stdout=stdout,
            stderr=subprocess.PIPE,
            text=True,
        )


@pytest.fixture
def proctor(tmp_path: Path) -> CommandLine:
    project = tmp_path / "project"
    project.mkdir()
    return CommandLine(tmp_path / "home", project)
