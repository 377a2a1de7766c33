"""Runs pytest in the project's own interpreter and reports to Proctor, of which it imports nothing.

Called as ``python proctor_pytest.py [--proctor-X=VALUE ...] <pytest arguments>``. It and its neighbours need
Python 3.8, pytest 6.0 and the standard library; this file must still compile on Python 3.6, to say so.
"""

import binascii
import json
import os
import sys
from importlib.machinery import ModuleSpec
from typing import Any, List, Set

VERSION = ".".join(map(str, sys.version_info[:3]))
HERE = os.path.dirname(os.path.abspath(__file__))
SKIPPED_DIRS = frozenset({".git", ".hg", ".tox", ".nox", "node_modules", "site-packages", "__pycache__"})
MOST_DIRS = 20000


class Wishes:
    """Our own options, taken out of the command line before pytest sees it."""

    def __init__(self, arguments: List[str]) -> None:
        self.arguments: List[str] = []
        self.parallel = 0
        self.tests: List[str] = []
        self.match: List[str] = []
        self.exclude: List[str] = []
        packed = ""
        lists = {
            "--proctor-test": self.tests,
            "--proctor-match": self.match,
            "--proctor-exclude": self.exclude,
        }
        for argument in arguments:
            key, _, value = argument.partition("=")
            if key == "--proctor-parallel":
                self.parallel = int(value)
            elif key == "--proctor-packed-tests":
                packed += value
            elif key in lists:
                lists[key].append(value)
            else:
                self.arguments.append(argument)
        if packed:
            import zlib

            self.tests += json.loads(zlib.decompress(binascii.a2b_base64(packed)))
        self.arguments += sorted({file_of(test) for test in self.tests})


def file_of(test: str) -> str:
    """Return the file of a test id. Ids count from pytest's rootdir, which may lie above the project."""
    path, here = test.partition("::")[0], os.getcwd()
    folder = here
    while not os.path.exists(os.path.join(folder, path)) and folder != "/":
        folder = os.path.dirname(folder)
    return path if folder in ("/", here) else os.path.join(folder, path)


def import_pytest(channel: Any) -> Any:
    """Import pytest from where it is installed, not from files that the project put in its way."""
    full = [path for path in sys.path if path != HERE]
    added = [os.path.abspath(path) for path in os.environ.get("PYTHONPATH", "").split(os.pathsep) if path]
    clean_path = [path for path in full if path and os.path.abspath(path) not in added]
    failure = None
    for path in (clean_path, full):
        sys.path[:] = path
        try:
            import pytest
        except Exception as error:
            failure = error
            continue
        if int(pytest.__version__.split(".")[0]) < 6:
            lacking(channel, f"has pytest {pytest.__version__}, and 6.0 or newer is needed")
        return pytest
    return lacking(channel, f"cannot import pytest: {type(failure).__name__}: {failure}")


def lacking(channel: Any, what: str) -> None:
    """Say that this interpreter cannot run the tests, and end."""
    message = f"{sys.executable} {what}"
    channel.problem("missing_tool", message, fatal=True)
    sys.exit(f"proctor: {message}")


def refuse_old_python() -> None:
    """Say that this Python is too old even for our other files, and end."""
    message = f"{sys.executable} is Python {VERSION}, and 3.8 or newer is needed"
    problem = {"n": 0, "e": "problem", "kind": "missing_tool", "message": message, "fatal": True}
    if "PROCTOR_CHANNEL" in os.environ:
        os.write(int(os.environ["PROCTOR_CHANNEL"]), json.dumps(problem).encode() + b"\n")
    sys.exit(f"proctor: {message}")


def set_path() -> None:
    """Make sys.path what ``python -m pytest`` makes it. Our directory goes last, for the workers of xdist."""
    if not getattr(sys.flags, "safe_path", False):
        sys.path.insert(0, os.getcwd())
    sys.path.append(HERE)


def drop_stale_bytecode(root: str) -> None:
    """Remove compiled files that may be older than their source: Python compares only seconds and sizes.

    Where one cannot be removed (a read-only tree), no compiled file is used at all.
    """
    for number, (folder, folders, files) in enumerate(os.walk(root)):
        if number > MOST_DIRS:
            return
        folders[:] = [name for name in folders if name not in SKIPPED_DIRS]
        folders[:] = [
            name for name in folders if not os.path.exists(os.path.join(folder, name, "pyvenv.cfg"))
        ]
        prefix = sys.pycache_prefix
        cache = os.path.join(prefix, folder.lstrip("/")) if prefix else os.path.join(folder, "__pycache__")
        sources = {name[:-3] for name in files if name.endswith(".py")}
        if sources and os.path.isdir(cache) and not drop_stale_in(folder, cache, sources):
            os.environ["PYTHONPYCACHEPREFIX"] = sys.pycache_prefix = os.path.join(root, ".no-such-cache")
            os.environ["PYTHONDONTWRITEBYTECODE"] = "1"
            sys.dont_write_bytecode = True
            return


def drop_stale_in(folder: str, cache: str, sources: Set[str]) -> bool:
    """Clear one cache directory; tell whether that was possible."""
    for name in os.listdir(cache):
        module = name.rpartition(f".{sys.implementation.cache_tag}")[0]
        if module not in sources:
            continue
        try:
            source = os.stat(os.path.join(folder, f"{module}.py"))
            # The time of the last change of the file's record cannot be set back, as that of its text can.
            edited = max(source.st_mtime_ns, source.st_ctime_ns)
            if os.stat(os.path.join(cache, name)).st_mtime_ns <= edited:
                os.remove(os.path.join(cache, name))
        except FileNotFoundError:
            pass
        except OSError:
            return False
    return True


def main() -> int:
    """Run pytest and return its exit code."""
    if sys.version_info < (3, 8):  # noqa: UP036
        refuse_old_python()
    from proctor_pytest_channel import open_channel

    channel = open_channel()
    pytest = import_pytest(channel)
    channel.event("header", format=1, pytest=pytest.__version__, python=VERSION, executable=sys.executable)
    drop_stale_bytecode(os.getcwd())
    sys.path.append(HERE)
    from proctor_pytest_beside import told
    from proctor_pytest_events import Reporter

    sys.path.pop()
    set_path()
    wishes = Wishes(sys.argv[1:])
    sys.argv[:] = [os.path.join(os.path.dirname(pytest.__file__), "__main__.py"), *wishes.arguments]
    sys.modules["__main__"].__spec__ = ModuleSpec("pytest.__main__", None)  # what multiprocessing passes on
    reporter = Reporter(channel, wishes)
    try:
        code = int(pytest.main(["-p", "proctor_pytest_beside", *wishes.arguments], plugins=[reporter]))
    except BaseException as error:
        channel.event("problem", fatal=True, **told(error))
        raise
    reporter.finish(code)
    return code


if __name__ == "__main__":
    sys.exit(main())
