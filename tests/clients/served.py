"""ServedTest: a test with a server of its own, which TensorFlow's client reaches as `self.target`."""
import os
import re
import signal
import subprocess
import unittest

import tensorflow.compat.v1 as tf

tf.disable_eager_execution()


class Server:
    """One `warpbeam serve`; `arguments` are more flags for it."""

    def __init__(self, *arguments):
        self._child = subprocess.Popen([os.environ['WB_SERVER'], 'serve', '--port=0', *arguments],
                                       stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        line = self._child.stdout.readline()
        match = re.search(r'grpc://\S+', line)
        if not match:
            raise RuntimeError('no server: %s%s' % (line, self._child.communicate()[1]))
        self.target = match.group()

    def stop(self):
        """Ends it as Ctrl-C does. The exit status and what it logged."""
        self._child.send_signal(signal.SIGINT)
        try:
            _, log = self._child.communicate(timeout=30)
        except subprocess.TimeoutExpired:
            self._child.kill()
            self._child.communicate()
            raise
        return self._child.returncode, log


class ServedTest(unittest.TestCase):
    ARGUMENTS = ()

    def setUp(self):
        tf.reset_default_graph()
        self.server = Server(*self.ARGUMENTS)
        self.target = self.server.target
        self.addCleanup(self._stop)

    def _stop(self):
        status, log = self.server.stop()
        self.assertEqual(status, 0, log)

    def session(self, **config):
        return tf.Session(self.target, config=tf.ConfigProto(allow_soft_placement=True, **config))
