"""cargo test: how it is recognised and called, and what its report says of each test."""

import json
from collections.abc import Mapping
from pathlib import Path

import pytest

from proctor.frameworks.cargo import FRAMEWORK
from proctor.frameworks.rust_panic import explain
from proctor.model.errors import ToolMissing
from proctor.model.event import CaseEnded, CaseStarted, ProblemFound, ReaderEvent
from proctor.model.plan import Command, Task

CORPUS = Path(__file__).parents[1] / "verdicts" / "corpus" / "cargo"
PACKAGE = '[package]\nname = "shop"\n'


class View:
    """A project of texts."""

    def __init__(self, files: Mapping[str, str], environment: Mapping[str, str] | None = None) -> None:
        self.root = "/w/p"
        self.files = {"/usr/bin/cargo": "", **files}
        self.environment = dict(environment if environment is not None else {"PATH": "/usr/bin"})

    def exists(self, path: str) -> bool:
        return path in self.files

    def read_text(self, path: str) -> str:
        return self.files.get(path, "")

    def find(self, pattern: str) -> tuple[str, ...]:
        return ()


def call(view: View, **wishes: object) -> Command:
    return FRAMEWORK.command(Task(root="/w/p", **wishes), view)  # type: ignore[arg-type]


def events(name: str, root: str = "/p", tests: tuple[str, ...] = ()) -> list[ReaderEvent]:
    reader = FRAMEWORK.reader(Task(root=root, tests=tests), 1)
    found: list[ReaderEvent] = []
    for stream in ("channel", "stderr"):
        if (CORPUS / name / stream).exists():
            found += reader.feed(stream, (CORPUS / name / stream).read_bytes())
    code = 0 if "exit_code: 0\n" in (CORPUS / name / "situation.yaml").read_text() else 101
    return [*found, *reader.finish(code)]


def ended(name: str) -> dict[str, CaseEnded]:
    return {event.id: event for event in events(name) if isinstance(event, CaseEnded)}


def problems(found: list[ReaderEvent]) -> list[ProblemFound]:
    return [event for event in found if isinstance(event, ProblemFound)]


@pytest.mark.parametrize("text", [PACKAGE, '[workspace]\nmembers = ["a"]\n', f"[workspace]\n{PACKAGE}"])
def test_a_manifest_at_the_root_is_recognised(text: str) -> None:
    detection = FRAMEWORK.detect(View({"Cargo.toml": text}))
    assert detection is not None
    assert detection.reasons[-1].startswith("Cargo.toml describes a ")


@pytest.mark.parametrize("files", [{}, {"sub/Cargo.toml": PACKAGE}, {"Cargo.toml": "[profile.dev]\n"}])
def test_without_a_manifest_at_the_root_it_is_no_rust_project(files: dict[str, str]) -> None:
    assert FRAMEWORK.detect(View(files)) is None


def test_the_call_keeps_going_after_failures_and_hands_arguments_on() -> None:
    command = call(
        View({}), arguments=("--release", "--no-fail-fast", "--message-format", "short", "--", "-q")
    )
    cargo = command.argv[command.argv.index("/usr/bin/cargo") :]
    assert cargo[1:] == ("test", "--no-fail-fast", "--message-format=json", "--release", "--", "-q")
    assert (command.channel, command.cwd, command.environment) == (True, "/w/p", {})


def test_wishes_travel_to_the_runner() -> None:
    command = call(View({}), pattern="a*", tests=("shop::lib::x",), exclude=("y",), parallel=3)
    wishes = json.loads(command.argv[command.argv.index("launch") + 1])
    assert wishes == {"root": "/w/p", "tests": ["shop::lib::x"], "pattern": "a*", "exclude": ["y"]}
    assert command.environment == {"RUST_TEST_THREADS": "3"}


def test_cargo_is_also_found_in_its_own_home() -> None:
    files, environment = {"/h/.cargo/bin/cargo": ""}, {"PATH": "/bin", "HOME": "/h"}
    assert "/h/.cargo/bin/cargo" in call(View(files, environment)).argv


def test_without_cargo_the_run_is_refused_with_a_hint() -> None:
    with pytest.raises(ToolMissing) as caught:
        call(View({}, {"PATH": "/bin", "HOME": "/h"}))
    assert "install Rust" in caught.value.hint


def test_a_member_of_a_workspace_builds_into_a_place_of_its_own() -> None:
    member = View({"Cargo.toml": PACKAGE, "/w/Cargo.toml": "[workspace]\n"})
    assert call(member).caches == {"CARGO_TARGET_DIR": "cargo-target"}
    assert call(View({"Cargo.toml": PACKAGE})).caches == {}


@pytest.mark.parametrize(("asked", "own"), [("/elsewhere", True), ("/w/p/out", False), ("out", False)])
def test_a_target_directory_outside_the_project_is_not_used(asked: str, own: bool) -> None:
    view = View({"Cargo.toml": PACKAGE}, {"PATH": "/usr/bin", "CARGO_TARGET_DIR": asked})
    assert bool(call(view).caches) is own


def test_a_failed_comparison_has_its_place_values_and_output() -> None:
    case = ended("mixed")["mixed::lib::compares"]
    assert (case.status, case.line, case.package) == ("fail", 7, "mixed")
    assert case.file.endswith("src/lib.rs")
    assert case.error == "assertion `left == right` failed: the sum\n  left: 2\n right: 3"
    check = case.assertions[0]
    assert (check.expected_value, check.actual_value, check.error_message) == ("3", "2", "the sum")
    assert case.output.startswith("before\n")


def test_an_ignored_test_is_skipped_with_its_reason() -> None:
    case = ended("mixed")["mixed::lib::waits"]
    assert (case.status, case.detail, case.line) == ("skip", "not yet", 17)


def test_a_returned_error_is_the_error() -> None:
    assert ended("mixed")["mixed::lib::returns_an_error"].error == 'Error: "no luck"'


def test_a_missing_panic_is_told() -> None:
    cases = ended("should-panic")
    assert "test did not panic as expected" in cases["should-not-have-passed::lib::does_not_panic"].error
    assert "that" in cases["should-not-have-passed::lib::panics_with_something_else"].error


def test_a_documentation_test_has_the_place_of_its_text() -> None:
    case = ended("documented")["documented::doc::src/lib.rs - add (line 7)"]
    assert (case.status, case.line, case.file.endswith("src/lib.rs")) == ("fail", 7, True)
    assert case.assertions[0].expected_value == "4"


def test_each_kind_of_target_has_its_own_name() -> None:
    assert set(ended("targets")) == {
        "targets::lib::in_the_library",
        "targets::api::from_outside",
        "targets::other::from_outside",
        "targets::bin/tool::in_the_binary",
    }


def test_a_program_without_the_harness_is_one_test() -> None:
    cases = ended("own-harness")
    assert cases["own-harness::fine"].status == "pass"
    assert cases["own-harness::red"].error == "the test program ended with exit code 3"


def test_files_are_relative_to_the_project() -> None:
    begun = next(event for event in events("green") if isinstance(event, CaseStarted))
    base = begun.file.removesuffix("/src/lib.rs")
    again = next(event for event in events("green", root=base) if isinstance(event, CaseStarted))
    assert (again.file, again.line) == ("src/lib.rs", 6)


def test_a_compile_error_names_file_line_and_words() -> None:
    found = problems(events("compile-error"))
    assert [(p.kind, p.file, p.line, p.message, p.fatal) for p in found] == [
        ("build", "src/lib.rs", 3, "mismatched types", True)
    ]
    assert 'let number: i32 = "text";' in found[0].stack_trace


@pytest.mark.parametrize(
    ("name", "kind", "words"),
    [
        ("broken-manifest", "build", "unexpected character"),
        ("missing-dependency", "build", "run `cargo fetch` once"),
        ("build-script-fails", "build", "failed to run custom build command"),
    ],
)
def test_what_cargo_ends_with_is_told(name: str, kind: str, words: str) -> None:
    found = problems(events(name))
    assert [(p.kind, words in p.message, p.fatal) for p in found] == [(kind, True, True)]


def test_a_broken_manifest_is_named_with_its_line() -> None:
    problem = problems(events("broken-manifest"))[0]
    assert (problem.file, problem.line) == ("Cargo.toml", 3)


def test_a_wished_test_that_does_not_exist_is_an_error() -> None:
    found = problems(events("green", tests=("green::lib::adds", "green::lib::subtracts")))
    assert [(p.kind, p.message) for p in found] == [("usage", "there is no test green::lib::subtracts")]


def test_the_words_of_older_rust_are_understood() -> None:
    output = (
        "thread 'a::b' panicked at 'assertion failed: `(left == right)`\n"
        "  left: `1`,\n right: `2`: sum', src/lib.rs:4:5\n"
        "note: run with `RUST_BACKTRACE=1` environment variable to display a backtrace\n"
    )
    said = explain("a::b", output, "")
    assert (said.file, said.line) == ("src/lib.rs", 4)
    assert (said.assertions[0].expected_value, said.assertions[0].actual_value) == ("2", "1")


def test_a_panic_that_another_thread_printed_is_not_the_tests_own() -> None:
    output = (
        "thread 'mine' (1) panicked at src/lib.rs:4:5:\nmy words\n"
        "thread '<unnamed>' (2) panicked at src/other.rs:9:9:\nother words\n"
    )
    assert explain("mine", output, "").line == 4
