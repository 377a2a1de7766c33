"""Ids: a run id that sorts by time, and the identity a test keeps from run to run."""

import hashlib
import os
import re
import time

_ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"
_RUN_ID = re.compile(r"run-[0-9a-hjkmnp-tv-z]{15}\Z")


def new_run_id(now: float | None = None) -> str:
    """Return a fresh run id; ids made later sort after ids made earlier."""
    millis = int((time.time() if now is None else now) * 1000)
    number = (millis << 30) | (int.from_bytes(os.urandom(4), "big") >> 2)
    digits = []
    for _ in range(15):
        number, rest = divmod(number, 32)
        digits.append(_ALPHABET[rest])
    return "run-" + "".join(reversed(digits))


def is_run_id(text: str) -> bool:
    """Tell whether ``text`` has the exact form of a run id (so it is safe as a directory name)."""
    return _RUN_ID.match(text) is not None


def stable_test_id(project: str, framework: str, case_id: str) -> str:
    """Return the id under which one test is known over all its runs."""
    text = "\0".join((project, framework, case_id))
    return "test-" + hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]
