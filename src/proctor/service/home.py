"""Where Proctor keeps its state, and where the user-wide settings lie."""

import os
from collections.abc import Mapping
from pathlib import Path


def find_home(environment: Mapping[str, str] = os.environ) -> Path:
    """Return the directory of all state: $PROCTOR_HOME, else the user's state directory."""
    named = environment.get("PROCTOR_HOME")
    if named:
        return Path(named).expanduser().absolute()
    state = environment.get("XDG_STATE_HOME") or os.path.join(os.path.expanduser("~"), ".local", "state")
    return Path(state) / "proctor"


def settings_file(home: Path, environment: Mapping[str, str] = os.environ) -> Path:
    """Return the user-wide settings: in $PROCTOR_HOME if that is set, else in the user's configuration."""
    if environment.get("PROCTOR_HOME"):
        return home / "testing.yaml"
    config = environment.get("XDG_CONFIG_HOME") or os.path.join(os.path.expanduser("~"), ".config")
    return Path(config) / "proctor" / "testing.yaml"
