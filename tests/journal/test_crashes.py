"""What a journal goes through: kill -9, a full disk, two owners at once. With real processes."""

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from proctor.journal.journal import Journals
from proctor.model import event as ev

Child = Callable[..., "subprocess.Popen[bytes]"]

# Lines of 300 kB, so that a kill often falls into the middle of one.
WRITE_FOR_EVER = """
    import os, sys
    from pathlib import Path
    from proctor.journal.journal import Journals
    from proctor.model.event import MetricSeen, Noted
    writer = Journals(Path(sys.argv[1])).take(sys.argv[2])
    number = int(sys.argv[3])
    while True:
        writer.append(MetricSeen(key=str(number), value=number), Noted(message="x" * 300_000))
        os.write(1, b"%d\\n" % number)
        number += 1
"""

KEEP = """
    import sys
    from pathlib import Path
    from proctor.journal.journal import Journals
    writer = Journals(Path(sys.argv[1])).take(sys.argv[2])
    print("owner" if writer else "none", flush=True)
    sys.stdin.read()
"""

FILL_THE_DISK = """
    import resource, sys
    from pathlib import Path
    from proctor.journal.journal import Journals
    from proctor.model.errors import StateFault
    from proctor.model.event import Noted
    home, run_id, limit = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])
    journals = Journals(home)
    writer = journals.create(run_id)
    hard = resource.getrlimit(resource.RLIMIT_FSIZE)[1]
    if limit:
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, hard))
    done = 0
    try:
        for done in range(1000):
            writer.append(Noted(message=f"{done}:" + "x" * 2500), Noted(message="y" * 2500))
    except StateFault as fault:
        assert fault.hint, fault
    else:
        raise SystemExit("the disk never filled up")
    content = writer.files.journal.read_bytes()
    assert content.endswith(b"\\n"), content[-80:]
    assert len(list(journals.read(run_id))) == 2 * done, done
    room = 2000
    if limit:
        resource.setrlimit(resource.RLIMIT_FSIZE, (hard, hard))
    else:
        (home / "ballast").unlink()
        room = 20
    writer.append(Noted(message="z" * room))
    last = list(journals.read(run_id))[-1]
    assert last.message == "z" * room, last
    print(done)
"""


def test_twenty_kills_lose_nothing_that_was_acknowledged_and_repeat_nothing(
    journals: Journals, home: Path, run_id: str, child: Child
) -> None:
    journals.create(run_id).close()
    next_number = 0
    for kill in range(20):
        process = child(WRITE_FOR_EVER, home, run_id, next_number)
        assert process.stdout is not None
        acknowledged = [int(process.stdout.readline()) for _ in range(1 + kill % 3)]
        process.kill()
        acknowledged += [int(line) for line in process.communicate()[0].splitlines()]
        journal = home / "runs" / run_id / "journal.jsonl"
        numbers = [int(e.value) for e in journals.read(run_id) if isinstance(e, ev.MetricSeen)]
        assert numbers == list(range(len(numbers)))
        assert numbers[-1] >= acknowledged[-1]
        assert not any(isinstance(e, ev.ProblemFound) for e in journals.read(run_id))
        next_number = len(numbers)
        _drop_large_lines(journal)


def _drop_large_lines(journal: Path) -> None:
    """Keep the file small, with a torn tail in any case for the next owner to cut off."""
    small = [line for line in journal.read_bytes().splitlines(keepends=True) if len(line) < 1000]
    journal.write_bytes(b"".join(small) + b'{"event":"no')


def test_of_two_processes_only_one_owns_a_run_until_it_dies(
    journals: Journals, home: Path, run_id: str, child: Child
) -> None:
    journals.create(run_id).close()
    rivals = [child(KEEP, home, run_id) for _ in range(3)]
    answers = [rival.stdout.readline() for rival in rivals if rival.stdout]
    assert sorted(answers) == [b"none\n", b"none\n", b"owner\n"]
    assert journals.is_owned(run_id)
    assert journals.take(run_id) is None

    owner = rivals[answers.index(b"owner\n")]
    owner.kill()
    owner.wait()
    assert not journals.is_owned(run_id)
    taken = journals.take(run_id)
    assert taken is not None
    taken.close()


def test_looking_for_an_owner_never_keeps_a_taker_away(journals: Journals, home: Path, run_id: str) -> None:
    journals.create(run_id).close()
    with (home / "runs" / run_id / "lock").open("rb"):
        for _ in range(50):
            assert not journals.is_owned(run_id)
            taken = journals.take(run_id)
            assert taken is not None
            assert journals.is_owned(run_id)
            taken.close()


@pytest.mark.parametrize("kind", ["file size limit", "full disk"])
def test_a_full_disk_leaves_no_torn_line_and_writing_goes_on_when_there_is_room(
    tmp_path: Path, run_id: str, child: Child, kind: str
) -> None:
    disk = tmp_path / "disk"
    disk.mkdir()
    if kind == "full disk" and _can_mount(disk):
        script = f'mount -t tmpfs -o size=128k none {disk} && echo ballast > {disk}/ballast && exec "$@"'
        process = child(FILL_THE_DISK, disk, run_id, 0, prefix=(*_UNSHARE, "sh", "-c", script, "sh"))
    else:
        process = child(FILL_THE_DISK, disk, run_id, 100_001)
    output, _ = process.communicate(timeout=60)
    assert process.returncode == 0
    assert int(output) > 5


_UNSHARE = ("unshare", "--user", "--map-root-user", "--mount")


def _can_mount(place: Path) -> bool:
    """Tell whether a private mount can be made here; where not, the file size limit stands in for it."""
    command = [*_UNSHARE, "mount", "-t", "tmpfs", "none", str(place)]
    return subprocess.run(command, capture_output=True, check=False).returncode == 0
