"""Fixtures for single sandboxes."""

import os
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.conftest import Bench


@pytest.fixture
def ordinary_user(bench: "Bench") -> tuple[str, ...]:
    """Give the bench to an ordinary user; return what to put before a command line to run it as that user.

    It may look everywhere, because the interpreter can be in root's home; it has no other privilege, and no
    control groups.
    """
    if os.getuid() != 0:
        return ()
    for directory in (bench.project, bench.scratch, *bench.project.parents[:-2]):
        directory.chmod(0o755)
    for directory in (bench.project, bench.scratch):
        os.chown(directory, 65534, 65534)
    seeing = ("--inh-caps", "+dac_read_search", "--ambient-caps", "+dac_read_search")
    return ("setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups", *seeing)
