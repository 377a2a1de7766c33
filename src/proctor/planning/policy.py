"""Where a run may reach and how much it may take. Names paths; knows nothing of how they are enforced."""

import math
import posixpath

from proctor.model.errors import BadRequest
from proctor.model.plan import Limits, Policy
from proctor.model.request import (
    DEFAULT_CPUS,
    DEFAULT_MEMORY,
    DEFAULT_TIMEOUT,
    MAX_TIMEOUT,
    SANDBOX_MODES,
    TestRequest,
)
from proctor.planning.paths import is_within
from proctor.planning.secrets import secrets
from proctor.planning.settings import Settings
from proctor.planning.values import DURATION_HINT, SIZE_HINT, format_duration, format_size
from proctor.ports import ProjectView

_OBEYED_LATER: dict[str, str] = {
    ".git": "git runs hooks, filters and aliases found here; in a worktree the file says where they are",
    ".hg": "hooks and extensions of Mercurial",
    ".jj": "settings of Jujutsu",
    ".venv": "pyvenv.cfg, *.pth and sitecustomize.py run at every start of its Python",
    "venv": "the same, under its other usual name",
    ".envrc": "direnv runs it on entering the directory",
    ".direnv": "what direnv made of it",
    ".vscode": "tasks and interpreters that the editor starts",
    ".idea": "run configurations and start-up tasks",
    ".zed": "tasks and language servers that the editor starts",
    ".devcontainer": "commands that run when the container is made",
    ".claude": "settings, hooks and permissions of a coding agent",
    ".codex": "settings of a coding agent",
    ".gemini": "settings of a coding agent",
    ".cursor": "rules and servers of a coding agent",
    ".windsurf": "rules of a coding agent",
    ".continue": "settings of a coding agent",
    ".roo": "rules and servers of a coding agent",
    ".aider.conf.yml": "commands of a coding agent",
    ".mcp.json": "servers that a coding agent starts",
    ".cursorrules": "instructions to a coding agent",
    ".windsurfrules": "instructions to a coding agent",
    "CLAUDE.md": "instructions to a coding agent",
    "AGENTS.md": "instructions to a coding agent",
    "GEMINI.md": "instructions to a coding agent",
    ".github": "instructions to a coding agent, and what the next push runs with secrets",
    ".pre-commit-config.yaml": "commands that run at the next commit",
    ".husky": "commands that run at the next commit",
    "lefthook.yml": "commands that run at the next commit",
    ".proctor": "how the next run is made",
}
"""What the host executes or obeys later, without anybody looking: read-only, each with its reason.

The project's own source (`conftest.py`, `Makefile`, `package.json`, `node_modules`) cannot be in the list:
tests and builds write there. Whoever runs these outside a sandbox after a hostile run, runs what it left.
"""
LEAST_MEMORY = 8 * 1024 * 1024
"""Below this the sandbox itself cannot start."""
_STARTED_AT_LOGIN = (
    ".bashrc", ".bash_profile", ".bash_login", ".bash_logout", ".profile", ".zshrc", ".zshenv", ".zprofile",
    ".config", ".local/bin", ".local/lib", ".local/share/systemd", ".gitconfig", ".inputrc", ".vimrc",
    ".emacs.d",
)  # fmt: skip
_ENVIRONMENTS = ("VIRTUAL_ENV", "UV_PROJECT_ENVIRONMENT", "CONDA_PREFIX")


def protected(root: str) -> tuple[str, ...]:
    """Return the places inside a project that a run may read but not change."""
    return tuple(posixpath.join(root, name) for name in _OBEYED_LATER)


def make_policy(
    request: TestRequest, settings: Settings, view: ProjectView, *, home_dir: str, proctor_home: str
) -> Policy:
    """Return where the run may reach: all may be read but secrets, the project alone may be written."""
    root, box = view.root, settings.sandbox
    if root == "/":
        raise BadRequest("the whole machine cannot be a project", hint="name the project's own directory")
    readonly = [*protected(root), *_inner_environments(view)]
    if is_within(home_dir, root):
        readonly += [posixpath.join(home_dir, name) for name in _STARTED_AT_LOGIN]
    writable = _unique(root, *_resolved(box.writable, root, home_dir))
    named = secrets(home_dir, view.environment)
    wanted = request.allow_network if request.allow_network is not None else box.allow_network
    return Policy(
        network=bool(wanted),
        writable=writable,
        readonly=_unique(
            *(path for path in readonly if path not in writable),
            *_resolved(box.readonly, root, home_dir),
        ),
        hidden=_unique(
            *(path for path in named if not _in_project(path, root, home_dir)),
            proctor_home,
            *_resolved(box.hidden, root, home_dir),
        ),
    )


def choose_sandbox(request: TestRequest, settings: Settings) -> str:
    """Return the kind of sandbox: as asked, else as configured, else the best that the machine offers."""
    if request.sandbox:
        if request.sandbox not in SANDBOX_MODES:
            raise BadRequest(
                f"unknown sandbox {request.sandbox[:80]!r}", hint=f"choose one of: {', '.join(SANDBOX_MODES)}"
            )
        return request.sandbox
    if settings.sandbox.enabled is False:
        return "off"
    return settings.sandbox.mode or "auto"


def make_limits(request: TestRequest, settings: Settings) -> tuple[Limits, tuple[str, ...]]:
    """Return what the run may take, and notes about wishes that were cut to what is allowed."""
    box = settings.sandbox
    _check_wishes(request)
    timeout, notes = _timeout(request, settings)
    limits = Limits(
        timeout=timeout,
        memory=request.max_memory or box.max_memory or DEFAULT_MEMORY,
        cpus=request.max_cpu or box.max_cpu or DEFAULT_CPUS,
        processes=box.max_processes or Limits().processes,
    )
    return limits, notes


def _timeout(request: TestRequest, settings: Settings) -> tuple[float, tuple[str, ...]]:
    configured = settings.timeout or DEFAULT_TIMEOUT
    # A project that configures a longer time than our default cap has thereby set its own.
    most = settings.max_timeout or max(MAX_TIMEOUT, configured)
    asked = request.timeout or configured
    if asked <= most:
        return asked, ()
    if request.timeout is None:
        return most, ()
    note = (
        f"the time limit is {format_duration(most)}, not {format_duration(asked)}: max_timeout allows no more"
    )
    return most, (note,)


def _check_wishes(request: TestRequest) -> None:
    if request.timeout is not None and not _above_zero(request.timeout):
        raise BadRequest("the timeout must be above zero", hint=DURATION_HINT)
    if request.max_memory is not None and not _above_zero(request.max_memory):
        raise BadRequest("the memory limit must be above zero", hint=SIZE_HINT)
    if request.max_memory is not None and request.max_memory < LEAST_MEMORY:
        raise BadRequest(
            f"with {format_size(request.max_memory)} of memory nothing can be started",
            hint=f"{SIZE_HINT}; the least is {format_size(LEAST_MEMORY)}",
        )
    if request.max_cpu is not None and not _above_zero(request.max_cpu):
        raise BadRequest("the number of processors must be above zero", hint="write 2 or 0.5")


def _above_zero(number: float) -> bool:
    return math.isfinite(number) and number > 0


def _inner_environments(view: ProjectView) -> list[str]:
    values = (view.environment.get(name, "") for name in _ENVIRONMENTS)
    paths = (posixpath.normpath(posixpath.join(view.root, value)) for value in values if value)
    return [path for path in paths if is_within(path, view.root) and path != view.root]


def _in_project(path: str, root: str, home_dir: str) -> bool:
    """Variables may point to made-up credentials among a project's own files; a home is no such project."""
    return is_within(path, root) and not is_within(home_dir, root)


def _resolved(paths: tuple[str, ...], root: str, home_dir: str) -> list[str]:
    places = (home_dir + path[1:] if path == "~" or path.startswith("~/") else path for path in paths)
    return [posixpath.normpath(posixpath.join(root, place)) for place in places]


def _unique(*paths: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(path for path in paths if path))
