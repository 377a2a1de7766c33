"""Makes one plan of a request, the settings and a project. Pure: whoever calls it has read the files."""

from collections.abc import Iterator, Mapping

import msgspec

from proctor.model.errors import BadRequest
from proctor.model.plan import Command, Limits, Plan, Task
from proctor.model.request import TestRequest
from proctor.planning.detect import GENERIC, choose
from proctor.planning.policy import choose_sandbox, make_limits, make_policy
from proctor.planning.settings import Settings
from proctor.planning.values import is_variable_name
from proctor.ports import Framework, ProjectView

DEFAULT_CATEGORY = "unit"
MAX_PARALLEL = 1024
MAX_ARGUMENT = 128 * 1024
"""Linux's MAX_ARG_STRLEN: the size of one argument or variable, with its final NUL."""
MAX_RETRIES = 100
_LONGEST_NAME = 200


def make_plan(
    request: TestRequest,
    settings: Settings,
    view: ProjectView,
    frameworks: Mapping[str, Framework],
    *,
    home_dir: str,
    proctor_home: str,
    project: str,
) -> tuple[Plan, tuple[str, ...]]:
    """Return what will be done, and notes for the result. The request wins over settings over defaults."""
    _check(request)
    asked, command = _way_to_test(request, settings)
    name = choose(frameworks, view, asked=asked, command=command)
    if name == GENERIC and not command:
        raise BadRequest("the framework 'generic' needs a command", hint="give one: --command 'make test'")
    if command and (request.test_pattern or request.tests):
        raise BadRequest(
            "a plain command cannot be narrowed to some tests",
            hint="write the choice into the command itself",
        )
    limits, notes = make_limits(request, settings)
    task = _make_task(request, settings, view.root, command, limits)
    made = frameworks[name].command(task, view)
    _check_length(made, request)
    plan = Plan(
        project=project,
        root=view.root,
        name=request.name or _default_name(view.root, command or task.pattern),
        framework=name,
        category=request.category or settings.category or DEFAULT_CATEGORY,
        task=task,
        command=_with_environment(made, settings.environment | request.environment),
        policy=make_policy(request, settings, view, home_dir=home_dir, proctor_home=proctor_home),
        limits=limits,
        sandbox=choose_sandbox(request, settings),
        retries=request.retries or settings.retries or 0,
    )
    return plan, (*settings.notes, *notes, *_remarks(request, settings, command))


def _way_to_test(request: TestRequest, settings: Settings) -> tuple[str, str]:
    """Return the framework and the command asked for; a request replaces the configured way whole."""
    if request.framework or request.test_command:
        return request.framework, request.test_command or _command_for(request.framework, settings)
    if settings.command:
        return GENERIC, settings.command
    return settings.framework, ""


def _remarks(request: TestRequest, settings: Settings, command: str) -> Iterator[str]:
    if not command:
        return
    if not request.test_command and settings.framework not in ("", GENERIC):
        yield f"the configured command is run as it is, without the adapter for {settings.framework}"
    if settings.patterns or settings.exclude or settings.arguments:
        yield "a plain command takes no patterns, exclude or arguments from the configuration"


def _command_for(framework: str, settings: Settings) -> str:
    return settings.command if framework == GENERIC else ""


def _make_task(request: TestRequest, settings: Settings, root: str, command: str, limits: Limits) -> Task:
    # Several configured patterns mean any of them; `or` is what frameworks with expressions understand.
    configured = " or ".join(settings.patterns) if not request.tests else ""
    if command:
        return Task(root=root, command=command, reports=request.reports or settings.reports)
    return Task(
        root=root,
        pattern=request.test_pattern or configured,
        tests=request.tests,
        exclude=settings.exclude,
        parallel=_parallel(request, settings, limits),
        arguments=settings.arguments,
        reports=request.reports or settings.reports,
    )


def _parallel(request: TestRequest, settings: Settings, limits: Limits) -> int:
    if request.max_parallel:
        return request.max_parallel
    if request.parallel:
        return settings.parallel or max(1, int(limits.cpus))
    return settings.parallel or 0


def _with_environment(command: Command, asked: dict[str, str]) -> Command:
    """Lay what was asked for under what the adapter needs for itself: its own variables carry the truth."""
    return msgspec.structs.replace(command, environment=asked | command.environment)


def _default_name(root: str, what: str) -> str:
    project = root.rstrip("/").rpartition("/")[2]
    words = " ".join(what.split())
    return (f"{project}: {words}" if words else project)[:_LONGEST_NAME]


def _check(request: TestRequest) -> None:
    for field, text in _texts(request):
        if "\0" in text:
            raise BadRequest(
                f"{field} contains a NUL character", hint="no path, name or command can have one"
            )
    for name in request.environment:
        if not is_variable_name(name):
            raise BadRequest(
                f"{name[:80]!r} is not the name of an environment variable",
                hint="a name has letters, digits and _ only and does not begin with a digit",
            )
    _check_number("max_parallel", request.max_parallel, MAX_PARALLEL)
    _check_number("retries", request.retries, MAX_RETRIES)


def _check_length(command: Command, request: TestRequest) -> None:
    """Refuse what the system cannot hand to a program, before a sandbox is blamed for it."""
    longest = max(len(text.encode()) for text in (*command.argv, *request.environment.values()))
    if longest >= MAX_ARGUMENT:
        raise BadRequest(
            f"an argument or variable of {longest} bytes is too long: the system allows {MAX_ARGUMENT - 1}",
            hint="choose tests by file or in several runs, and pass long values in a file",
        )


def _check_number(field: str, number: int, most: int) -> None:
    if not 0 <= number <= most:
        raise BadRequest(f"{field} is {number}", hint=f"give a number from 1 to {most}, or leave it out")


def _texts(request: TestRequest) -> Iterator[tuple[str, str]]:
    for field in request.__struct_fields__:
        value = getattr(request, field)
        match value:
            case str():
                yield field, value
            case tuple():
                yield from ((field, item) for item in value)
            case dict():
                yield from ((field, text) for item in value.items() for text in item)
