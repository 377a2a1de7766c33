"""Which variables of the caller's environment a command may see. Pure."""

import re
from collections.abc import Mapping
from typing import Final

_SECRETS: Final = re.compile(
    r"""
    ^(?:
      .*(?:TOKEN|SECRET|PASSWORD|PASSWD|PASSPHRASE|CREDENTIAL|APIKEY|CONNECTION_STRING).*
    | (?:.*_)?(?:KEY|KEYS|AUTH|COOKIE|DSN)
    | .*_(?:PASS|PWD|KEY_ID|KEY_FILE|KEY_DATA|KEY_BASE64|AUTH_HEADER)
    | (?:AWS|AZURE|ARM|GOOGLE|GCP|GCLOUD|CLOUDSDK|GITHUB|GH|GITLAB|BITBUCKET|ACTIONS|VAULT|KUBERNETES|KUBE
        |DOCKER|TWINE|POETRY_HTTP_BASIC|POETRY_PYPI)_.*
    | NETRC|KUBECONFIG|PGPASSFILE|PGSERVICEFILE|GNUPGHOME
    )$
    """,
    re.VERBOSE | re.IGNORECASE,
)
"""Credentials, by the name they go by."""

_PASSWORD_IN_ADDRESS: Final = re.compile(r"://[^/\s@]*:[^/\s@]+@")

_DOORS: Final = re.compile(
    r"""
    ^(?:
      SSH_.*|DBUS_.*|DISPLAY|WAYLAND_.*|XAUTHORITY|ICEAUTHORITY|SESSION_MANAGER|XDG_(?:RUNTIME_DIR|SESSION_.*)
    | GPG_.*|SUDO_.*|TMUX.*|STY|WINDOWID|VSCODE_.*|NOTIFY_SOCKET|LISTEN_(?:FDS|PID|FDNAMES)|JOURNAL_STREAM
    | PULSE_.*|PIPEWIRE_.*|LIBVIRT_.*|CONTAINER_HOST|NODE_CHANNEL_FD|MAKEFLAGS|MFLAGS
    )$
    """,
    re.VERBOSE,
)
"""Ways to a service of the host, and descriptors of the caller that the command does not have."""

_LEVERS: Final = re.compile(
    r"""
    ^(?:
      LD_.*|GLIBC_TUNABLES|GCONV_PATH
    | PYTHON(?:STARTUP|HOME|INSPECT|BREAKPOINT|EXECUTABLE|USERBASE)
    | BASH_ENV|ENV|BASH_FUNC_.*|SHELLOPTS|BASHOPTS|PROMPT_COMMAND|PS4|ZDOTDIR
    | GIT_.*|NODE_OPTIONS|PERL5OPT|PERL5DB|RUBYOPT|JAVA_TOOL_OPTIONS|_JAVA_OPTIONS|JDK_JAVA_OPTIONS|LUA_INIT.*
    | DOTNET_STARTUP_HOOKS|CORECLR_.*|COVERAGE_PROCESS_START|PYTEST_(?:ADDOPTS|PLUGINS|CURRENT_TEST|XDIST_.*)
    | PROCTOR_.*
    )$
    """,
    re.VERBOSE,
)
"""Variables by which a program loads foreign code or means something else than its command line says."""


def scrub(environment: Mapping[str, str], keep: frozenset[str]) -> tuple[dict[str, str], tuple[str, ...]]:
    """Return what a command may see and the names that were dropped; those in ``keep`` were asked for."""
    kept = {name: value for name, value in environment.items() if name in keep or not _is_unfit(name, value)}
    return kept, tuple(sorted(environment.keys() - kept.keys()))


def _is_unfit(name: str, value: str) -> bool:
    by_name = any(pattern.match(name) for pattern in (_SECRETS, _DOORS, _LEVERS))
    return by_name or _PASSWORD_IN_ADDRESS.search(value) is not None
