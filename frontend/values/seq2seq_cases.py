"""Attention and decoders of tf.contrib.seq2seq, which TensorFlow 2 no longer has: their steps in the operations of today."""
import numpy as np
import tensorflow.compat.v1 as tf
from write_values import Case, f32

MEMORY = f32((np.arange(24) * 5 % 13 - 6) / 4).reshape(2, 4, 3)
INPUTS = f32((np.arange(12) * 7 % 11 - 5) / 4).reshape(2, 3, 2)
EMBEDDING = f32((np.arange(10) * 3 % 7 - 3) / 2).reshape(5, 2)
UNITS = 3


def weights(*shape):
    """What the test's custom getter gives for every variable."""
    return tf.constant(((np.arange(int(np.prod(shape))) * 7 % 5 - 2) / 4).reshape(shape), tf.float32)


def lstm(x, c, h):
    gates = tf.matmul(tf.concat([x, h], 1), weights(x.shape[1] + UNITS, 4 * UNITS)) + weights(4 * UNITS)
    i, j, f, o = tf.split(gates, 4, 1)
    c = c * tf.sigmoid(f + 1) + tf.sigmoid(i) * tf.tanh(j)
    return c, tf.tanh(c) * tf.sigmoid(o)


def bahdanau(keys, query, normalize):
    v = weights(UNITS)
    total = keys + (query @ weights(UNITS, UNITS))[:, None]
    if normalize:
        v = weights() * v * tf.math.rsqrt(tf.reduce_sum(v * v))
        total += weights(UNITS)
    return tf.reduce_sum(v * tf.tanh(total), 2)


def luong(keys, query, scale):
    score = tf.reduce_sum(keys * query[:, None], 2)
    return weights() * score if scale else score


def attended(score, option, layer):
    """A step of an AttentionWrapper, from the input, the state and the memory."""
    def step(x, state, memory, lengths):
        c, h, attention = state
        there = tf.sequence_mask(lengths, 4)
        values = memory * tf.cast(there, tf.float32)[:, :, None]
        keys = tf.tensordot(values, weights(3, UNITS), 1)
        c, h = lstm(tf.concat([x, attention], 1), c, h)
        alignments = tf.nn.softmax(tf.where(there, score(keys, h, option), tf.fill([2, 4], -np.inf)))
        context = tf.reduce_sum(alignments[:, :, None] * values, 1)
        attention = tf.concat([h, context], 1) @ weights(UNITS + 3, layer) if layer else context
        return attention, (c, h, attention)
    return step


def trained(score, option, layer):
    def built(inputs, memory):
        step, lengths = attended(score, option, layer), tf.constant([4, 2])
        state = (tf.zeros([2, UNITS]), tf.zeros([2, UNITS]), tf.zeros([2, layer or 3]))
        outputs = []
        for t in range(3):
            y, state = step(inputs[:, t], state, memory, lengths)
            outputs.append(y)
        y = tf.stack(outputs, 1)
        return [y, tf.argmax(y, -1, output_type=tf.int32), tf.constant([3, 2])]
    return built


def imputed(inputs, memory):
    y, ids, lengths = trained(bahdanau, False, 2)(inputs, memory)
    there = tf.sequence_mask(lengths, 3)
    return [y * tf.cast(there, tf.float32)[:, :, None], ids * tf.cast(there, tf.int32), lengths]


def greedy(embedding):
    """Three steps of an LSTM cell and a layer of five words, from the words 1 and 2 on."""
    ids, c, h, outputs, said = tf.constant([1, 2]), tf.zeros([2, UNITS]), tf.zeros([2, UNITS]), [], []
    for _ in range(3):
        c, h = lstm(tf.gather(embedding, ids), c, h)
        y = h @ weights(UNITS, 5) + weights(5)
        ids = tf.argmax(y, -1, output_type=tf.int32)
        outputs.append(y)
        said.append(ids)
    return [tf.stack(outputs, 1), tf.stack(said, 1), tf.constant([3, 3])]


CASES = {
    'attention_bahdanau': Case(trained(bahdanau, False, 2), [INPUTS, MEMORY], nodes=False),
    'attention_bahdanau_normalized': Case(trained(bahdanau, True, 0), [INPUTS, MEMORY], nodes=False),
    'attention_luong': Case(trained(luong, False, 2), [INPUTS, MEMORY], nodes=False),
    'attention_luong_scaled': Case(trained(luong, True, 2), [INPUTS, MEMORY], nodes=False),
    'decode_imputed': Case(imputed, [INPUTS, MEMORY], nodes=False),
    'decode_greedy': Case(greedy, [EMBEDDING], nodes=False),
}
