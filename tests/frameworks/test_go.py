"""Go's adapter: what it recognises, and which calls it makes of wishes."""

from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from proctor.frameworks.go import FRAMEWORK, NEXT_CALL
from proctor.model.errors import BadRequest, ToolMissing
from proctor.model.plan import Task
from proctor.service.project import DiskView

Project = Callable[[Mapping[str, str]], Path]
MODULE = {
    "go.mod": "module example.com/shop\n",
    "cart/cart_test.go": "package cart\n\nfunc TestAdd(t *testing.T) {}\n\nfunc FuzzAdd(f *testing.F) {}\n",
    "stock/stock_test.go": "package stock\n",
}


@pytest.fixture
def view(make_project: Project, tmp_path: Path) -> Callable[[Mapping[str, str]], DiskView]:
    tools = tmp_path / "tools"
    tools.mkdir()
    (tools / "go").touch()
    return lambda files: DiskView(make_project(files), {"PATH": f"{tools}", "HOME": str(tmp_path)})


@pytest.fixture
def call(view: Callable[[Mapping[str, str]], DiskView]) -> Callable[..., list[str]]:
    """Return a function that gives the words after `go test -json`, for each call."""

    def words(files: Mapping[str, str] = MODULE, **wishes: object) -> list[str]:
        command = FRAMEWORK.command(Task(root="/p", **wishes), view(files))  # type: ignore[arg-type]
        calls = " ".join(command.argv[2:]).split(f" {NEXT_CALL} ")
        return [text.split(" test -json ", 1)[1] for text in calls]

    return words


def test_a_module_with_tests_is_recognised(view: Callable[[Mapping[str, str]], DiskView]) -> None:
    found = FRAMEWORK.detect(view(MODULE))
    assert found is not None
    assert (found.confidence, found.reasons) == (95, ("go.mod is there", "cart/cart_test.go and 1 more"))


def test_a_module_without_tests_is_a_weak_sign(view: Callable[[Mapping[str, str]], DiskView]) -> None:
    found = FRAMEWORK.detect(view({"go.mod": "module x\n", "x.go": "package x\n"}))
    assert found is not None
    assert found.confidence == 30


def test_a_part_of_a_module_is_recognised(make_project: Project) -> None:
    found = FRAMEWORK.detect(DiskView(make_project(MODULE) / "cart", {}))
    assert found is not None
    assert found.reasons == ("cart_test.go", "../go.mod is above it")


@pytest.mark.parametrize(
    "files", [{"README": ""}, {"sub/go.mod": "module x\n", "sub/x_test.go": "package x\n"}]
)
def test_other_projects_are_not_go_s(
    view: Callable[[Mapping[str, str]], DiskView], files: Mapping[str, str]
) -> None:
    assert FRAMEWORK.detect(view(files)) is None


def test_without_wishes_everything_is_tested(call: Callable[..., list[str]]) -> None:
    assert call() == ["./..."]


def test_a_workspace_is_tested_module_by_module(call: Callable[..., list[str]]) -> None:
    work = "go 1.21\n\nuse (\n\t./one\n\t./two // the second\n)\nuse ./three\nreplace x => ./nothing\n"
    assert call({"go.work": work}) == ["./one/... ./two/... ./three/..."]


def test_arguments_and_parallelism_are_passed_on(call: Callable[..., list[str]]) -> None:
    assert call(parallel=3, arguments=("-race",)) == ["-p=3 -parallel=3 ./... -race"]


@pytest.mark.parametrize(
    ("pattern", "words"),
    [
        ("TestAdd", "-run=TestAdd ./..."),
        ("Test(Add|Sub)$", "-run=Test(Add|Sub)$ ./..."),
        ("Test*", "-run=^Test.*$ ./..."),
        ("TestTable/a?c", "-run=^TestTable$/^a.c$ ./..."),
        ("TestTable/two words", "-run=TestTable/two_words ./..."),
        ("TestA or TestB", "-run=TestA|TestB ./..."),
        ("./cart", "./cart"),
        ("./cart/... or ./stock", "./cart/... ./stock"),
        ("TestAdd or ./cart", "-run=TestAdd ./cart"),
        ("example.com/shop/cart", "example.com/shop/cart"),
        ("cart/cart_test.go", "-run=^FuzzAdd$|^TestAdd$ ./cart"),
        ("cart/cart_test.go::TestAdd", "-run=^TestAdd$ ./cart"),
        ("example.com/shop/cart::TestAdd/a.b", r"-run=^TestAdd$/^a\.b$ example.com/shop/cart"),
    ],
)
def test_a_pattern_becomes_packages_and_names(
    call: Callable[..., list[str]], pattern: str, words: str
) -> None:
    assert call(pattern=pattern) == [words]


def test_exact_tests_of_several_packages_run_no_others(call: Callable[..., list[str]]) -> None:
    assert call(
        tests=("x.org/a::TestOne", "x.org/b::TestTwo", "x.org/c::TestOne", "x.org/b::TestTwo/sub")
    ) == [
        "-run=^TestOne$ x.org/a x.org/c",
        "-run=^TestTwo$|^TestTwo$/^sub$ x.org/b",
    ]


def test_thousands_of_exact_tests_are_spread_over_calls(call: Callable[..., list[str]]) -> None:
    words = call(tests=tuple(f"x.org/a::Test{number:0100}" for number in range(2000)))
    assert len(words) == 3
    assert all(len(text) < 128 * 1024 for text in words)


def test_names_and_directories_can_be_excluded(call: Callable[..., list[str]]) -> None:
    assert call(exclude=("TestSlow*", "./stock", "x.org/a::TestBad")) == [
        "-skip=^TestSlow.*$|^TestBad$ ./cart"
    ]


def test_directories_of_a_project_too_deep_to_see_are_not_excluded_by_guess(
    call: Callable[..., list[str]],
) -> None:
    with pytest.raises(BadRequest, match="so large"):
        call({**MODULE, "a/b/c/d/e/f/g_test.go": ""}, exclude=("./stock",))


def test_a_file_without_tests_is_refused(call: Callable[..., list[str]]) -> None:
    with pytest.raises(BadRequest, match="no test functions"):
        call(pattern="stock/stock_test.go")


class ProjectAlone(DiskView):
    """A machine that has nothing but the project."""

    def exists(self, path: str) -> bool:
        return not path.startswith("/") and super().exists(path)


def test_a_missing_tool_is_an_error_with_advice(make_project: Project) -> None:
    with pytest.raises(ToolMissing, match="needs Go"):
        FRAMEWORK.command(Task(root="/p"), ProjectAlone(make_project(MODULE), {"PATH": "/usr/bin"}))
