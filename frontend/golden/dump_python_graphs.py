#!/usr/bin/env python3
"""Writes python_graphs.tsv: graphs that TensorFlow's Python API makes, for the tests to compare with.

  dump_python_graphs.py > python_graphs.tsv        (with TensorFlow 2.21)

A line '# name' begins a graph; then one line a node: name, op, device, inputs, colocation groups.
"""
import sys
import warnings

import tensorflow.compat.v1 as tf
from distributed_graphs import replica_devices, sync_replicas
from pipeline_graphs import brackets, datasets, iterators, operators
from variable_graphs import partitioned_variables, regularizers, saving, sharded_saving
# tf.layers, which tf.compat.v1 itself no longer has.
from tensorflow.python.keras.legacy_tf_layers import convolutional, core, pooling

warnings.simplefilter('ignore')
tf.disable_eager_execution()
tf.disable_resource_variables()
tf.disable_control_flow_v2()


def cards():
    with tf.device('/cpu:0'):
        w = tf.get_variable('w', (2, 2), tf.float32, initializer=tf.constant_initializer(2))
        b = tf.get_variable('b', (2, 2), tf.float32, initializer=tf.constant_initializer(5))
    with tf.device('/gpu:0'):
        w + b
    with tf.device('/gpu:1'):
        w * b
    tf.initialize_all_variables()


def scopes():
    with tf.name_scope('a'):
        tf.constant(1, name='c')
        tf.constant(1, name='c')
        with tf.name_scope('a'):
            tf.constant(1.)
    with tf.name_scope('a') as s:
        tf.constant(1, name='C')
        tf.constant(1, name='c')
    with tf.name_scope(s):
        tf.constant(2, name='x')
    tf.constant(3, name='a')
    with tf.name_scope('a_1'):
        tf.constant(2, name='x')
    with tf.device('/job:worker'):
        with tf.device('/gpu:1'):
            tf.constant(4, name='worker')
            with tf.device(None):
                tf.constant(4, name='anywhere')


def variable_scopes():
    with tf.variable_scope('v'):
        tf.get_variable('x', [2])
        tf.constant(1, name='k')
        tf.Variable(1.0)
        tf.Variable([1, 2], name='q')
        tf.Variable(3)
    with tf.variable_scope('v', reuse=True):
        tf.get_variable('x', [2])
        tf.constant(1, name='k')
    with tf.variable_scope('v', reuse=tf.AUTO_REUSE):
        tf.get_variable('y', [2])
        tf.get_variable('x', [2])
        with tf.variable_scope('in'):
            tf.get_variable('y', [2])
            tf.constant(1, name='k')
    with tf.variable_scope('z', initializer=tf.zeros_initializer()):
        tf.get_variable('x', [2, 3])
        tf.get_variable('n', [2], initializer=tf.random_normal_initializer())
        tf.get_variable('u', [2], initializer=tf.random_uniform_initializer(-2, 2))
        tf.get_variable('o', [2], initializer=tf.ones_initializer())
        tf.get_variable('g', [3, 3, 4, 8], initializer=tf.glorot_uniform_initializer(seed=3))
    with tf.device('/gpu:1'):
        tf.get_variable('placed', [2, 3], initializer=tf.constant_initializer([1, 2, 3, 4, 5, 6]))


def functions():
    x = tf.placeholder(tf.float32, [None, 10])
    z = tf.placeholder(tf.float32)
    tf.reduce_mean(x)
    tf.reduce_mean(x, 1)
    tf.reduce_sum(x, [0, 1], keepdims=True)
    tf.reduce_mean(z)
    tf.reduce_max(x, -1)
    tf.expand_dims(x, 0)
    tf.concat([x, x], 0)
    tf.concat([x], 1)
    tf.cast(x, tf.int32)
    tf.reshape(x, [-1])
    x + 1.
    1. - x
    x * 2.
    x / 3.
    -x
    tf.cast(x, tf.int32) / 2
    tf.equal(x, x)
    tf.add_n([x])
    tf.add_n([x, x])
    tf.argmax(x, 1)
    tf.matmul(x, x, transpose_b=True)
    tf.zeros([2, 3])
    tf.ones([2])
    tf.zeros([3000])
    tf.zeros_like(x)
    tf.shape(x)
    tf.shape(tf.zeros([2]))
    tf.stack([x, x])
    tf.split(x, 2, 1)
    tf.transpose(x)
    tf.transpose(x, [1, 0])
    tf.one_hot(tf.constant([1, 2]), 10)
    tf.random_uniform([2])
    tf.random_uniform([2], 0, 10, tf.int32)
    tf.random_normal([2])
    tf.truncated_normal([2], stddev=.1)
    tf.group(x.op, z.op)
    with tf.device('/gpu:0'):
        q = tf.constant(1.)
    tf.group(x.op, q.op, name='both')
    tf.no_op()


def networks():
    x = tf.placeholder(tf.float32, [None, 10])
    y = tf.placeholder(tf.int32, [None])
    tf.nn.sparse_softmax_cross_entropy_with_logits(labels=y, logits=x)
    tf.nn.softmax(x)
    tf.nn.relu(x)
    tf.nn.l2_loss(x)
    tf.nn.xw_plus_b(x, tf.zeros([10, 3]), tf.zeros([3]))
    tf.nn.bias_add(x, tf.zeros([10]))


def training():
    step = tf.train.get_or_create_global_step()
    rate = tf.train.exponential_decay(0.1, step, 100., 0.96, staircase=True)
    w = tf.get_variable('w', [3])
    b = tf.Variable(tf.zeros([3]), name='b')
    ema = tf.train.ExponentialMovingAverage(0.9, step)
    average = ema.apply([w, b])
    with tf.control_dependencies([average]):
        tf.no_op('train')
    tf.constant(1.0, name='last') * rate
    tf.global_variables_initializer()


def optimize(optimizer):
    w = tf.get_variable('w', [3, 2])
    b = tf.Variable(tf.zeros([2]), name='b')
    rows = tf.constant([0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0], shape=[4, 2], name='rows')
    ids = tf.constant([0, 2, 0, 1], name='ids')
    step = tf.train.get_or_create_global_step()
    if callable(optimizer):
        optimizer = optimizer(step)
    optimizer.apply_gradients([(tf.IndexedSlices(rows, ids), w), (tf.constant([1.0, 2.0], name='g'), b)], step)


def gradient_descent():
    optimize(tf.train.GradientDescentOptimizer(0.1))


def adam():
    optimize(tf.train.AdamOptimizer())


def momentum():
    optimize(tf.train.MomentumOptimizer(0.1, 0.9))


def rms_prop():
    optimize(tf.train.RMSPropOptimizer(0.1))


def centered_rms_prop():
    optimize(tf.train.RMSPropOptimizer(0.1, centered=True))


def adagrad():
    optimize(tf.train.AdagradOptimizer(0.1))


def adagrad_da():
    optimize(lambda step: tf.train.AdagradDAOptimizer(0.1, step, l1_regularization_strength=0.01))


def adadelta():
    optimize(tf.train.AdadeltaOptimizer(0.1))


def ftrl():
    optimize(tf.train.FtrlOptimizer(0.1))


def ftrl_shrinkage():
    optimize(
        tf.train.FtrlOptimizer(0.1, l2_shrinkage_regularization_strength=0.2, accum_name='n', linear_name='z'))


def proximal_gradient_descent():
    optimize(tf.train.ProximalGradientDescentOptimizer(0.1, l1_regularization_strength=0.01))


def proximal_adagrad():
    optimize(tf.train.ProximalAdagradOptimizer(0.1, l2_regularization_strength=0.01))


class AdamW(tf.train.AdamOptimizer):
    """tf.contrib.opt.AdamWOptimizer, which TensorFlow 2 no longer has."""

    def __init__(self, weight_decay, *args, name='AdamW', **kwargs):
        super().__init__(*args, name=name, **kwargs)
        self.weight_decay = weight_decay

    def _prepare(self):
        tf.convert_to_tensor(self.weight_decay, name='weight_decay')
        super()._prepare()

    def _apply_dense(self, grad, var):
        with tf.control_dependencies([var.assign_sub(self.weight_decay * var)]):
            return super()._apply_dense(grad, var)

    def _apply_sparse(self, grad, var):
        rows = -self.weight_decay * tf.gather(var, grad.indices)
        with tf.control_dependencies([tf.scatter_add(var, grad.indices, rows)]):
            return super()._apply_sparse(grad, var)


def adam_w():
    optimize(AdamW(0.01))


def clipping():
    x = tf.placeholder(tf.float32, [None, 3], name='x')
    y = tf.constant([3.0, 4.0], name='y')
    rows = tf.IndexedSlices(tf.ones([2, 3], name='rows'), tf.constant([0, 2], name='ids'))
    tf.clip_by_value(x, -1.0, 1.0)
    tf.clip_by_value(rows, -1.0, 1.0, name='values')
    tf.clip_by_norm(x, 2.0)
    tf.clip_by_norm(x, 2.0, axes=[1])
    tf.clip_by_norm(rows, 2.0, name='rows_norm')
    tf.clip_by_average_norm(x, 2.0)
    tf.global_norm([x, None, y, rows])
    tf.global_norm([y])
    tf.clip_by_global_norm([x, None, y, rows], 5.0)
    norm = tf.constant(7.0, name='norm')
    tf.clip_by_global_norm([y, x], 5.0, use_norm=norm, name='known')


def initializers():
    for mode in ('fan_in', 'fan_out', 'fan_avg'):
        for distribution in ('truncated_normal', 'untruncated_normal', 'uniform'):
            scaling = tf.variance_scaling_initializer(2.0, mode, distribution)
            tf.get_variable(mode + '_' + distribution, [3, 3, 4, 8], initializer=scaling)
    tf.get_variable('glorot_normal', [3, 4], initializer=tf.glorot_normal_initializer())
    tf.get_variable('he_normal', [3, 4], initializer=tf.initializers.he_normal())
    tf.get_variable('he_uniform', [3, 4], initializer=tf.initializers.he_uniform())
    tf.get_variable('lecun_normal', [3, 4], initializer=tf.initializers.lecun_normal())
    tf.get_variable('lecun_uniform', [3, 4], initializer=tf.initializers.lecun_uniform())
    tf.get_variable('identity', [3, 3], initializer=tf.initializers.identity())
    tf.get_variable('twice', [2, 4], initializer=tf.initializers.identity(2.0))
    tf.get_variable('tall', [2, 3, 4], initializer=tf.initializers.orthogonal(2.0, seed=3))
    tf.get_variable('wide', [2, 8], initializer=tf.initializers.orthogonal())
    tf.get_variable('unit', [3, 4, 5], initializer=tf.uniform_unit_scaling_initializer(1.5))
    tf.get_variable('array', [2, 2], initializer=tf.constant_initializer([[1, 2], [3, 4]]))


def pipelines():
    with tf.device('/cpu:0'):
        k = tf.constant(3.0, name='k')
        dataset = tf.data.Dataset.from_tensor_slices(([[1., 2.], [3., 4.]], [0, 1]))
        dataset = dataset.map(lambda x, y: (x * k, y), num_parallel_calls=4)
        dataset = dataset.prefetch(1).take(10).skip(2).repeat()
        iterator = tf.data.make_initializable_iterator(dataset)
        iterator.get_next()
        iterator.get_next()
        dataset = tf.data.TFRecordDataset(['a', 'b']).map(lambda r: tf.decode_raw(r, tf.uint8))
        dataset = dataset.shuffle(100).repeat(3).batch(2)
        tf.data.make_one_shot_iterator(dataset).get_next()
        dataset = tf.data.Dataset.range(10).filter(lambda x: tf.equal(x, 2))
        dataset = dataset.batch(2, drop_remainder=True)
        tf.data.make_one_shot_iterator(dataset).get_next()


def parsing():
    one = tf.placeholder(tf.string, [])
    tf.parse_single_example(
        one, {
            'a': tf.FixedLenFeature([2], tf.float32, default_value=[1, 2]),
            'b': tf.FixedLenFeature([], tf.int64)
        })
    many = tf.placeholder(tf.string, [None])
    tf.parse_example(many, {'b': tf.FixedLenFeature([], tf.string)})
    tf.decode_raw(one, tf.uint8)


def summaries():
    x = tf.placeholder(tf.float32, [], name='x')
    tf.summary.scalar('loss', x)
    tf.summary.scalar('loss', x)
    with tf.name_scope('t'):
        tf.summary.scalar('a b', x)
        tf.summary.histogram('h', tf.zeros([2]))
        tf.summary.image('i', tf.zeros([1, 2, 2, 3]), max_outputs=2)
        tf.summary.audio('s', tf.zeros([1, 5]), 44100.)
        tf.summary.text('w', tf.constant('hi'))
    tf.summary.scalar('f', x, family='fam')
    tf.summary.merge_all()
    tf.summary.merge([tf.summary.scalar('q', x)])


def network_functions():
    x = tf.placeholder(tf.float32, [None, 8, 8, 3], name='x')
    y = tf.placeholder(tf.float32, [2, 3], name='y')
    z = tf.placeholder(tf.float32, [None, 3], name='z')
    p = tf.placeholder(tf.float32, [], name='p')
    b = tf.zeros([3])
    k = tf.zeros([3, 3, 3, 4])
    tf.nn.conv2d(x, k, [1, 1, 1, 1], 'SAME')
    tf.nn.conv2d(x, k, 2, 'VALID', name='conv')
    tf.nn.max_pool(x, [1, 3, 3, 1], [1, 2, 2, 1], 'SAME', name='pool1')
    tf.nn.avg_pool(x, 2, 2, 'VALID')
    tf.nn.lrn(x, 4, bias=1.0, alpha=0.001 / 9.0, beta=0.75, name='norm1')
    for function in (tf.nn.relu6, tf.nn.leaky_relu, tf.nn.elu, tf.nn.selu, tf.nn.sigmoid, tf.nn.tanh, tf.nn.softplus,
                     tf.nn.softsign, tf.nn.log_softmax, tf.nn.crelu):
        function(y)
    tf.nn.l2_normalize(y, 1)
    tf.nn.zero_fraction(y)
    tf.nn.zero_fraction(z)
    tf.nn.dropout(z, keep_prob=0.5)
    tf.nn.dropout(y, rate=0.25, noise_shape=[2, 1], seed=3)
    tf.nn.dropout(y, keep_prob=p, name='drop')
    tf.nn.dropout(y, keep_prob=1.0)
    tf.nn.in_top_k(z, tf.constant([1, 2]), 2)
    tf.nn.moments(z, [0])
    tf.nn.moments(y, [0, 1], keepdims=True)
    tf.nn.batch_normalization(y, b, b, b, b, 1e-3)
    tf.nn.batch_normalization(y, b, b, None, None, 1e-3)
    tf.nn.softmax_cross_entropy_with_logits(labels=y, logits=y)
    tf.nn.softmax_cross_entropy_with_logits_v2(labels=z, logits=z)
    tf.nn.sigmoid_cross_entropy_with_logits(labels=y, logits=y)
    tf.nn.sigmoid_cross_entropy_with_logits(labels=z, logits=z)
    tf.nn.weighted_cross_entropy_with_logits(labels=y, logits=y, pos_weight=2.0)
    tf.nn.weighted_cross_entropy_with_logits(labels=y, logits=y, pos_weight=p)


def images():
    a = tf.placeholder(tf.float32, [32, 32, 3], name='a')
    u = tf.placeholder(tf.uint8, [None, None, 3], name='u')
    n = tf.placeholder(tf.float32, [None, 16, 16, 3], name='n')
    i = tf.placeholder(tf.int16, [16, 16, 3], name='i')
    tf.random_crop(a, [24, 24, 3])
    tf.random_crop(u, [24, 24, 3], seed=4)
    tf.image.flip_left_right(a)
    tf.image.flip_up_down(n)
    tf.image.flip_up_down(u)
    tf.image.transpose_image(a)
    tf.image.random_flip_left_right(a)
    tf.image.random_flip_up_down(n, seed=3)
    tf.image.random_flip_left_right(u)
    tf.image.random_brightness(a, 63)
    tf.image.random_contrast(u, 0.2, 1.8)
    tf.image.random_hue(u, 0.2)
    tf.image.random_saturation(a, 0.5, 1.5)
    tf.image.adjust_brightness(u, 0.1)
    tf.image.per_image_standardization(a)
    tf.image.per_image_standardization(u)
    tf.image.per_image_standardization(n)
    tf.image.resize_images(a, [24, 24])
    tf.image.resize_images(n, [8, 8], 1)
    tf.image.resize_images(n, [8, 8], 2, align_corners=True)
    tf.image.resize_images(n, [8, 8], 3)
    tf.image.resize_images(a, [32, 32])
    tf.image.crop_to_bounding_box(a, 1, 2, 3, 4)
    tf.image.pad_to_bounding_box(a, 1, 2, 40, 41)
    tf.image.resize_image_with_crop_or_pad(a, 24, 40)
    tf.image.resize_image_with_crop_or_pad(n, 21, 9)
    tf.image.convert_image_dtype(u, tf.float32)
    tf.image.convert_image_dtype(a, tf.uint8)
    tf.image.convert_image_dtype(a, tf.uint8, saturate=True)
    tf.image.convert_image_dtype(u, tf.int16)
    tf.image.convert_image_dtype(i, tf.uint8, saturate=True)
    tf.image.decode_image(tf.placeholder(tf.string, [], name='file'))


def prefetch_queue(tensors, capacity):
    """The nodes of tf.contrib.slim's function, which TensorFlow 2 has no more."""
    with tf.name_scope('prefetch_queue'):
        queue = tf.FIFOQueue(capacity, [t.dtype for t in tensors], [t.shape for t in tensors])
        tf.train.add_queue_runner(tf.train.QueueRunner(queue, [queue.enqueue(tensors)]))
        full = tf.cast(queue.size(), tf.float32) * (1. / capacity)
        tf.summary.scalar('fraction_of_%d_full' % capacity, full)
    return queue


def queues():
    x = tf.placeholder(tf.float32, [5, 3], name='x')
    y = tf.placeholder(tf.float32, [5], name='y')
    r = tf.placeholder(tf.float32, [None, 3], name='r')
    tf.train.string_input_producer(['a', 'b'])
    tf.train.range_input_producer(10, shuffle=False)
    tf.train.slice_input_producer([x, y], num_epochs=2, capacity=16)
    tf.train.batch([x, y], 2)
    tf.train.batch([r], 2, dynamic_pad=True, allow_smaller_final_batch=True)
    tf.train.shuffle_batch([x, y], 2, 10, 5, num_threads=4, enqueue_many=True)
    tf.train.batch_join([[x, y], [x, y]], 2)
    tf.train.shuffle_batch_join([[x, y], [x, y]], 2, 10, 5)
    queue = prefetch_queue([x, y], 4)
    with tf.device('/gpu:1'), tf.name_scope('tower_1'):
        queue.dequeue()


def scaffold():
    tf.get_variable('w', [2], initializer=tf.zeros_initializer())
    step = tf.train.get_or_create_global_step()
    tf.get_variable('n', [], initializer=tf.zeros_initializer(), collections=['local_variables'])
    tf.summary.scalar('step', step)
    tf.train.Scaffold().finalize()


def dense_layers():
    x = tf.placeholder(tf.float32, [None, 4], name='x')
    core.dense(x, 3, activation=tf.nn.relu)
    core.dense(x, 3, use_bias=False)
    with tf.variable_scope('v'):
        core.dense(x, 2, name='out')
    with tf.variable_scope('v', reuse=True):
        core.dense(x, 2, name='out')
    with tf.variable_scope('dense_2'):
        core.dense(x, 2)
    core.dense(x, 2)
    with tf.variable_scope(tf.get_variable_scope(), reuse=tf.AUTO_REUSE):
        with tf.name_scope('tower'):
            core.dense(x, 2)
    z = tf.placeholder(tf.float32, [None, 5, 4], name='z')
    core.dense(z, 2, name='rows')
    core.dense(tf.zeros([2, 5, 4]), 2, name='known')
    core.flatten(z)
    core.flatten(tf.placeholder(tf.float32, [None, None, 3], name='y'))
    core.dropout(z, 0.3, training=True)
    core.dropout(z, 0.3)
    core.dropout(z, 0.3, training=tf.placeholder(tf.bool, [], name='t'))


def convolution_layers():
    x = tf.placeholder(tf.float32, [None, 8, 8, 3], name='x')
    s = tf.placeholder(tf.float32, [None, 8, 3], name='s')
    q = tf.placeholder(tf.float32, [None, 8, 8, 8, 3], name='q')
    c = tf.placeholder(tf.float32, [None, 3, 8, 8], name='c')
    convolutional.conv2d(x, 4, 3, activation=tf.nn.relu)
    convolutional.conv2d(x, 4, (3, 2), strides=2, padding='same', use_bias=False)
    convolutional.conv1d(s, 4, 3)
    convolutional.conv3d(q, 4, 3)
    convolutional.conv2d(c, 4, 3, data_format='channels_first')
    convolutional.conv2d_transpose(x, 4, 3, 2, padding='same')
    convolutional.conv3d_transpose(q, 4, 3)
    convolutional.separable_conv2d(x, 4, 3, depth_multiplier=2)
    convolutional.separable_conv1d(s, 4, 3)


def pooling_layers():
    x = tf.placeholder(tf.float32, [None, 8, 8, 3], name='x')
    s = tf.placeholder(tf.float32, [None, 8, 3], name='s')
    q = tf.placeholder(tf.float32, [None, 8, 8, 8, 3], name='q')
    pooling.max_pooling1d(s, 2, 2)
    pooling.max_pooling2d(x, 2, 2)
    pooling.max_pooling2d(x, 2, 2)
    pooling.max_pooling3d(q, 2, 2)
    pooling.average_pooling1d(s, 2, 2)
    pooling.average_pooling2d(x, 2, 1, padding='same')
    pooling.average_pooling3d(q, 2, 2)


def losses():
    labels = tf.placeholder(tf.float32, [None, 3], name='l')
    predictions = tf.placeholder(tf.float32, [None, 3], name='p')
    classes = tf.placeholder(tf.int32, [None], name='i')
    tf.losses.absolute_difference(labels, predictions)
    tf.losses.mean_squared_error(labels, predictions)
    tf.losses.softmax_cross_entropy(labels, predictions)
    tf.losses.sparse_softmax_cross_entropy(classes, predictions)
    tf.losses.sigmoid_cross_entropy(labels, predictions, label_smoothing=.1)
    tf.losses.hinge_loss(labels, predictions)
    tf.losses.huber_loss(labels, predictions)
    tf.losses.log_loss(labels, predictions)
    tf.losses.cosine_distance(labels, predictions, axis=1)
    for reduction in ('weighted_sum', 'weighted_mean', 'weighted_sum_over_batch_size'):
        tf.losses.mean_squared_error(labels, predictions, 2.0, reduction=reduction)
    known = tf.placeholder(tf.float32, [4, 3], name='known')
    tf.losses.mean_squared_error(known, known, tf.placeholder(tf.float32, [4, 1], name='w'))
    tf.losses.mean_squared_error(known, known, tf.placeholder(tf.float32, [4, 3], name='w'))
    tf.losses.get_regularization_loss()
    tf.losses.get_total_loss()


def metrics():
    classes = tf.placeholder(tf.int64, [None], name='l')
    truth = tf.placeholder(tf.bool, [None], name='b')
    x = tf.placeholder(tf.float32, [None], name='p')
    tf.metrics.mean(x)
    tf.metrics.mean(x)
    tf.metrics.mean(x, weights=2.0, name='mine')
    tf.metrics.accuracy(classes, classes)
    tf.metrics.precision(truth, truth)
    tf.metrics.recall(truth, truth)
    tf.metrics.precision(classes, classes)
    tf.metrics.false_positives(truth, truth)
    tf.metrics.true_negatives(truth, truth)
    tf.metrics.mean_squared_error(x, x)
    tf.metrics.root_mean_squared_error(x, x)


def embeddings():
    part0 = tf.get_variable('w', [4, 2])
    part1 = tf.get_variable('w1', [3, 2])
    ids = tf.placeholder(tf.int64, [None], name='i')
    tf.nn.embedding_lookup(part0, ids)
    tf.nn.embedding_lookup([part0, part1], ids)
    tf.nn.embedding_lookup([part0, part1], ids, partition_strategy='div')


def dump(build):
    with tf.Graph().as_default() as graph:
        build()
    print('# ' + build.__name__)
    for node in graph.as_graph_def().node:
        groups = sorted(s.decode() for s in node.attr['_class'].list.s) if '_class' in node.attr else []
        data = [i for i in node.input if i[0] != '^']
        control = sorted(i for i in node.input if i[0] == '^')
        print('\t'.join([node.name, node.op, node.device, ' '.join(data + control), ' '.join(groups)]))


for function in (cards, scopes, variable_scopes, functions, networks, training, gradient_descent, adam, momentum,
                 rms_prop, centered_rms_prop, adagrad, adagrad_da, adadelta, ftrl, ftrl_shrinkage, proximal_gradient_descent,
                 proximal_adagrad, adam_w, clipping, regularizers, initializers, pipelines, parsing, saving, sharded_saving,
                 partitioned_variables, summaries, network_functions, images, queues, scaffold,
                 replica_devices, sync_replicas):
    dump(function)
for function in (dense_layers, convolution_layers, pooling_layers, losses, metrics, embeddings, operators, brackets,
                 datasets, iterators):
    dump(function)
sys.stdout.flush()
