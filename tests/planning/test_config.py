import pytest
from hypothesis import given
from hypothesis import strategies as st

from proctor.model.errors import BadConfig
from proctor.planning.config import parse_settings
from proctor.planning.settings import SandboxSettings, Settings

WHOLE = """\
testing:
  framework: go
  command: "go test -v ./..."
  timeout: 300s
  patterns:
    - "Test*"
  exclude:
    - "TestIntegration*"  # Skip integration tests by default
  environment:
    GO111MODULE: on
    CGO_ENABLED: 0
    EMPTY:
  sandbox:
    allow_network: false
    max_memory: 1GB
"""


def refusal(text: str, *, user_wide: bool = False) -> BadConfig:
    with pytest.raises(BadConfig) as caught:
        parse_settings(text, "testing.yaml", user_wide=user_wide)
    return caught.value


def test_every_key_of_a_whole_file_is_read() -> None:
    assert parse_settings(WHOLE, "testing.yaml") == Settings(
        framework="go",
        command="go test -v ./...",
        timeout=300.0,
        patterns=("Test*",),
        exclude=("TestIntegration*",),
        environment={"GO111MODULE": "on", "CGO_ENABLED": "0", "EMPTY": ""},
        sandbox=SandboxSettings(allow_network=False, max_memory=1 << 30),
    )


def test_the_keys_may_stand_at_the_top_level_too() -> None:
    settings = parse_settings("framework: pytest\nretries: 2\nparallel: 4\nreports: tap\n", "f")
    assert settings == Settings(framework="pytest", retries=2, parallel=4, reports=("tap",))


@pytest.mark.parametrize("text", ["", "# nothing\n", "---\n", "testing:\n", "null"])
def test_an_empty_file_says_nothing(text: str) -> None:
    assert parse_settings(text, "f") == Settings()


def test_a_key_without_a_value_says_nothing() -> None:
    assert parse_settings("timeout:\nframework: pytest\n", "f") == Settings(framework="pytest")


def test_an_unknown_key_is_refused_with_its_line_the_nearest_key_and_all_allowed_ones() -> None:
    error = refusal("testing:\n  framework: pytest\n  timout: 5s\n")
    assert error.message == "testing.yaml:3: unknown key 'timout'"
    assert error.hint.startswith("did you mean 'timeout'? allowed keys: arguments, category, command")
    assert dict(error.fields) == {"file": "testing.yaml", "line": "3", "key": "timout"}


def test_an_unknown_key_of_the_sandbox_is_refused_with_the_keys_of_the_sandbox() -> None:
    error = refusal("sandbox:\n  alow_network: true\n")
    assert error.message == "testing.yaml:2: unknown key 'sandbox.alow_network'"
    assert "did you mean 'allow_network'?" in error.hint


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("timeout: -5s", "timeout: '-5s' is not a duration above zero"),
        ("timeout: .nan", "timeout: '.nan' is not a duration above zero"),
        ("timeout: true", "timeout: 'true' does not fit"),
        ("parallel: 0", "parallel: '0' does not fit"),
        ("parallel: many", "parallel: 'many' does not fit"),
        ("retries: -1", "retries: '-1' does not fit"),
        ("patterns: {a: b}", "patterns: a mapping does not fit"),
        ("patterns: [[a]]", "patterns: a list does not fit"),
        ("patterns: ['']", "patterns: a list does not fit"),
        ("environment: [A]", "environment: a list does not fit"),
        ("environment: {A B: 1}", "environment: a mapping does not fit"),
        ("framework: [pytest]", "framework: a list does not fit"),
        ("framework: true", "framework: 'true' does not fit"),
        ("sandbox: off", "sandbox: 'off' does not fit"),
        ("sandbox: {max_memory: lots}", "sandbox.max_memory: 'lots' is not a size above zero"),
        ("sandbox: {max_cpu: .inf}", "sandbox.max_cpu: '.inf' does not fit"),
        ("sandbox: {max_cpu: 0}", "sandbox.max_cpu: '0' does not fit"),
        ("sandbox: {max_processes: 0}", "sandbox.max_processes: '0' does not fit"),
        ("sandbox: {allow_network: 1}", "sandbox.allow_network: '1' does not fit"),
        ("sandbox: {mode: docker}", "sandbox.mode: 'docker' does not fit"),
    ],
)
def test_a_bad_value_is_refused_with_its_line_and_a_way_to_write_it(line: str, said: str) -> None:
    error = refusal(f"category: unit\n{line}\n")
    assert error.message == f"testing.yaml:2: {said}"
    assert error.hint


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("framework: [", "testing.yaml:1: not valid YAML"),
        ("a: b\n  c: d", "testing.yaml:2: not valid YAML"),
        ("- a\n- b", "testing.yaml:1: the file: a list does not fit"),
        ("just text", "testing.yaml:1: the file: 'just text' does not fit"),
        ("a: 1\n---\nb: 2\n", "testing.yaml:2: not valid YAML"),
        ("timeout: 5\ncategory: x\ntimeout: 6", "testing.yaml:3: the key 'timeout' is already set in line 1"),
        ("[a, b]: c", "testing.yaml:1: a key must be a plain word"),
        ("framework: \x00", "testing.yaml:1: not valid YAML"),
    ],
)
def test_a_file_that_is_no_proper_yaml_is_refused_with_its_line(text: str, said: str) -> None:
    assert refusal(text).message.startswith(said)


def test_a_file_that_would_explode_is_refused_before_it_does() -> None:
    bomb = "a: &a [x, x]\n" + "\n".join(f"b{n}: &b{n} [*a, *a]" for n in range(50))
    assert "anchors and aliases" in refusal(bomb).message
    assert "nested deeper" in refusal("[" * 20_000).message
    assert "larger than" in refusal("#" * 300_000).message
    assert "tag" in refusal("framework: !!python/object/apply:os.system [ls]").message


def test_a_timeout_above_the_own_maximum_is_refused() -> None:
    assert refusal("max_timeout: 1m\ntimeout: 2m\n").message == "testing.yaml:2: timeout is above max_timeout"


def test_the_user_wide_file_knows_the_global_names() -> None:
    text = "default_timeout: 2m\nmax_timeout: 10m\nmax_runs: 3\n"
    text += "allow_network: true\nmax_memory: 4GB\nsandbox_enabled: false\n"
    assert parse_settings(text, "f", user_wide=True) == Settings(
        timeout=120.0,
        max_timeout=600.0,
        max_runs=3,
        sandbox=SandboxSettings(enabled=False, allow_network=True, max_memory=4 << 30),
    )


def test_the_user_wide_file_may_name_writable_places_and_switch_the_sandbox_off() -> None:
    text = "sandbox: {mode: off, writable: [~/.cache]}"
    settings = parse_settings(text, "f", user_wide=True)
    assert settings.sandbox == SandboxSettings(mode="off", writable=("~/.cache",))


@pytest.mark.parametrize("text", ["max_runs: 3", "allow_network: true", "sandbox: {writable: [/]}"])
def test_a_project_file_may_not_say_what_only_the_user_may(text: str) -> None:
    error = refusal(text)
    assert "is not for a project's file" in error.message
    assert "only the user-wide file" in error.hint


def test_a_project_file_cannot_switch_the_sandbox_off() -> None:
    assert "a project cannot switch the sandbox off" in refusal("sandbox: {enabled: false}").hint
    assert refusal("sandbox: {mode: off}").hint == "write one of: auto, bubblewrap, landlock"


@given(st.text(max_size=80))
def test_any_text_is_read_or_refused_with_a_place(text: str) -> None:
    message = "f:"
    try:
        parse_settings(text, "f")
    except BadConfig as error:
        message = error.message
    assert message.startswith("f:")
