"""Answers for the Go tool's build cache in a project's first run (GOCACHEPROG, Go 1.24 and newer).

What the user's own cache holds is copied from there when it is asked for; what is new is written beside
it, in the form that Go itself reads. So the standard library is not compiled anew for each project, and
from the second run on Go uses the private cache without this program. Standard library only.

    python -I -S proctor_go_cache.py PRIVATE USERS
"""

import base64
import json
import os
import re
import sys
import time
from typing import Any, BinaryIO, Dict, Optional, Tuple

Reply = Dict[str, Any]

TEST_RESULT = b"# test log\n"
ENTRY = re.compile(rb"v1 ([0-9a-f]{64}) ([0-9a-f]{64}) +(\d+) +(\d+)\n")


def place(directory: str, name: str, kind: str) -> str:
    """Return the path of an entry: ``a`` names an action, ``d`` its data."""
    return os.path.join(directory, name[:2], name + "-" + kind)


def read_entry(directory: str, action: str) -> Optional[Tuple[str, int, int]]:
    """Return output, size and time of an action whose data is whole, or nothing."""
    try:
        with open(place(directory, action, "a"), "rb") as file:
            found = ENTRY.fullmatch(file.read(200))
        if found is None or found.group(1).decode() != action:
            return None
        output, size = found.group(2).decode(), int(found.group(3))
        if os.stat(place(directory, output, "d")).st_size != size:
            return None
    except OSError:
        return None
    return output, size, int(found.group(4))


def write_file(path: str, data: bytes) -> None:
    """Write a file in one step: Go may look at the same moment."""
    os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
    draft = path + "." + str(os.getpid())
    with open(draft, "wb") as file:
        file.write(data)
    os.rename(draft, path)


def keep(directory: str, action: str, output: str, data: bytes, moment: int) -> None:
    """Write an action and its data, the data first."""
    write_file(place(directory, output, "d"), data)
    entry = f"v1 {action} {output} {len(data):20d} {moment:20d}\n"
    write_file(place(directory, action, "a"), entry.encode())


def get(private: str, users: str, action: str) -> Reply:
    """Return the answer about an action, which is copied from the user's cache if it is only there."""
    found = read_entry(private, action)
    if found is None:
        found = read_entry(users, action)
        if found is None:
            return {"Miss": True}
        with open(place(users, found[0], "d"), "rb") as file:
            data = file.read()
        if data.startswith(TEST_RESULT):
            return {"Miss": True}  # what passed outside this sandbox has not passed inside
        keep(private, action, found[0], data, found[2])
    output, size, _ = found
    return {
        "OutputID": base64.b64encode(bytes.fromhex(output)).decode(),
        "Size": size,
        "DiskPath": place(private, output, "d"),
    }


def put(private: str, action: str, output: str, data: bytes) -> Reply:
    """Keep what Go has built and return where."""
    keep(private, action, output, data, time.time_ns())
    return {"DiskPath": place(private, output, "d")}


def hexadecimal(text: Optional[str]) -> str:
    """Return an id as Go's cache names its files."""
    return base64.b64decode(text or "").hex()


def answer(request: Reply, lines: BinaryIO, private: str, users: str) -> Reply:
    """Return the answer to one request; a body follows it in a line of its own."""
    action, command = hexadecimal(request.get("ActionID")), request.get("Command")
    if command == "get":
        return get(private, users, action)
    if command == "put":
        output = hexadecimal(request.get("OutputID") or request.get("ObjectID"))
        data = base64.b64decode(json.loads(next_line(lines))) if request.get("BodySize") else b""
        return put(private, action, output, data)
    return {}


def next_line(lines: BinaryIO) -> bytes:
    """Return the next line that is not empty, or nothing at the end."""
    for line in lines:
        if line.strip():
            return line
    return b""


def main() -> None:
    """Answer until Go closes."""
    private, users = sys.argv[1:]
    lines, out = sys.stdin.buffer, sys.stdout
    print(json.dumps({"ID": 0, "KnownCommands": ["get", "put", "close"]}), file=out, flush=True)
    while True:
        line = next_line(lines)
        if not line:
            return
        request = json.loads(line)
        try:
            reply = answer(request, lines, private, users)
        except OSError as error:
            reply = {"Err": str(error)}
        reply["ID"] = request["ID"]
        print(json.dumps(reply), file=out, flush=True)
        if request.get("Command") == "close":
            return


if __name__ == "__main__":
    main()
