"""State that is no variable: tensors that stay in the session, critical sections, event files that steps write."""
import glob
import os
import tempfile

import numpy as np
import tensorflow as tf2
import tensorflow.compat.v1 as tf

from served import ServedTest


class StateTest(ServedTest):
    def test_tensors_stay_in_the_session(self):
        x = tf.placeholder(tf.float32, [2])
        keep = tf.get_session_handle(x * 2)
        with self.session() as session:
            handle = session.run(keep, {x: [1, 2]})
            name = handle.handle
            self.assertRegex(name, r'^[^;]+;\d+;/job:.*CPU:0$')
            np.testing.assert_allclose(handle.eval(), [2, 4])
            holder, again = tf.get_session_tensor(name, tf.float32)
            np.testing.assert_allclose(session.run(again, {holder: name}), [2, 4])
            dead, delete = tf.delete_session_tensor(name)
            session.run(delete, {dead: name})
            with self.assertRaisesRegex(tf.errors.InvalidArgumentError, 'not in the session store'):
                session.run(again, {holder: name})

    def test_a_fed_handle_is_its_tensor(self):
        keep = tf.get_session_handle(tf.constant([1., 2.]))
        x = tf.placeholder(tf.float32)
        double = x * 2
        with self.session() as session:
            handle = session.run(keep)
            np.testing.assert_allclose(session.run(double, {x: handle}), [2, 4])
            np.testing.assert_allclose(session.run(tf.get_session_handle(x + 1), {x: handle}).eval(), [2, 3])
            with tf.Graph().as_default() as graph, tf.Session(self.target, graph=graph) as other:
                y = tf.placeholder(tf.float32)
                np.testing.assert_allclose(other.run(y + 1, {y: handle}), [2, 3])

    def test_one_name_for_several_things(self):
        def reference():
            return tf.get_variable('v', initializer=1., use_resource=False)

        def resource():
            return tf.get_variable('v', initializer=2, use_resource=True)

        def queue():
            q = tf.FIFOQueue(3, tf.float32, [[]], shared_name='v')
            return q.enqueue(3.), q.dequeue()

        for make, expected in ((reference, 1.), (resource, 2)):
            with tf.Graph().as_default() as graph, tf.Session(self.target, graph=graph) as session:
                v = make()
                session.run(v.initializer)
                self.assertEqual(session.run(v), expected)
        with tf.Graph().as_default() as graph, tf.Session(self.target, graph=graph) as session:
            enqueue, dequeue = queue()
            session.run(enqueue)
            self.assertEqual(session.run(dequeue), 3.)

    def test_iterators_are_saved_and_restored(self):
        dataset = tf.data.Dataset.range(100).map(lambda i: i * 2).shuffle(10).batch(3)
        iterator = tf.data.make_initializable_iterator(dataset)
        after = iterator.get_next()
        tf.get_variable('v', initializer=1.)
        tf.add_to_collection(tf.GraphKeys.SAVEABLE_OBJECTS, tf.data.experimental.make_saveable_from_iterator(iterator))
        saver = tf.train.Saver()
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, 'm')
            with self.session() as session:
                session.run(tf.global_variables_initializer())
                with self.assertRaisesRegex(tf.errors.FailedPreconditionError, 'has not been initialized'):
                    saver.save(session, path)
                session.run(iterator.initializer)
                for _ in range(4):
                    session.run(after)
                saver.save(session, path)
                expected = [session.run(after) for _ in range(5)]
            with self.session() as session:
                session.run(iterator.initializer)
                session.run(after)
                saver.restore(session, path)
                np.testing.assert_array_equal([session.run(after) for _ in range(5)], expected)

    def test_critical_sections(self):
        value = tf.get_variable('value', initializer=0, use_resource=True)
        section = tf2.CriticalSection(name='section')

        def grow():
            old = value.read_value()
            with tf.control_dependencies([old]):
                return value.assign(old + 1, read_value=True)

        steps = [section.execute(grow) for _ in range(20)]

        def body(i):
            with tf.control_dependencies([section.execute(grow)]):
                return i + 1

        loop = tf.while_loop(lambda i: i < 10, body, [0])
        with self.session() as session:
            session.run(tf.global_variables_initializer())
            session.run(steps)
            self.assertEqual(session.run(value), 20)
            session.run(loop)
            self.assertEqual(session.run(value), 30)

    def test_steps_write_event_files(self):
        with tempfile.TemporaryDirectory() as folder:
            step = tf.placeholder(tf.int64, [])
            writer = tf2.summary.create_file_writer(folder)
            with writer.as_default(step=step):
                loss = tf2.summary.write('loss', 0.5)
                rows = tf2.summary.write('rows', tf.ones([4, 3]))
            with self.session() as session:
                session.run(writer.init())
                session.run([loss, rows], {step: 3})
                session.run(loss, {step: 4})
                session.run(writer.flush())
                (path,) = glob.glob(os.path.join(folder, 'events.out.tfevents.*'))
                events = list(tf.train.summary_iterator(path))
                session.run(writer.close())
        self.assertEqual(events[0].file_version, 'brain.Event:2')
        tags = sorted((event.step, value.tag) for event in events for value in event.summary.value)
        self.assertEqual(tags, [(3, 'loss'), (3, 'rows'), (4, 'loss')])
