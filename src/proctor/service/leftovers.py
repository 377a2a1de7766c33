"""The files that a run needs only while it runs: where its channel lies, and how all of them are removed."""

import shutil
from pathlib import Path

from proctor.journal.faults import state_faults
from proctor.journal.files import RunFiles


def channel_path(files: RunFiles, attempt: int) -> Path:
    """Return the file through which the command of one attempt reports."""
    return Path(f"{files.channel}-{attempt}")


def make_channel(files: RunFiles, attempt: int) -> Path:
    """Make the empty channel of one attempt; a sandbox that refused it before may have left one."""
    channel = channel_path(files, attempt)
    with state_faults("create", channel):
        channel.unlink(missing_ok=True)
        channel.touch(mode=0o600, exist_ok=False)
    return channel


def remove_leftovers(files: RunFiles) -> None:
    """Remove what only a running run needs. Its journal and its kept output stay."""
    shutil.rmtree(files.scratch, ignore_errors=True)
    channel = Path(files.channel)
    for path in (Path(files.output), *channel.parent.glob(f"{channel.name}-*")):
        path.unlink(missing_ok=True)
