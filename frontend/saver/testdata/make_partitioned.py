#!/usr/bin/env python3
"""Makes the checkpoint beside it with TensorFlow 2.21: a variable in three parts, after a step of Momentum.

Prints the weights after one more step, which partitioned_variables_test.cc expects.
"""
import os

import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_eager_execution()
tf.disable_resource_variables()

values = np.arange(10, dtype=np.float32).reshape(5, 2)
w = tf.get_variable('w', initializer=tf.constant(values), partitioner=tf.fixed_size_partitioner(3))
train = tf.train.MomentumOptimizer(0.125, 0.5).minimize(tf.reduce_sum(tf.square(w.as_tensor())))
saver = tf.train.Saver()
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    session.run(train)
    os.chdir(os.path.dirname(os.path.realpath(__file__)))
    saver.save(session, 'partitioned', write_state=False)
    session.run(train)
    print(session.run(w.as_tensor()))
