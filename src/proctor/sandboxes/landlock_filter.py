"""The sockets that Landlock cannot judge and no namespace hides, refused by a second seccomp filter."""

import errno
import socket
from functools import cache
from typing import Final

from proctor.model.errors import SandboxUnavailable
from proctor.sandboxes.libseccomp import ALLOW, KILL_PROCESS, MASKED_EQ, Arg, SystemCallFilter, refusal

_LOW_WORD: Final = 0xFFFFFFFF
_INTERNET: Final = (socket.AF_INET, socket.AF_INET6)


@cache
def refuse_sockets(*, network: bool) -> bytes:
    """Return a filter without unix sockets (pairs stay) and, unless there is a network, internet sockets.

    A unix socket of the host, such as a container daemon's, is a way out that Landlock does not guard. And of
    the internet it guards TCP alone, which still leaves datagrams, fast open and other stream protocols.
    """
    families = (socket.AF_UNIX,) if network else (socket.AF_UNIX, *_INTERNET)
    try:
        rules = SystemCallFilter(ALLOW, KILL_PROCESS)
        for family in families:
            rules.add(refusal(errno.EACCES), "socket", Arg(0, MASKED_EQ, _LOW_WORD, family))
        return rules.compile()
    except OSError as error:
        raise SandboxUnavailable(
            f"The system call filter cannot be built: {error}",
            hint="Install libseccomp 2 (apt-get install libseccomp2), or run unprotected: --sandbox off.",
        ) from error
