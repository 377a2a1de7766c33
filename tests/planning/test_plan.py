from collections.abc import Callable

import pytest

from proctor.model.errors import BadRequest
from proctor.model.plan import Command, Plan, Task
from proctor.model.request import TestRequest
from proctor.planning.plan import make_plan
from proctor.planning.settings import Settings
from proctor.ports import Framework, ProjectView

View = Callable[..., ProjectView]
Frameworks = dict[str, Framework]
Made = tuple[Plan, tuple[str, ...]]
Make = Callable[..., Made]


@pytest.fixture
def make(view: View, frameworks: Frameworks) -> Make:
    """Plan a request for a project that pytest recognises."""

    def plan(request: TestRequest, settings: Settings = Settings()) -> Made:  # noqa: B008
        places = {"home_dir": "/home/dev", "proctor_home": "/home/dev/.state", "project": "shop"}
        return make_plan(request, settings, view("pytest.ini"), frameworks, **places)

    return plan


def test_a_bare_request_runs_what_was_detected_with_defaults(make: Make) -> None:
    plan, notes = make(TestRequest())
    assert (plan.framework, plan.name, plan.category, plan.sandbox) == ("pytest", "shop", "unit", "auto")
    assert plan.command == Command(argv=("pytest", ""), cwd="/home/dev/shop", environment={"REPORTER": "on"})
    assert notes == ()


def test_the_request_wins_over_the_settings(make: Make) -> None:
    settings = Settings(
        category="e2e", patterns=("a", "b"), exclude=("slow",), retries=1, parallel=8,
        arguments=("-x",), reports=("tap",),
    )  # fmt: skip
    configured, _ = make(TestRequest(), settings)
    assert configured.category == "e2e"
    assert configured.retries == 1
    assert configured.task == Task(
        root="/home/dev/shop", pattern="a or b", exclude=("slow",), parallel=8, arguments=("-x",),
        reports=("tap",),
    )  # fmt: skip
    asked = TestRequest(
        category="unit", test_pattern="c", retries=2, max_parallel=3, reports=("r.xml",), name="mine"
    )
    plan, _ = make(asked, settings)
    assert (plan.category, plan.retries, plan.name) == ("unit", 2, "mine")
    assert (plan.task.pattern, plan.task.parallel, plan.task.reports) == ("c", 3, ("r.xml",))


def test_named_tests_are_not_narrowed_by_configured_patterns(make: Make) -> None:
    plan, _ = make(TestRequest(tests=("test_a.py::test_b",)), Settings(patterns=("a",)))
    assert (plan.task.tests, plan.task.pattern) == (("test_a.py::test_b",), "")


def test_parallel_without_a_number_takes_the_processors_it_may_use(make: Make) -> None:
    assert make(TestRequest(parallel=True))[0].task.parallel == 2
    assert make(TestRequest(parallel=True, max_cpu=6.0))[0].task.parallel == 6
    assert make(TestRequest())[0].task.parallel == 0


def test_the_environment_of_the_request_is_laid_over_the_configured_one_and_under_the_adapters(
    make: Make,
) -> None:
    request = TestRequest(environment={"B": "request", "REPORTER": "off"})
    plan, _ = make(request, Settings(environment={"A": "file", "B": "file"}))
    assert plan.command.environment == {"A": "file", "B": "request", "REPORTER": "on"}


def test_a_command_is_run_as_it_is(make: Make) -> None:
    plan, notes = make(TestRequest(test_command="make test && ./more"))
    assert plan.framework == "generic"
    assert plan.command.argv == ("/bin/sh", "-c", "make test && ./more")
    assert plan.name == "shop: make test && ./more"
    assert notes == ()


def test_a_configured_command_says_what_it_leaves_unused(make: Make) -> None:
    settings = Settings(framework="pytest", command="make test", patterns=("a",))
    plan, notes = make(TestRequest(), settings)
    assert plan.framework == "generic"
    assert "without the adapter for pytest" in notes[0]
    assert "takes no patterns" in notes[1]
    assert make(TestRequest(framework="pytest"), settings)[0].framework == "pytest"


def test_notes_of_settings_and_limits_reach_the_caller(make: Make) -> None:
    _, notes = make(TestRequest(timeout=5000.0), Settings(notes=("from the files",)))
    assert notes[0] == "from the files"
    assert notes[1].startswith("the time limit is 15m")


@pytest.mark.parametrize(
    ("request_", "said"),
    [
        (TestRequest(timeout=-1.0), "above zero"),
        (TestRequest(framework="nose"), "unknown framework"),
        (TestRequest(framework="pytest", test_command="make"), "exclude each other"),
        (TestRequest(framework="generic"), "needs a command"),
        (TestRequest(test_command="make", test_pattern="a"), "cannot be narrowed"),
        (TestRequest(test_command="  "), "command is empty"),
        (TestRequest(test_command="make", reports=("xunit",)), "unknown report"),
        (TestRequest(test_command="make", reports=("junit:../r.xml",)), "outside the project"),
        (TestRequest(sandbox="docker"), "unknown sandbox"),
        (TestRequest(max_parallel=-1), "max_parallel is -1"),
        (TestRequest(max_parallel=10**9), "max_parallel is"),
        (TestRequest(retries=-1), "retries is -1"),
        (TestRequest(test_pattern="a\0b"), "test_pattern contains a NUL"),
        (TestRequest(tests=("a\0b",)), "tests contains a NUL"),
        (TestRequest(environment={"A": "\0"}), "environment contains a NUL"),
        (TestRequest(environment={"A B": "x"}), "not the name of an environment variable"),
    ],
)
def test_a_request_that_makes_no_sense_is_refused_with_a_hint(
    make: Make, request_: TestRequest, said: str
) -> None:
    with pytest.raises(BadRequest, match=said) as caught:
        make(request_)
    assert caught.value.hint
