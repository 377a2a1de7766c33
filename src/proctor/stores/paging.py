"""Page tokens: where the next page begins, bound to the list that gave them out. Knows no SQL."""

import base64
import binascii
import hashlib

import msgspec

from proctor.model.errors import BadPageToken

Key = tuple[float, str]

DEFAULT_LIMIT = 100
MOST = 500


def make_token(key: Key, query: tuple[str, ...]) -> str:
    """Return the token of the page that follows ``key`` in the list of ``query``."""
    place = msgspec.json.encode(key)
    return base64.urlsafe_b64encode(_seal(place, query) + place).decode().rstrip("=")


def read_token(token: str, query: tuple[str, ...]) -> Key | None:
    """Return the place that a token stands for, None for the first page."""
    if not token:
        return None
    try:
        data = base64.b64decode(token + "=" * (-len(token) % 4), altchars=b"-_", validate=True)
    except (binascii.Error, ValueError):
        raise _bad() from None
    seal, place = data[:8], data[8:]
    if seal != _seal(place, query):
        raise _bad()
    key: Key = msgspec.json.decode(place, type=Key)
    return key


def _seal(place: bytes, query: tuple[str, ...]) -> bytes:
    text = "\0".join(("page-1", *query)).encode("utf-8", "surrogatepass")
    return hashlib.sha256(text + b"\0\0" + place).digest()[:8]


def _bad() -> BadPageToken:
    return BadPageToken(
        "the page token does not belong to this list",
        hint="pass next_page_token as it was given, with the same filters; leave it out for the first page",
    )
