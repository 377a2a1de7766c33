"""Which variables a command may see."""

import pytest

from proctor.sandboxes.environment import scrub

HARMLESS = (
    "PATH", "HOME", "PWD", "OLDPWD", "LANG", "LC_ALL", "TERM", "TZ", "USER", "CI", "VIRTUAL_ENV",
    "PYTHONPATH",
    "PYTHONDONTWRITEBYTECODE", "PYTHONHASHSEED", "DJANGO_SETTINGS_MODULE", "AUTHOR", "MONKEY", "KEYBOARD",
    "COMPASS", "http_proxy", "NO_COLOR", "CARGO_HOME", "GOPATH", "JAVA_HOME",
)  # fmt: skip
SECRET = (
    "GITHUB_TOKEN", "GH_TOKEN", "MY_API_TOKEN", "npm_config_authToken", "CLIENT_SECRET", "SECRET_KEY_BASE",
    "API_KEY",
    "OPENAI_API_KEY", "SSH_PRIVATE_KEY", "DB_PASSWORD", "PGPASSWORD", "MYSQL_PWD", "DB_PASS", "AWS_PROFILE",
    "AWS_ACCESS_KEY_ID", "GOOGLE_APPLICATION_CREDENTIALS", "AZURE_TENANT_ID", "KUBECONFIG", "SENTRY_DSN",
    "VAULT_ADDR",
)  # fmt: skip
DOOR = (
    "SSH_AUTH_SOCK",
    "DBUS_SESSION_BUS_ADDRESS",
    "DISPLAY",
    "WAYLAND_DISPLAY",
    "DOCKER_HOST",
    "XDG_RUNTIME_DIR",
)
LEVER = (
    "LD_PRELOAD", "LD_LIBRARY_PATH", "PYTHONSTARTUP", "PYTHONHOME", "BASH_ENV", "ENV", "BASH_FUNC_ls%%",
    "GIT_DIR",
    "GIT_CONFIG_COUNT", "GIT_SSH_COMMAND", "NODE_OPTIONS", "PERL5OPT", "RUBYOPT", "JAVA_TOOL_OPTIONS",
    "PYTEST_ADDOPTS", "PYTEST_PLUGINS", "PROCTOR_CHANNEL",
)  # fmt: skip


@pytest.mark.parametrize("name", HARMLESS)
def test_ordinary_variables_pass(name: str) -> None:
    assert scrub({name: "value"}, frozenset()) == ({name: "value"}, ())


@pytest.mark.parametrize("name", [*SECRET, *DOOR, *LEVER])
def test_credentials_doors_and_levers_are_dropped_and_named(name: str) -> None:
    assert scrub({name: "value", "PATH": "/bin"}, frozenset()) == ({"PATH": "/bin"}, (name,))


@pytest.mark.parametrize("name", [*SECRET, *DOOR, *LEVER])
def test_what_was_asked_for_by_name_passes(name: str) -> None:
    assert scrub({name: "value"}, frozenset({name})) == ({name: "value"}, ())


@pytest.mark.parametrize(
    ("value", "passes"),
    [
        ("postgres://user:password@host/db", False),
        ("https://:token@host", False),
        ("http://proxy:3128", True),
        ("http://host:80/@path", True),
        ("user@host:path", True),
    ],
)
def test_a_password_in_an_address_is_a_credential_under_any_name(value: str, passes: bool) -> None:
    assert bool(scrub({"ADDRESS": value}, frozenset())[0]) == passes


def test_dropped_names_come_sorted() -> None:
    assert scrub({"B_TOKEN": "", "A_TOKEN": ""}, frozenset())[1] == ("A_TOKEN", "B_TOKEN")
