"""From a fork of the keeper to the command: namespaces, identity, rules, and the program at last.

Standard library only: the keeper imports it. Nothing here can be undone, and once begun nothing more can be
imported: the library may be out of the command's reach.
"""

from __future__ import annotations

import os
import signal

from proctor.sandboxes import keeper_calls as calls
from proctor.sandboxes import keeper_namespaces

TYPE_CHECKING = False  # importing typing would cost more than all else here
if TYPE_CHECKING:
    from typing import Any, NoReturn

GO = b"g"
IGNORED = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGQUIT)
_RESTORED = (*IGNORED, signal.SIGPIPE, signal.SIGXFSZ)


class Orders:
    """What the keeper is told to run, and within which bounds; it travels as JSON.

    ``confinements`` are tried in turn, the next only where the kernel refuses the namespaces of one.
    """

    def __init__(
        self,
        *,
        program: str,
        argv: list[str],
        cwd: str,
        environment: dict[str, str],
        owner: int,
        inherited: list[int],
        confinements: list[dict[str, Any]],
    ) -> None:
        self.program = program
        self.argv = argv
        self.cwd = cwd
        self.environment = environment
        self.owner = owner
        self.inherited = inherited
        self.confinements = confinements


class Confinement:
    """What holds a command back; it travels as JSON.

    ``identity`` is the user and group to become; ``handled`` and ``grants`` are Landlock's; ``filters`` are
    seccomp programs in hexadecimal; ``environment`` comes on top of the command's own.
    """

    def __init__(
        self,
        *,
        environment: dict[str, str],
        identity: list[int] | None = None,
        view: dict[str, Any] | None = None,
        abi: int = 0,
        handled: list[int] | None = None,
        grants: list[list[Any]] | None = None,
        filters: list[str] | None = None,
    ) -> None:
        self.environment = environment
        self.identity = identity
        self.view = view
        self.abi = abi
        self.handled = handled
        self.grants = grants
        self.filters = filters


def become(orders: Orders, fields: dict[str, Any], gate: int, failing: int, result: int) -> NoReturn:
    """Turn this fork into the command; whatever goes wrong is told through ``failing``."""
    stage = "start"
    try:
        if os.read(gate, 1) != GO:
            os._exit(1)
        confinement = Confinement(**fields)
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        stage = "namespaces"
        if confinement.view is not None:
            keeper_namespaces.enter(keeper_namespaces.View(**confinement.view), result)
        # Only now: those who stay behind in namespaces must go on ignoring what the keeper ignores.
        for number in _RESTORED:
            signal.signal(number, signal.SIG_DFL)
        os.setsid()
        stage = "identity"
        if confinement.filters is not None:
            calls.forbid_capabilities()
        _change_identity(confinement.identity)
        stage = "directory"
        os.chdir(orders.cwd)
        for descriptor in orders.inherited:
            os.set_inheritable(descriptor, True)
        stage = "confinement"
        _confine(confinement)
        stage = "program"
        os.execve(orders.program, orders.argv, {**orders.environment, **confinement.environment})  # noqa: S606
    except BaseException as error:
        reason = error.strerror if stage == "program" and isinstance(error, OSError) else error
        os.write(failing, f"{stage}\n{reason}".encode("utf-8", "replace")[:60000])
    os._exit(1)


def _change_identity(identity: list[int] | None) -> None:
    if identity is not None:
        user, group = identity
        os.setgroups([])
        os.setresgid(group, group, group)
        os.setresuid(user, user, user)
    calls.prctl(calls.PR_SET_PDEATHSIG, signal.SIGKILL)


def _confine(confinement: Confinement) -> None:
    """Give up privileges, then files and network, then system calls: the last would forbid the others."""
    if confinement.filters is None:
        return
    calls.drop_capabilities()
    calls.refuse_new_privileges()
    if confinement.handled is not None:
        files, network, scopes = confinement.handled
        grants = [(str(path), int(access)) for path, access in confinement.grants or []]
        calls.restrict(confinement.abi, (files, network, scopes), grants)
    for program in confinement.filters:
        calls.load_filter(bytes.fromhex(program))
