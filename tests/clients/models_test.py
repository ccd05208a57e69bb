"""Models that we write, in TensorFlow, and the other way round (tests/saved_model/models_main.cc)."""
import os
import subprocess
import tempfile
import unittest

import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_eager_execution()


def run_models(*arguments):
    ran = subprocess.run([os.environ['WB_MODELS']] + list(arguments), timeout=120, text=True, stdout=subprocess.PIPE,
                         stderr=subprocess.PIPE)
    if ran.returncode:
        raise AssertionError(ran.stderr)
    return ran.stdout


class ModelsTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.mkdtemp()
        run_models('write', cls.folder)

    def path(self, name):
        return os.path.join(self.folder, name)

    def test_a_saved_model(self):
        with tf.Graph().as_default() as graph, tf.Session(graph=graph) as session:
            meta = tf.saved_model.load(session, ['serve'], self.path('saved'))
            signature = meta.signature_def['serving_default']
            self.assertEqual(signature.method_name, 'tensorflow/serving/predict')
            y = session.run(signature.outputs['y'].name, {signature.inputs['x'].name: [1., 2.]})
            np.testing.assert_allclose(y, [4, 7])
            # The table reads the copy of its file.
            words = meta.signature_def['ids']
            ids = session.run(words.outputs['ids'].name, {words.inputs['words'].name: ['b', 'c', 'a']})
            np.testing.assert_array_equal(ids, [1, -1, 0])
            self.assertEqual(sorted(v.op.name for v in tf.trainable_variables()), ['b', 'w'])

    def test_a_frozen_graph(self):
        graph_def = tf.GraphDef.FromString(open(self.path('frozen.pb'), 'rb').read())
        with tf.Graph().as_default() as graph, tf.Session(graph=graph) as session:
            x = tf.placeholder(tf.float32, [None])
            y, = tf.import_graph_def(graph_def, {'x:0': x}, ['y:0'])
            np.testing.assert_allclose(session.run(y, {x: [1., 2.]}), [4, 7])

    def test_training_has_no_race(self):
        x = np.random.RandomState(3).normal(size=(16, 64)).astype(np.float32)
        results = set()
        with tf.Graph().as_default() as graph, tf.Session(graph=graph) as session:
            saver = tf.train.import_meta_graph(self.path('train.meta'))
            for _ in range(60):
                saver.restore(session, self.path('train'))
                for _ in range(5):
                    session.run('train', {'x:0': x})
                results.add(session.run('loss:0', {'x:0': x}).tobytes())
        self.assertEqual(len(results), 1)

    def test_loops_are_differentiated(self):
        with tf.Graph().as_default() as graph, tf.Session(graph=graph) as session:
            tf.train.import_meta_graph(self.path('loops.meta'))
            k, = tf.trainable_variables()
            x, looped, chosen = (graph.get_tensor_by_name(name) for name in ('x:0', 'looped:0', 'chosen:0'))
            gradients = tf.gradients(looped, [x, k]) + tf.gradients(chosen, [x, k])
            session.run(k.initializer)
            # k^2 x^3 (x^2 + k) and k x.
            np.testing.assert_allclose(session.run(gradients, {x: 2.}), [1044, 408, 3, 2])

    def test_a_loop_in_a_scope_is_differentiated(self):
        with tf.Graph().as_default() as graph, tf.Session(graph=graph) as session:
            tf.train.import_meta_graph(self.path('loops.meta'), import_scope='here')
            x, looped = (graph.get_tensor_by_name(name) for name in ('here/x:0', 'here/looped:0'))
            gradient, = tf.gradients(looped, [x])
            session.run(tf.global_variables_initializer())
            np.testing.assert_allclose(session.run(gradient, {x: 2.}), 1044)

    def test_a_saved_model_of_theirs(self):
        folder = self.path('theirs')
        with tf.Graph().as_default() as graph, tf.Session(graph=graph) as session:
            x = tf.placeholder(tf.float32, [None], name='x')
            w = tf.get_variable('w', initializer=2., use_resource=True)
            y = x * w + tf.get_variable('b', initializer=1., use_resource=False)
            session.run(tf.global_variables_initializer())
            session.run(w.assign(5.))
            tf.saved_model.simple_save(session, folder, {'x': x}, {'y': y})
        self.assertEqual(run_models('run', folder).split(), ['6', '11'])


if __name__ == '__main__':
    unittest.main()
