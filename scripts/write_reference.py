"""Writes the reference pages that are generated from the code; --check says which are not current."""

import sys
from pathlib import Path
from typing import get_args

import msgspec
import yaml

from proctor.frontends.cli import reference
from proctor.model import event
from proctor.model.codes import ERRORS, VERDICT_EXITS
from proctor.model.run import TestResult

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs"
CORPUS = ROOT / "tests" / "verdicts" / "corpus"


def result_schema() -> str:
    """Return the JSON Schema of a result."""
    return msgspec.json.format(msgspec.json.encode(msgspec.json.schema(TestResult))).decode() + "\n"


def codes_page() -> str:
    """Return the table of error codes and verdicts."""
    lines = [
        "# Codes", "", "Generated from `proctor.model.codes`; do not edit.", "",
        "| error code | exit | HTTP | gRPC | MCP |", "|---|---|---|---|---|",
        *(f"| `{code}` | {s.exit} | {s.http} | {s.grpc} | {s.mcp} |" for code, s in ERRORS.items()),
        "", "| verdict | exit of `proctor run` |", "|---|---|",
        *(f"| `{verdict}` | {code} |" for verdict, code in VERDICT_EXITS.items()), "",
    ]  # fmt: skip
    return "\n".join(lines)


def events_page() -> str:
    """Return every event with its fields."""
    lines = [
        "# Events",
        "",
        "Generated from `proctor.model.event`; do not edit. These are the lines of a journal",
    ]
    lines += ["and of `proctor run --format jsonl`. A field at its default is left out.", ""]
    for kind in get_args(event.Event):
        config = kind.__struct_config__
        lines += [f"## `{config.tag}`", "", " ".join((kind.__doc__ or "").split()), ""]
        lines += ["| field | type |", "|---|---|"]
        lines += [f"| `{f.encode_name}` | `{_name(f.type)}` |" for f in msgspec.structs.fields(kind)] + [""]
    return "\n".join(lines)


def _name(kind: object) -> str:
    text = kind.__name__ if isinstance(kind, type) and not get_args(kind) else str(kind)
    return text.replace("typing.", "").replace("proctor.model.", "").replace("|", "\\|")


def corpus_page() -> str:
    """Return the index of all recorded situations."""
    places = sorted(path.parent for path in CORPUS.glob("*/*/situation.yaml"))
    lines = [
        "# The verdict corpus", "",
        "Generated from `tests/verdicts/corpus`; do not edit. Each row is a situation recorded from the",
        "real tool, read again by `tests/verdicts/test_corpus.py` and must get this verdict and counts.",
        "To add one, make a small project, decide what is right, and run `scripts/record_situation.py` (its",
        "head shows how). The situations of pytest are made anew at every run of",
        "`tests/verdicts/test_pytest_*.py`.",
        "",
        f"{len(places)} situations.",
    ]  # fmt: skip
    last = ""
    for place in places:
        if place.parent.name != last:
            last = place.parent.name
            lines += ["", f"## {last}", "", "| situation | source | tool | verdict |", "|---|---|---|---|"]
        known = yaml.safe_load((place / "situation.yaml").read_text(encoding="utf-8"))
        cells = (known["title"], known["source"], known["tool"], f"`{known['verdict']}`")
        lines.append(f"| {' | '.join(' '.join(str(cell).split()).replace('|', '/') for cell in cells)} |")
    return "\n".join(lines) + "\n"


PAGES = {
    "reference/cli.md": reference.page,
    "reference/codes.md": codes_page,
    "reference/events.md": events_page,
    "reference/result.schema.json": result_schema,
    "verdict-corpus.md": corpus_page,
}


def main() -> int:
    """Write or check every page."""
    stale = []
    for name, make in PAGES.items():
        path = DOCS / name
        text = make()
        if path.exists() and path.read_text(encoding="utf-8") == text:
            continue
        stale.append(name)
        if "--check" not in sys.argv:
            path.write_text(text, encoding="utf-8")
    if stale and "--check" in sys.argv:
        print(f"not current: {', '.join(stale)}; run `make reference`", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
