"""Proctor against pytest on projects that others wrote: verdict, exit code and counts must be the same.

Downloads pinned source distributions and what their tests need, so it takes a network and a few minutes.
"""

import argparse
import json
import os
import subprocess
import sys
import tarfile
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

BIN = Path(sys.executable).parent
SANDBOXES = ("bubblewrap", "landlock")
COUNTER = '''
import json, os

def pytest_unconfigure(config):
    """Write down what pytest itself counted."""
    stats = config.pluginmanager.getplugin("terminalreporter").stats
    counts = {word: len(found) for word, found in stats.items() if word}
    with open(os.environ["COUNTS"], "w") as file:
        json.dump(counts, file)
'''


@dataclass(frozen=True)
class Project:
    """One source distribution, and what its tests need beside it."""

    name: str
    version: str
    needs: tuple[str, ...]


PROJECTS = (
    Project("click", "8.1.8", ("pytest==8.4.2",)),
    Project("flask", "3.1.1", ("pytest==8.4.2", "asgiref==3.8.1", "werkzeug==3.1.3", "python-dotenv==1.1.0")),
    Project("attrs", "25.3.0", ("pytest==8.4.2", "hypothesis==6.135.0", "cloudpickle==3.1.1")),
)


class Outcome(NamedTuple):
    """How one way of running the tests ended."""

    exit_code: int
    passed: int
    failed: int
    skipped: int
    errors: int


class Measured(NamedTuple):
    """An outcome and how long it took."""

    outcome: Outcome
    seconds: float


def prepare(project: Project, place: Path) -> Path:
    """Download and unpack a project and make its environment; return its directory."""
    pinned = f"{project.name}=={project.version}"
    download = ["-m", "pip", "download", "-q", "--no-binary", ":all:", "--no-deps", "-d", str(place), pinned]
    subprocess.run([sys.executable, *download], check=True)
    with tarfile.open(next(place.glob(f"{project.name}-*.tar.gz"))) as archive:
        archive.extractall(place, filter="data")
    root = next(path for path in place.glob(f"{project.name}-*") if path.is_dir())
    subprocess.run([sys.executable, "-m", "venv", str(root / ".venv")], check=True)
    python = root / ".venv" / "bin" / "python"
    subprocess.run([python, "-m", "pip", "install", "-q", "-e", str(root), *project.needs], check=True)
    return root


def environment(place: Path) -> dict[str, str]:
    """Return an environment in which each project's own interpreter is found, and state is private."""
    left_out = ("VIRTUAL_ENV", "PYTHONDONTWRITEBYTECODE", "PYTEST_ADDOPTS")
    kept = {name: value for name, value in os.environ.items() if name not in left_out}
    return {**kept, "PROCTOR_HOME": str(place / "home"), "COUNTS": str(place / "counts.json")}


def with_pytest(root: Path, place: Path) -> Measured:
    """Run the tests with plain pytest and take its own counts."""
    (place / "counter.py").write_text(COUNTER)
    env = environment(place)
    env["PYTHONPATH"] = str(place)
    begin = time.perf_counter()
    line = [str(root / ".venv" / "bin" / "python"), "-m", "pytest", "-q", "-p", "counter"]
    done = subprocess.run(line, cwd=root, env=env, stdin=subprocess.DEVNULL, capture_output=True)
    seconds = time.perf_counter() - begin
    counts = json.loads((place / "counts.json").read_text())

    def sum_of(*words: str) -> int:
        return sum(counts.get(word, 0) for word in words)

    outcome = Outcome(
        exit_code=done.returncode,
        passed=sum_of("passed", "xpassed"),
        failed=sum_of("failed"),
        skipped=sum_of("skipped", "xfailed"),
        errors=sum_of("error"),
    )
    return Measured(outcome, seconds)


def with_proctor(root: Path, place: Path, sandbox: str) -> Measured:
    """Run the tests with Proctor and take the counts of its result."""
    begin = time.perf_counter()
    line = [str(BIN / "proctor"), "run", str(root), "--format", "json", "--sandbox", sandbox]
    done = subprocess.run(
        line, env=environment(place), stdin=subprocess.DEVNULL, capture_output=True, check=False
    )
    seconds = time.perf_counter() - begin
    result = json.loads(done.stdout)
    if "error" in result and "summary" not in result:
        raise SystemExit(f"{root.name}: {result['error']}")
    counts = result["summary"]
    outcome = Outcome(
        exit_code=done.returncode,
        passed=counts["passed"],
        failed=counts["failed"],
        skipped=counts["skipped"],
        errors=counts["errors"],
    )
    return Measured(outcome, seconds)


def show(name: str, way: str, measured: Measured, verdict: str = "") -> None:
    """Print one line of the table."""
    exit_code, passed, failed, skipped, errors = measured.outcome
    counts = f"{exit_code:>4} {passed:>6} {failed:>6} {skipped:>7} {errors:>6}"
    print(f"{name:<14} {way:<10} {counts} {measured.seconds:>6.1f}s  {verdict}", flush=True)


def compare(project: Project, place: Path) -> bool:
    """Run one project in every way; tell whether all agree with pytest."""
    root = prepare(project, place)
    own = with_pytest(root, place)
    show(root.name, "pytest", own)
    agree = True
    for sandbox in SANDBOXES:
        ours = with_proctor(root, place, sandbox)
        same = ours.outcome == own.outcome
        show("", sandbox, ours, "same" if same else "DIFFERENT")
        agree = agree and same
    return agree


def main() -> None:
    """Compare all projects, or those named, and exit with 1 if any differs."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", help="only these projects")
    names = parser.parse_args().names
    chosen = [project for project in PROJECTS if not names or project.name in names]
    print(f"{'project':<14} {'with':<10} exit passed failed skipped errors   time", flush=True)
    agree = True
    for project in chosen:
        with tempfile.TemporaryDirectory(prefix="proctor-bench-") as directory:
            agree = compare(project, Path(directory)) and agree
    sys.exit(0 if agree else 1)


if __name__ == "__main__":
    main()
