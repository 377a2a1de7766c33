"""How long after a cancel or a time-out the last descendant is gone, double-forked daemons included.

The daemons ignore SIGTERM and write a heartbeat; the last beat minus the moment of the request is the answer.
"""

import argparse
import os
import statistics
import sys
import tempfile
import threading
import time
from pathlib import Path

from proctor import Proctor, TestRequest
from proctor.model.event import Event, RunStarted
from proctor.service.execution import StopSignal

DAEMON = """
import os, signal, sys, time
for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
    signal.signal(number, signal.SIG_IGN)
def beat(name):
    while True:
        with open(name, "w") as file:
            file.write(repr(time.time()))
        time.sleep(0.005)
for name in ("a", "b"):
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            beat("beat-" + name)
        os._exit(0)
beat("beat-main")
"""


def last_beat(project: Path) -> float:
    """Return when the last of the daemons wrote."""
    times = [file.read_text() for file in project.glob("beat-*")]
    return max((float(text) for text in times if text), default=0.0)


def stop_by_cancel(proctor: Proctor, project: Path, sandbox: str) -> float:
    """Cancel a run when its daemons are alive; return how long the last one lived on."""
    stop = StopSignal()
    asked = 0.0

    def ask() -> None:
        nonlocal asked
        until = time.monotonic() + 20
        while len(list(project.glob("beat-*"))) < 3 and time.monotonic() < until:
            time.sleep(0.01)
        asked = time.time()
        stop.ask("enough")

    def on_event(_: str, event: Event) -> None:
        if isinstance(event, RunStarted):
            threading.Thread(target=ask).start()

    proctor.run(request(project, sandbox, 60), on_event=on_event, stop=stop)
    return last_beat(project) - asked


def stop_by_timeout(proctor: Proctor, project: Path, sandbox: str) -> float:
    """Let a run reach its time limit; return how long after it the last daemon lived on."""
    started = 0.0

    def on_event(_: str, event: Event) -> None:
        nonlocal started
        if isinstance(event, RunStarted):
            started = event.at

    proctor.run(request(project, sandbox, 1.0), on_event=on_event)
    return last_beat(project) - started - 1.0


def request(project: Path, sandbox: str, timeout: float) -> TestRequest:
    """Return the request that starts the daemons."""
    command = f"{sys.executable} daemon.py"
    return TestRequest(project_path=str(project), test_command=command, sandbox=sandbox, timeout=timeout)


def main() -> None:
    """Measure both ways of stopping in every sandbox."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    rounds = parser.parse_args().rounds
    for sandbox in ("bubblewrap", "landlock", "off"):
        for name, measure in (("cancel", stop_by_cancel), ("timeout", stop_by_timeout)):
            lived = []
            for _ in range(rounds):
                with tempfile.TemporaryDirectory() as directory:
                    project = Path(directory) / "project"
                    os.makedirs(project)
                    (project / "daemon.py").write_text(DAEMON)
                    lived.append(measure(Proctor(Path(directory) / "home"), project, sandbox))
            median, worst = statistics.median(lived), max(lived)
            print(f"{sandbox:10} {name:8} last descendant gone after {median:.2f} s (worst {worst:.2f} s)")


if __name__ == "__main__":
    main()
