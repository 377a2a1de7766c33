import math
from collections.abc import Callable

import pytest

from proctor.model.errors import BadRequest
from proctor.model.plan import Limits, Policy
from proctor.model.request import TestRequest
from proctor.planning.policy import choose_sandbox, make_limits, make_policy, protected
from proctor.planning.secrets import secrets
from proctor.planning.settings import SandboxSettings, Settings
from proctor.ports import ProjectView

View = Callable[..., ProjectView]
HOME = "/home/dev"


def policy(view: ProjectView, *, home: str = HOME, box: SandboxSettings | None = None) -> Policy:
    settings = Settings(sandbox=box or SandboxSettings())
    return make_policy(TestRequest(), settings, view, home_dir=home, proctor_home=f"{HOME}/.proctor-state")


def test_secrets_are_hidden_and_toolchains_and_caches_are_not() -> None:
    hidden = secrets(HOME, {})
    for path in (
        ".ssh",
        ".aws",
        ".netrc",
        ".cargo/credentials.toml",
        ".config/gh",
        ".claude",
        ".bash_history",
    ):
        assert f"{HOME}/{path}" in hidden
    for path in ("/etc/shadow", "/run/docker.sock", "/var/lib/docker", "/root"):
        assert path in hidden
    needed = (
        ".cargo",
        "go",
        ".m2",
        ".m2/repository",
        ".cache",
        ".pyenv",
        ".nvm",
        ".config",
        ".local",
        ".gitconfig",
    )
    assert not {f"{HOME}/{path}" for path in needed} & set(hidden)


def test_secrets_that_variables_point_to_are_hidden_too() -> None:
    environment = {
        "SSH_AUTH_SOCK": "/opt/agent/socket",
        "KUBECONFIG": "/opt/kube/a:/opt/kube/b",
        "DOCKER_HOST": "unix:///opt/docker.sock",
        "XDG_CONFIG_HOME": "/opt/config",
        "PIP_CONFIG_FILE": "/dev/null",
        "XDG_RUNTIME_DIR": "/home",
        "NETRC": "relative",
    }
    hidden = secrets(HOME, environment)
    assert {"/opt/agent/socket", "/opt/kube/a", "/opt/kube/b", "/opt/docker.sock", "/opt/config/gh"} <= set(
        hidden
    )
    assert not {"/dev/null", "/home", "relative", HOME} & set(hidden)


def test_the_home_of_the_superuser_stays_if_it_is_ours_or_programs_come_from_there() -> None:
    assert "/root" not in secrets("/root", {})
    assert "/root" not in secrets(HOME, {"PATH": "/usr/bin:/root/.pyenv/shims"})


def test_a_run_writes_the_project_alone_and_not_what_the_host_obeys_later(view: View) -> None:
    made = policy(view())
    assert made.network is False
    assert made.writable == ("/home/dev/shop",)
    assert set(protected("/home/dev/shop")) <= set(made.readonly)
    for path in (".git", ".venv", ".vscode", ".claude", ".envrc", ".proctor", "AGENTS.md"):
        assert f"/home/dev/shop/{path}" in made.readonly
    assert f"{HOME}/.proctor-state" in made.hidden


def test_a_virtual_environment_of_any_name_inside_the_project_is_read_only(view: View) -> None:
    made = policy(view(environment={"VIRTUAL_ENV": "/home/dev/shop/.py312", "CONDA_PREFIX": "/opt/conda"}))
    assert "/home/dev/shop/.py312" in made.readonly
    assert "/opt/conda" not in made.readonly


def test_configured_places_are_found_from_the_project_or_the_home(view: View) -> None:
    box = SandboxSettings(writable=("~/.cache", ".venv"), readonly=("data",), hidden=("~/notes", "../other"))
    made = policy(view(), box=box)
    assert made.writable == ("/home/dev/shop", "/home/dev/.cache", "/home/dev/shop/.venv")
    assert "/home/dev/shop/.venv" not in made.readonly
    assert "/home/dev/shop/data" in made.readonly
    assert {"/home/dev/notes", "/home/dev/other"} <= set(made.hidden)


def test_made_up_credentials_of_the_project_itself_are_not_hidden(view: View) -> None:
    environment = {"KUBECONFIG": "/home/dev/shop/tests/kubeconfig"}
    assert "/home/dev/shop/tests/kubeconfig" not in policy(view(environment=environment)).hidden


def test_a_home_as_the_project_keeps_its_secrets_hidden_and_its_start_up_files_as_they_are(
    view: View,
) -> None:
    made = policy(view(root=HOME))
    assert f"{HOME}/.ssh" in made.hidden
    assert f"{HOME}/.bashrc" in made.readonly


def test_the_whole_machine_is_no_project(view: View) -> None:
    with pytest.raises(BadRequest, match="whole machine"):
        policy(view(root="/"))


def test_the_network_is_the_requests_to_choose_then_the_settings(view: View) -> None:
    box = SandboxSettings(allow_network=True)
    asked = TestRequest(allow_network=False)
    places = {"home_dir": HOME, "proctor_home": "/p"}
    assert policy(view(), box=box).network is True
    assert make_policy(asked, Settings(sandbox=box), view(), **places).network is False


def test_the_sandbox_is_on_unless_the_request_or_the_user_says_off() -> None:
    off = Settings(sandbox=SandboxSettings(enabled=False))
    assert choose_sandbox(TestRequest(), Settings()) == "auto"
    assert choose_sandbox(TestRequest(), off) == "off"
    assert choose_sandbox(TestRequest(sandbox="landlock"), off) == "landlock"
    assert choose_sandbox(TestRequest(), Settings(sandbox=SandboxSettings(mode="bubblewrap"))) == "bubblewrap"
    with pytest.raises(BadRequest) as caught:
        choose_sandbox(TestRequest(sandbox="docker"), Settings())
    assert caught.value.hint == "choose one of: auto, bubblewrap, landlock, off"


def test_without_wishes_the_limits_are_the_defaults() -> None:
    assert make_limits(TestRequest(), Settings()) == (Limits(timeout=300.0, memory=2 << 30, cpus=2.0), ())


def test_the_request_wins_over_the_settings() -> None:
    box = SandboxSettings(max_memory=1 << 30, max_cpu=1.0, max_processes=64)
    settings = Settings(timeout=60.0, sandbox=box)
    request = TestRequest(timeout=30.0, max_memory=3 << 30, max_cpu=0.5)
    assert make_limits(request, settings)[0] == Limits(timeout=30.0, memory=3 << 30, cpus=0.5, processes=64)
    assert make_limits(TestRequest(), settings)[0] == Limits(
        timeout=60.0, memory=1 << 30, cpus=1.0, processes=64
    )


def test_a_wish_above_the_maximum_is_cut_and_that_is_told() -> None:
    limits, notes = make_limits(TestRequest(timeout=3600.0), Settings(max_timeout=600.0))
    assert limits.timeout == 600.0
    assert notes == ("the time limit is 10m, not 1h: max_timeout allows no more",)
    assert make_limits(TestRequest(timeout=3600.0), Settings())[0].timeout == 900.0


def test_a_configured_time_above_the_usual_maximum_is_the_projects_right() -> None:
    assert make_limits(TestRequest(), Settings(timeout=1800.0)) == (Limits(timeout=1800.0), ())
    assert make_limits(TestRequest(), Settings(timeout=1800.0, max_timeout=600.0))[0].timeout == 600.0


@pytest.mark.parametrize("number", [0.0, -1.0, math.nan, math.inf])
def test_limits_that_are_no_numbers_above_zero_are_refused(number: float) -> None:
    requests = [TestRequest(timeout=number), TestRequest(max_cpu=number), TestRequest(max_memory=-1)]
    for request in requests:
        with pytest.raises(BadRequest, match="above zero"):
            make_limits(request, Settings())


def test_a_memory_limit_in_which_nothing_starts_is_refused() -> None:
    with pytest.raises(BadRequest, match="1B of memory") as caught:
        make_limits(TestRequest(max_memory=1), Settings())
    assert "the least is 8MB" in caught.value.hint
