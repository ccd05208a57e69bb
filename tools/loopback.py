"""Sockets of this machine, for tests and benchmarks that start servers (their C++: runtime/dist/testing/loopback.h)."""
import socket


def free_ports(count):
    """Ports that nobody listens on, all different. Somebody else may take one before it is used."""
    sockets = [socket.socket() for _ in range(count)]
    try:
        for one in sockets:
            one.bind(('localhost', 0))
        return [one.getsockname()[1] for one in sockets]
    finally:
        for one in sockets:
            one.close()
