"""Starts cargo and passes on to the channel what it and our runner say. Standard library only."""

from __future__ import annotations

import binascii
import fcntl
import json
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
SCRIPT = os.path.join(HERE, "proctor_cargo.py")
PIECE = 60_000
LONGEST = 32 * 1024 * 1024


class Channel:
    """Counts every line that it writes."""

    def __init__(self, descriptor: int) -> None:
        self.descriptor = descriptor
        self.lines = 0
        self.crc = 0

    def write(self, data: bytes) -> None:
        """Write some whole lines."""
        self.lines += data.count(b"\n")
        self.crc = binascii.crc32(data, self.crc)
        try:
            while data and self.descriptor >= 0:
                data = data[os.write(self.descriptor, data) :]
        except OSError:
            self.descriptor = -1  # what is missing shows that it is: there will be no "done"

    def tell(self, line: str, /, **fields: object) -> None:
        """Write one line of our own."""
        self.write(json.dumps({"proctor": line, **fields}).encode() + b"\n")


def open_channel() -> Channel:
    """Take the channel out of reach of children: out of the environment and closed on exec."""
    named = os.environ.pop("PROCTOR_CHANNEL", "")
    if not named:
        return Channel(-1)
    own = fcntl.fcntl(int(named), fcntl.F_DUPFD_CLOEXEC, 32)
    os.close(int(named))
    return Channel(own)


def launch(arguments: list[str]) -> int:
    """Run cargo to its end and return its exit code. ``arguments``: our wishes as JSON, then cargo's line."""
    channel = open_channel()
    wishes, *argv = arguments
    try:
        cargo = subprocess.Popen(prepare(argv), stdout=subprocess.PIPE, env=environment(wishes))
    except OSError as error:
        channel.tell("problem", kind="missing_tool", message=f"{argv[0]} could not be started: {error}")
        print(f"proctor: {argv[0]} could not be started: {error}", file=sys.stderr)
        return 127
    assert cargo.stdout is not None
    pump(cargo.stdout.fileno(), channel)
    code = cargo.wait()
    channel.tell("done", code=max(code, 0), signal=max(-code, 0), lines=channel.lines, crc=channel.crc)
    return code if code >= 0 else 128 - code


def prepare(argv: list[str]) -> list[str]:
    """Add what only this place knows: our runner, our rustdoc, and whether there is a network."""
    runner = json.dumps([sys.executable, "-I", "-S", SCRIPT, "run"])
    rustdoc = json.dumps(os.path.join(HERE, "proctor-rustdoc"))
    ours = ["--config", f"target.'cfg(all())'.runner={runner}", "--config", f"build.rustdoc={rustdoc}"]
    if not has_network() and "--offline" not in argv:
        ours.append("--offline")
    return [*argv[:2], *ours, *argv[2:]]


def has_network() -> bool:
    """Tell whether there is an interface besides the loopback."""
    try:
        with open("/proc/net/dev", encoding="ascii", errors="replace") as lines:
            names = [line.split(":")[0].strip() for line in lines if ":" in line]
    except OSError:
        return True
    return any(name != "lo" for name in names)


def environment(wishes: str) -> dict[str, str]:
    """Hand our wishes on in pieces, since the system limits the length of one variable."""
    ours = {"PROCTOR_PYTHON": sys.executable}
    for number, start in enumerate(range(0, len(wishes), PIECE)):
        ours[f"PROCTOR_WISHES_{number}"] = wishes[start : start + PIECE]
    kept = dict(os.environ)
    if "RUSTDOC" in kept:  # it would win over our own
        ours["PROCTOR_RUSTDOC"] = kept.pop("RUSTDOC")
    return {**kept, **ours}


def pump(source: int, channel: Channel) -> None:
    """Pass on the lines that matter until cargo is gone; show the others."""
    rest = b""
    while data := os.read(source, 1 << 18):
        *lines, rest = (rest + data).split(b"\n")
        kept = [line for line in lines if matters(line)]
        if kept:
            channel.write(b"\n".join(kept) + b"\n")
        if len(rest) > LONGEST:
            rest = b""
    if rest:
        show(rest)


def matters(line: bytes) -> bool:
    """Tell whether a line is for the channel. Compilers' words are shown here, as cargo would show them."""
    if line.startswith((b'{ "type": "', b'{"proctor": "')):
        return True
    if line.startswith(b'{"reason":"compiler-message"'):
        return diagnosed(line)
    if line.startswith(b'{"reason":"compiler-artifact"'):
        return b'"executable":null' not in line
    if line.startswith(b'{"reason":"build-finished"'):
        return True
    if line and not line.startswith(b'{"reason":"'):
        show(line + b"\n")
    return False


def diagnosed(line: bytes) -> bool:
    """Show a message of the compiler; tell whether it is an error."""
    try:
        message = json.loads(line)["message"]
        show(str(message.get("rendered") or message["message"]).encode("utf-8", "replace"))
        return str(message["level"]).startswith("error")
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return True


def show(text: bytes) -> None:
    """Write to stderr, where cargo shows what it does."""
    try:
        while text:
            text = text[os.write(2, text) :]
    except OSError:
        pass
