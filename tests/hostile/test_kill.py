"""kill -9 of Proctor at many points of a run: what finished is kept, once; the run is `interrupted`."""

import json
import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from proctor import Proctor

Project = Callable[[Mapping[str, str]], Path]

TESTS = 60
POINTS = 200
GROUPS = 10

CONFTEST = """
import pytest

@pytest.hookimpl(trylast=True)
def pytest_runtest_logfinish(nodeid, location):
    with open("finished", "a") as file:
        file.write(nodeid + "\\n")
"""
SUITE = f"""
import time
import pytest

@pytest.mark.parametrize("number", range({TESTS}))
def test_it(number):
    time.sleep(0.004)
"""


def start(root: Path) -> subprocess.Popen[bytes]:
    argv = [sys.executable, "-m", "proctor", "run", str(root), "--format", "jsonl"]
    return subprocess.Popen(argv, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)


def kill_after(process: subprocess.Popen[bytes], lines: int, pause: float) -> str | None:
    """Kill once that many events were seen and a moment has passed; return the run id, if one was seen."""
    assert process.stdout is not None
    run_id = ""
    for number, line in enumerate(process.stdout, 1):
        event = json.loads(line)
        run_id = run_id or event.get("run_id", "")
        if event["event"] == "run_ended":
            break
        if number >= lines:
            time.sleep(pause)  # the point of death is the thing under test
            break
    process.send_signal(signal.SIGKILL)
    process.stdout.close()
    process.wait()
    return run_id or None


def check(proctor: Proctor, run_id: str, root: Path) -> bool:
    """Compare what the run kept with what its tests witnessed; return whether it was cut short."""
    witness = root / "finished"
    finished = witness.read_text().splitlines() if witness.exists() else []
    witness.unlink(missing_ok=True)
    result = proctor.results(run_id)
    kept = Counter(case.id for case in result.tests if case.status == "pass")
    assert [test for test, times in kept.items() if times > 1] == []
    assert [test for test in finished if test not in kept] == []
    assert len(kept) <= len(finished) + 1
    if result.verdict == "passed":  # killed after its last event
        assert len(kept) == TESTS
        return False
    assert (result.verdict, result.status) == ("interrupted", "INTERRUPTED")
    assert sorted(os.listdir(proctor.home / "runs" / run_id)) == ["journal.jsonl", "lock"]
    return True


def kill_at_points(proctor: Proctor, root: Path, points: range, chance: random.Random) -> int:
    cut_short = 0
    for point in points:
        run_id = kill_after(start(root), point, chance.random() * 0.004)
        if run_id:
            cut_short += check(proctor, run_id, root)
    return cut_short


@pytest.mark.timeout(300)
@pytest.mark.parametrize("group", range(GROUPS))
def test_no_finished_case_is_lost_or_doubled(proctor: Proctor, make_project: Project, group: int) -> None:
    root = make_project({"conftest.py": CONFTEST, "test_it.py": SUITE})
    size = POINTS // GROUPS
    # Two events a test: the points spread over the whole run, from the queue to the last test.
    points = range(1 + group, 2 * TESTS, 2 * TESTS // size)
    cut_short = kill_at_points(proctor, root, points, random.Random(group))
    assert cut_short >= len(points) // 2


@pytest.mark.soak
@pytest.mark.timeout(7200)
def test_thousands_of_kills_lose_nothing(proctor: Proctor, make_project: Project) -> None:
    root = make_project({"conftest.py": CONFTEST, "test_it.py": SUITE})
    chance = random.Random()
    for _ in range(2000):
        kill_at_points(proctor, root, range(p := chance.randint(1, 2 * TESTS), p + 1), chance)
