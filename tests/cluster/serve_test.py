#!/usr/bin/env python3
"""Tests of where `warpbeam serve` finds its cluster: flags and environment variables. The first argument is the program."""
import os
import re
import signal
import socket
import subprocess
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, os.pardir, 'tools'))
from loopback import free_ports  # noqa: E402


class ServeTest(unittest.TestCase):
    def serve(self, *flags, **variables):
        """The line that it prints when it is ready, or its error."""
        process = subprocess.Popen([PROGRAM, 'serve'] + list(flags), env=variables, text=True,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        line = process.stdout.readline()
        process.send_signal(signal.SIGTERM)
        _, error = process.communicate(timeout=60)
        return line.strip() or error.strip()

    def test_alone(self):
        self.assertRegex(self.serve(), r'^/job:localhost/task:0 serves grpc://localhost:\d+$')
        self.assertRegex(self.serve('--job=ps', '--task=2'), r'^/job:ps/task:2 serves grpc://localhost:\d+$')

    def test_both_ways_of_writing_a_cluster(self):
        a, b = free_ports(2)
        expected = ('/job:worker/task:1 serves grpc://localhost:%d (--cluster has the cluster: '
                    '{"worker": ["localhost:%d", "localhost:%d"]})' % (b, a, b))
        for cluster in ('worker|localhost:%d;localhost:%d', 'worker=localhost:%d,localhost:%d'):
            self.assertEqual(self.serve('--cluster=' + cluster % (a, b), '--job=worker', '--task=1'), expected)
        self.assertIn("no job 'chief'", self.serve('--cluster=worker=a:1', '--job=chief'))
        self.assertIn('is not of the form', self.serve('--cluster=worker', '--job=worker'))

    def test_tf_config(self):
        (port,) = free_ports(1)
        cluster = '{"cluster": {"chief": ["localhost:%d"], "worker": {"3": "a:1"}}' % port
        config = cluster + ', "task": {"type": "chief", "index": 0}}'
        self.assertEqual(self.serve(TF_CONFIG=config),
                         '/job:chief/task:0 serves grpc://localhost:%d (TF_CONFIG has the cluster: '
                         '{"chief": ["localhost:%d"], "worker": {"3": "a:1"}})' % (port, port))
        # Flags count more.
        self.assertRegex(self.serve('--job=ps', TF_CONFIG=config), r'^/job:ps/task:0 serves grpc://localhost:\d+$')
        self.assertIn('not which task this is', self.serve(TF_CONFIG=cluster + '}'))
        self.assertIn('an evaluator', self.serve(TF_CONFIG=cluster + ', "task": {"type": "evaluator", "index": 0}}'))
        self.assertIn('TF_CONFIG: this is no JSON object', self.serve(TF_CONFIG='{'))

    def test_slurm_and_mpi(self):
        (port,) = free_ports(1)
        flags = ('--jobs=ps:1,worker:-', '--port_base=%d' % port)
        slurm = dict(SLURM_STEP_NODELIST='localhost,n[1-2]', SLURM_STEP_TASKS_PER_NODE='1(x3)', SLURM_PROCID='0')
        cluster = '{"ps": ["localhost:%d"], "worker": ["n1:%d", "n2:%d"]}' % (port, port, port)
        line = '/job:ps/task:0 serves grpc://localhost:%d (%s has the cluster: %s)'
        self.assertEqual(self.serve(*flags, **slurm), line % (port, 'Slurm', cluster))
        mpi = dict(OMPI_COMM_WORLD_RANK='0', OMPI_COMM_WORLD_SIZE='3')
        self.assertEqual(self.serve('--hosts=localhost,n[1-2]', *flags, **mpi), line % (port, 'OpenMPI', cluster))
        self.assertIn('is not of the form job:3', self.serve('--jobs=ps', **slurm))

    def test_a_port_that_is_taken(self):
        with socket.socket() as taken:
            taken.bind(('localhost', 0))
            taken.listen()
            port = taken.getsockname()[1]
            error = self.serve('--port=%d' % port)
        self.assertIn('cannot listen on localhost:%d' % port, error)
        if os.access('/proc/net/tcp', os.R_OK) and re.search(r'process \d+', error):
            self.assertIn('process %d (' % os.getpid(), error)


if __name__ == '__main__':
    PROGRAM = os.path.abspath(sys.argv.pop(1))
    unittest.main()
