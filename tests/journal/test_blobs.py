import hashlib
import os
from pathlib import Path

import pytest

from proctor.journal.blobs import Blobs
from proctor.model.errors import BadRequest, NotFound, StateFault


def files_below(home: Path) -> list[Path]:
    return [path for path in (home / "blobs").rglob("*") if path.is_file()]


def test_a_blob_is_named_by_its_content_and_kept_once(blobs: Blobs, home: Path) -> None:
    ref = blobs.put(b"content")
    assert ref == "sha256:" + hashlib.sha256(b"content").hexdigest()
    assert blobs.put(b"content") == ref
    assert blobs.read(ref) == b"content"
    (file,) = files_below(home)
    assert file.stat().st_mode & 0o777 == 0o600


def test_any_part_of_a_blob_can_be_read(blobs: Blobs) -> None:
    ref = blobs.put(bytes(range(100)))
    assert blobs.read(ref, 10, 5) == bytes(range(10, 15))
    assert blobs.read(ref, 99, 5) == bytes([99])
    assert blobs.read(ref, 1000, 5) == b""
    with blobs.open(ref) as file:
        assert file.read() == bytes(range(100))
    with pytest.raises(BadRequest):
        blobs.read(ref, -1, 5)


@pytest.mark.parametrize(
    "ref", ["", "sha256:", "sha256:../../../etc/passwd", "md5:" + "0" * 64, "sha256:" + "A" * 64]
)
def test_what_is_no_blob_name_reaches_no_file(blobs: Blobs, ref: str) -> None:
    with pytest.raises(NotFound):
        blobs.open(ref)


def test_an_unknown_blob_is_not_found(blobs: Blobs) -> None:
    with pytest.raises(NotFound):
        blobs.read("sha256:" + "0" * 64)


def test_a_moved_file_is_gone_and_a_copied_one_stays(blobs: Blobs, tmp_path: Path, home: Path) -> None:
    moved, copied = tmp_path / "moved", tmp_path / "copied"
    moved.write_bytes(b"one")
    copied.write_bytes(b"two")
    assert blobs.read(blobs.put_file(moved)) == b"one"
    ref = blobs.put_file(copied, move=False)
    copied.write_bytes(b"changed")
    assert blobs.read(ref) == b"two"
    assert (moved.exists(), copied.exists()) == (False, True)
    assert len(files_below(home)) == 2


def test_the_same_file_content_is_kept_once(blobs: Blobs, tmp_path: Path, home: Path) -> None:
    refs = set()
    for name in ("a", "b"):
        (tmp_path / name).write_bytes(b"same")
        refs.add(blobs.put_file(tmp_path / name))
        refs.add(blobs.put(b"same"))
    assert len(refs) == len(files_below(home)) == 1


def test_a_blob_that_a_power_cut_emptied_is_written_again(blobs: Blobs, home: Path, tmp_path: Path) -> None:
    ref = blobs.put(b"content")
    (file,) = files_below(home)
    file.write_bytes(b"")
    assert blobs.put(b"content") == ref
    assert blobs.read(ref) == b"content"
    file.write_bytes(b"")
    (tmp_path / "again").write_bytes(b"content")
    blobs.adopt(tmp_path / "again")
    assert blobs.read(ref) == b"content"


def test_links_pipes_and_directories_are_refused(blobs: Blobs, tmp_path: Path, home: Path) -> None:
    (tmp_path / "secret").write_text("secret")
    (tmp_path / "link").symlink_to(tmp_path / "secret")
    os.mkfifo(tmp_path / "pipe")
    for name in ("link", "pipe", ".", "missing"):
        for move in (True, False):
            with pytest.raises(StateFault):
                blobs.put_file(tmp_path / name, move=move)
    assert files_below(home) == []
