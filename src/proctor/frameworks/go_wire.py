"""The lines of `go test -json` and of the script around it, as types. Nothing else knows their form."""

import posixpath
import re
from typing import Final, Literal, get_args

import msgspec

LONGEST_LINE: Final = 64 * 1024 * 1024
TESTS_FOLLOW: Final = b"proctor-go tests\n"
NEXT: Final = "proctor-next"
END: Final = "proctor-end"

_FUNCTION = re.compile(r"(?P<file>.+?_test\.go):(?P<line>\d{1,9}):func (?P<name>\w+)")
_MODULE = re.compile(r"(?P<file>.*?)go\.mod:\d+:module\s+[\"`]?(?P<path>[^\s\"`]+)")
_UNBUILT = re.compile(rb"FAIL\t(\S+) \[(?:build|setup) failed\]\r?\n")


Action = Literal[
    "output", "run", "pass", "fail", "skip", "start", "pause", "cont", "bench", "attr", "artifacts",
    "build-output", "build-fail", "proctor-next", "proctor-end",
]  # fmt: skip
"""Known words cost no new text for each line, which is a quarter of the time to decode one."""


class GoEvent(msgspec.Struct, rename="pascal", gc=False):
    """One line. The last two fields are those of the script's own last line."""

    action: Action
    package: str = ""
    test: str = ""
    output: str = ""
    elapsed: float = 0.0
    failed_build: str = ""
    import_path: str = ""
    exit: int = -1
    size: int = -1


class _NewerEvent(msgspec.Struct, rename="pascal"):
    """A line of a version of Go that knows more actions; they say nothing about what passed."""

    action: str
    package: str


_decode_newer = msgspec.json.Decoder(_NewerEvent).decode
_DECODER = msgspec.json.Decoder(GoEvent)
decode = _DECODER.decode
decode_lines = _DECODER.decode_lines


def is_newer_event(line: bytes) -> bool:
    """Tell whether a line that is none of ours to read is an event all the same."""
    try:
        return _decode_newer(line).action not in get_args(Action)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return False


def unbuilt_package(line: bytes) -> str:
    """Return the package of the plain line by which Go before 1.24 tells of a failed build, else nothing."""
    found = _UNBUILT.fullmatch(line)
    return found[1].decode("utf-8", "replace") if found else ""


class Places:
    """Where the test functions stand, by package. Filled from the lines before the first event."""

    def __init__(self, root: str) -> None:
        self._root = root
        self._modules: dict[str, str] = {}
        self._functions: dict[str, dict[str, tuple[str, int]]] = {}

    def add(self, line: bytes) -> None:
        """Take one line; one of another form says nothing."""
        text = line.decode("utf-8", "replace").rstrip("\r\n")
        if found := _FUNCTION.match(text):
            file = posixpath.normpath(found["file"])
            functions = self._functions.setdefault(posixpath.dirname(file), {})
            functions[found["name"]] = (file, int(found["line"]))
        elif found := _MODULE.match(text):
            self._modules[found["path"]] = posixpath.normpath(found["file"] or ".")

    def directory(self, package: str) -> str:
        """Return a package's directory relative to the project, or a dot where it is not known."""
        module = package
        while module and module not in self._modules:
            module = module.rpartition("/")[0]
        if not module:
            return "."
        inside = package[len(module) + 1 :]
        place = posixpath.join(self._root, self._modules[module], inside)
        return posixpath.relpath(posixpath.normpath(place), self._root)

    def functions(self, package: str) -> dict[str, tuple[str, int]]:
        """Return file and line of each known test function of a package."""
        directory = self.directory(package)
        return self._functions.get("" if directory == "." else directory, {})
