from collections.abc import Callable

import pytest

from proctor.model.errors import BadRequest, NoFramework
from proctor.planning.detect import choose, rank
from proctor.ports import Framework, ProjectView

View = Callable[..., ProjectView]
Frameworks = dict[str, Framework]


def test_the_surest_detection_comes_first(view: View, frameworks: Frameworks) -> None:
    found = rank(frameworks, view(".mocharc", "pytest.ini", "jest.config.js"))
    assert [detection.framework for detection in found] == ["pytest", "jest", "mocha"]


def test_a_clear_detection_is_chosen(view: View, frameworks: Frameworks) -> None:
    assert choose(frameworks, view("pytest.ini", ".mocharc")) == "pytest"


def test_what_was_asked_for_wins_over_what_is_detected(view: View, frameworks: Frameworks) -> None:
    assert choose(frameworks, view("pytest.ini"), asked="mocha") == "mocha"


def test_a_command_is_run_by_the_generic_framework(view: View, frameworks: Frameworks) -> None:
    assert choose(frameworks, view("pytest.ini"), command="make test") == "generic"
    assert choose(frameworks, view(), asked="generic", command="make test") == "generic"


def test_two_close_detections_are_refused_with_reasons_and_the_way_to_choose(
    view: View, frameworks: Frameworks
) -> None:
    with pytest.raises(BadRequest) as caught:
        choose(frameworks, view("pytest.ini", "jest.config.js"))
    assert "pytest (pytest.ini exists); jest (jest.config.js exists)" in caught.value.message
    assert "--framework pytest or --framework jest" in caught.value.hint


def test_a_project_without_any_sign_of_tests_is_refused_with_a_way_out(
    view: View, frameworks: Frameworks
) -> None:
    with pytest.raises(NoFramework) as caught:
        choose(frameworks, view("README.md"))
    assert "generic, jest, mocha, pytest" in caught.value.hint
    assert "--command" in caught.value.hint


def test_an_unknown_framework_is_refused_with_the_nearest_and_all_known(
    view: View, frameworks: Frameworks
) -> None:
    with pytest.raises(BadRequest) as caught:
        choose(frameworks, view(), asked="pytset")
    assert caught.value.hint == "did you mean 'pytest'? known: generic, jest, mocha, pytest"


def test_a_command_with_a_framework_of_its_own_is_refused(view: View, frameworks: Frameworks) -> None:
    with pytest.raises(BadRequest, match="exclude each other"):
        choose(frameworks, view(), asked="pytest", command="make test")
