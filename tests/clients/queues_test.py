"""Input pipelines of queues, as TensorFlow 1 programs have them: runners in threads, a coordinator, checkpoints."""
import os
import tempfile

import numpy as np
import tensorflow.compat.v1 as tf

from served import ServedTest


class QueuesTest(ServedTest):
    def test_runners_feed_batches_until_the_end(self):
        numbers = tf.train.range_input_producer(20, num_epochs=2, shuffle=False, capacity=8)
        batch = tf.train.batch([numbers.dequeue()], batch_size=5)
        seen = []
        with self.session() as sess:
            sess.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
            coordinator = tf.train.Coordinator()
            threads = tf.train.start_queue_runners(sess, coordinator)
            try:
                while not coordinator.should_stop():
                    seen.extend(sess.run(batch))
            except tf.errors.OutOfRangeError:
                pass
            coordinator.request_stop()
            coordinator.join(threads, stop_grace_period_secs=20)
        self.assertEqual(sorted(seen), sorted(list(range(20)) * 2))

    def test_records_through_a_reader(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, 'numbers.tfrecord')
            with tf.io.TFRecordWriter(path) as writer:
                for i in range(30):
                    feature = {'i': tf.train.Feature(int64_list=tf.train.Int64List(value=[i]))}
                    writer.write(tf.train.Example(features=tf.train.Features(feature=feature)).SerializeToString())
            files = tf.train.string_input_producer([path], num_epochs=1, shuffle=False)
            _, record = tf.TFRecordReader().read(files)
            example = tf.parse_single_example(record, {'i': tf.FixedLenFeature([], tf.int64)})
            batch = tf.train.shuffle_batch([example['i']], 6, capacity=20, min_after_dequeue=5, seed=1)
            seen = []
            with self.session() as sess:
                sess.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
                coordinator = tf.train.Coordinator()
                threads = tf.train.start_queue_runners(sess, coordinator)
                try:
                    while True:
                        seen.extend(sess.run(batch))
                except tf.errors.OutOfRangeError:
                    pass
                coordinator.request_stop()
                coordinator.join(threads, stop_grace_period_secs=20)
        self.assertEqual(sorted(seen), list(range(30)))

    def test_a_saver_writes_what_tensorflow_reads(self):
        v = tf.get_variable('v', initializer=np.arange(6, dtype=np.float32).reshape(2, 3))
        saver = tf.train.Saver()
        with tempfile.TemporaryDirectory() as folder:
            with self.session() as sess:
                sess.run(v.initializer)
                path = saver.save(sess, os.path.join(folder, 'model'), global_step=7)
                sess.run(v.assign(tf.zeros([2, 3])))
                saver.restore(sess, path)
                np.testing.assert_array_equal(sess.run(v), np.arange(6).reshape(2, 3))
            np.testing.assert_array_equal(tf.train.load_variable(path, 'v'), np.arange(6).reshape(2, 3))

    def test_files_may_be_named_by_uri(self):
        v = tf.get_variable('v', initializer=3.0)
        saver = tf.train.Saver()
        with tempfile.TemporaryDirectory() as folder:
            with self.session() as sess:
                sess.run(v.initializer)
                path = saver.save(sess, 'file://%s/new/model' % folder)
                sess.run(v.assign(0.0))
                saver.restore(sess, path)
                self.assertEqual(3.0, sess.run(v))
            self.assertEqual(3.0, tf.train.load_variable(os.path.join(folder, 'new', 'model'), 'v'))

    def test_a_monitored_session_trains(self):
        step = tf.train.get_or_create_global_step()
        w = tf.get_variable('w', initializer=4.0)
        train = tf.train.GradientDescentOptimizer(0.1).minimize(w * w, global_step=step)
        with tempfile.TemporaryDirectory() as folder:
            hooks = [tf.train.StopAtStepHook(last_step=30)]
            config = tf.ConfigProto(allow_soft_placement=True)
            with tf.train.MonitoredTrainingSession(self.target, checkpoint_dir=folder, hooks=hooks, config=config,
                                                   save_summaries_steps=10, save_checkpoint_steps=10) as sess:
                while not sess.should_stop():
                    sess.run(train)
            self.assertTrue(tf.train.latest_checkpoint(folder).endswith('model.ckpt-30'))
            self.assertLess(abs(tf.train.load_variable(folder, 'w')), 0.1)
