"""What the wheel's package promises, from a folder that it was unpacked to; with TensorFlow where this Python has it."""

import importlib.util
import socket
import unittest

import warpbeam


class ServeTest(unittest.TestCase):

  def test_a_server_listens_until_it_is_stopped(self):
    with warpbeam.serve('--simulated_gpus=1') as server:
      self.assertRegex(server.target, r'^grpc://localhost:\d+$')
      port = int(server.target.rsplit(':', 1)[1])
      socket.create_connection(('localhost', port), timeout=10).close()
    with self.assertRaises(OSError):
      socket.create_connection(('localhost', port), timeout=10)
    server.stop()

  def test_what_is_wrong_is_told(self):
    with self.assertRaisesRegex(RuntimeError, 'no_such_flag'):
      warpbeam.serve('--no_such_flag')

  @unittest.skipUnless(importlib.util.find_spec('tensorflow'), 'this Python has no TensorFlow')
  def test_a_tensorflow_1_program_runs_on_it(self):
    import tensorflow.compat.v1 as tf
    with tf.Graph().as_default():
      x = tf.placeholder(tf.float32, [2])
      with warpbeam.serve() as server, tf.Session(server.target) as session:
        self.assertEqual(list(session.run(x * 3., {x: [1, 2]})), [3, 6])


if __name__ == '__main__':
  unittest.main()
