"""Reads one report from stdin: what `parse.py` measures, in a process that imports nothing else."""

import os
import sys
from collections.abc import Callable

from proctor.formats.junit import JunitReader
from proctor.frameworks.go_reader import GoReader
from proctor.model.event import ProcessEnded, RunEnded
from proctor.model.fold import Fold
from proctor.model.verdict import judge

CHUNK = 1 << 20


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
        from xml.etree import ElementTree

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

if __name__ == "__main__":
    READERS[sys.argv[1]]()
