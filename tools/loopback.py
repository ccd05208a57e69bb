"""Sockets of this machine, for tests and benchmarks that start servers (their C++: runtime/dist/testing/loopback.h)."""
import random
import socket

# Below those that a connection of somebody else's may get as its own end meanwhile.
PORTS = range(10000, 32000)


def _bound():
    for _ in range(100):
        one = socket.socket()
        try:
            one.bind(('localhost', random.choice(PORTS)))
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
