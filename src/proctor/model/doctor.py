"""What a machine offers, and what to do about each gap."""

import msgspec


class Check(msgspec.Struct, frozen=True, kw_only=True):
    """One thing looked at. ``ok`` is None where it is only information."""

    area: str
    name: str
    ok: bool | None
    found: str
    advice: str = ""


class DoctorReport(msgspec.Struct, frozen=True, kw_only=True):
    """Everything that `proctor doctor` looked at."""

    checks: tuple[Check, ...]
