"""What Proctor costs: a sandboxed run against plain pytest and pytest-json-report, its memory, its start-up.

Rivals are interleaved in one run; medians and ratios are printed. `--quick` takes fewer rounds.
"""

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

BIN = Path(sys.executable).parent
MIB = 1024 * 1024


def write_project(root: Path, tests: int, files: int = 10) -> Path:
    """Write a project of trivial tests."""
    root.mkdir(parents=True)
    (root / "pytest.ini").write_text("[pytest]\n")
    for number in range(files):
        lines = [f"def test_{n}(): assert 1 + 1 == 2" for n in range(tests // files)]
        (root / f"test_{number}.py").write_text("\n".join(lines) + "\n")
    return root


def environment(home: Path) -> dict[str, str]:
    """Return an environment as a user has it: bytecode may be written, state is private."""
    kept = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    return {**kept, "PROCTOR_HOME": str(home), "VIRTUAL_ENV": sys.prefix}


def timed(argv: list[str], cwd: Path, env: dict[str, str], expected: int = 0) -> float:
    """Run a command and return how long it took."""
    begin = time.perf_counter()
    done = subprocess.run(argv, cwd=cwd, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    took = time.perf_counter() - begin
    assert done.returncode == expected, f"{argv} ended with {done.returncode}"
    return took


def peak_memory(argv: list[str], cwd: Path, env: dict[str, str]) -> float:
    """Run a command and return the most memory that its own process (not its children) took, in MiB."""
    process = subprocess.Popen(argv, cwd=cwd, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    peak = 0
    while process.poll() is None:
        try:
            status = Path(f"/proc/{process.pid}/status").read_text()
        except OSError:
            break
        peaks = [int(line.split()[1]) for line in status.splitlines() if line.startswith("VmHWM")]
        peak = max([peak, *peaks])
        time.sleep(0.01)
    assert process.wait() == 0
    return peak / 1024


def interleave(rounds: int, rivals: dict[str, Callable[[], float]]) -> dict[str, float]:
    """Time every rival once a round, and return the median of each."""
    times: dict[str, list[float]] = {name: [] for name in rivals}
    for measure in rivals.values():
        measure()
    for _ in range(rounds):
        for name, measure in rivals.items():
            times[name].append(measure())
    return {name: statistics.median(values) for name, values in times.items()}


def compare_runs(work: Path, env: dict[str, str], rounds: int) -> None:
    """Compare a run of 5,000 trivial tests with plain pytest and with pytest-json-report."""
    project = write_project(work / "five-thousand", 5000)
    python, proctor = str(BIN / "python"), str(BIN / "proctor")
    report = f"--json-report-file={work / 'report.json'}"
    medians = interleave(
        rounds,
        {
            "pytest": lambda: timed([python, "-m", "pytest", "-q"], project, env),
            "json-report": lambda: timed(
                [python, "-m", "pytest", "-q", "--json-report", report], project, env
            ),
            "proctor": lambda: timed([proctor, "run", "."], project, env),
        },
    )
    print(f"5,000 trivial tests, medians of {rounds} interleaved rounds:")
    for name, median in medians.items():
        print(f"  {name:12} {median:6.2f} s   {median / medians['pytest']:5.3f} x pytest -q")
    print(f"  proctor / json-report: {medians['proctor'] / medians['json-report']:.3f}")
    print(f"  proctor's own peak memory: {peak_memory([proctor, 'run', '.'], project, env):.0f} MiB")


def large_runs(work: Path, env: dict[str, str]) -> None:
    """Measure the memory of Proctor's own process with many tests and with much output."""
    proctor = str(BIN / "proctor")
    many = write_project(work / "many", 100_000, files=100)
    options = ["--timeout", "900s", "--memory", "4GiB"]
    print(f"100,000 tests: peak memory {peak_memory([proctor, 'run', '.', *options], many, env):.0f} MiB")
    loud = f"{BIN / 'python'} -c \"import os\nfor _ in range(1024): os.write(1, b'x' * {MIB})\""
    command = [proctor, "run", ".", "--command", loud]
    print(f"1 GiB of stdout: peak memory {peak_memory(command, many, env):.0f} MiB")


def start_up(env: dict[str, str], rounds: int) -> None:
    """Compare `proctor --version` with a Python that does nothing."""
    python, proctor = str(BIN / "python"), str(BIN / "proctor")
    here = Path.cwd()
    medians = interleave(
        rounds * 4,
        {
            "python": lambda: timed([python, "-c", "pass"], here, env),
            "version": lambda: timed([proctor, "--version"], here, env),
        },
    )
    ratio = medians["version"] / medians["python"]
    print(f"proctor --version: {medians['version'] * 1000:.0f} ms, {ratio:.1f} x python -c pass")


def main() -> None:
    """Measure everything."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="fewer rounds, no large runs")
    quick = parser.parse_args().quick
    with tempfile.TemporaryDirectory() as directory:
        work = Path(directory)
        env = environment(work / "home")
        start_up(env, 3 if quick else 10)
        compare_runs(work, env, 3 if quick else 9)
        if not quick:
            large_runs(work, env)


if __name__ == "__main__":
    main()
