"""Clients that go while a step of theirs waits."""
import subprocess
import sys
import time

import tensorflow.compat.v1 as tf

from served import ServedTest

WAITS = '''
import sys
import tensorflow.compat.v1 as tf
tf.disable_eager_execution()
taken = tf.FIFOQueue(10, [tf.float32], shared_name='shared').dequeue()
with tf.Session(sys.argv[1]) as sess:
    sess.run(tf.constant(0))
    print('waiting', flush=True)
    sess.run(taken)
'''


class GoneTest(ServedTest):
    def test_a_client_that_is_killed_takes_nothing(self):
        client = subprocess.Popen([sys.executable, '-c', WAITS, self.target], stdout=subprocess.PIPE, text=True)
        self.assertEqual(client.stdout.readline(), 'waiting\n')
        time.sleep(1)  # until its dequeue has reached the server
        client.kill()
        client.wait()
        client.stdout.close()
        time.sleep(1)
        queue = tf.FIFOQueue(10, [tf.float32], shared_name='shared')
        with self.session() as sess:
            for i in range(3):
                sess.run(queue.enqueue(float(i)))
            self.assertEqual(sess.run(queue.size()), 3)
            self.assertEqual([sess.run(queue.dequeue()) for _ in range(3)], [0.0, 1.0, 2.0])

    def test_a_deadline_takes_nothing(self):
        queue = tf.FIFOQueue(10, [tf.float32], shared_name='shared')
        with self.session() as sess:
            with self.assertRaises(tf.errors.DeadlineExceededError):
                sess.run(queue.dequeue(), options=tf.RunOptions(timeout_in_ms=200))
            sess.run(queue.enqueue(5.0))
            self.assertEqual(sess.run(queue.dequeue(), options=tf.RunOptions(timeout_in_ms=20000)), 5.0)
