"""How fast reports are read, in how much memory: `go test -json` against gotestsum, JUnit against a tree.

Rivals are interleaved in one run, each in a process of its own that gets the same bytes through a pipe;
medians and ratios are printed. gotestsum is installed into `.cache` if it is not there. `--quick` takes
fewer rounds.
"""

import argparse
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple
from xml.etree import ElementTree

from proctor.formats.junit import JunitReader
from proctor.frameworks.go_reader import GoReader
from proctor.model.event import ProcessEnded, RunEnded
from proctor.model.fold import Fold
from proctor.model.verdict import judge

CACHE = Path(__file__).parent.parent / ".cache" / "go"
GOTESTSUM = CACHE / "bin" / "gotestsum"
CHUNK = 1 << 20
EVENTS = 1_000_000
CASES = 100_000
_TIME = '"Time":"2026-01-01T00:00:00.000000000Z"'


class Measure(NamedTuple):
    """What one process took."""

    seconds: float
    mebibytes: float


def go_lines(events: int, failing: int = 1000) -> Iterator[str]:
    """Yield a stream as `go test -json` writes it: four lines a test, every ``failing``-th with a failure."""
    count = number = 0
    while count < events - 6:
        package = f'"Package":"example.com/shop/package{number // 1000}"'
        if number % 1000 == 0:
            yield f'{{{_TIME},"Action":"start",{package}}}\n'
            count += 1
        test = f"TestNumber{number}"
        head = f'{package},"Test":"{test}"'
        word = "fail" if number % failing == failing - 1 else "pass"
        yield f'{{{_TIME},"Action":"run",{head}}}\n'
        yield f'{{{_TIME},"Action":"output",{head},"Output":"=== RUN   {test}\\n"}}\n'
        if word == "fail":
            yield f'{{{_TIME},"Action":"output",{head},"Output":"    shop_test.go:7: got 1, want 2\\n"}}\n'
        yield f'{{{_TIME},"Action":"output",{head},"Output":"--- {word.upper()}: {test} (0.00s)\\n"}}\n'
        yield f'{{{_TIME},"Action":"{word}",{head},"Elapsed":0}}\n'
        count += 5 if word == "fail" else 4
        number += 1
        if number % 1000 == 0 or count >= events - 6:
            yield f'{{{_TIME},"Action":"output",{package},"Output":"FAIL\\n"}}\n'
            yield f'{{{_TIME},"Action":"fail",{package},"Elapsed":0.1}}\n'
            count += 2


def junit_lines(cases: int) -> Iterator[str]:
    """Yield a JUnit report of one suite."""
    yield f'<?xml version="1.0"?>\n<testsuites><testsuite name="shop" tests="{cases}" failures="0">\n'
    for number in range(cases):
        yield f'<testcase classname="shop.Cart" name="test_{number}" time="0.001" file="cart.py" line="7"/>\n'
    yield "</testsuite></testsuites>\n"


def read_go(fold: bool) -> None:
    """Read a stream from stdin to its end; with ``fold``, as a run does, else the reader alone."""
    reader = GoReader("/project", 1)
    state = Fold(keep_all=False)
    take: Callable[[object], object] = state.apply_all if fold else len  # type: ignore[assignment]
    while data := os.read(0, CHUNK):
        take(reader.feed("channel", data))
    take(reader.finish(1))
    if fold:
        state.apply_all([ProcessEnded(exit_code=1), RunEnded(cause="finished")])
        judgement = judge(state)
        assert judgement is not None
        assert judgement.verdict == "failed"


def read_junit(tree: bool) -> None:
    """Read a JUnit report from stdin: as a stream, or whole with the standard library's tree."""
    if tree:
        assert sum(1 for _ in ElementTree.parse(sys.stdin.buffer).getroot().iter("testcase"))
        return
    reader = JunitReader()
    count = 0
    while data := os.read(0, CHUNK):
        count += len(reader.feed(data))
    reader.close()
    assert count
    assert reader.whole


READERS: dict[str, Callable[[], None]] = {
    "proctor": lambda: read_go(fold=True),
    "proctor, reader alone": lambda: read_go(fold=False),
    "proctor, JUnit": lambda: read_junit(tree=False),
    "ElementTree": lambda: read_junit(tree=True),
}


def measure(argv: list[str], file: Path) -> Measure:
    """Run a command that reads the file from a pipe, and return its time and its own peak memory."""
    # As a user has it: bytecode may be written.
    env = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    nothing, pipe = subprocess.DEVNULL, subprocess.PIPE
    begin = time.perf_counter()
    with subprocess.Popen(["cat", str(file)], stdout=pipe) as cat:
        process = subprocess.Popen(argv, stdin=cat.stdout, stdout=nothing, stderr=pipe, env=env)
        _, status, usage = os.wait4(process.pid, 0)
        took = time.perf_counter() - begin
        error = process.stderr.read().decode() if process.stderr else ""
        process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == 0 or "gotestsum" in argv[0], error
    return Measure(took, usage.ru_maxrss / 1024)


def ours(name: str) -> list[str]:
    """Return the call of one of our readers in a fresh process."""
    return [sys.executable, __file__, "--read", name]


def compare(title: str, rivals: dict[str, list[str]], file: Path, rounds: int) -> None:
    """Measure every rival once a round and print the medians; the last is what others are held against."""
    times: dict[str, list[Measure]] = {name: [] for name in rivals}
    for round_ in range(rounds + 1):
        for name, argv in rivals.items():
            took = measure(argv, file)
            if round_:
                times[name].append(took)
    medians = {name: statistics.median(took.seconds for took in all_) for name, all_ in times.items()}
    *_, last = medians
    print(f"{title}, medians of {rounds} interleaved rounds:")
    for name, median in medians.items():
        peak = max(took.mebibytes for took in times[name])
        print(f"  {name:24} {median:6.2f} s   {median / medians[last]:5.2f} x {last}   peak {peak:6.0f} MiB")


def install_gotestsum() -> None:
    """Have gotestsum built, once."""
    if not GOTESTSUM.exists():
        go = shutil.which("go") or "/usr/local/go/bin/go"
        environment = {**os.environ, "GOBIN": str(GOTESTSUM.parent)}
        subprocess.run([go, "install", "gotest.tools/gotestsum@latest"], env=environment, check=True)


def write(path: Path, lines: Iterator[str], *, ended: bool = False) -> Path:
    """Write a report; ``ended`` adds the line that our script puts after what Go says."""
    with path.open("w") as file:
        file.writelines(lines)
        if ended:
            file.write(f'{{"Action":"proctor-end","Exit":1,"Size":{file.tell()}}}\n')
    return path


def compare_go(work: Path, rounds: int) -> None:
    """Compare with gotestsum on one stream, and show the memory for a tenth of it."""
    install_gotestsum()
    rival = [str(GOTESTSUM), "--raw-command", "--format=pkgname", "--", "cat", "/dev/stdin"]
    whole = write(work / "whole.jsonl", go_lines(EVENTS), ended=True)
    tenth = write(work / "tenth.jsonl", go_lines(EVENTS // 10), ended=True)
    names = ("proctor", "proctor, reader alone")
    rivals = {**{name: ours(name) for name in names}, "gotestsum": rival}
    compare(f"go test -json, {EVENTS:,} events", rivals, whole, rounds)
    compare(f"go test -json, {EVENTS // 10:,} events", rivals, tenth, 1)


def main() -> None:
    """Measure everything, or be one of the measured."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="fewer rounds")
    parser.add_argument("--read", choices=READERS, help=argparse.SUPPRESS)
    wishes = parser.parse_args()
    if wishes.read:
        READERS[wishes.read]()
        return
    rounds = 3 if wishes.quick else 7
    with tempfile.TemporaryDirectory() as directory:
        work = Path(directory)
        compare_go(work, rounds)
        report = write(work / "report.xml", junit_lines(CASES))
        rivals = {name: ours(name) for name in ("proctor, JUnit", "ElementTree")}
        compare(f"JUnit XML, {CASES:,} cases", rivals, report, rounds)


if __name__ == "__main__":
    main()
