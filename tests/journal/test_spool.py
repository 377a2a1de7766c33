import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from proctor.journal.blobs import Blobs
from proctor.journal.spool import RING, Spool
from proctor.model.event import OutputKept

Child = Callable[..., "subprocess.Popen[bytes]"]

FULL_DISK = """
    import resource, sys
    from pathlib import Path
    from proctor.journal.blobs import Blobs
    from proctor.journal.spool import Spool
    home = Path(sys.argv[1])
    spool = Spool(home / "output", 1 << 30)
    hard = resource.getrlimit(resource.RLIMIT_FSIZE)[1]
    resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, hard))
    for number in range(5000):
        spool.write(b"%099d\\n" % number)
    kept = spool.finish(Blobs(home))
    assert kept.size == 500_000, kept.size
    assert kept.head.startswith("0" * 99), kept.head[:120]
    assert kept.tail.endswith("4999\\n"), kept.tail[-120:]
    assert kept.dropped == 400_000, kept.dropped
    assert len(Blobs(home).read(kept.blob)) == 100_000
    print("fine")
"""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "output"


def keep(path: Path, limit: int, blobs: Blobs, *chunks: bytes) -> OutputKept:
    spool = Spool(path, limit)
    for chunk in chunks:
        spool.write(chunk)
    kept = spool.finish(blobs)
    assert kept.size == spool.size == sum(map(len, chunks))
    spool.discard()
    assert not path.exists()
    return kept


def test_little_output_is_whole_in_the_event(path: Path, blobs: Blobs) -> None:
    assert keep(path, 1 << 20, blobs, b"one\n", b"", b"two\0\xff\x1b[0m") == OutputKept(
        size=13, head="one\ntwo\0\ufffd\x1b[0m"
    )
    assert keep(path, 1 << 20, blobs) == OutputKept(size=0)


def test_more_output_is_a_head_a_tail_and_a_blob(path: Path, blobs: Blobs) -> None:
    data = b"".join(b"%06d\n" % number for number in range(5000))
    kept = keep(path, 1 << 20, blobs, data)
    assert (kept.head, kept.tail) == (data[:8192].decode(), data[-8192:].decode())
    assert blobs.read(kept.blob) == data
    assert kept.dropped == 0


def test_beyond_the_limit_the_middle_is_missing_and_said_to_be(path: Path, blobs: Blobs) -> None:
    data = b"".join(b"%06d\n" % number for number in range(86_000))
    chunks = [data[start : start + 5000] for start in range(0, len(data), 5000)]
    kept = keep(path, 50_000, blobs, *chunks)
    dropped = len(data) - 50_000 - RING
    note = b"\n[... %d bytes of output are missing here ...]\n" % dropped
    assert blobs.read(kept.blob) == data[:50_000] + note + data[-RING:]
    assert (kept.dropped, kept.tail) == (dropped, data[-8192:].decode())


def test_just_beyond_the_limit_nothing_is_missing(path: Path, blobs: Blobs) -> None:
    data = bytes(range(48, 58)) * 10_000
    kept = keep(path, 90_000, blobs, data)
    assert blobs.read(kept.blob) == data
    assert kept.dropped == 0


def test_no_character_is_cut_in_two(path: Path, blobs: Blobs) -> None:
    for text in ("é" * 20_000, "a" + "é" * 20_000, "漢" * 9000, "a" + "😀" * 9000, "ab" + "😀" * 9000 + "x"):
        kept = keep(path, 1 << 20, blobs, text.encode())
        assert text.startswith(kept.head)
        assert text.endswith(kept.tail)
        assert min(len(kept.head.encode()), len(kept.tail.encode())) > 8192 - 4


@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    sizes=st.lists(st.integers(0, 90_000), max_size=8),
    limit=st.integers(0, 200_000),
)
def test_whatever_the_chunks_the_count_is_right_and_the_blob_holds_both_ends(
    path: Path, blobs: Blobs, sizes: list[int], limit: int
) -> None:
    data = b"".join(bytes([65 + number]) * size for number, size in enumerate(sizes))
    chunks = [bytes([65 + number]) * size for number, size in enumerate(sizes)]
    kept = keep(path, limit, blobs, *chunks)
    assert kept.dropped == max(0, len(data) - limit - RING)
    if kept.blob:
        whole = blobs.read(kept.blob, 0, 1 << 24)
        assert whole.startswith(data[:limit])
        assert whole.endswith(data[-min(RING, max(1, len(data) - limit)) :])
        assert (whole == data) == (kept.dropped == 0)
    else:
        assert kept.head == data.decode()


def test_the_output_of_a_dead_run_is_found_in_its_file(path: Path, blobs: Blobs) -> None:
    spool = Spool(path, 1 << 20)
    spool.write(b"x" * 20_000)
    spool.close()
    for _ in range(2):
        kept = Spool.from_file(path, blobs)
        assert (kept.size, kept.head, kept.tail) == (20_000, "x" * 8192, "x" * 8192)
        assert blobs.read(kept.blob) == b"x" * 20_000
    assert Spool.from_file(path.with_name("none"), blobs) == OutputKept(size=0)


def test_output_is_not_lost_by_a_crash_between_finish_and_journal(path: Path, blobs: Blobs) -> None:
    spool = Spool(path, 1 << 20)
    spool.write(b"x" * 20_000)
    assert Spool.from_file(path, blobs) == spool.finish(blobs) == Spool.from_file(path, blobs)


def test_a_full_disk_does_not_stop_the_output_from_being_taken(tmp_path: Path, child: Child) -> None:
    output, _ = child(FULL_DISK, tmp_path).communicate(timeout=60)
    assert output == b"fine\n"
