"""Our own client (tests/cluster/session_main.cc) on TensorFlow's server, which is the master of a ps of TensorFlow's or ours."""
import os
import subprocess
import unittest

import cluster_test


class OurClientTest(unittest.TestCase):
    def run_client(self, *arguments):
        ran = subprocess.run([os.environ['WB_CLIENT']] + list(arguments), timeout=120, text=True, stdout=subprocess.PIPE,
                             stderr=subprocess.STDOUT)
        self.assertEqual(ran.returncode, 0, ran.stdout)
        self.assertIn('ok traces', ran.stdout)

    def test_a_master_of_a_ps(self):
        for tensorflow in (('worker', 'ps'), ('worker',)):
            with self.subTest(tensorflow=tensorflow):
                cluster = cluster_test.Cluster(tensorflow=tensorflow)
                try:
                    self.run_client(cluster.targets[0], '/job:ps/task:0')
                finally:
                    cluster.stop()


if __name__ == '__main__':
    unittest.main()
