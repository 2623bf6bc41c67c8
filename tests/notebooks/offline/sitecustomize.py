"""On the kernel's path in tests: any connection that is not to this machine fails, as on a laptop offline."""

import ipaddress
import socket

_connect = socket.socket.connect


def _is_local(address):
    if not isinstance(address, tuple):
        return True
    try:
        return ipaddress.ip_address(address[0].split("%")[0]).is_loopback
    except ValueError:
        return address[0] == "localhost"


def _local_only(self, address):
    if not _is_local(address):
        raise OSError(f"no network in tests: {address}")
    return _connect(self, address)


socket.socket.connect = _local_only
