"""From a request to a plan: finds the project, reads its settings, picks the framework."""

import os
from dataclasses import dataclass
from pathlib import Path

from msgspec.structs import replace

from proctor.model.errors import BadConfig, NoFramework
from proctor.model.plan import Plan
from proctor.model.request import TestRequest
from proctor.planning.config import parse_settings
from proctor.planning.plan import make_plan
from proctor.planning.settings import Settings, merge
from proctor.ports import Framework, ProjectView
from proctor.service.home import settings_file
from proctor.service.implementations import all_frameworks, frameworks
from proctor.service.places import on_this_disk
from proctor.service.project import DiskView, head_of, identity, locate

PROJECT_SETTINGS = ".proctor/testing.yaml"
_MOST_BYTES = 1 << 20
_UNREADABLE = "make it readable; if it lies in a PROCTOR_HOME that is not yours, choose another"


@dataclass(frozen=True)
class Prepared:
    """A planned run with what its execution needs."""

    request: TestRequest
    plan: Plan
    framework: Framework
    view: ProjectView
    settings: Settings
    notes: tuple[str, ...]
    commit: str
    branch: str


def prepare(request: TestRequest, home: Path) -> Prepared:
    """Plan a request against the project as it is on disk now."""
    root, tests = locate(request.project_path, whole=bool(request.test_command))
    request = replace(request, project_path=str(root), tests=(*tests, *request.tests))
    view = DiskView(root, os.environ)
    settings = read_settings(root, home)
    plan, framework, notes = _plan(request, settings, view, home, identity(root))
    plan = replace(plan, policy=on_this_disk(plan.policy, plan.command.argv[0]))
    commit, branch = head_of(root)
    return Prepared(request, plan, framework, view, settings, notes, commit, branch)


def read_settings(root: Path, home: Path) -> Settings:
    """Return the user-wide settings with those of the project laid over them."""
    user = _read(settings_file(home), user_wide=True)
    project = _read(root / PROJECT_SETTINGS, user_wide=False)
    return merge(user, project)


def _plan(
    request: TestRequest, settings: Settings, view: ProjectView, home: Path, project: str
) -> tuple[Plan, Framework, tuple[str, ...]]:
    known = frameworks()
    wanted = request.framework or settings.framework
    if wanted and wanted not in known:
        known = all_frameworks()
    places = {"home_dir": os.path.expanduser("~"), "proctor_home": str(home), "project": project}
    try:
        plan, notes = make_plan(request, settings, view, known, **places)
    except NoFramework:
        known = all_frameworks()
        plan, notes = make_plan(request, settings, view, known, **places)
    return plan, known[plan.framework], notes


def _read(path: Path, *, user_wide: bool) -> Settings:
    try:
        with path.open("rb") as file:
            data = file.read(_MOST_BYTES + 1)
    except (FileNotFoundError, NotADirectoryError):
        return Settings()
    except OSError as error:
        raise BadConfig(f"cannot read {path}: {error.strerror}", hint=_UNREADABLE) from error
    if len(data) > _MOST_BYTES:
        raise BadConfig(f"{path} is larger than 1 MiB", hint="settings are a few lines")
    return parse_settings(data.decode("utf-8", "replace"), str(path), user_wide=user_wide)
