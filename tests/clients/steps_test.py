"""Sessions, steps and errors: a small program for each call of the protocol."""
import threading
import time

import numpy as np
import tensorflow.compat.v1 as tf
from tensorflow.core.framework import attr_value_pb2, tensor_pb2, types_pb2
from tensorflow.core.protobuf import config_pb2

from served import ServedTest


class StepsTest(ServedTest):
    def test_feeds_and_fetches(self):
        x = tf.placeholder(tf.float32, [None, 3], 'x')
        y = tf.matmul(x, tf.ones([3, 2])) + 1.0
        with self.session() as sess:
            value = np.arange(6, dtype=np.float32).reshape(2, 3)
            np.testing.assert_allclose(sess.run(y, {x: value}), value @ np.ones([3, 2]) + 1)
            both = sess.run({'y': y, 'again': [y, x]}, {x: value})
            np.testing.assert_allclose(both['again'][1], value)

    def test_strings_and_types(self):
        text = tf.constant([b'a', b'bc\x00d'])
        number = tf.constant(2 ** 40, tf.int64)
        flag = tf.constant([True, False])
        with self.session() as sess:
            values = sess.run([tf.strings.join([text, text]), number, flag])
        self.assertEqual(list(values[0]), [b'aa', b'bc\x00dbc\x00d'])
        self.assertEqual(values[1], 2 ** 40)
        self.assertEqual(list(values[2]), [True, False])

    def test_the_graph_grows_between_steps(self):
        with self.session() as sess:
            total = tf.constant(1.0)
            for i in range(5):
                self.assertEqual(sess.run(total), 2.0 ** i)
                total = total + total

    def test_training_goes_down(self):
        rng = np.random.RandomState(1)
        data = rng.rand(64, 4).astype(np.float32)
        x = tf.placeholder(tf.float32, [None, 4])
        w = tf.get_variable('w', [4, 1], initializer=tf.zeros_initializer())
        loss = tf.reduce_mean(tf.square(tf.matmul(x, w) - tf.reduce_sum(x, 1, keepdims=True)))
        step = tf.train.get_or_create_global_step()
        train = tf.train.AdamOptimizer(0.05).minimize(loss, global_step=step)
        with self.session() as sess:
            sess.run(tf.global_variables_initializer())
            first = sess.run(loss, {x: data})
            for _ in range(200):
                sess.run(train, {x: data})
            self.assertLess(sess.run(loss, {x: data}), first / 50)
            self.assertEqual(sess.run(step), 200)

    def test_errors_name_the_node(self):
        x = tf.placeholder(tf.int32, [], 'x')
        bad = tf.math.floordiv(tf.constant(1), x, name='quotient')
        with self.session() as sess:
            with self.assertRaises(tf.errors.InvalidArgumentError) as caught:
                sess.run(bad, {x: 0})
            self.assertIn('quotient', str(caught.exception))
            self.assertEqual(caught.exception.op.name, bad.op.name)
            self.assertEqual(sess.run(bad, {x: 1}), 1)  # the session goes on

    def test_uninitialized_variables(self):
        v = tf.Variable(1.0, name='v', use_resource=False)
        with self.session() as sess:
            with self.assertRaises(tf.errors.FailedPreconditionError):
                sess.run(v)
            self.assertEqual([b'v'], list(sess.run(tf.report_uninitialized_variables())))
            sess.run(v.initializer)
            self.assertEqual(sess.run(v), 1.0)

    def test_variables_outlive_sessions_until_a_reset(self):
        v = tf.Variable(1.0, name='kept')
        more = v.assign_add(1.0)
        with self.session() as sess:
            sess.run(v.initializer)
            sess.run(more)
        with self.session() as sess:
            self.assertEqual(sess.run(v), 2.0)
            with self.session(isolate_session_state=True) as apart:
                with self.assertRaises(tf.errors.FailedPreconditionError):
                    apart.run(v)
        tf.Session.reset(self.target)
        with self.session() as sess:
            with self.assertRaises(tf.errors.FailedPreconditionError):
                sess.run(v)

    def test_concurrent_steps(self):
        v = tf.Variable(0, name='count', use_resource=True)
        add = v.assign_add(1, read_value=False)
        with self.session() as sess:
            sess.run(v.initializer)

            def work():
                for _ in range(25):
                    sess.run(add)
            threads = [threading.Thread(target=work) for _ in range(8)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            self.assertEqual(sess.run(v), 200)

    def test_partial_runs(self):
        a, b = tf.placeholder(tf.float32, []), tf.placeholder(tf.float32, [])
        first = a + 1.0
        second = first * b
        with self.session() as sess:
            handle = sess.partial_run_setup([first, second], [a, b])
            value = sess.partial_run(handle, first, {a: 2.0})
            self.assertEqual(value, 3.0)
            self.assertEqual(sess.partial_run(handle, second, {b: value}), 9.0)

    def test_errors_of_partial_runs_are_tensorflows(self):
        a, b, c = (tf.placeholder(tf.float32, []) for _ in range(3))
        first = a + 1.0
        second = first * b
        with self.session() as sess:
            # What is fetched is fed all that it needs: a placeholder without a value ends the run as soon as it runs.
            handle = sess.partial_run_setup([first, second], [a, b])
            for fetch, feeds, text in ((None, {c: 1.0}, 'feed %s was not specified' % c.name),
                                       (second, {}, "Fetch %s can't be computed" % second.name)):
                with self.assertRaisesRegex(tf.errors.InvalidArgumentError, text):
                    sess.partial_run(handle, fetch if fetch is not None else [], feeds)
            sess.partial_run(handle, first, {a: 2.0})
            with self.assertRaisesRegex(tf.errors.InvalidArgumentError, 'already been fed.$'):
                sess.partial_run(handle, [], {a: 2.0})

    def test_constants_of_variants(self):
        # A list of the floats 1 and 2, as TensorFlow's own constant folding writes it.
        message = tensor_pb2.TensorProto(dtype=types_pb2.DT_VARIANT)
        value = message.variant_val.add(type_name='tensorflow::TensorList',
                                        metadata=b'\0\1' + b'\xff' * 9 + b'\1')
        value.tensors.extend([tf.make_tensor_proto(1.0), tf.make_tensor_proto(2.0)])
        constant = tf.get_default_graph().create_op(
            'Const', [], [tf.variant], attrs={
                'value': attr_value_pb2.AttrValue(tensor=message),
                'dtype': attr_value_pb2.AttrValue(type=types_pb2.DT_VARIANT)}).outputs[0]
        longer = tf.raw_ops.TensorListPushBack(input_handle=constant, tensor=tf.constant(3.0))
        through_text = tf.raw_ops.ParseTensor(
            serialized=tf.raw_ops.SerializeTensor(tensor=longer), out_type=tf.variant)
        stacked = [tf.raw_ops.TensorListStack(input_handle=x, element_shape=tf.constant([], tf.int32),
                                              element_dtype=tf.float32)
                   for x in (constant, longer, through_text)]
        with self.session() as sess:
            for _ in range(2):  # a constant stays what it is
                one, two, three = sess.run(stacked)
                self.assertEqual([1, 2], list(one))
                self.assertEqual([1, 2, 3], list(two))
                self.assertEqual([1, 2, 3], list(three))

    def test_callables(self):
        x = tf.placeholder(tf.float32, [])
        y = x * 2.0
        with self.session() as sess:
            self.assertEqual(sess.make_callable(y, [x])(3.0), 6.0)
            sess.run(y, {x: 0.0})
            options = config_pb2.CallableOptions(feed=[x.name], fetch=[y.name])
            made = sess._make_callable_from_options(options)
            self.assertEqual(made(np.float32(4.0)), [8.0])

    def test_devices(self):
        with self.session() as sess:
            devices = sess.list_devices()
        self.assertEqual([d.name for d in devices], ['/job:localhost/replica:0/task:0/device:CPU:0'])

    def test_metadata(self):
        x = tf.placeholder(tf.float32, [])
        y = x + 1.0
        options = tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE, output_partition_graphs=True)
        metadata = tf.RunMetadata()
        with self.session() as sess:
            self.assertEqual(sess.run(y, {x: 2.0}, options, metadata), 3.0)
        self.assertTrue(metadata.step_stats.dev_stats)
        self.assertTrue(metadata.partition_graphs[0].node)

    def test_every_so_many_runs_have_a_cost_graph(self):
        x = tf.placeholder(tf.float32, [])
        y = x + 1.0
        with self.session(graph_options=tf.GraphOptions(build_cost_model=3)) as sess:
            has = []
            for _ in range(6):
                metadata = tf.RunMetadata()
                sess.run(y, {x: 2.0}, tf.RunOptions(), metadata)
                has.append(metadata.HasField('cost_graph'))
        self.assertEqual([False, False, True] * 2, has)

    def test_deadlines(self):
        queue = tf.FIFOQueue(1, tf.float32, [[]])
        more = queue.enqueue(1.0)
        with self.session() as sess:
            sess.run(more)
            begin = time.time()
            with self.assertRaises(tf.errors.DeadlineExceededError):
                sess.run(more, options=tf.RunOptions(timeout_in_ms=200))
            self.assertLess(time.time() - begin, 10)
            self.assertEqual(sess.run(queue.dequeue()), 1.0)

    def test_sessions_meet_at_a_shared_queue(self):
        queue = tf.FIFOQueue(1, tf.float32, [[]], shared_name='meeting')
        self.check_waiting_step(queue, tf.errors.OutOfRangeError, lambda sess: self.session().run(queue.close()))

    def test_closing_a_session_ends_its_steps(self):
        queue = tf.FIFOQueue(1, tf.float32, [[]])
        self.check_waiting_step(queue, tf.errors.CancelledError, lambda sess: sess.close())

    def check_waiting_step(self, queue, error_type, end):
        value = queue.dequeue()
        queue.enqueue(1.0)
        queue.close()
        sess = self.session()
        sess.run(queue.size())
        caught = []

        def wait():
            try:
                sess.run(value)
            except tf.errors.OpError as error:
                caught.append(type(error))
        thread = threading.Thread(target=wait)
        thread.start()
        time.sleep(0.3)
        end(sess)
        thread.join(20)
        self.assertEqual(caught, [error_type])

    def test_large_tensors(self):
        x = tf.placeholder(tf.float32, [None])
        with self.session() as sess:
            value = np.random.rand(4 << 20).astype(np.float32)
            np.testing.assert_array_equal(sess.run(x * 2.0, {x: value}), value * 2)


class PlacementTest(ServedTest):
    ARGUMENTS = ('--simulated_gpus=2', '--log_device_placement')

    def test_towers_on_simulated_gpus(self):
        x = tf.placeholder(tf.float32, [])
        sums = []
        for i in range(2):
            with tf.device('/gpu:%d' % i):
                sums.append(x + float(i))
        with tf.device('/cpu:0'):
            total = tf.add_n(sums)
        metadata = tf.RunMetadata()
        options = tf.RunOptions(trace_level=tf.RunOptions.SOFTWARE_TRACE, output_partition_graphs=True)
        with self.session(log_device_placement=True) as sess:
            self.assertEqual(sess.run(total, {x: 1.0}, options, metadata), 3.0)
            self.assertEqual(len(sess.list_devices()), 3)
        devices = {n.device for graph in metadata.partition_graphs for n in graph.node}
        self.assertTrue(any(d.endswith('GPU:1') for d in devices), devices)
