#!/usr/bin/env python3
"""Makes the checkpoint and MetaGraph beside it with TensorFlow 2.21: a model in the middle of its training.

Prints the losses of the next three steps, which saver_test.cc expects.
"""
import os

import tensorflow.compat.v1 as tf

tf.disable_eager_execution()
tf.disable_resource_variables()

x = tf.constant([[1., 2.], [3., 4.], [5., 7.]], name='x')
y = tf.constant([[1.], [0.], [2.]], name='y')
w = tf.get_variable('w', initializer=[[0.5], [-0.25]])
step = tf.train.get_or_create_global_step()
loss = tf.reduce_mean(tf.square(tf.matmul(x, w) - y), name='loss')
tf.add_to_collection(tf.GraphKeys.LOSSES, loss)
train = tf.train.AdamOptimizer(0.1).minimize(loss, step, name='train')
tf.add_to_collection(tf.GraphKeys.TRAIN_OP, train)
saver = tf.train.Saver(max_to_keep=4)
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    for _ in range(5):
        session.run(train)
    os.chdir(os.path.dirname(os.path.realpath(__file__)))
    saver.save(session, 'tensorflow', global_step=step, write_state=False)
    for _ in range(3):
        print(session.run([loss, train])[0])
