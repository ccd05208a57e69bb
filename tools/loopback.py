"""Sockets of this machine, for tests and benchmarks that start servers (their C++: runtime/dist/testing/loopback.h)."""
import itertools
import os
import socket

# Below those that a connection of somebody else's may get as its own end meanwhile. A process takes its own hundred of
# them, so that tests side by side do not find the same one free.
FIRST_PORT, BLOCKS, BLOCK_PORTS = 10000, 220, 100
_next = itertools.count()


def _bound():
    block = (os.getpid() + os.stat('/proc/self/ns/pid').st_ino) % BLOCKS
    for _ in range(BLOCK_PORTS):
        one = socket.socket()
        try:
            one.bind(('localhost', FIRST_PORT + block * BLOCK_PORTS + next(_next) % BLOCK_PORTS))
            return one
        except OSError:
            one.close()
    raise OSError('a hundred ports are taken')


def free_ports(count):
    """Ports that nobody listens on, all different. Somebody else may take one before it is used."""
    sockets = []
    try:
        for _ in range(count):
            sockets.append(_bound())
        return [one.getsockname()[1] for one in sockets]
    finally:
        for one in sockets:
            one.close()
