"""The reader of `go test -json`: what its events amount to, and what it does not believe."""

import msgspec
import pytest

from proctor.frameworks.go_reader import GoReader
from proctor.model.event import (
    CaseEnded,
    CaseStarted,
    Event,
    Noted,
    ProblemFound,
    ProcessEnded,
    ReaderEvent,
    ReportEnded,
    RunEnded,
    RunStarted,
)
from proctor.model.fold import Fold
from proctor.model.verdict import judge

HEADER = b"""proctor-go 1
./go.mod:1:module example.com/shop
./cart/cart_test.go:7:func TestAdd(t *testing.T) {
proctor-go tests
"""
P = "example.com/shop/cart"


def line(action: str, test: str = "", **more: object) -> bytes:
    fields = {"Action": action, "Package": P, **({"Test": test} if test else {}), **more}
    return msgspec.json.encode(fields) + b"\n"


def said(text: str, test: str = "") -> bytes:
    return line("output", test, Output=text)


def ran(test: str, result: str = "pass", text: str = "") -> bytes:
    steps = [line("run", test), said(f"=== RUN   {test}\n", test)]
    steps += [said(part, test) for part in text.splitlines(keepends=True)]
    return b"".join(
        [*steps, said(f"--- {result.upper()}: {test} (0.00s)\n", test), line(result, test, Elapsed=1.5)]
    )


def passed(*tests: bytes) -> bytes:
    return b"".join([line("start"), *tests, said("PASS\n"), said(f"ok  \t{P}\t0.1s\n"), line("pass")])


def failed(*tests: bytes) -> bytes:
    return b"".join([line("start"), *tests, said("FAIL\n"), said(f"FAIL\t{P}\t0.1s\n"), line("fail")])


def closed(data: bytes, exit_code: int = 0) -> bytes:
    return data + b'{"Action":"proctor-end","Exit":%d,"Size":%d}\n' % (exit_code, len(data))


def read(
    data: bytes, exit_code: int | None = 0, *, stderr: bytes = b"", chunk: int = 1 << 20
) -> list[ReaderEvent]:
    reader = GoReader("/p", 1)
    events = [*reader.feed("stderr", stderr)]
    for start in range(0, len(data), chunk):
        events += reader.feed("channel", data[start : start + chunk])
    return [*events, *reader.finish(exit_code)]


def verdict(data: bytes, exit_code: int = 0, stderr: bytes = b"") -> str:
    events: list[Event] = [RunStarted(argv=(), cwd="/p", sandbox="off")]
    events += read(data, exit_code, stderr=stderr)
    judgement = judge(
        Fold().apply_all([*events, ProcessEnded(exit_code=exit_code), RunEnded(cause="finished")])
    )
    assert judgement is not None
    return judgement.verdict


def problems(events: list[ReaderEvent]) -> list[ProblemFound]:
    return [event for event in events if isinstance(event, ProblemFound)]


def last_case(events: list[ReaderEvent]) -> CaseEnded:
    return [event for event in events if isinstance(event, CaseEnded)][-1]


def test_a_case_has_its_package_file_line_duration_and_output() -> None:
    events = read(closed(HEADER + passed(ran("TestAdd", text="hello\n"))))
    place = {"id": f"{P}::TestAdd", "name": "TestAdd", "package": P, "file": "cart/cart_test.go", "line": 7}
    assert events == [
        CaseStarted(**place),  # type: ignore[arg-type]
        CaseEnded(**place, status="pass", duration=1.5, output="hello\n"),  # type: ignore[arg-type]
        ReportEnded(total=1, exit_code=0),
    ]


def test_a_subtest_stands_where_its_function_does() -> None:
    data = HEADER + passed(line("run", "TestAdd"), ran("TestAdd/one"), said("--- PASS: TestAdd (0.00s)\n", "TestAdd"), line("pass", "TestAdd"))  # fmt: skip
    ended = [event for event in read(closed(data)) if isinstance(event, CaseEnded)]
    assert [(case.name, case.file, case.line) for case in ended] == [
        ("TestAdd/one", "cart/cart_test.go", 7),
        ("TestAdd", "cart/cart_test.go", 7),
    ]


def test_the_events_do_not_depend_on_how_the_bytes_come() -> None:
    data = closed(
        HEADER + failed(ran("TestAdd"), ran("TestBad", "fail", "    a_test.go:3: got 1, want 2\n")), 1
    )
    assert read(data, 1, chunk=1) == read(data, 1, chunk=7) == read(data, 1)


def test_a_parent_names_the_subtests_that_failed() -> None:
    data = failed(
        line("run", "TestA"), ran("TestA/one", "fail", "    a_test.go:3: bad\n"),
        said("--- FAIL: TestA (0.00s)\n", "TestA"), line("fail", "TestA"),
    )  # fmt: skip
    assert last_case(read(closed(data, 1), 1)).error == "subtests failed: one"


def test_a_skip_keeps_its_reason() -> None:
    case = last_case(read(closed(passed(ran("TestAdd", "skip", "    a_test.go:3: no database\n")))))
    assert (case.status, case.detail) == ("skip", "no database")


def test_a_panic_is_parted_into_message_and_stack() -> None:
    text = "panic: boom\n\ngoroutine 7 [running]:\nexample.com/shop.TestBad()\n"
    case = last_case(read(closed(failed(ran("TestBad", "fail", text)), 1), 1))
    assert (case.error, case.stack_trace) == (
        "panic: boom",
        "goroutine 7 [running]:\nexample.com/shop.TestBad()",
    )


def test_a_test_closed_by_its_package_s_end_has_not_passed() -> None:
    data = (
        line("start")
        + line("run", "TestLeaves")
        + said(f"ok  \t{P}\t0.1s\n", "TestLeaves")
        + line("pass", "TestLeaves")
    )
    assert verdict(closed(data)) == "interrupted"
    assert not any(isinstance(event, CaseEnded) for event in read(closed(data)))


def test_a_package_that_never_says_pass_is_not_believed() -> None:
    data = line("start") + ran("TestAdd") + said(f"ok  \t{P}\t0.1s\n") + line("pass")
    assert verdict(closed(data)) == "inconsistent"


def test_a_package_that_passes_in_spite_of_a_failure_is_not_believed() -> None:
    assert verdict(closed(passed(ran("TestBad", "fail")))) == "inconsistent"
    assert verdict(closed(passed(ran("TestBad", "fail"), ran("TestAdd")), 1), 1) == "inconsistent"


def test_a_package_that_fails_without_a_failed_test_says_what_it_printed() -> None:
    data = closed(line("start") + ran("TestAdd") + said("PASS\n") + said("no shutdown\n") + line("fail"), 1)
    [problem] = problems(read(data, 1))
    assert (problem.kind, problem.message) == (
        "teardown",
        f"{P} failed though none of its tests did: no shutdown",
    )


def test_a_package_without_end_is_told() -> None:
    data = closed(line("start") + ran("TestAdd"))
    assert [problem.message for problem in problems(read(data))] == [f"{P} began and never ended"]
    assert verdict(data) == "interrupted"


def test_a_report_without_our_last_line_is_not_whole() -> None:
    assert verdict(passed(ran("TestAdd"))) == "interrupted"


def test_a_report_of_another_size_was_tampered_with() -> None:
    data = passed(ran("TestAdd"), ran("TestSub"))
    gone = closed(data).replace(ran("TestSub"), b"")
    assert verdict(gone) == "inconsistent"


def test_text_after_the_end_is_a_fault() -> None:
    whole = closed(passed(ran("TestAdd")))
    assert verdict(whole + b"x") == verdict(whole + b"{}\n") == verdict(whole + whole) == "inconsistent"


def test_a_line_that_is_no_event_is_a_fault() -> None:
    assert verdict(closed(passed(ran("TestAdd")) + b"hello\n")) == "inconsistent"


@pytest.mark.parametrize(
    "data", [b"[]\n", b"null\n", b'{"Action":5}\n', b'{"Package":"x"}\n', b"\xff\n", b"[" * 5000 + b"\n"]
)
def test_a_line_of_another_form_is_a_fault(data: bytes) -> None:
    assert verdict(closed(passed(ran("TestAdd")) + data)) == "inconsistent"


def test_actions_of_newer_versions_are_passed_over() -> None:
    new = (
        line("attr", "TestAdd", Key="a", Value="b")
        + line("artifacts", "TestAdd", Path="/x")
        + line("novelty")
    )
    assert verdict(closed(passed(new, ran("TestAdd")))) == "passed"


def test_an_exit_code_that_no_event_explains_is_explained_by_stderr() -> None:
    [problem] = problems(
        read(closed(b"", 1), 1, stderr=b"go: errors parsing go.mod:\ngo.mod:3: unknown directive: x\n")
    )
    assert (problem.file, problem.line, problem.message) == ("go.mod", 3, "unknown directive: x")


def test_what_stderr_says_is_no_problem_of_a_green_run() -> None:
    assert (
        verdict(closed(passed(ran("TestAdd"))), stderr=b"# example.com/x\nx.go:3:1: warning: old\n")
        == "passed"
    )


def test_an_exit_code_that_nothing_explains_is_not_green() -> None:
    assert verdict(closed(passed(ran("TestAdd")), 1), 1) == "error"
    assert verdict(closed(failed(ran("TestBad", "fail")), 0), 0) == "inconsistent"


def test_a_failed_build_names_each_place_once() -> None:
    output = b'{"ImportPath":"x","Action":"build-output","Output":"# x\\n"}\n'
    output += b'{"ImportPath":"x","Action":"build-output","Output":"./x.go:3:9: undefined: y\\n"}\n'
    build = output + b'{"ImportPath":"x","Action":"build-fail"}\n'
    found = problems(read(closed(build * 2 + line("start") + line("fail", FailedBuild="x"), 1), 1))
    assert [(p.kind, p.file, p.line, p.message) for p in found] == [
        ("build", "x.go", 3, "undefined: y"),
        ("build", "", 0, f"{P} was not tested: x could not be built or found"),
    ]


def test_a_build_failure_of_old_go_is_read_from_plain_text() -> None:
    data = closed(f"FAIL\t{P} [build failed]\n".encode(), 1)
    [problem] = problems(read(data, 1, stderr=b"# x\ncart/cart.go:3:9: undefined: y\n"))
    assert (problem.kind, problem.file, problem.line) == ("build", "cart/cart.go", 3)


def test_missing_modules_come_with_advice() -> None:
    text = "a.go:3:2: missing go.sum entry for module providing package x; to add:\n\tgo get x\n"
    [problem] = problems(read(closed(b"", 1), 1, stderr=text.encode()))
    assert problem.kind == "import"
    assert "go mod download" in problem.message


def test_cached_results_are_noted() -> None:
    data = b"".join(
        [line("start"), ran("TestAdd"), said("PASS\n"), said(f"ok  \t{P}\t(cached)\n"), line("pass")]
    )
    notes = [event.message for event in read(closed(data)) if isinstance(event, Noted)]
    assert notes == ["Go took the results of 1 package from its cache (-count=1 runs them anew)"]


def test_a_second_call_may_test_the_same_package() -> None:
    data = passed(ran("TestAdd")) + b'{"Action":"proctor-next"}\n' + passed(ran("TestSub"))
    assert verdict(closed(data)) == "passed"
    assert verdict(closed(passed(ran("TestAdd")) + passed(ran("TestSub")))) == "inconsistent"


def test_a_failed_benchmark_is_a_failed_case_and_others_are_none() -> None:
    bench = line("run", "BenchmarkX") + said("BenchmarkX-2 10 1 ns/op\n", "BenchmarkX")
    assert verdict(closed(passed(ran("TestAdd"), bench))) == "passed"
    broken = bench + said("--- FAIL: BenchmarkX\n", "BenchmarkX") + line("fail", "BenchmarkX")
    assert last_case(read(closed(failed(broken), 1), 1)).status == "fail"


def test_the_reader_keeps_nothing_of_tests_that_passed() -> None:
    reader = GoReader("/p", 1)
    reader.feed("channel", line("start"))

    def weight(rounds: int) -> int:
        for number in range(rounds):
            reader.feed("channel", ran(f"Test{number}", text="text\n" * 3))
        return sum(
            len(part)
            for part in (reader._cases._packages, reader._cases.package(P).open, reader._builds, reader._told)
        )

    assert weight(10) == weight(1000)
