"""Events as lines of JSON on stdout, as they happen."""

from typing import Self

from proctor.frontends.cli import console
from proctor.frontends.cli.encode import event_line
from proctor.model.event import Event


class EventStream:
    """Writes every event; ``read`` turns false when nobody reads any more."""

    def __init__(self) -> None:
        self.read = True

    def __call__(self, run_id: str, event: Event) -> None:
        """Write one event."""
        self.read = console.emit(event_line(event)) and self.read

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *reason: object) -> None:
        return None
