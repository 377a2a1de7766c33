"""Draws demo.svg: runs `scripts/demo` on a terminal of its own and keeps what it shows, colours included.

Call it with the Python of the development environment: .venv/bin/python docs/images/draw_demo.py
"""

import io
import os
import pty
import re
import subprocess
import sys
from pathlib import Path

from rich._export_format import CONSOLE_SVG_FORMAT
from rich.console import Console
from rich.terminal_theme import MONOKAI
from rich.text import Text

ROOT = Path(__file__).parents[2]
WIDTH = 118


def record() -> str:
    """Return what the demo writes to a terminal. The bar on stderr vanishes at the end, so it is left out."""
    screen, terminal = pty.openpty()
    environment = {
        **os.environ,
        "PATH": f"{sys.prefix}/bin:{os.environ['PATH']}",
        "VIRTUAL_ENV": sys.prefix,
        "COLUMNS": str(WIDTH),
        "TERM": "xterm-256color",
    }
    demo = subprocess.Popen(
        ["sh", "scripts/demo"], cwd=ROOT, env=environment, stdout=terminal, stderr=subprocess.DEVNULL
    )
    os.close(terminal)
    seen = bytearray()
    try:
        while data := os.read(screen, 4096):
            seen += data
    except OSError:
        pass  # how a terminal says that its other end is closed
    demo.wait()
    return seen.decode().replace("\r\n", "\n").replace(f"{sys.prefix}/", ".venv/").strip()


def main() -> None:
    """Write the picture beside this file."""
    console = Console(
        record=True, width=WIDTH, file=io.StringIO(), force_terminal=True, color_system="truecolor"
    )
    console.print(Text.from_ansi(f"$ make demo\n\n{record()}"))
    # A picture that fetches its font from somewhere looks different wherever it cannot.
    form = re.sub(r"@font-face \{\{.*?\}\}\s*", "", CONSOLE_SVG_FORMAT, flags=re.DOTALL).replace(
        "Fira Code, ", ""
    )
    picture = Path(__file__).with_name("demo.svg")
    console.save_svg(str(picture), title="Proctor", theme=MONOKAI, code_format=form)


if __name__ == "__main__":
    main()
