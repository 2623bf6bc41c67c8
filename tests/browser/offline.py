"""Takes the network away from this process and its children: only loopback is left (Linux, with the right to do so)."""

import contextlib
import ctypes
import os
import socket
import struct

CLONE_NEWNET, SIOCSIFFLAGS, IFF_UP = 0x40000000, 0x8914, 1


def _call(name, *arguments):
    libc = ctypes.CDLL(None, use_errno=True)
    if getattr(libc, name)(*arguments) != 0:
        raise OSError(ctypes.get_errno(), name)


def _loopback_up():
    import fcntl  # not on Windows

    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as control:
        fcntl.ioctl(control, SIOCSIFFLAGS, struct.pack("16sh14x", b"lo", IFF_UP))


@contextlib.contextmanager
def no_network():
    """Yields whether the network is really gone; where the system refuses, the browser's route handler is the proof."""
    try:
        home = os.open("/proc/self/ns/net", os.O_RDONLY)
        _call("unshare", CLONE_NEWNET)
    except (OSError, AttributeError):
        yield False
        return
    try:
        _loopback_up()
        yield True
    finally:
        _call("setns", home, CLONE_NEWNET)
        os.close(home)
