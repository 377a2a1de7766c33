"""Follows the journal of a run that another process writes."""

import time
from collections.abc import Iterator

from proctor.model.event import Event, RunEnded
from proctor.service.office import Office
from proctor.service.recovery import close_if_dead

_POLL = 0.1


def follow_events(office: Office, run_id: str) -> Iterator[Event]:
    """Yield every event from the start; end with the run. A run whose owner dies is closed on the way."""
    offset = 0
    while True:
        events, offset = office.journals.read_from(run_id, offset)
        for event in events:
            yield event
            if isinstance(event, RunEnded):
                return
        if not events:
            if not office.journals.is_owned(run_id):
                close_if_dead(office, office.row(run_id))
            time.sleep(_POLL)
