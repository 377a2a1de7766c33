"""The JUnit file that `run --junit` leaves: checked before the run, written whole or not at all."""

import os
import tempfile
from pathlib import Path

from proctor.model.errors import BadRequest


def check_writable(file: str) -> None:
    """Refuse a file that could not be written later, while nothing is lost by it."""
    path = Path(file)
    if path.exists() and not path.is_file():
        raise BadRequest(f"{file} is not a regular file", hint="give --junit the name of a file")
    try:
        with tempfile.TemporaryFile(dir=path.absolute().parent):
            pass
    except OSError as error:
        raise BadRequest(
            f"{file} cannot be written: {error.strerror}", hint="give --junit a file in a writable directory"
        ) from error


def write(file: str, content: bytes) -> str:
    """Write the file in one step; return what went wrong, or nothing."""
    path = Path(file).absolute()
    try:
        handle, fresh = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name[:100]}.")
    except OSError as error:
        return f"{file} was not written: {error.strerror}"
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(content)
            os.fchmod(handle, 0o666 & ~_umask())
        os.replace(fresh, path)
    except OSError as error:
        Path(fresh).unlink(missing_ok=True)
        return f"{file} was not written: {error.strerror}"
    return ""


def _umask() -> int:
    mask = os.umask(0o077)
    os.umask(mask)
    return mask
