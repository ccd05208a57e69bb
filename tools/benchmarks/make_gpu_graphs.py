#!/usr/bin/env python3
"""Writes the graphs of `tools/bench gpu` that are too large for a CPU, with TensorFlow's own Python.

    make_gpu_graphs.py FOLDER

resnet50_b256_f32, resnet50_b256_bf16: training with momentum, data from variables of the graph, as in resnet50_b8.
resnet50_b1_infer: the same net, trained averages in its batch norms, without gradients.
lstm_b64: two layers of 512 cells over 64 steps, unrolled, Adam.
"""
import json
import os
import sys

import tensorflow.compat.v1 as tf

BLOCKS = ((64, 3), (128, 4), (256, 6), (512, 3))


def variable(name, shape, value):
    return tf.get_variable(name, initializer=value(shape), use_resource=False)


class ResNet50:
    """The net as most programs have it: strides in the 3x3 convolutions, NHWC."""

    def __init__(self, dtype, training):
        self.dtype, self.training, self.updates = dtype, training, []

    def conv(self, x, name, size, channels, stride):
        shape = [size, size, int(x.shape[3]), channels]
        w = variable(name + "/w", shape, lambda s: tf.random.truncated_normal(s, stddev=(2.0 / (s[0] * s[1] * s[2])) ** 0.5))
        return tf.nn.conv2d(x, tf.cast(w, self.dtype), [1, stride, stride, 1], "SAME")

    def norm(self, x, name):
        channels = [int(x.shape[3])]
        scale, shift = variable(name + "/g", channels, tf.ones), variable(name + "/b", channels, tf.zeros)
        mean, var = variable(name + "/m", channels, tf.zeros), variable(name + "/v", channels, tf.ones)
        if not self.training:
            return tf.nn.fused_batch_norm(x, scale, shift, mean, var, epsilon=1e-5, is_training=False)[0]
        y, m, v = tf.nn.fused_batch_norm(x, scale, shift, epsilon=1e-5, is_training=True)
        self.updates += [tf.assign_sub(mean, 0.1 * (mean - m)), tf.assign_sub(var, 0.1 * (var - v))]
        return y

    def block(self, x, name, width, stride):
        shortcut = x
        if stride != 1 or int(x.shape[3]) != 4 * width:
            shortcut = self.norm(self.conv(x, name + "/sc", 1, 4 * width, stride), name + "/sc")
        y = tf.nn.relu(self.norm(self.conv(x, name + "/c1", 1, width, 1), name + "/c1"))
        y = tf.nn.relu(self.norm(self.conv(y, name + "/c2", 3, width, stride), name + "/c2"))
        return tf.nn.relu(self.norm(self.conv(y, name + "/c3", 1, 4 * width, 1), name + "/c3") + shortcut)

    def logits(self, x):
        x = tf.nn.relu(self.norm(self.conv(tf.cast(x, self.dtype), "stem", 7, 64, 2), "stem"))
        x = tf.nn.max_pool2d(x, 3, 2, "SAME")
        for stage, (width, count) in enumerate(BLOCKS):
            for b in range(count):
                x = self.block(x, "s%d/b%d" % (stage, b), width, 2 if stage > 0 and b == 0 else 1)
        x = tf.cast(tf.reduce_mean(x, [1, 2]), tf.float32)
        w = variable("fc/w", [2048, 1000], lambda s: tf.random.truncated_normal(s, stddev=0.01))
        return tf.matmul(x, w) + variable("fc/b", [1000], tf.zeros)


def data(name, value):
    return tf.get_variable(name, initializer=value, trainable=False, use_resource=False)


def write(folder, name, spec):
    graph = tf.get_default_graph().as_graph_def()
    spec = {"graph": name + ".pb", "feeds": [], "devices": 1, "init": ["init"], "nodes": len(graph.node),
            "ops": sorted({n.op for n in graph.node}), **spec}
    with open(os.path.join(folder, name + ".pb"), "wb") as f:
        f.write(graph.SerializeToString(deterministic=True))
    with open(os.path.join(folder, name + ".json"), "w") as f:
        json.dump(spec, f, indent=1)
    print(name, len(graph.node), "nodes")


def resnet50(folder, name, batch, dtype, training):
    with tf.Graph().as_default():
        tf.set_random_seed(7)
        net = ResNet50(dtype, training)
        x = data("data_x", tf.random.uniform([batch, 224, 224, 3], seed=1))
        logits = net.logits(x)
        if training:
            y = data("data_y", tf.random.uniform([batch], 0, 1000, tf.int32, seed=2))
            loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=y, logits=logits))
            step = tf.train.MomentumOptimizer(0.01, 0.9).minimize(loss)
            tf.group(step, *net.updates, name="train")
            spec = {"fetches": [loss.name], "targets": ["train"], "batch": batch}
        else:
            spec = {"fetches": [tf.nn.softmax(logits).name], "targets": [], "batch": batch}
        tf.variables_initializer(tf.global_variables(), name="init")
        write(folder, name, spec)


def lstm(folder):
    batch, steps, width, words = 64, 64, 512, 10000
    with tf.Graph().as_default():
        tf.set_random_seed(7)
        ids = data("ids", tf.random.uniform([batch, steps], 0, words, tf.int32, seed=1))
        labels = data("labels", tf.random.uniform([batch * steps], 0, words, tf.int32, seed=2))
        x = tf.nn.embedding_lookup(variable("emb", [words, width], lambda s: tf.random.truncated_normal(s, stddev=0.05)), ids)
        outputs = tf.unstack(x, axis=1)
        for layer in range(2):
            w = variable("w%d" % layer, [2 * width, 4 * width], lambda s: tf.random.truncated_normal(s, stddev=0.03))
            b = variable("b%d" % layer, [4 * width], tf.zeros)
            c, h, made = tf.zeros([batch, width]), tf.zeros([batch, width]), []
            for step in outputs:
                i, j, f, o = tf.split(tf.nn.bias_add(tf.matmul(tf.concat([step, h], 1), w), b), 4, 1)
                c = c * tf.sigmoid(f + 1.0) + tf.sigmoid(i) * tf.tanh(j)
                h = tf.tanh(c) * tf.sigmoid(o)
                made.append(h)
            outputs = made
        states = tf.reshape(tf.stack(outputs, 1), [-1, width])
        logits = tf.matmul(states, variable("head", [width, words], lambda s: tf.random.truncated_normal(s, stddev=0.04)))
        loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits))
        tf.group(tf.train.AdamOptimizer(1e-3).minimize(loss), name="train")
        tf.variables_initializer(tf.global_variables(), name="init")
        write(folder, "lstm_b64", {"fetches": [loss.name], "targets": ["train"], "batch": batch})


def main():
    tf.disable_eager_execution()
    folder = sys.argv[1]
    resnet50(folder, "resnet50_b256_f32", 256, tf.float32, True)
    resnet50(folder, "resnet50_b256_bf16", 256, tf.bfloat16, True)
    resnet50(folder, "resnet50_b1_infer", 1, tf.float32, False)
    lstm(folder)


if __name__ == "__main__":
    main()
