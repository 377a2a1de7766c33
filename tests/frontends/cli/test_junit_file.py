import os
from pathlib import Path

import pytest

from proctor.frontends.cli.junit_file import check_writable, write
from proctor.model.errors import BadRequest


def test_the_file_appears_whole_and_alone(tmp_path: Path) -> None:
    file = tmp_path / "out.xml"
    check_writable(str(file))
    assert list(tmp_path.iterdir()) == []
    assert write(str(file), b"<old/>") == ""
    assert write(str(file), b"<new/>") == ""
    assert file.read_bytes() == b"<new/>"
    assert list(tmp_path.iterdir()) == [file]


def test_other_tools_may_read_it_as_far_as_the_umask_says(tmp_path: Path) -> None:
    before = os.umask(0o022)
    try:
        write(str(tmp_path / "out.xml"), b"")
    finally:
        os.umask(before)
    assert (tmp_path / "out.xml").stat().st_mode & 0o777 == 0o644


@pytest.mark.parametrize("name", ["nowhere/out.xml", ".", "a_file/out.xml"])
def test_an_impossible_file_is_refused_before_the_run(tmp_path: Path, name: str) -> None:
    (tmp_path / "a_file").write_text("")
    with pytest.raises(BadRequest):
        check_writable(str(tmp_path / name))


def test_a_file_that_cannot_be_replaced_leaves_nothing_behind(tmp_path: Path) -> None:
    (tmp_path / "out.xml").mkdir()
    assert "out.xml was not written" in write(str(tmp_path / "out.xml"), b"<x/>")
    assert [path.name for path in tmp_path.iterdir()] == ["out.xml"]
