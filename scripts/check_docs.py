"""Checks the documentation: reference pages are current, links lead somewhere, decisions are numbered."""

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent
LINK = re.compile(r"\[[^\]]*\]\(([^)\s#]+)(?:#[^)]*)?\)")


def dead_links() -> list[str]:
    """Return every relative link that leads to no file."""
    found = []
    for page in [ROOT / "README.md", ROOT / "CHANGELOG.md", *sorted((ROOT / "docs").rglob("*.md"))]:
        for target in LINK.findall(page.read_text(encoding="utf-8")):
            if "://" not in target and not (page.parent / target).exists():
                found.append(f"{page.relative_to(ROOT)}: {target}")
    return found


def unlisted_decisions() -> list[str]:
    """Return the decision pages whose numbers do not run on."""
    names = sorted(path.name for path in (ROOT / "docs" / "decisions").glob("*.md"))
    return [name for number, name in enumerate(names, 1) if not name.startswith(f"{number:04d}-")]


def main() -> int:
    """Run every check and say what is wrong."""
    wrong = [f"dead link: {link}" for link in dead_links()]
    wrong += [f"decision out of order: {name}" for name in unlisted_decisions()]
    for line in wrong:
        print(line, file=sys.stderr)
    current = subprocess.run(
        [sys.executable, str(ROOT / "scripts" / "write_reference.py"), "--check"], check=False
    )
    return 1 if wrong or current.returncode else 0


if __name__ == "__main__":
    sys.exit(main())
