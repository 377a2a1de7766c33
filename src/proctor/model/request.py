"""What a caller asks for. Field names are those of the agents' `run_tests` action and its Go ancestor."""

import msgspec

MIB = 1024 * 1024
GIB = 1024 * MIB

DEFAULT_TIMEOUT = 300.0
MAX_TIMEOUT = 900.0
DEFAULT_MEMORY = 2 * GIB
DEFAULT_CPUS = 2.0
SANDBOX_MODES = ("auto", "bubblewrap", "landlock", "off")


class TestRequest(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One wish to run tests. Empty or None means: as the project's configuration says, else the default."""

    __test__ = False

    project_path: str = "."
    test_command: str = ""
    framework: str = ""
    test_pattern: str = ""
    tests: tuple[str, ...] = ()
    environment: dict[str, str] = {}
    timeout: float | None = None
    parallel: bool = False
    max_parallel: int = 0
    retries: int = 0
    category: str = ""
    name: str = ""
    reports: tuple[str, ...] = ()
    sandbox: str = ""
    allow_network: bool | None = None
    max_memory: int | None = None
    max_cpu: float | None = None
