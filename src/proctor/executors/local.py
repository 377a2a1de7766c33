"""Works through queued runs on this machine: one background process a run, which outlives its caller."""

import os
import subprocess
import sys

_workers: list["subprocess.Popen[bytes]"] = []
"""Those still at work, so that a caller that lives on leaves neither zombies nor warnings behind."""


class LocalExecutor:
    """Starts `proctor work` in a session of its own (``ports.Executor``)."""

    name = "local"

    def submit(self, run_id: str, home: str, lock: int) -> None:
        """Start the worker of one run; its own messages go to a file beside the journal."""
        log = os.open(
            os.path.join(home, "runs", run_id, "worker.log"), os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600
        )
        try:
            started = subprocess.Popen(
                [sys.executable, "-m", "proctor", "work", run_id, "--lock", str(lock)],
                env={**os.environ, "PROCTOR_HOME": home},
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                pass_fds=(lock,),
                start_new_session=True,
            )
        finally:
            os.close(log)
        _workers[:] = [worker for worker in (*_workers, started) if worker.poll() is None]
