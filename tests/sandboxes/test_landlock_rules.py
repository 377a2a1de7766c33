"""From a policy to Landlock's rules, for every version of Landlock that this kernel can stand in for."""

import subprocess
import sys
from pathlib import Path

import pytest

from proctor.sandboxes.keeper_calls import landlock_abi
from proctor.sandboxes.landlock_rules import gaps, grants, handled, outermost

ATTACK = """
import sys
from proctor.sandboxes.keeper_calls import refuse_new_privileges, restrict
from proctor.sandboxes.landlock_rules import grants, handled
abi, project, hidden = int(sys.argv[1]), sys.argv[2], sys.argv[3]
rules = grants(abi, [project], [hidden])
refuse_new_privileges()
restrict(abi, handled(abi, network=False), rules)
def attempt(action):
    try:
        action()
    except OSError as error:
        return type(error).__name__
    return "done"
print(attempt(lambda: open(project + "/made", "w").write("x")),
      attempt(lambda: open("/etc/hostname").read()),
      attempt(lambda: open("/etc/proctor-escape", "w")),
      attempt(lambda: open(hidden).read()))
"""


@pytest.mark.parametrize("abi", range(1, landlock_abi() + 1))
def test_every_version_of_landlock_holds_what_it_can(abi: int, tmp_path: Path) -> None:
    project, hidden = tmp_path / "project", tmp_path / "hidden"
    project.mkdir()
    hidden.write_text("secret")
    arguments = (str(abi), str(project), str(hidden))
    done = subprocess.run(
        [sys.executable, "-c", ATTACK, *arguments], capture_output=True, text=True, timeout=60
    )
    assert (done.stdout.strip(), done.stderr) == ("done done PermissionError PermissionError", "")


def test_an_older_landlock_is_told_to_guard_only_what_it_knows() -> None:
    assert handled(1, network=False) == (0x1FFF, 0, 0)
    assert handled(4, network=False) == (0x7FFF, 0b11, 0)
    assert handled(7, network=False) == (0xFFFF, 0b11, 0b11)
    assert handled(7, network=True) == (0xFFFF, 0, 0b11)


def test_what_an_older_landlock_does_not_guard_is_named() -> None:
    assert gaps(7) == ()
    assert gaps(5) == ("abstract sockets hidden", "signals kept inside")
    assert "truncation of files outside" in gaps(2)


def test_only_the_outermost_writable_paths_are_resolved(tmp_path: Path) -> None:
    real, link = tmp_path / "real", tmp_path / "link"
    real.mkdir()
    link.symlink_to(real)
    (real / "escape").symlink_to("/etc")
    assert outermost([str(link), str(link / "escape"), str(link / "sub")]) == [str(real)]


def test_links_beside_a_hidden_path_are_granted_nothing(tmp_path: Path) -> None:
    (tmp_path / "hidden").mkdir()
    (tmp_path / "shown").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "hidden")
    granted = {path for path, _ in grants(7, [], [str(tmp_path / "link")])}
    assert str(tmp_path / "shown") in granted
    assert granted.isdisjoint({str(tmp_path / "hidden"), str(tmp_path / "link"), str(tmp_path), "/"})
