from proctor.planning.settings import SandboxSettings, Settings, merge


def test_the_project_wins_and_environments_are_joined() -> None:
    user = Settings(
        timeout=60.0, category="mine", environment={"A": "user", "B": "user"}, retries=3, max_runs=2
    )
    project = Settings(timeout=90.0, environment={"B": "project"}, retries=0)
    assert merge(user, project) == Settings(
        timeout=90.0, category="mine", environment={"A": "user", "B": "project"}, retries=0, max_runs=2
    )


def test_nothing_merged_with_nothing_is_nothing() -> None:
    assert merge(Settings(), Settings()) == Settings()


def test_a_project_that_names_a_framework_is_not_mixed_with_the_users_command() -> None:
    merged = merge(Settings(command="make test"), Settings(framework="pytest"))
    assert (merged.framework, merged.command) == ("pytest", "")


def test_user_wide_maxima_cap_those_of_the_project_and_say_so() -> None:
    user = Settings(max_timeout=600.0, sandbox=SandboxSettings(max_memory=1 << 30, max_cpu=2.0))
    project = Settings(max_timeout=3600.0, sandbox=SandboxSettings(max_memory=8 << 30, max_cpu=1.0))
    merged = merge(user, project)
    assert (merged.max_timeout, merged.sandbox.max_memory, merged.sandbox.max_cpu) == (600.0, 1 << 30, 1.0)
    assert len(merged.notes) == 2
    assert "max_timeout" in merged.notes[0]


def test_a_network_that_the_user_forbids_stays_off_and_that_is_told() -> None:
    project = Settings(sandbox=SandboxSettings(allow_network=True))
    forbidding = Settings(sandbox=SandboxSettings(allow_network=False))
    assert merge(forbidding, project).sandbox.allow_network is False
    assert "forbids" in merge(forbidding, project).notes[0]
    assert merge(Settings(), project).sandbox.allow_network is True


def test_a_project_may_switch_on_a_sandbox_that_the_user_switched_off() -> None:
    for off in (SandboxSettings(enabled=False), SandboxSettings(mode="off")):
        for on in (SandboxSettings(enabled=True), SandboxSettings(mode="landlock")):
            merged = merge(Settings(sandbox=off), Settings(sandbox=on)).sandbox
            assert merged.enabled is True
            assert merged.mode == on.mode


def test_hidden_and_readonly_places_add_up_and_writable_ones_are_the_users() -> None:
    user = Settings(sandbox=SandboxSettings(hidden=("a",), readonly=("b",), writable=("w",)))
    project = Settings(sandbox=SandboxSettings(hidden=("c",), readonly=("d",), writable=("/",)))
    merged = merge(user, project).sandbox
    assert (merged.hidden, merged.readonly, merged.writable) == (("a", "c"), ("b", "d"), ("w",))
