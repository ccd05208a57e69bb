#!/usr/bin/env python3
"""Writes the models in testdata with TensorFlow (2.21 was used), and what they give.

  make_models.py testdata

tf1/ is a SavedModel of TensorFlow 1: reference variables, a table with an asset, nodes on GPUs, several signatures and
two graphs. tf2/ is one of TensorFlow 2: functions, resources, a table, a loop. recurrent/ has a loop, and beside it a function
for GPUs that nothing calls. saver/ holds what tf.train.Saver writes.
"""

import os
import shutil
import sys

os.environ['TF_CPP_MIN_LOG_LEVEL'] = '3'
import tensorflow as tf  # pylint: disable=wrong-import-position

tf1 = tf.compat.v1


def write_vocabulary(folder):
  path = os.path.join(folder, 'vocab.txt')
  with open(path, 'w') as file:
    file.write('warp\nweft\nbeam\n')
  return path


def info(tensor):
  return tf1.saved_model.build_tensor_info(tensor)


def make_tf1(folder):
  vocabulary = write_vocabulary(os.path.dirname(folder))
  builder = tf1.saved_model.Builder(folder)
  with tf.Graph().as_default(), tf1.Session(config=tf1.ConfigProto(allow_soft_placement=True)) as session:
    asset = tf.constant(vocabulary, name='vocabulary')
    x = tf1.placeholder(tf.float32, [None, 2], name='x')
    words = tf1.placeholder(tf.string, [None], name='words')
    with tf.device('/gpu:0'):
      w = tf1.get_variable('w', initializer=[[1.0], [2.0]], use_resource=False)
    b = tf1.get_variable('b', initializer=[0.5], use_resource=True)
    with tf.device('/device:GPU:1'):
      y = tf.add(tf.matmul(x, w), b, name='y')
    scale = tf1.placeholder_with_default(2.0, [], name='scale')
    scaled = tf.multiply(y, scale, name='scaled')
    initializer = tf.lookup.TextFileInitializer(asset, tf.string, tf.lookup.TextFileIndex.WHOLE_LINE, tf.int64,
                                                tf.lookup.TextFileIndex.LINE_NUMBER)
    ids = tf.lookup.StaticHashTable(initializer, -1).lookup(words)
    sparse = tf1.sparse_placeholder(tf.float32, name='sparse')
    total = tf1.sparse_reduce_sum(sparse)
    session.run(tf1.global_variables_initializer())
    make = tf1.saved_model.signature_def_utils.build_signature_def
    predict = tf1.saved_model.PREDICT_METHOD_NAME
    signatures = {
        'serving_default': make({'x': info(x)}, {'y': info(y)}, predict),
        'scaled': make({'x': info(x), 'scale': info(scale)}, {'y': info(y), 'scaled': info(scaled)}, predict),
        'lookup': make({'words': info(words)}, {'ids': info(ids)}, predict),
        'sparse': make({'sparse': info(sparse)}, {'total': info(total)}, predict),
    }
    builder.add_meta_graph_and_variables(session, ['serve'], signatures, main_op=tf1.tables_initializer(),
                                         assets_collection=tf1.get_collection(tf1.GraphKeys.ASSET_FILEPATHS))
    builder.add_meta_graph(['serve', 'small'], {'serving_default': signatures['serving_default']})
  builder.save()


class Module(tf.Module):

  def __init__(self, vocabulary):
    super().__init__()
    self.w = tf.Variable([[1.0], [2.0]], name='w')
    initializer = tf.lookup.TextFileInitializer(vocabulary, tf.string, tf.lookup.TextFileIndex.WHOLE_LINE, tf.int64,
                                                tf.lookup.TextFileIndex.LINE_NUMBER)
    self.table = tf.lookup.StaticHashTable(initializer, -1)

  @tf.function(input_signature=[tf.TensorSpec([None, 2], tf.float32, name='x')])
  def predict(self, x):
    return {'y': tf.matmul(x, self.w) + 0.5}

  @tf.function(input_signature=[tf.TensorSpec([None], tf.string, name='words')])
  def lookup(self, words):
    return {'ids': self.table.lookup(words)}

  @tf.function(input_signature=[tf.TensorSpec([], tf.int32, name='n')])
  def factorial(self, n):
    product = tf.constant(1)
    while n > 1:
      product *= n
      n -= 1
    return {'product': product, 'even': tf.cond(product % 2 == 0, lambda: 'even', lambda: 'odd')}


def make_tf2(folder):
  module = Module(write_vocabulary(os.path.dirname(folder)))
  tf.saved_model.save(module, folder, {
      'serving_default': module.predict,
      'lookup': module.lookup,
      'factorial': module.factorial
  })


class Recurrent(tf.Module):

  def __init__(self):
    super().__init__()
    self.w = tf.Variable([[0.5, -0.25], [0.125, 0.75]], name='w')

  @tf.function(input_signature=[tf.TensorSpec([None, 3, 2], tf.float32, name='x')])
  def predict(self, x):
    state = tf.zeros_like(x[:, 0])
    for step in tf.range(3):
      state = tf.tanh(tf.matmul(state + tf.gather(x, step, axis=1), self.w))
    return {'y': state}

  @tf.function(input_signature=[tf.TensorSpec([3, None, 2], tf.float32, name='x')])
  def on_gpu(self, x):
    state = tf.zeros([1, tf.shape(x)[1], 2])
    return tf.raw_ops.CudnnRNN(input=x, input_h=state, input_c=state, params=tf.zeros([48]), rnn_mode='lstm').output


def make_recurrent(folder):
  module = Recurrent()
  module.on_gpu.get_concrete_function()
  tf.saved_model.save(module, folder, {'serving_default': module.predict})


def make_saver(folder):
  os.makedirs(folder)
  with tf.Graph().as_default(), tf1.Session() as session:
    x = tf1.placeholder(tf.float32, [None, 2], name='x')
    w = tf1.get_variable('w', initializer=[[1.0], [2.0]], use_resource=False)
    tf.matmul(x, w, name='y')
    session.run(tf1.global_variables_initializer())
    session.run(w.assign([[3.0], [4.0]]))
    tf1.train.Saver().save(session, os.path.join(folder, 'model.ckpt'), global_step=3)
  os.remove(os.path.join(folder, 'checkpoint'))


def main():
  folder = sys.argv[1]
  shutil.rmtree(folder, ignore_errors=True)
  os.makedirs(folder)
  make_tf1(os.path.join(folder, 'tf1'))
  make_tf2(os.path.join(folder, 'tf2'))
  make_recurrent(os.path.join(folder, 'recurrent'))
  make_saver(os.path.join(folder, 'saver'))
  os.remove(os.path.join(folder, 'vocab.txt'))


if __name__ == '__main__':
  main()
