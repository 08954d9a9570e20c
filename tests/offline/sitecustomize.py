"""Blocks every socket that leaves this machine: imported by the tests, and by their children.

Python imports a module of this name at start-up when its folder is on PYTHONPATH.
"""

from __future__ import annotations

import ipaddress
import socket
from typing import Any


class NetworkUsedInTestError(RuntimeError):
    """A test tried to leave this machine; no OSError, so that no code takes it for bad luck."""


def is_loopback(host: object) -> bool:
    """Whether a host name or address is this machine."""
    name = host.decode() if isinstance(host, bytes) else host
    if name in (None, "", "localhost"):
        return True
    try:
        return ipaddress.ip_address(str(name)).is_loopback
    except ValueError:
        return False


def block() -> None:
    """Let sockets reach loopback addresses only; a second call changes nothing."""
    if getattr(socket, "_blocked_by_claimdb_tests", False):
        return
    connect, connect_ex, look_up = (
        socket.socket.connect,
        socket.socket.connect_ex,
        socket.getaddrinfo,
    )

    def check(host: object) -> None:
        if not is_loopback(host):
            raise NetworkUsedInTestError(f"a test tried to reach {host!r}; use the local hub")

    def checked_connect(self: socket.socket, address: Any) -> None:
        if self.family != socket.AF_UNIX:
            check(address[0])
        connect(self, address)

    def checked_connect_ex(self: socket.socket, address: Any) -> int:
        if self.family != socket.AF_UNIX:
            check(address[0])
        return connect_ex(self, address)

    def checked_look_up(host: Any, *args: Any, **kwargs: Any) -> Any:
        check(host)
        return look_up(host, *args, **kwargs)

    module: Any = socket
    module.socket.connect = checked_connect
    module.socket.connect_ex = checked_connect_ex
    module.getaddrinfo = checked_look_up
    module._blocked_by_claimdb_tests = True


block()
