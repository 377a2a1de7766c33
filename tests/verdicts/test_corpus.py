"""The corpus of recorded situations: each is read again and must get its right verdict and counts."""

from pathlib import Path
from typing import Any

import msgspec
import pytest
import yaml

from proctor.model import event as ev
from proctor.model.fold import Fold
from proctor.model.plan import Task
from proctor.model.request import TestRequest
from proctor.model.verdict import judge
from proctor.service.implementations import frameworks

CORPUS = Path(__file__).parent / "corpus"
SITUATIONS = sorted(path.parent for path in CORPUS.glob("*/*/situation.yaml"))


def replay(place: Path, situation: dict[str, Any]) -> Fold:
    framework = frameworks()[place.parent.name]
    fold = Fold()
    fold.apply(
        ev.RunQueued(
            run_id="run-0", project="p", root="/p", name="p", framework=framework.name, category="",
            request=TestRequest(),
        )
    )  # fmt: skip
    fold.apply(ev.RunStarted(argv=(), cwd="/p", sandbox="off"))
    reader = framework.reader(Task(root="/p"), 1)
    for stream in ("channel", "stdout", "stderr"):
        if (place / stream).exists():
            fold.apply_all(reader.feed(stream, (place / stream).read_bytes()))
    for report in sorted(place.glob("report-*")):
        fold.apply_all(reader.feed("report", report.read_bytes()))
    ended = situation["cause"] == "finished" and not situation["signal"]
    fold.apply_all(reader.finish(situation["exit_code"] if ended else None))
    fold.apply(ev.ProcessEnded(exit_code=situation["exit_code"], signal=situation["signal"]))
    fold.apply(ev.RunEnded(cause=situation["cause"]))
    return fold


@pytest.mark.parametrize("place", SITUATIONS, ids=lambda place: f"{place.parent.name}/{place.name}")
def test_a_recorded_situation_gets_its_right_verdict(place: Path) -> None:
    situation = yaml.safe_load((place / "situation.yaml").read_text(encoding="utf-8"))
    fold = replay(place, situation)
    judgement = judge(fold)
    assert judgement is not None
    assert (judgement.verdict, msgspec.to_builtins(fold.summary)) == (
        situation["verdict"],
        situation["summary"],
    )
