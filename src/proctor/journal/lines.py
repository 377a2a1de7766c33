"""Events as lines of JSON and back. Knows the form of a line, not the file that it is in."""

import time
from collections.abc import Sequence
from functools import cache

import msgspec

from proctor.model.event import Event, ProblemFound


def stamped(events: Sequence[Event]) -> tuple[Event, ...]:
    """Return the events, each with the time that it has, or else with the present time."""
    now = time.time()
    return tuple(event if event.at else msgspec.structs.replace(event, at=now) for event in events)


def encode(events: Sequence[Event]) -> bytes:
    """Return one line of JSON for each event, each with its end of line."""
    try:
        return _encoder().encode_lines(events)
    except UnicodeEncodeError:
        return _encoder().encode_lines([_without_surrogates(msgspec.to_builtins(event)) for event in events])


def decode(line: bytes, offset: int) -> Event:
    """Return the event of one whole line; a line that says nothing readable is a problem of the run."""
    try:
        return _decoder().decode(line)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        return ProblemFound(
            kind="report",
            message=f"the journal of this run is damaged at byte {offset}: a line of {len(line)} bytes"
            f" cannot be read ({error})",
        )


@cache
def _encoder() -> msgspec.json.Encoder:
    return msgspec.json.Encoder()


@cache
def _decoder() -> msgspec.json.Decoder[Event]:
    return msgspec.json.Decoder(Event)


def _without_surrogates(value: object) -> object:
    """A file name that is not UTF-8 comes as lone surrogates, which JSON cannot hold: show them escaped."""
    match value:
        case str():
            return value.encode("utf-8", "backslashreplace").decode()
        case dict():
            return {_without_surrogates(key): _without_surrogates(item) for key, item in value.items()}
        case list() | tuple():
            return [_without_surrogates(item) for item in value]
        case _:
            return value
