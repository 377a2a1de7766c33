from pathlib import Path

import pytest

from proctor.journal.files import RunFiles, private_directory
from proctor.model.errors import NotFound, StateFault


@pytest.mark.parametrize(
    "text", ["", "..", "../run-000000000000000", "run-0/../../etc", "run-", "run-000000000000000\n"]
)
def test_what_is_no_run_id_names_no_file(home: Path, text: str) -> None:
    with pytest.raises(NotFound):
        RunFiles(home, text)


def test_the_directories_of_a_run_are_private(home: Path, run_id: str) -> None:
    files = RunFiles(home, run_id)
    files.make()
    files.make()
    for directory in (home, home / "runs", files.directory, files.scratch):
        assert directory.stat().st_mode & 0o777 == 0o700


def test_a_file_in_the_place_of_a_directory_is_a_state_fault(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(StateFault, match="cannot create the directory"):
        private_directory(tmp_path / "file" / "below")
