"""What a person sees on a terminal: a bar that leaves nothing behind, colours, tables that fit."""

import fcntl
import os
import pty
import re
import struct
import subprocess
import termios
from typing import Any

import pytest


def on_terminal(proctor: Any, *arguments: str, columns: int = 100) -> tuple[int, str]:
    """Call the command line on a terminal and return its exit status and all that it drew."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 40, columns, 0, 0))
    environment = {name: value for name, value in proctor.environment.items() if name != "COLUMNS"}
    running = subprocess.Popen(
        proctor.argv(arguments),
        cwd=proctor.project,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=theirs,
        stderr=theirs,
    )
    os.close(theirs)
    drawn = b""
    try:
        while part := os.read(ours, 65536):
            drawn += part
    except OSError:
        pass  # Linux says EIO when the last writer has gone
    finally:
        os.close(ours)
    return running.wait(timeout=60), drawn.decode().replace("\r\n", "\n")


def test_a_bar_is_drawn_and_wiped_before_the_answer(proctor: Any) -> None:
    code, drawn = on_terminal(proctor, "run", "--command", "sleep 0.3; exit 1")
    assert code == 1
    bar, answer = drawn.split("\x1b[?25h")
    assert "━" in bar
    assert re.match(r"\r\x1b\[1A\x1b\[2K\x1b\[1;31mFAILED\x1b\[0m  1 failed of 1 test", answer)
    assert "━" not in answer


def test_a_test_cannot_draw_on_the_terminal(proctor: Any) -> None:
    name = "printf '\x1b]0;owned\x07\x1b[2J\x1b[31mred'; exit 1"
    _, drawn = on_terminal(proctor, "run", "--command", name)
    assert "\x1b]" not in drawn
    assert "\x1b[2J" not in drawn
    assert "\x1b[31mred" not in drawn


@pytest.mark.parametrize("variable", [("NO_COLOR", "1"), ("TERM", "dumb")])
def test_colours_can_be_refused(proctor: Any, variable: tuple[str, str]) -> None:
    proctor.environment.update([variable])
    _, drawn = on_terminal(proctor, "run", "--command", "true")
    assert "PASSED  1 test passed" in drawn
    assert "\x1b[1;32m" not in drawn


def test_a_table_fits_and_keeps_the_ids_whole(proctor: Any) -> None:
    on_terminal(proctor, "run", "--command", "true", "--name", "n" * 200)
    code, drawn = on_terminal(proctor, "list", columns=80)
    assert code == 0
    plain = re.sub(r"\x1b\[[0-9;]*m", "", drawn)
    assert re.search(r"\brun-[0-9a-z]{15} ", plain)
    assert max(map(len, plain.splitlines())) <= 80


def test_json_is_laid_out_for_eyes(proctor: Any) -> None:
    _, drawn = on_terminal(proctor, "list", "--format", "json")
    assert drawn == '{\n  "runs": [],\n  "next_page_token": "",\n  "total_count": 0\n}\n'
