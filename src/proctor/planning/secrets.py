"""The places of a machine that hold secrets or hand out power, which no test run may see. Only a list.

What tests need from a home stays readable: toolchains and caches (`~/.cargo`, `~/go`, `~/.m2/repository`,
`~/.cache`, `~/.pyenv`, `~/.nvm`) and `~/.gitconfig`.
"""

from collections.abc import Mapping

from proctor.planning.paths import is_within

_IN_HOME = (
    # keys, password stores, wallets
    ".ssh", ".gnupg", ".password-store", ".local/share/keyrings", ".local/share/kwalletd", ".vault-token",
    ".pki", ".bitcoin", ".ethereum", ".electrum", ".age",
    # clouds and clusters
    ".aws", ".azure", ".kube", ".docker", ".dockercfg", ".oci", ".bluemix", ".boto", ".s3cfg", ".fly",
    ".cloudflared", ".wrangler", ".databrickscfg", ".snowflake", ".kaggle", ".terraform.d", ".terraformrc",
    ".minikube", ".rclone.conf",
    # source hosting
    ".netrc", ".git-credentials",
    # package registries
    ".npmrc", ".yarnrc", ".yarnrc.yml", ".pypirc", ".pip", ".condarc", ".cargo/credentials",
    ".cargo/credentials.toml", ".m2/settings.xml", ".m2/settings-security.xml", ".gradle/gradle.properties",
    ".bundle/config", ".gem/credentials", ".local/share/gem/credentials", ".composer/auth.json",
    ".sbt/.credentials", ".ivy2/.credentials", ".nuget/NuGet", ".local/share/uv/credentials",
    ".cache/huggingface/token", ".huggingface",
    # databases
    ".pgpass", ".my.cnf", ".mylogin.cnf",
    # coding agents
    ".claude", ".claude.json", ".codex", ".gemini", ".openai", ".anthropic", ".aider", ".aider.conf.yml",
    ".continue", ".cursor", ".windsurf", ".codeium", ".copilot", ".qwen", ".cline", ".roo", ".factory",
    ".mcp-auth", ".local/share/opencode", ".local/share/amp", ".vscode-server/data",
    # browsers and mail
    ".mozilla", ".thunderbird", "snap/firefox", "snap/chromium", ".var/app",
    # what was typed
    ".bash_history", ".zsh_history", ".python_history", ".node_repl_history", ".psql_history",
    ".mysql_history", ".sqlite_history", ".rediscli_history", ".irb_history", ".lesshst", ".viminfo",
    ".local/share/fish",
)  # fmt: skip
_IN_CONFIG = (
    "gcloud", "gh", "hub", "glab-cli", "git/credentials", "doctl", "rclone", "heroku", "configstore", "op",
    "sops", "containers/auth.json", "helm", "pip", "pypoetry/auth.toml", "composer/auth.json", "NuGet",
    "huggingface", "wandb", "solana", "claude", "anthropic", "openai", "codex", "github-copilot", "opencode",
    "goose", "amp", "mcp", "Code", "Cursor", "google-chrome", "chromium", "BraveSoftware", "microsoft-edge",
    "vivaldi", "opera", "Signal", "Slack", "discord", "Bitwarden",
)  # fmt: skip
_IN_SYSTEM = (
    "/etc/shadow", "/etc/shadow-", "/etc/gshadow", "/etc/gshadow-", "/etc/sudoers", "/etc/sudoers.d",
    "/etc/security/opasswd", "/etc/krb5.keytab", "/etc/ssl/private", "/etc/pki/tls/private",
    "/etc/ssh/ssh_host_rsa_key", "/etc/ssh/ssh_host_dsa_key", "/etc/ssh/ssh_host_ecdsa_key",
    "/etc/ssh/ssh_host_ed25519_key", "/etc/NetworkManager/system-connections", "/etc/wpa_supplicant",
    "/etc/kubernetes", "/etc/rancher", "/etc/docker/key.json",
    "/var/lib/docker", "/var/lib/containerd", "/var/lib/containers", "/var/lib/kubelet", "/var/lib/rancher",
    "/var/lib/lxd", "/var/lib/incus", "/var/lib/libvirt", "/var/lib/sss", "/var/spool/cron", "/var/mail",
)  # fmt: skip
_SOCKETS = (
    "/run/docker.sock", "/run/docker", "/run/containerd", "/run/podman", "/run/crio", "/run/buildkit",
    "/run/dbus", "/run/systemd/private", "/run/systemd/journal", "/run/snapd.socket", "/run/libvirt",
    "/run/user", "/run/secrets", "/run/k3s", "/run/incus", "/run/lxd.socket", "/run/postgresql",
    "/run/mysqld", "/run/redis", "/run/rpcbind.sock", "/run/avahi-daemon", "/run/cups",
)  # fmt: skip
_NAMED_BY_VARIABLES = (
    "SSH_AUTH_SOCK", "GNUPGHOME", "PASSWORD_STORE_DIR", "AWS_SHARED_CREDENTIALS_FILE", "AWS_CONFIG_FILE",
    "GOOGLE_APPLICATION_CREDENTIALS", "CLOUDSDK_CONFIG", "AZURE_CONFIG_DIR", "KUBECONFIG", "DOCKER_CONFIG",
    "NETRC", "NPM_CONFIG_USERCONFIG", "PIP_CONFIG_FILE", "GH_CONFIG_DIR", "PGPASSFILE", "BOTO_CONFIG",
    "CLAUDE_CONFIG_DIR", "CODEX_HOME", "XAUTHORITY", "XDG_RUNTIME_DIR", "DOCKER_HOST",
)  # fmt: skip


def secrets(home: str, environment: Mapping[str, str]) -> tuple[str, ...]:
    """Return the absolute paths to hide on a machine with this home and environment, existing or not."""
    config = _absolute(environment.get("XDG_CONFIG_HOME", "")) or f"{home}/.config"
    found = [f"{home}/{path}" for path in _IN_HOME]
    found += [f"{config}/{path}" for path in _IN_CONFIG]
    found += [*_IN_SYSTEM, *_SOCKETS, *_named(home, environment), *_foreign_home(home, environment)]
    cargo = _absolute(environment.get("CARGO_HOME", ""))
    found += [f"{cargo}/credentials", f"{cargo}/credentials.toml"] if cargo else []
    return tuple(dict.fromkeys(found))


def _named(home: str, environment: Mapping[str, str]) -> list[str]:
    """Places that variables point to, several parted by colons; not devices, and never the whole home."""
    values = (environment.get(name, "").removeprefix("unix://") for name in _NAMED_BY_VARIABLES)
    parts = (part for value in values for part in value.split(":"))
    paths = [path for part in parts if (path := _absolute(part))]
    return [path for path in paths if not is_within(path, "/dev") and not is_within(home, path)]


def _foreign_home(home: str, environment: Mapping[str, str]) -> list[str]:
    """The superuser's home, unless it is ours or programs of this environment live there."""
    used = any(is_within(part, "/root") for part in environment.get("PATH", "").split(":"))
    return [] if used or is_within(home, "/root") else ["/root"]


def _absolute(path: str) -> str:
    clean = path.rstrip("/")
    return clean if clean.startswith("/") and clean.count("/") > 1 else ""
