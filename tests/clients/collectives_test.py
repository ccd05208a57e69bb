"""Collectives with members on tasks of ours and of TensorFlow's, under masters of both."""
import itertools
import os
import re
import signal
import subprocess
import sys
import threading
import time
import unittest

import numpy as np
import tensorflow.compat.v1 as tf
from tensorflow.python.ops import gen_collective_ops as collectives

sys.path.append(os.path.join(os.path.dirname(os.path.realpath(__file__)), os.pardir, os.pardir, 'tools'))
from loopback import free_ports  # noqa: E402

tf.disable_eager_execution()

LEADER = '/job:worker/replica:0/task:0'
OURS, TENSORFLOW = 'ours', 'tensorflow'

# TensorFlow's tasks have to be told of the leader when they start.
TENSORFLOW_SERVER = """
import sys, tensorflow as tf
config = tf.compat.v1.ConfigProto()
config.experimental.collective_group_leader = sys.argv[3]
server = tf.distribute.Server({'worker': sys.argv[1].split(';')}, job_name='worker', task_index=int(sys.argv[2]), config=config)
print('serves', server.target, flush=True)
server.join()
"""


class Workers:
    """One task for each of `kinds`."""

    def __init__(self, kinds):
        addresses = ['localhost:%d' % port for port in free_ports(len(kinds))]
        self.targets = ['grpc://' + a for a in addresses]
        self.children, self._kinds = [], kinds
        for task, kind in enumerate(kinds):
            if kind == TENSORFLOW:
                argv = [sys.executable, '-c', TENSORFLOW_SERVER, ';'.join(addresses), str(task), LEADER]
            else:
                argv = [os.environ['WB_SERVER'], 'serve', '--cluster=worker|' + ';'.join(addresses), '--job=worker', '--task=%d' % task]
            self.children.append(subprocess.Popen(argv, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True))
        for child in self.children:
            if not re.search('serves', child.stdout.readline()):
                self.stop()
                raise RuntimeError('a task did not start')

    def stop(self):
        for child, kind in zip(self.children, self._kinds):
            # TensorFlow's do not hear of anything else.
            if child.poll() is None:
                child.send_signal(signal.SIGINT if kind == OURS else signal.SIGKILL)
        for child in self.children:
            try:
                child.wait(timeout=5)
            except subprocess.TimeoutExpired:
                child.kill()
                child.wait()
            child.stdout.close()


def device(task):
    return tf.device('/job:worker/task:%d' % task)


def reduce(x, size, instance, group=1, merge='Add', final='Id', **more):
    return collectives.collective_reduce_v2(x, size, group, instance, merge_op=merge, final_op=final, ordering_token=[], **more)


class MixedTest(unittest.TestCase):
    def open(self, *kinds):
        tf.reset_default_graph()
        workers = Workers(kinds)
        self.addCleanup(workers.stop)
        return workers

    def session(self, target, graph=None):
        config = tf.ConfigProto()
        config.experimental.collective_group_leader = LEADER
        return tf.Session(target, graph=graph, config=config)

    def run_within(self, seconds, calls):
        """What each call returns, or the error that it raises; all at once, in time."""
        results = [None] * len(calls)

        def call(i):
            try:
                results[i] = calls[i]()
            except tf.errors.OpError as error:
                results[i] = error

        threads = [threading.Thread(target=call, args=(i,), daemon=True) for i in range(len(calls))]
        for thread in threads:
            thread.start()
        end = time.time() + seconds
        for thread in threads:
            thread.join(max(0, end - time.time()))
            self.assertFalse(thread.is_alive(), 'a step does not end')
        return results

    def mixes(self):
        """Clusters of one task of ours and one of TensorFlow's, in either order, and the master of each."""
        for kinds in ((TENSORFLOW, OURS), (OURS, TENSORFLOW)):
            workers = self.open(*kinds)
            for master in range(2):
                with self.subTest(tasks=kinds, master=master):
                    tf.reset_default_graph()
                    yield workers.targets[master]
            workers.stop()


class InGraphTest(MixedTest):
    """One client, whose step has the members of both tasks."""

    def test_one_number(self):
        for target in self.mixes():
            sums = []
            for task in range(2):
                with device(task):
                    sums.append(reduce(tf.constant([1.0 + task]), 2, 1))
            with self.session(target) as session:
                for _ in range(3):
                    self.assertEqual([list(s) for s in session.run(sums)], [[3.0], [3.0]])

    def test_sums_of_all_types_and_sizes(self):
        random = np.random.RandomState(1)
        for target in self.mixes():
            instances = itertools.count(10)
            with self.session(target) as session:
                for dtype, size in itertools.product((np.float32, np.float64, np.int32, np.int64), (1, 7, 32, 1000003)):
                    x = [(random.randn(size) * 100).astype(dtype) for _ in range(2)]
                    instance, sums, feeds = next(instances), [], {}
                    for task in range(2):
                        with device(task):
                            fed = tf.placeholder(dtype, [size])
                            feeds[fed] = x[task]
                            sums.append(reduce(fed, 2, instance))
                    for _ in range(2):
                        for result in session.run(sums, feeds):
                            np.testing.assert_array_equal(result, x[0] + x[1])

    def test_merge_and_final_ops(self):
        a, b = np.array([[3, -7], [5, 2]], np.float32), np.array([[1, 2], [-5, 9]], np.float32)
        expected = {('Add', 'Div'): (a + b) / 2, ('Mul', 'Id'): a * b, ('Min', 'Id'): np.minimum(a, b), ('Max', 'Id'): np.maximum(a, b)}
        for target in self.mixes():
            outs = []
            for instance, (merge, final) in enumerate(expected):
                for task, x in enumerate((a, b)):
                    with device(task):
                        outs.append(reduce(tf.constant(x), 2, instance, merge=merge, final=final))
            ints = []
            for task in range(2):
                with device(task):
                    ints.append(reduce(tf.constant([5 + task, -6, 7 * task]), 2, 100, final='Div'))
            with self.session(target) as session:
                results = session.run(outs + ints)
                for i, value in enumerate(expected.values()):
                    np.testing.assert_array_equal(results[2 * i], value)
                    np.testing.assert_array_equal(results[2 * i + 1], value)
                np.testing.assert_array_equal(results[-2], [5, -6, 3])
                np.testing.assert_array_equal(results[-1], [5, -6, 3])

    def test_gathers_and_broadcasts(self):
        for target in self.mixes():
            outs = []
            for task in range(2):
                with device(task):
                    x = tf.constant([[1.0 + task, 2.0], [3.0, 4.0 + task]])
                    outs.append(collectives.collective_gather_v2(x, 2, 1, 1, ordering_token=[]))
                    for source in range(2):
                        if task == source:
                            sent = collectives.collective_bcast_send_v2(x, 2, 1, 10 + source)
                        else:
                            sent = collectives.collective_bcast_recv_v2(2, 1, 10 + source, [2, 2], T=tf.float32)
                        outs.append(sent)
            a, b = [[1, 2], [3, 4]], [[2, 2], [3, 5]]
            with self.session(target) as session:
                for _ in range(2):
                    results = session.run(outs)
                    for got, expected in zip(results, [a + b, a, b] * 2):
                        np.testing.assert_array_equal(got, expected)

    def test_the_first_versions(self):
        for target in self.mixes():
            outs = []
            for task in range(2):
                with device(task):
                    x = tf.constant([1.0 + task, 2.0])
                    outs.append(collectives.collective_reduce(x, 2, 1, 1, merge_op='Add', final_op='Div', subdiv_offsets=[0]))
                    outs.append(collectives.collective_gather(x, 2, 1, 2, shape=[4]))
                    if task == 1:
                        outs.append(collectives.collective_bcast_send(x, 2, 1, 3, shape=[2]))
                    else:
                        outs.append(collectives.collective_bcast_recv(tf.float32, 2, 1, 3, shape=[2]))
            with self.session(target) as session:
                for _ in range(2):
                    results = session.run(outs)
                    for got, expected in zip(results, [[1.5, 2], [1, 2, 2, 2], [2, 2]] * 2):
                        np.testing.assert_array_equal(got, expected)

    def test_large_tensors_in_subdivisions(self):
        x = np.arange(5000000, dtype=np.float32) % 1000
        for target in self.mixes():
            sums = []
            for task in range(2):
                with device(task):
                    fed = tf.range(5000000.0) % 1000.0
                    sums.append(reduce(fed * (1.0 + task), 2, 1, max_subdivs_per_device=0))
            with self.session(target) as session:
                for result in session.run(sums):
                    np.testing.assert_array_equal(result, 3 * x)

    def test_many_in_one_step(self):
        for target in self.mixes():
            outs = []
            for instance in range(30):
                for task in (0, 1) if instance % 2 else (1, 0):
                    with device(task):
                        outs.append(reduce(tf.fill([100], float(instance + task)), 2, instance))
            with self.session(target) as session:
                for _ in range(5):
                    for i, result in enumerate(session.run(outs)):
                        np.testing.assert_array_equal(result, np.full([100], 2 * (i // 2) + 1, np.float32))

    def test_three_tasks(self):
        for kinds in itertools.product((OURS, TENSORFLOW), repeat=3):
            if len(set(kinds)) == 1:
                continue
            workers = self.open(*kinds)
            for master in range(3):
                with self.subTest(tasks=kinds, master=master):
                    tf.reset_default_graph()
                    outs = []
                    for task in range(3):
                        with device(task):
                            x = tf.range(1000.0) * (task + 1.0)
                            outs.append(reduce(x, 3, 1))
                            outs.append(collectives.collective_gather_v2(x[:2], 3, 1, 2, ordering_token=[]))
                            if task == 2:
                                outs.append(collectives.collective_bcast_send_v2(x, 3, 1, 3))
                            else:
                                outs.append(collectives.collective_bcast_recv_v2(3, 1, 3, [1000], T=tf.float32))
                    with self.session(workers.targets[master]) as session:
                        for _ in range(2):
                            results = session.run(outs)
                            for i in range(0, 9, 3):
                                np.testing.assert_array_equal(results[i], 6 * np.arange(1000))
                                np.testing.assert_array_equal(results[i + 1], [0, 1, 0, 2, 0, 3])
                                np.testing.assert_array_equal(results[i + 2], 3 * np.arange(1000))
            workers.stop()


class BetweenGraphTest(MixedTest):
    """A client for each task, whose steps meet by the keys."""

    def sums(self, workers, make):
        graphs, outs = [], []
        for task in range(len(workers.targets)):
            graphs.append(tf.Graph())
            with graphs[-1].as_default(), device(task):
                outs.append(make(task))
        return [self.session(target, graph) for target, graph in zip(workers.targets, graphs)], outs

    def test_steps_of_two_clients_meet(self):
        for kinds in ((TENSORFLOW, OURS), (OURS, TENSORFLOW)):
            for name, make in (
                    ('second', lambda task: reduce(tf.range(1000.0) + task, 2, 1)),
                    ('first', lambda task: collectives.collective_reduce(
                        tf.range(1000.0) + float(task), 2, 1, 7, merge_op='Add', final_op='Id', subdiv_offsets=[0]))):
                with self.subTest(tasks=kinds, version=name):
                    workers = self.open(*kinds)
                    sessions, outs = self.sums(workers, make)
                    for _ in range(5):
                        results = self.run_within(30, [lambda i=i: sessions[i].run(outs[i]) for i in range(2)])
                        for result in results:
                            self.assertNotIsInstance(result, Exception)
                            np.testing.assert_array_equal(result, 2 * np.arange(1000.0) + 1)
                    for session in sessions:
                        session.close()
                    workers.stop()

    def test_steps_with_a_graph_key(self):
        options = tf.RunOptions()
        options.experimental.collective_graph_key = 5
        for kinds in ((TENSORFLOW, OURS), (OURS, TENSORFLOW)):
            with self.subTest(tasks=kinds):
                workers = self.open(*kinds)
                sessions, outs = self.sums(workers, lambda task: [reduce(tf.constant([task + 1.0]), 2, i) for i in range(3)])
                for _ in range(3):
                    results = self.run_within(30, [lambda i=i: sessions[i].run(outs[i], options=options) for i in range(2)])
                    self.assertEqual([[list(x) for x in result] for result in results], [[[3.0]] * 3] * 2)
                for session in sessions:
                    session.close()
                workers.stop()


class ErrorsTest(MixedTest):
    def step(self, kinds, master, members):
        """What a step of both members ends with."""
        workers = self.open(*kinds)
        outs = []
        for task, member in enumerate(members):
            with device(task):
                outs.append(member())
        with self.session(workers.targets[master]) as session:
            (error,) = self.run_within(60, [lambda: session.run(outs)])
        workers.stop()
        return error

    def test_members_that_differ(self):
        cases = {
            'shapes': (lambda: reduce(tf.constant([1.0, 2.0]), 2, 1), lambda: reduce(tf.constant([1.0]), 2, 1)),
            'types': (lambda: reduce(tf.constant([1.0]), 2, 1), lambda: reduce(tf.constant([1]), 2, 1)),
            'sizes': (lambda: reduce(tf.constant([1.0]), 2, 1), lambda: reduce(tf.constant([1.0]), 3, 1)),
        }
        for (name, members), kinds, master in itertools.product(cases.items(), ((TENSORFLOW, OURS), (OURS, TENSORFLOW)), range(2)):
            with self.subTest(case=name, tasks=kinds, master=master):
                error = self.step(kinds, master, members)
                self.assertIsInstance(error, tf.errors.OpError)
                self.assertIn(error.error_code, (tf.errors.INTERNAL, tf.errors.INVALID_ARGUMENT), error.message)

    def test_members_of_two_clients_that_differ(self):
        for kinds in ((TENSORFLOW, OURS), (OURS, TENSORFLOW)):
            with self.subTest(tasks=kinds):
                workers = self.open(*kinds)
                sessions, outs = [], []
                for task in range(2):
                    graph = tf.Graph()
                    with graph.as_default(), device(task):
                        # TensorFlow's members that wait for what they give to be taken hear of nothing else.
                        outs.append(reduce(tf.fill([2 + task], 1.0), 2, 1, timeout_seconds=10))
                    sessions.append(self.session(workers.targets[task], graph))
                for error in self.run_within(60, [lambda i=i: sessions[i].run(outs[i]) for i in range(2)]):
                    self.assertIsInstance(error, tf.errors.OpError)
                for session in sessions:
                    session.close()  # later, it would wait for ever
                workers.stop()

    def test_a_killed_task_of_tensorflows_ends_the_step(self):
        for kinds in ((TENSORFLOW, OURS), (OURS, TENSORFLOW)):
            ours = kinds.index(OURS)
            with self.subTest(tasks=kinds):
                workers = self.open(*kinds)
                graphs, outs = [], []
                for task in range(2):
                    graphs.append(tf.Graph())
                    with graphs[-1].as_default(), device(task):
                        outs.append(reduce(tf.constant([1.0]), 2, 1))
                sessions = [self.session(target, graph) for target, graph in zip(workers.targets, graphs)]
                for _ in range(2):
                    for result in self.run_within(30, [lambda i=i: sessions[i].run(outs[i]) for i in range(2)]):
                        self.assertEqual(list(result), [2.0])
                sessions[1 - ours].close()  # later, it would wait for ever

                def kill():
                    time.sleep(1)
                    workers.children[1 - ours].kill()
                    return time.time()

                def run():
                    try:
                        sessions[ours].run(outs[ours])
                    except tf.errors.OpError as error:
                        return time.time(), error

                (ended, error), killed = self.run_within(60, [run, kill])
                self.assertEqual(error.error_code, tf.errors.UNAVAILABLE, error.message)
                self.assertLess(ended - killed, 10)
                sessions[ours].close()
                workers.stop()


if __name__ == '__main__':
    unittest.main()
