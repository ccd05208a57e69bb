"""Servers under measurement: each is started once, when it is first needed, and stopped at the end."""
import os
import re
import subprocess
import sys

from jobs import ECHO, TENSORFLOW, WARPBEAM

sys.path.append(os.path.dirname(os.path.dirname(os.path.realpath(__file__))))
from loopback import free_ports  # noqa: E402


class ServerError(Exception):
    """A server did not start."""


class Servers:
    """`commands` says for each side how its server is started; it must print its target, grpc://HOST:PORT."""

    def __init__(self, commands):
        self._commands = commands
        self._running = {}   # side -> (child, target)
        self._clusters = {}  # (side, side of the ps) -> [(child, target)], the workers' and the ps's

    def target(self, side):
        """HOST:PORT of the side's server."""
        if side not in self._running:
            self._running[side] = self._start(side)
        child, target = self._running[side]
        if child.poll() is not None:
            raise ServerError('the server of %s ended with status %d' % (side, child.returncode))
        return target

    def cluster(self, side, ps=''):
        """HOST:PORT of each worker of the side's cluster, which has a ps besides: of the side `ps`, if that is said."""
        key = (side, ps or side)
        if key not in self._clusters:
            ports = free_ports(3)
            cluster = 'ps|localhost:%d,worker|localhost:%d;localhost:%d' % tuple(ports)
            tasks = ((side, 'worker', 0), (side, 'worker', 1), (ps or side, 'ps', 0))
            self._clusters[key] = [
                self._start(of, ['--cluster=' + cluster, '--job=' + job, '--task=%d' % task])
                for of, job, task in tasks]
        for child, _ in self._clusters[key]:
            if child.poll() is not None:
                raise ServerError('a task of %s ended with status %d' % (side, child.returncode))
        return [target for _, target in self._clusters[key][:2]]

    def processes(self, side, ps=''):
        """The numbers of the processes of the cluster."""
        return [child.pid for child, _ in self._clusters[side, ps or side]]

    def _start(self, side, flags=()):
        child = subprocess.Popen(self._commands[side] + list(flags), stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
                                 env=dict(os.environ, TF_CPP_MIN_LOG_LEVEL='3'))
        for line in child.stdout:
            match = re.search(r'grpc://(\S+)', line)
            if match:
                return child, match.group(1)
        raise ServerError('the server of %s said no target; exit status %d' % (side, child.wait()))

    def close(self):
        children = [child for child, _ in self._running.values()]
        children += [child for tasks in self._clusters.values() for child, _ in tasks]
        for child in children:
            child.terminate()
            try:
                child.wait(timeout=15)
            except subprocess.TimeoutExpired:
                child.kill()
                child.wait()
            child.stdout.close()
        self._running.clear()
        self._clusters.clear()


def commands(binaries, warpbeam, python):
    """How each side's server is started: `binaries` is where the programs of this folder are, `python` has
    TensorFlow and may be None."""
    here = os.path.dirname(os.path.realpath(__file__))
    return {WARPBEAM: [warpbeam, 'serve', '--port=0'],
            ECHO: [os.path.join(binaries, 'grpc_echo')],
            TENSORFLOW: [python, os.path.join(here, 'serve_tensorflow.py')]}
