"""Runs one test binary, or rustdoc, with libtest's JSON report. Standard library only.

Its stdout leads to the launcher. The binary gets a pipe in its place, so that only lines which look like
libtest's go on; everything else that it prints goes to stderr.
"""

from __future__ import annotations

import binascii
import json
import mmap
import os
import resource
import select
import signal
import subprocess

from proctor_cargo_wishes import Wishes, read_wishes

REPORT = ["-Z", "unstable-options", "--format", "json", "--report-time", "--show-output"]
LIST = ["-Z", "unstable-options", "--format", "json", "--list"]
MARK = b'{ "type": "'
LIBTEST = b"library/test/src/"
"""Part of the paths in libtest's own panics: in every binary that holds libtest, also a stripped one."""
LONGEST = 16 * 1024 * 1024
Listed = tuple[str, str, int]


def tell(line: str, /, **fields: object) -> None:
    """Write one line of our own to the launcher."""
    write(1, json.dumps({"proctor": line, **fields}).encode() + b"\n")


def write(descriptor: int, data: bytes) -> None:
    """Write it all, or what can be written."""
    try:
        while data:
            data = data[os.write(descriptor, data) :]
    except OSError:
        pass


def run(argv: list[str]) -> int:
    """Run a test binary: the first argument is its path, the rest what cargo passes to it."""
    wishes = read_wishes(os.environ)
    section = Section(argv[0], "test" if is_libtest(argv[0]) else "plain")
    if section.kind == "plain":
        wanted = wishes.want(section.names, section.stem, "")
        tell(
            "listed", tests=[(section.stem, "", 0)] if wanted else [], deselected=0 if wanted else 1, base=""
        )
        return section.execute(argv) if wanted else section.nothing()
    call = [argv[0], *without_format(argv[1:])]
    tests = listed([*call, *LIST])
    chosen = section.choose(tests, wishes)
    if not chosen and tests:
        return section.nothing()
    exact = ["--exact", *(test[0] for test in chosen)] if len(chosen) < len(tests) else []
    return section.execute([*call, *REPORT, *exact])


def document(arguments: list[str]) -> int:
    """Run rustdoc. What is no test run is left alone."""
    rustdoc = real_rustdoc()
    if "--test" not in arguments:
        os.execvp(rustdoc, [rustdoc, *arguments])  # noqa: S606
    wishes = read_wishes(os.environ)
    section = Section("rustdoc", "doc")
    call = [rustdoc, *for_rustdoc(arguments)]
    if wishes.wants_all:
        return section.execute([*call, *as_test_args(REPORT)])
    tests = listed([*call, *as_test_args(LIST)])
    chosen = section.choose(tests, wishes)
    if not chosen:
        return section.nothing()
    words = tell_apart([test[0] for test in chosen], [test[0] for test in tests])
    return section.execute([*call, *as_test_args([*REPORT, *words])])


class Section:
    """The part of the report that is about one test binary."""

    def __init__(self, path: str, kind: str) -> None:
        self.path, self.kind = path, kind
        package = os.environ.get("CARGO_PKG_NAME", "")
        directory = os.environ.get("CARGO_MANIFEST_DIR", "")
        self.lines = self.crc = 0
        stem = self.stem = os.path.basename(path).rpartition("-")[0] or os.path.basename(path)
        # Which kind of target it is, cargo tells Proctor, not us: so any of the names that it may go by.
        names = ("lib", stem, f"bin/{stem}", f"test/{stem}", f"example/{stem}", f"bench/{stem}")
        self.names = [f"{package}::{name}" for name in (names if kind != "doc" else ("doc",))]
        tell("begin", kind=kind, path=path, package=package, directory=directory)

    def choose(self, tests: list[Listed], wishes: Wishes) -> list[Listed]:
        """Return the tests that are wanted, and say which they are."""
        base = base_of(tests)
        chosen = [
            (name, file, line)
            for name, file, line in tests
            if wishes.want([f"{known}::{name}" for known in self.names], name, os.path.join(base, file))
        ]
        tell("listed", tests=chosen, deselected=len(tests) - len(chosen), base=base)
        return chosen

    def nothing(self) -> int:
        """End without running anything, because nothing of it is wanted."""
        tell("end", path=self.path, code=0, signal=0, lines=0, crc=0, run=False)
        return 0

    def execute(self, argv: list[str]) -> int:
        """Run the binary to its end and say how it ended."""
        environment = {key: value for key, value in os.environ.items() if not key.startswith("PROCTOR_")}
        if self.kind != "plain":
            # libtest asks only whether it is set; to the compiler this value means nothing.
            environment.setdefault("RUSTC_BOOTSTRAP", "0")
        try:
            process = subprocess.Popen(argv, stdout=subprocess.PIPE, env=environment)
        except OSError as error:
            tell("problem", kind="setup", message=f"{self.path} could not be started: {error}")
            return 127
        assert process.stdout is not None
        self.pump(process.stdout.fileno(), process.pid)
        code = process.wait()
        fate = {"code": max(code, 0), "signal": max(-code, 0)}
        tell("end", path=self.path, lines=self.lines, crc=self.crc, run=True, **fate)
        if code < 0:
            die_of(-code)
        return code

    def pump(self, source: int, pid: int) -> None:
        """Pass on what it prints until it is gone: a child that it left behind may hold the pipe open."""
        gone = os.pidfd_open(pid)
        watched = select.poll()
        watched.register(source, select.POLLIN)
        watched.register(gone, select.POLLIN)
        os.set_blocking(source, False)
        rest = b""
        data: bytes | None = None
        while data != b"":
            ended = gone in (descriptor for descriptor, _ in watched.poll())
            data = read(source)
            if data is None and ended:
                break
            rest = self.lines_of(rest + (data or b""))
        self.lines_of(rest + b"\n" if rest else b"", torn=True)
        os.close(gone)

    def lines_of(self, data: bytes, torn: bool = False) -> bytes:
        """Pass on whole lines, libtest's to the launcher and the others to stderr; return what is left."""
        *lines, rest = data.split(b"\n")
        reports = []
        for line in lines:
            place = line.find(MARK)
            if place != 0:
                write(2, (line if place < 0 else line[:place]) + b"\n")
            if place >= 0:
                reports.append(line[place:])
        if reports and not torn:
            report = b"\n".join(reports) + b"\n"
            self.lines += len(reports)
            self.crc = binascii.crc32(report, self.crc)
            write(1, report)
        return rest if len(rest) <= LONGEST else b""


def read(source: int) -> bytes | None:
    """Return what is there, empty at the end of the file, None when there is nothing now."""
    try:
        return os.read(source, 1 << 18)
    except BlockingIOError:
        return None


def die_of(number: int) -> None:
    """Die as the binary did, so that cargo says so; one core dump is enough."""
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    signal.signal(number, signal.SIG_DFL) if number not in (signal.SIGKILL, signal.SIGSTOP) else None
    os.kill(os.getpid(), number)


def is_libtest(binary: str) -> bool:
    """Tell whether a binary has the standard harness. It may lack it only where the manifest says so."""
    try:
        with open(os.path.join(os.environ["CARGO_MANIFEST_DIR"], "Cargo.toml"), "rb") as manifest:
            if b"harness" not in manifest.read():
                return True
    except (KeyError, OSError):
        pass
    with open(binary, "rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content:
        return content.find(LIBTEST) >= 0


def listed(argv: list[str]) -> list[Listed]:
    """Return the tests of a binary with file and line, or nothing from a libtest that cannot tell them."""
    environment = {**os.environ, "RUSTC_BOOTSTRAP": os.environ.get("RUSTC_BOOTSTRAP", "0")}
    called = subprocess.run(argv, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=environment)
    tests: list[Listed] = []
    for line in called.stdout.splitlines():
        if line.startswith(MARK) and b'"event": "discovered"' in line:
            try:
                test = json.loads(line)
                tests.append((test["name"], test["source_path"], test["start_line"]))
            except (ValueError, KeyError):
                continue
    return tests


def base_of(tests: list[Listed]) -> str:
    """Return the directory that the files of tests are relative to: the package's, or one above it."""
    directory = os.environ.get("CARGO_MANIFEST_DIR", "")
    if not tests or not directory:
        return directory
    base = directory
    while not os.path.exists(os.path.join(base, tests[0][1])):
        if base == os.path.dirname(base):
            return directory
        base = os.path.dirname(base)
    return base


def without_format(arguments: list[str]) -> list[str]:
    """Leave out what would change the form of the report."""
    kept: list[str] = []
    dropped = ("-q", "--quiet", "--format", "--report-time", "--show-output", "-Z", "-Zunstable-options")
    before = ""
    for argument in arguments:
        name = argument.partition("=")[0]
        if name not in dropped and before not in ("--format", "-Z"):
            kept.append(argument)
        before = argument
    return kept


def for_rustdoc(arguments: list[str]) -> list[str]:
    """Return what cargo tells rustdoc, without our runner, and with readable errors."""
    kept: list[str] = []
    words = iter(arguments)
    test_arguments: list[str] = []
    for word in words:
        if word in ("--test-runtool", "--test-runtool-arg"):
            next(words, "")
        elif word == "--test-args":
            test_arguments += next(words, "").split()
        elif word == "--error-format":
            next(words, "")
        else:
            kept.append(word)
    return [*kept, *as_test_args(without_format(test_arguments))]


def real_rustdoc() -> str:
    """Return the rustdoc that cargo would have taken."""
    beside = os.path.join(os.path.dirname(os.environ.get("CARGO", "")), "rustdoc")
    return os.environ.get("PROCTOR_RUSTDOC") or (beside if os.path.exists(beside) else "rustdoc")


def as_test_args(arguments: list[str]) -> list[str]:
    """Return arguments of libtest as rustdoc takes them."""
    return [f"--test-args={argument}" for argument in arguments]


def tell_apart(chosen: list[str], tests: list[str]) -> list[str]:
    """Return filters that pick some of rustdoc's tests: it takes no words with spaces, so names do not do.

    What words cannot tell apart is run as well.
    """
    filters = {min(name.split(), key=lambda word: sum(word in test for test in tests)) for name in chosen}
    words = sorted(filters)
    for name in tests:
        if name not in chosen and any(word in name for word in filters):
            apart = [word for word in name.split() if not any(word in other for other in chosen)]
            words += [f"--skip={apart[0]}"] if apart else []
    return words
