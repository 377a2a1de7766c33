"""Everything Proctor can refuse, as one tree. What a test suite does is data, never one of these.

ProctorError
├── BadRequest            bad_request         the caller asked for something that makes no sense
│   ├── BadConfig         bad_config          a configuration file is wrong: file, line, allowed keys
│   ├── BadPageToken      bad_page_token      a page token that this list did not give out
│   └── AmbiguousId       ambiguous_id        a shortened id fits several runs
├── NotFound              not_found           no run or test of that id
│   └── NoProject         no_project          the project directory does not exist
├── AlreadyEnded          already_ended       the run is over: nothing left to cancel
├── CannotRun             cannot_run          the run cannot even be started
│   ├── NoFramework       no_framework        nothing says how this project is tested
│   ├── ToolMissing       tool_missing        a program the run needs is not installed
│   └── SandboxUnavailable  sandbox_unavailable  the asked isolation cannot be had: fail closed
└── StateFault            state_fault         Proctor's own files cannot be read or written
    ├── StoreBusy         store_busy          the database stayed locked too long
    └── StoreDamaged      store_damaged       the database is corrupt: rebuild it from the journals
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import ClassVar


class ProctorError(Exception):
    """An error with a stable code, a message that says what is wrong and a hint that says what to do."""

    code: ClassVar[str] = "proctor_error"

    def __init__(self, message: str, *, hint: str = "", fields: Mapping[str, str] | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint
        self.fields = MappingProxyType(dict(fields or {}))


class BadRequest(ProctorError):
    """The caller asked for something that makes no sense."""

    code = "bad_request"


class BadConfig(BadRequest):
    """A configuration file has an unknown key or a bad value."""

    code = "bad_config"


class BadPageToken(BadRequest):
    """A page token that this list did not give out."""

    code = "bad_page_token"


class AmbiguousId(BadRequest):
    """A shortened id fits several runs."""

    code = "ambiguous_id"


class NotFound(ProctorError):
    """No run or test of that id is known."""

    code = "not_found"


class NoProject(NotFound):
    """The project directory does not exist."""

    code = "no_project"


class AlreadyEnded(ProctorError):
    """The run is over, so it cannot be cancelled."""

    code = "already_ended"


class CannotRun(ProctorError):
    """The run cannot be started."""

    code = "cannot_run"


class NoFramework(CannotRun):
    """Nothing says how this project is tested."""

    code = "no_framework"


class ToolMissing(CannotRun):
    """A program that the run needs is not installed."""

    code = "tool_missing"


class SandboxUnavailable(CannotRun):
    """The isolation that was asked for cannot be had here; nothing is run."""

    code = "sandbox_unavailable"


class StateFault(ProctorError):
    """Proctor's own files cannot be read or written."""

    code = "state_fault"


class StoreBusy(StateFault):
    """The database stayed locked for too long."""

    code = "store_busy"


class StoreDamaged(StateFault):
    """The database is corrupt."""

    code = "store_damaged"
