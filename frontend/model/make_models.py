#!/usr/bin/env python3
"""Writes the models in testdata with TensorFlow (2.21 was used), and what they give.

  make_models.py testdata [NAME...]     # all of them, or those named

tf1/ is a SavedModel of TensorFlow 1: reference variables, a table with an asset, nodes on GPUs, several signatures and
two graphs. tf2/ is one of TensorFlow 2: functions, resources, a table, a loop. recurrent/ has a loop, and beside it a function
for GPUs that nothing calls. objects/ is one that only its tree of
objects restores, with two variables of the same name. tables/ is one of TensorFlow 1 that was exported without an init
operation; one of its signatures reads a variable that was not saved, and one of its assets is read by nothing. saver/ holds what tf.train.Saver writes, and a
checkpoint by objects of the same variable, object-1.
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


class Objects(tf.Module):

  def __init__(self):
    super().__init__()
    self.layers = [{'w': tf.Variable([[1.0], [2.0]], name='w')}, {'w': tf.Variable([10.0], name='w')}]

  @tf.function(input_signature=[tf.TensorSpec([None, 2], tf.float32, name='x')])
  def predict(self, x):
    return {'y': tf.matmul(x, self.layers[0]['w']) + self.layers[1]['w']}


def make_objects(folder):
  module = Objects()
  tf.saved_model.save(module,
                      folder, {'serving_default': module.predict},
                      options=tf.saved_model.SaveOptions(experimental_skip_saver=True))


def make_tables(folder):
  vocabulary = write_vocabulary(os.path.dirname(folder))
  builder = tf1.saved_model.Builder(folder)
  with tf.Graph().as_default(), tf1.Session() as session:
    asset = tf.constant(vocabulary, name='vocabulary')
    tf1.add_to_collection(tf1.GraphKeys.ASSET_FILEPATHS, asset)
    unread = os.path.join(os.path.dirname(folder), 'unread.txt')
    shutil.copy(vocabulary, unread)
    tf1.add_to_collection(tf1.GraphKeys.ASSET_FILEPATHS, tf.constant(unread, name='unread'))
    words = tf1.placeholder(tf.string, [None], name='words')
    initializer = tf.lookup.TextFileInitializer(asset, tf.string, tf.lookup.TextFileIndex.WHOLE_LINE, tf.int64,
                                                tf.lookup.TextFileIndex.LINE_NUMBER)
    saved = tf1.get_variable('saved', initializer=tf.constant(100, tf.int64), use_resource=False)
    forgotten = tf1.get_variable('forgotten', initializer=tf.constant(5, tf.int64), use_resource=False)
    local = tf1.get_local_variable('local', initializer=tf.constant(1000, tf.int64), use_resource=True)
    ids = tf.lookup.StaticHashTable(initializer, -1).lookup(words) + saved + local
    session.run([tf1.global_variables_initializer(), tf1.local_variables_initializer(), tf1.tables_initializer()])
    make = tf1.saved_model.signature_def_utils.build_signature_def
    predict = tf1.saved_model.PREDICT_METHOD_NAME
    signatures = {
        'serving_default': make({'words': info(words)}, {'ids': info(ids)}, predict),
        'broken': make({'words': info(words)}, {'ids': info(ids + forgotten)}, predict),
    }
    builder.add_meta_graph_and_variables(session, ['serve'],
                                         signatures,
                                         saver=tf1.train.Saver([saved]),
                                         assets_collection=tf1.get_collection(tf1.GraphKeys.ASSET_FILEPATHS))
  builder.save()


def make_saver(folder):
  os.makedirs(folder)
  with tf.Graph().as_default(), tf1.Session() as session:
    x = tf1.placeholder(tf.float32, [None, 2], name='x')
    w = tf1.get_variable('w', initializer=[[1.0], [2.0]], use_resource=False)
    tf.matmul(x, w, name='y')
    session.run(tf1.global_variables_initializer())
    session.run(w.assign([[3.0], [4.0]]))
    tf1.train.Saver().save(session, os.path.join(folder, 'model.ckpt'), global_step=3)
    session.run(w.assign([[5.0], [6.0]]))
    tf1.train.Checkpoint(layer=tf1.train.Checkpoint(kernel=w)).write(os.path.join(folder, 'object-1'), session=session)
  os.remove(os.path.join(folder, 'checkpoint'))


def main():
  folder = sys.argv[1]
  makers = {
      'tf1': make_tf1,
      'tf2': make_tf2,
      'recurrent': make_recurrent,
      'objects': make_objects,
      'tables': make_tables,
      'saver': make_saver,
  }
  os.makedirs(folder, exist_ok=True)
  for name in sys.argv[2:] or makers:
    shutil.rmtree(os.path.join(folder, name), ignore_errors=True)
    makers[name](os.path.join(folder, name))
  for name in ['vocab.txt', 'unread.txt']:
    if os.path.exists(os.path.join(folder, name)):
      os.remove(os.path.join(folder, name))


if __name__ == '__main__':
  main()
