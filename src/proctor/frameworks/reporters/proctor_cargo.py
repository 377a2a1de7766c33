"""Runs cargo for Proctor, of which it imports nothing. Standard library only, in Proctor's own interpreter.

Called in three ways, by its first argument: ``launch`` by Proctor, around cargo; ``run`` by cargo, as the
runner of every test binary; ``rustdoc`` by cargo, in place of rustdoc, for the tests in documentation.
The launcher alone holds the channel. It passes on, in order, what cargo and the other two write to their
stdout, line by line, and closes with a line of its own:

{"reason": ...}   a message of cargo (errors of the compiler, test binaries, the end of the build)
{"proctor": "begin", kind, path, package, directory, base}    a test binary (or rustdoc) is about to run
{"proctor": "listed", tests [[name, file, line]], deselected, run}   what it said that it holds
{ "type": ...}    what libtest wrote, untouched
{"proctor": "end", path, code, signal, lines, crc}   it ended; how much libtest wrote
{"proctor": "problem", kind, message}
{"proctor": "done", code, signal, lines, crc}   cargo ended; how much was written before. Always last.
"""

from __future__ import annotations

import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))


def main() -> int:
    """Do what the first argument says."""
    way, arguments = sys.argv[1], sys.argv[2:]
    sys.path.insert(0, HERE)
    if way == "launch":
        from proctor_cargo_launch import launch

        return launch(arguments)
    from proctor_cargo_binary import document, run

    return run(arguments) if way == "run" else document(arguments)


if __name__ == "__main__":
    sys.exit(main())
