"""Records the situations of a JavaScript framework, all or those named, with each installed version.

    scripts/toolchains && python scripts/record_javascript.py jest [NAME ...]

What is recorded is listed, with its right verdict, in ``tests/projects/FRAMEWORK/situations.yaml``.
"""

import argparse
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import yaml
from record_situation import record, save

ROOT = Path(__file__).resolve().parent.parent
PROJECTS = ROOT / "tests" / "projects"
INSTALLED = ROOT / ".cache" / "node"


def versions(framework: str) -> list[tuple[str, Path | None, str]]:
    """Return what each name of a recording ends with, where the tool is, and how it calls itself."""
    if framework == "node-test":
        own = subprocess.run(["node", "--version"], capture_output=True, text=True, check=True)
        return [("", None, f"node {own.stdout.strip()}")]
    newest, older = sorted(INSTALLED.glob(f"{framework}-*"), reverse=True)
    return [
        ("", newest, (newest / "installed").read_text().split()[0]),
        (f"-{older.name}", older, (older / "installed").read_text().split()[0]),
    ]


def record_one(
    framework: str, name: str, known: dict[str, Any], version: tuple[str, Path | None, str]
) -> bool:
    """Record one situation with one version; tell whether Proctor judged it right."""
    suffix, place, tool = version
    verdict = known.get("older_verdict", known["verdict"]) if suffix else known["verdict"]
    with tempfile.TemporaryDirectory(prefix="stage-") as directory:
        project = Path(directory) / name
        shutil.copytree(PROJECTS / framework / known.get("project", name), project, symlinks=True)
        if place is not None:
            (project / "node_modules").symlink_to(place / "node_modules")
        wishes = argparse.Namespace(
            framework=framework, name=f"{name}{suffix}", project=project, title=known["title"],
            verdict=verdict, tool=tool, source=known.get("source", ""),
            pattern=known.get("pattern", ""), timeout=known.get("timeout", 60),
            signal=known.get("signal", 0), sandbox="off", env=[],
        )  # fmt: skip
        result, tape = record(wishes)
    right = result.verdict == verdict
    mark = "      " if right else "WRONG "
    print(f"{mark}{framework} {wishes.name}: {result.verdict} {result.reasons[0][:150]}", flush=True)
    if right:
        save(wishes, result, tape)
    return right


def main() -> int:
    """Record what is asked for; fail if anything was judged wrong."""
    framework, *names = sys.argv[1:]
    known = yaml.safe_load((PROJECTS / framework / "situations.yaml").read_text(encoding="utf-8"))
    wrong = 0
    for name in names or known:
        for version in versions(framework):
            if version[0] and known[name].get("newest_only"):
                continue
            wrong += not record_one(framework, name, known[name], version)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
