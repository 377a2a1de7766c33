"""Looks at what this machine offers: sandboxes, toolchains, and the state of Proctor's own files."""

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

from proctor.journal.journal import Journals
from proctor.model.doctor import Check, DoctorReport
from proctor.model.errors import ProctorError
from proctor.model.request import GIB
from proctor.ports import RunQuery
from proctor.service.home import settings_file
from proctor.service.implementations import all_frameworks, load_sandbox
from proctor.service.office import database_path, open_office

_TOOLS = {
    "python3": "apt-get install python3",
    "git": "apt-get install git",
    "node": "apt-get install nodejs",
    "go": "apt-get install golang",
    "cargo": "apt-get install cargo",
    "java": "apt-get install default-jdk",
    "mvn": "apt-get install maven",
    "cmake": "apt-get install cmake",
    "ruby": "apt-get install ruby",
    "php": "apt-get install php-cli",
}
_LITTLE_SPACE = GIB


def examine(home: Path) -> DoctorReport:
    """Return every check, each with what to do about it where there is a gap."""
    return DoctorReport(checks=(*_sandboxes(), *_toolchains(), *_state(home)))


def _sandboxes() -> Iterator[Check]:
    for name in ("bubblewrap", "landlock"):
        try:
            report = load_sandbox(name).probe()
        except ProctorError as error:
            yield Check(area="sandbox", name=name, ok=False, found=error.message, advice=error.hint)
            continue
        missing = ", ".join(report.unavailable)
        yield Check(
            area="sandbox",
            name=name,
            ok=True,
            found=f"enforces {', '.join(report.enforced)}",
            advice=f"not available here: {missing}" if missing else "",
        )


def _toolchains() -> Iterator[Check]:
    names = ", ".join(sorted(all_frameworks()))
    yield Check(area="frameworks", name="known", ok=True, found=names)
    for tool, advice in _TOOLS.items():
        path = shutil.which(tool)
        yield Check(
            area="toolchain",
            name=tool,
            ok=True if path else None,
            found=path or "not found",
            advice="" if path else f"only for projects that need it: {advice}",
        )


def _state(home: Path) -> Iterator[Check]:
    settings = settings_file(home)
    found = str(settings) if settings.exists() else f"none (would be {settings})"
    yield Check(area="state", name="user settings", ok=None, found=found)
    try:
        with open_office(home) as office:
            rows = office.store.runs(RunQuery(limit=1)).total_count
        journals = sum(1 for _ in Journals(home).run_ids())
    except ProctorError as error:
        yield Check(area="state", name="store", ok=False, found=error.message, advice=error.hint)
        return
    agree = rows == journals
    yield Check(
        area="state",
        name="store",
        ok=agree,
        found=f"{database_path(home)}: {rows} runs, {journals} journals",
        advice="" if agree else "`proctor doctor --rebuild` makes the database anew from the journals",
    )
    yield _permissions(home)
    yield _space(home)


def _permissions(home: Path) -> Check:
    mode = home.stat().st_mode & 0o777
    private = mode & 0o077 == 0
    advice = "" if private else f"chmod 700 {home}: other users can read what your tests print"
    return Check(area="state", name="permissions", ok=private, found=f"{home} is {mode:o}", advice=advice)


def _space(home: Path) -> Check:
    status = os.statvfs(home)
    free = status.f_bavail * status.f_frsize
    enough = free >= _LITTLE_SPACE
    return Check(
        area="state",
        name="disk space",
        ok=enough,
        found=f"{free / GIB:.1f} GiB free",
        advice="" if enough else "free some space: journals and outputs are kept here",
    )
