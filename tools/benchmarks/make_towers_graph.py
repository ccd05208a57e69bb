#!/usr/bin/env python3
"""Writes towers_t1 and towers_t2: the multi-tower MNIST program of examples/mnist_towers, as TensorFlow's
Python API builds it, reading real TFRecords. Needs TensorFlow (1.x or 2.x).

usage: make_towers_graph.py OUTPUT_FOLDER

The towers stand on /device:CPU:0, /device:CPU:1, ... The file of examples is named relative to the folder
in which the graph runs: data/output.tfrecord, which make_data.py writes.
"""
import json
import os
import sys

os.environ.setdefault('TF_CPP_MIN_LOG_LEVEL', '2')
import tensorflow.compat.v1 as tf  # noqa: E402

BATCH = 32
INPUT, HIDDEN, OUTPUT = 784, 500, 10
EXAMPLES = 55000


def parse(example):
    features = tf.parse_single_example(example, {
        'size': tf.FixedLenFeature([], tf.int64),
        'label': tf.FixedLenFeature([], tf.int64),
        'image_raw': tf.FixedLenFeature([], tf.string)})
    image = tf.decode_raw(features['image_raw'], tf.uint8)
    image = tf.cast(tf.reshape(image, [INPUT]), tf.float32) / 255.0
    return image, tf.cast(features['label'], tf.int32)


def read_batches():
    dataset = tf.data.TFRecordDataset(['data/output.tfrecord']).map(parse)
    dataset = dataset.shuffle(buffer_size=10000).repeat(100).batch(BATCH)
    return tf.data.make_one_shot_iterator(dataset).get_next()


def layer(inputs, size, seed):
    weights = tf.get_variable('w', [inputs.shape[1], size],
                              initializer=tf.truncated_normal_initializer(stddev=0.1, seed=seed))
    tf.add_to_collection(tf.GraphKeys.LOSSES, 0.0001 * tf.nn.l2_loss(weights))
    bias = tf.get_variable('bias', [size], initializer=tf.zeros_initializer())
    return tf.matmul(inputs, weights) + bias


def tower_loss(images, labels, scope, reuse):
    with tf.variable_scope(tf.get_variable_scope(), reuse=reuse):
        with tf.variable_scope('layer1'):
            hidden = tf.nn.relu(layer(images, HIDDEN, 1))
        with tf.variable_scope('layer2'):
            logits = layer(hidden, OUTPUT, 2)
    cross_entropy = tf.reduce_mean(
        tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits))
    return cross_entropy + tf.add_n(tf.get_collection(tf.GraphKeys.LOSSES, scope))


def average_gradients(tower_gradients):
    averaged = []
    for pairs in zip(*tower_gradients):
        stacked = tf.concat([tf.expand_dims(gradient, 0) for gradient, _ in pairs], 0)
        averaged.append((tf.reduce_mean(stacked, 0), pairs[0][1]))
    return averaged


def build(towers):
    """Returns (graph, spec)."""
    graph = tf.Graph()
    with graph.as_default(), tf.device('/device:CPU:0'):
        images, labels = read_batches()
        images.set_shape([None, INPUT])
        global_step = tf.Variable(0, trainable=False, name='global_step')
        rate = tf.train.exponential_decay(0.05, global_step, EXAMPLES / BATCH, 0.99)
        optimizer = tf.train.GradientDescentOptimizer(rate)
        gradients = []
        for i in range(towers):
            with tf.device('/device:CPU:%d' % i), tf.name_scope('GPU_%d' % i) as scope:
                loss = tower_loss(images, labels, scope, reuse=i > 0)
                gradients.append(optimizer.compute_gradients(loss))
        apply = optimizer.apply_gradients(average_gradients(gradients), global_step=global_step)
        average = tf.train.ExponentialMovingAverage(0.99, global_step)
        averages = average.apply(tf.trainable_variables() + tf.moving_average_variables())
        with tf.control_dependencies([apply, averages]):
            tf.no_op('train')
        tf.global_variables_initializer()
    graph_def = graph.as_graph_def()
    flops_of_tower = 2 * BATCH * (2 * INPUT * HIDDEN + 3 * HIDDEN * OUTPUT)
    return graph_def, dict(
        init=['init'], feeds=[], fetches=[loss.name, global_step.name], targets=['train'], devices=towers,
        nodes=len(graph_def.node), ops=sorted(all_ops(graph_def)), batch=BATCH, examples=BATCH * towers,
        flops=flops_of_tower * towers, reads_data=True)


def all_ops(graph_def):
    nodes = list(graph_def.node)
    for function in graph_def.library.function:
        nodes += function.node_def
    return {node.op for node in nodes}


def main():
    if len(sys.argv) != 2:
        raise SystemExit(__doc__)
    tf.disable_v2_behavior()
    for towers in (1, 2):
        name = 'towers_t%d' % towers
        graph_def, spec = build(towers)
        with open(os.path.join(sys.argv[1], name + '.pb'), 'wb') as out:
            out.write(graph_def.SerializeToString(deterministic=True))
        with open(os.path.join(sys.argv[1], name + '.json'), 'w') as out:
            json.dump(dict(graph=name + '.pb', **spec), out, indent=1)
            out.write('\n')


if __name__ == '__main__':
    main()
