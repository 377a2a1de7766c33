"""Where the files of one run lie. Knows names and permissions, not what is written."""

import os
from pathlib import Path

from proctor.journal.faults import state_faults
from proctor.model.errors import NotFound
from proctor.model.ids import is_run_id


class RunFiles:
    """The paths of one run under ``<home>/runs/<run_id>/``. Nothing is created by naming them."""

    def __init__(self, home: Path, run_id: str) -> None:
        if not is_run_id(run_id):
            raise NotFound(
                f"{run_id[:80]!r} is not the id of a run", hint="`proctor list` shows the known ids"
            )
        self.run_id = run_id
        self.directory = home / "runs" / run_id
        self.journal = self.directory / "journal.jsonl"
        self.channel = self.directory / "channel"
        self.output = self.directory / "output"
        self.scratch = self.directory / "scratch"
        self.lock = self.directory / "lock"

    def make(self) -> None:
        """Create the directories of the run, readable for the owner alone."""
        private_directory(self.directory)
        private_directory(self.scratch)


def private_directory(path: Path) -> None:
    """Create a directory and all that are missing above it, each with mode 0700."""
    missing = []
    while not path.is_dir() and path != path.parent:
        missing.append(path)
        path = path.parent
    with state_faults("create the directory", missing[0] if missing else path):
        for directory in reversed(missing):
            try:
                os.mkdir(directory, 0o700)
            except FileExistsError:
                if not directory.is_dir():
                    raise
