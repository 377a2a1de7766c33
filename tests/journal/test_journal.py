from pathlib import Path

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from proctor.journal.files import RunFiles
from proctor.journal.journal import Journals
from proctor.model import event as ev
from proctor.model.errors import NotFound, StateFault
from proctor.model.fold import Fold
from proctor.model.ids import new_run_id
from proctor.model.request import TestRequest
from proctor.model.verdict import judge

EVENTS: tuple[ev.Event, ...] = (
    ev.RunQueued(
        at=1.0, run_id="run-000000000000000", project="p", root="/p", name="n", framework="pytest",
        category="unit", request=TestRequest(environment={"A": "ä\n\0"}),
    ),
    ev.RunStarted(at=2.0, argv=("python", "-m", "pytest"), cwd="/p", sandbox="bubblewrap"),
    ev.Collected(at=3.0, total=2),
    ev.CaseStarted(at=4.0, id="test_a.py::one"),
    ev.CaseEnded(at=5.0, id="test_a.py::one", status="pass", duration=0.25, output="ünïcode \u2028 \x1b[31m"),
    ev.CaseStarted(at=5.5, id="test_a.py::two"),
    ev.CaseEnded(at=6.0, id="test_a.py::two", status="pass"),
    ev.ReportEnded(at=7.0, total=2, exit_code=0),
    ev.OutputKept(at=8.0, size=3, head="ok\n"),
    ev.ProcessEnded(at=9.0, exit_code=0),
    ev.RunEnded(at=10.0, cause="finished", duration=8.0),
)  # fmt: skip

CUTS = settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


@pytest.fixture
def whole(journals: Journals, home: Path, run_id: str) -> Path:
    with journals.create(run_id) as writer:
        writer.append(*EVENTS)
    return RunFiles(home, run_id).journal


def test_what_is_appended_is_read_back_equal(journals: Journals, run_id: str, whole: Path) -> None:
    assert tuple(journals.read(run_id)) == EVENTS
    verdict = judge(Fold().apply_all(journals.read(run_id)))
    assert verdict is not None
    assert verdict.verdict == "passed"


def test_an_event_without_a_time_gets_one_and_keeps_it(journals: Journals, run_id: str) -> None:
    with journals.create(run_id) as writer:
        (stamped,) = writer.append(ev.Noted(message="hello"))
    assert stamped.at > 0
    assert list(journals.read(run_id)) == [stamped]


def test_a_name_that_is_not_utf8_is_kept_escaped(journals: Journals, run_id: str) -> None:
    with journals.create(run_id) as writer:
        writer.append(ev.RunStarted(argv=("a\udcff",), cwd="/\udc80", sandbox="off"))
    (event,) = journals.read(run_id)
    assert isinstance(event, ev.RunStarted)
    assert (event.argv, event.cwd) == (("a\\udcff",), "/\\udc80")


def test_the_files_of_a_run_are_private(home: Path, run_id: str, whole: Path) -> None:
    for file in (whole, RunFiles(home, run_id).lock):
        assert file.stat().st_mode & 0o777 == 0o600


@CUTS
@given(data=st.data())
def test_a_journal_cut_at_any_byte_keeps_all_whole_lines_and_is_not_green(
    data: st.DataObject, home: Path
) -> None:
    journals, run_id = Journals(home), new_run_id()
    with journals.create(run_id) as writer:
        writer.append(*EVENTS)
    path = RunFiles(home, run_id).journal
    content = path.read_bytes()
    cut = data.draw(st.integers(0, len(content) - 1))
    path.write_bytes(content[:cut])

    kept = content[:cut].count(b"\n")
    assert tuple(journals.read(run_id)) == EVENTS[:kept]
    assert judge(Fold().apply_all(journals.read(run_id))) is None

    taken = journals.take(run_id)
    assert taken is not None
    with taken:
        end = ev.RunEnded(at=11.0, cause="interrupted")
        taken.append(end)
    assert tuple(journals.read(run_id)) == (*EVENTS[:kept], end)


@CUTS
@given(place=st.floats(0, 1, exclude_max=True), rubbish=st.binary(min_size=1, max_size=200))
def test_damage_in_the_middle_never_raises_and_is_never_green(
    home: Path, place: float, rubbish: bytes
) -> None:
    journals, run_id = Journals(home), new_run_id()
    with journals.create(run_id) as writer:
        writer.append(*EVENTS)
    path = RunFiles(home, run_id).journal
    lines = path.read_bytes().splitlines(keepends=True)
    number = int(place * len(lines))
    lines[number] = rubbish.replace(b"\n", b"?") + b"\n"
    path.write_bytes(b"".join(lines))

    events = tuple(journals.read(run_id))
    assert events[:number] + events[number + 1 :] == EVENTS[:number] + EVENTS[number + 1 :]
    problem = events[number]
    assert isinstance(problem, ev.ProblemFound)
    assert f"damaged at byte {len(b''.join(lines[:number]))}" in problem.message
    verdict = judge(Fold().apply_all(events))
    assert verdict is None or verdict.verdict != "passed"


def test_a_line_nested_without_end_is_damage_not_a_crash(
    journals: Journals, run_id: str, whole: Path
) -> None:
    with whole.open("ab") as file:
        file.write(b"[" * 100_000 + b"\n")
    *_, last = journals.read(run_id)
    assert isinstance(last, ev.ProblemFound)


def test_an_event_of_a_newer_proctor_is_a_problem_of_the_run(
    journals: Journals, run_id: str, whole: Path
) -> None:
    with whole.open("ab") as file:
        file.write(b'{"event":"from_the_future","at":1}\n')
    *_, last = journals.read(run_id)
    assert isinstance(last, ev.ProblemFound)
    assert "from_the_future" in last.message


def test_a_reader_follows_a_writer_from_place_to_place(journals: Journals, home: Path, run_id: str) -> None:
    with journals.create(run_id) as writer:
        assert journals.read_from(run_id, 0) == ([], 0)
        writer.append(*EVENTS[:3])
        first, place = journals.read_from(run_id, 0)
        assert tuple(first) == EVENTS[:3]
        with RunFiles(home, run_id).journal.open("ab") as other:
            line = msgspec.json.encode(EVENTS[3]) + b"\n"
            other.write(line[:10])
            other.flush()
            assert journals.read_from(run_id, place) == ([], place)
            other.write(line[10:])
        second, place = journals.read_from(run_id, place)
        assert tuple(second) == EVENTS[3:4]
    assert journals.read_from(run_id, place) == ([], place)


def test_a_long_journal_is_handed_out_in_bounded_parts(journals: Journals, run_id: str, whole: Path) -> None:
    events, place = journals.read_from(run_id, 0, most=4)
    more, _ = journals.read_from(run_id, place)
    assert (tuple(events), tuple(more)) == (EVENTS[:4], EVENTS[4:])


def test_a_torn_tail_longer_than_a_block_is_cut_off(journals: Journals, run_id: str, whole: Path) -> None:
    content = whole.read_bytes()
    with whole.open("ab") as file:
        file.write(b"x" * 3_000_000)
    taken = journals.take(run_id)
    assert taken is not None
    taken.close()
    assert whole.read_bytes() == content


def test_a_journal_that_is_nothing_but_a_torn_line_is_emptied(
    journals: Journals, run_id: str, whole: Path
) -> None:
    whole.write_bytes(b'{"event":"run_que')
    taken = journals.take(run_id)
    assert taken is not None
    taken.close()
    assert whole.read_bytes() == b""


def test_a_run_cannot_be_created_twice(journals: Journals, run_id: str) -> None:
    with journals.create(run_id), pytest.raises(StateFault, match="already has an owner"):
        journals.create(run_id)
    with pytest.raises(StateFault, match="cannot open"):
        journals.create(run_id)
    assert not journals.is_owned(run_id)


def test_an_unknown_run_is_not_found(journals: Journals, run_id: str) -> None:
    with pytest.raises(NotFound):
        journals.read(run_id)
    with pytest.raises(NotFound):
        journals.read_from(run_id)
    with pytest.raises(NotFound):
        journals.take(run_id)
    assert not journals.is_owned(run_id)
    assert journals.run_ids() == []


def test_all_runs_are_listed_oldest_first_and_nothing_else(journals: Journals, home: Path) -> None:
    ids = [new_run_id(now) for now in (300.0, 100.0, 200.0)]
    for run in ids:
        with journals.create(run) as writer:
            writer.append(ev.Noted(message="a"))
    journals.create(new_run_id(400.0)).close()  # its owner died before it wrote anything
    (home / "runs" / "notes.txt").write_text("")
    (home / "runs" / new_run_id(50.0)).mkdir()
    assert journals.run_ids() == [ids[1], ids[2], ids[0]]


def test_syncing_and_closing_may_be_done_again(journals: Journals, run_id: str) -> None:
    writer = journals.create(run_id)
    writer.append(ev.Noted(message="a"))
    writer.sync()
    writer.append()
    writer.sync()
    writer.close()
    writer.close()
    assert len(list(journals.read(run_id))) == 1
