"""Makes text that came from tests harmless on a terminal: no escapes, no hidden characters, bounded lines.

What a test prints may try to move the cursor, to set the window's title, or to hide words from a reader.
"""

import re

_ESCAPES = re.compile(
    r"(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]"  # CSI: colours, cursor
    r"|(?:\x1b[\]PX^_]|[\x90\x98\x9d-\x9f])[^\x07\x1b\x9c\n]{0,4096}(?:\x07|\x1b\\|\x9c)"  # OSC, DCS, …
    r"|\x1b[ -/]*[0-~]"
)
_HIDDEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufe00-\ufe0e"
    "\ufeff\ufff9-\ufffb\ud800-\udfff\U000e0000-\U000e0fff]"
)


def clean(text: str) -> str:
    """Drop terminal escapes and make every other control or invisible character visible; keep newlines."""
    if text.isascii() and text.isprintable():
        return text
    text = _ESCAPES.sub("", text.replace("\r\n", "\n"))
    return _HIDDEN.sub(_visible, text).expandtabs(4)


def clean_line(text: str, limit: int = 300) -> str:
    """Return text as one bounded line; newlines in it become visible."""
    line = clean(text[: limit * 4]).replace("\n", "\\n")
    return line if len(line) <= limit and len(text) <= limit * 4 else f"{line[:limit]}…"


def clean_block(text: str, lines: int, width: int = 300) -> list[str]:
    """Return the first lines of a text, each bounded, and a last one that says how many were left out."""
    whole = text.strip("\n").split("\n") if text.strip() else []
    shown = [clean_line(line.rstrip(), width) for line in whole[:lines]]
    left_out = len(whole) - len(shown)
    return [*shown, f"… {left_out} more lines"] if left_out else shown


def clean_tail(text: str, lines: int, width: int = 300) -> list[str]:
    """Return the last lines of a text, each bounded, and a first one that says how many were left out."""
    whole = text.strip("\n").split("\n") if text.strip() else []
    shown = [clean_line(line.rstrip(), width) for line in whole[-lines:]]
    left_out = len(whole) - len(shown)
    return [f"… {left_out} lines before", *shown] if left_out else shown


def _visible(found: re.Match[str]) -> str:
    number = ord(found[0])
    if number < 0x100:
        return f"\\x{number:02x}"
    return f"\\u{number:04x}" if number < 0x10000 else f"\\U{number:08x}"
