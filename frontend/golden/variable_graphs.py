"""Variables in graphs of Python programs: penalties on them, savers, variables in parts."""
import tensorflow.compat.v1 as tf


def l1(scale):
    def penalty(weights):
        with tf.name_scope('l1_regularizer') as scope:
            factor = tf.constant(scale, weights.dtype.base_dtype, name='scale')
            return tf.multiply(factor, tf.reduce_sum(tf.abs(weights)), name=scope)
    return penalty


def l2(scale):
    def penalty(weights):
        with tf.name_scope('l2_regularizer') as scope:
            factor = tf.constant(scale, weights.dtype.base_dtype, name='scale')
            return tf.multiply(factor, tf.nn.l2_loss(weights), name=scope)
    return penalty


def l1_l2(scale_l1, scale_l2):
    def penalty(weights):
        with tf.name_scope('l1_l2_regularizer') as scope:
            return tf.add_n([l1(scale_l1)(weights), l2(scale_l2)(weights)], name=scope)
    return penalty


def regularizers():
    """tf.contrib.layers's, which TensorFlow 2 no longer has."""
    w = tf.get_variable('w', [3, 2])
    b = tf.get_variable('b', [2])
    l1(0.1)(w)
    l1_l2(0.1, 0.2)(b)
    with tf.name_scope('get_regularization_penalty') as scope:
        tf.add_n([l2(0.5)(w), l2(0.5)(b)], name=scope)
    with tf.name_scope('get_regularization_penalty') as scope:
        tf.add_n([tf.constant(0.0)], name=scope)


def saving():
    w = tf.get_variable('w', [3, 2])
    b = tf.Variable(tf.zeros([2]), name='b')
    tf.train.Saver()
    tf.train.Saver({'x/w': w, 'a': b}, name='again')


def sharded_saving():
    with tf.device('/cpu:0'):
        tf.get_variable('w', [3, 2])
    with tf.device('/gpu:0'):
        tf.get_variable('b', [2])
    tf.train.Saver(sharded=True)


def partitioned_variables():
    with tf.variable_scope('v', partitioner=tf.fixed_size_partitioner(2)):
        w = tf.get_variable('w', [3, 2])
        loss = tf.reduce_sum(w.as_tensor())
        tf.get_variable('b', [])
        columns = tf.get_variable('columns', [2, 4], initializer=tf.random_normal_initializer(),
                                  partitioner=tf.fixed_size_partitioner(4, axis=1), regularizer=l2(0.5))
        columns.as_tensor()
    rows = tf.get_variable('rows', initializer=tf.constant([[1., 2.], [3., 4.], [5., 6.]]),
                           partitioner=tf.fixed_size_partitioner(3))
    rows.as_tensor()
    tf.get_variable('one', [5], partitioner=tf.fixed_size_partitioner(1)).as_tensor()
    tf.create_partitioned_variables([4, 2], [2, 1], tf.zeros_initializer(), name='made')
    tf.train.MomentumOptimizer(0.1, 0.9).minimize(loss)
    tf.train.ExponentialMovingAverage(0.9).apply(list(w))
    tf.train.Saver()
