"""Which interpreter a Python project uses. Pure: asks the project's view, starts nothing."""

import base64
import hashlib
import posixpath
import re
from collections.abc import Iterator

from proctor.ports import ProjectView


def interpreter(project: ProjectView) -> str:
    """Return the path of the project's own Python, or ``python3`` when nothing names one."""
    for candidate in _candidates(project):
        if project.exists(candidate):
            return posixpath.join(project.root, candidate)
    return "python3"


def _candidates(project: ProjectView) -> Iterator[str]:
    """Possible interpreters: what lies in the project before what the caller happens to use."""
    environment = project.environment
    for folder in (environment.get("UV_PROJECT_ENVIRONMENT", ""), ".venv", "venv", "env"):
        if folder and (folder[0] == "/" or project.exists(posixpath.join(folder, "pyvenv.cfg"))):
            yield posixpath.join(folder, "bin/python")
    yield from _pdm(project)
    for folder in (*_poetry(project), *_pipenv(project)):
        yield posixpath.join(folder, "bin/python")
    for name in ("VIRTUAL_ENV", "CONDA_PREFIX"):
        if environment.get(name):
            yield posixpath.join(environment[name], "bin/python")
    for folder in environment.get("PATH", "").split(":"):
        for name in ("python3", "python"):
            if folder.startswith("/"):
                yield posixpath.join(folder, name)


def _pdm(project: ProjectView) -> Iterator[str]:
    if project.exists(".pdm-python"):
        yield project.read_text(".pdm-python").strip()


def _poetry(project: ProjectView) -> tuple[str, ...]:
    """Poetry's environment: NAME-HASH-pyX.Y in its cache, the hash being of the project's path."""
    if not project.exists("poetry.lock") and "[tool.poetry" not in _text(project, "pyproject.toml"):
        return ()
    name = re.search(r"^name\s*=\s*[\"']([^\"']+)", _text(project, "pyproject.toml"), re.MULTILINE)
    if name is None:
        return ()
    normal = re.sub(r"[-_.]+", "-", name.group(1)).lower()
    safe = re.sub(r'[ $`!*@"\\\r\n\t]', "_", normal)[:42]
    cache = project.environment.get("POETRY_CACHE_DIR") or _cache(project, "pypoetry")
    base = project.environment.get("POETRY_VIRTUALENVS_PATH") or posixpath.join(cache, "virtualenvs")
    stem = f"{base}/{safe}-{_path_hash(project.root)}-py3"
    return tuple(f"{stem}.{minor}" for minor in range(30, 5, -1))


def _pipenv(project: ProjectView) -> tuple[str, ...]:
    """Pipenv's environment: NAME-HASH in its data directory, the hash being of the Pipfile's path."""
    if not project.exists("Pipfile"):
        return ()
    name = re.sub(r'[ $`!*@"()\[\]\\\r\n\t]', "_", posixpath.basename(project.root))[:42]
    home = project.environment.get("HOME", "")
    data = project.environment.get("XDG_DATA_HOME") or f"{home}/.local/share"
    base = project.environment.get("WORKON_HOME") or f"{data}/virtualenvs"
    return (f"{base}/{name}-{_path_hash(posixpath.join(project.root, 'Pipfile'))}",)


def _path_hash(path: str) -> str:
    digest = hashlib.sha256(path.encode("utf-8", "surrogateescape")).digest()
    return base64.urlsafe_b64encode(digest).decode()[:8]


def _cache(project: ProjectView, name: str) -> str:
    home = project.environment.get("HOME", "")
    return posixpath.join(project.environment.get("XDG_CACHE_HOME") or f"{home}/.cache", name)


def _text(project: ProjectView, path: str) -> str:
    return project.read_text(path) if project.exists(path) else ""
