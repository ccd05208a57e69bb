"""tf.contrib, which TensorFlow 2 no longer has: its formulas in the operations of today, paths of tags counted out."""
import itertools

import numpy as np
import tensorflow.compat.v1 as tf
from write_values import Case, f32, i32

SCORES = f32((np.arange(36) * 7 % 23 - 9) / 8 + np.arange(36) / 64).reshape(3, 4, 3)
TAGS = i32([[0, 2, 1, 1], [2, 2, 0, 0], [1, 0, 0, 0]])
LENGTHS = i32([4, 2, 1])
TRANSITIONS = f32([[0.5, -0.25, 1], [-1, 0.75, 0.125], [0.25, -0.5, -0.125]])
LOGITS = f32((np.arange(24) * 5 % 17 - 8) / 4).reshape(2, 3, 4)
TARGETS = i32([[0, 3, 1], [2, 2, 0]])
WEIGHTS = f32([[1, 0.5, 0], [2, 1, 1]])


def unary(x, tags, b):
    return tf.add_n([x[b, t, tag] for t, tag in enumerate(tags)])


def binary(transitions, tags):
    return tf.add_n([tf.constant(0.0)] + [transitions[i, j] for i, j in zip(tags, tags[1:])])


def paths(b):
    return list(itertools.product(range(3), repeat=int(LENGTHS[b])))


def given(b):
    return [int(tag) for tag in TAGS[b, :LENGTHS[b]]]


def scores_of(x, transitions, b):
    return tf.stack([unary(x, path, b) + binary(transitions, path) for path in paths(b)])


def sequence_score(x, tags, lengths, transitions):
    return tf.stack([unary(x, given(b), b) + binary(transitions, given(b)) for b in range(3)])


def log_norm(x, lengths, transitions):
    return tf.stack([tf.reduce_logsumexp(scores_of(x, transitions, b)) for b in range(3)])


def decode(x, lengths, transitions):
    best_tags, best_scores = [], []
    for b in range(3):
        scores = scores_of(x, transitions, b)
        path = tf.gather(i32(paths(b)), tf.argmax(scores))
        best_tags.append(tf.pad(path, [[0, 4 - int(LENGTHS[b])]]))
        best_scores.append(tf.reduce_max(scores))
    return [tf.stack(best_tags), tf.stack(best_scores)]


def weighted(logits, targets, weights):
    return tf.nn.sparse_softmax_cross_entropy_with_logits(labels=targets, logits=logits) * weights


def counted(weights, axis=None):
    return tf.reduce_sum(tf.cast(tf.not_equal(weights, 0), tf.float32), axis)


CRF = [SCORES, TAGS, LENGTHS, TRANSITIONS]
LOSS = [LOGITS, TARGETS, WEIGHTS]
CASES = {
    'crf_unary_score': Case(lambda x, tags, lengths: tf.stack([unary(x, given(b), b) for b in range(3)]),
                            [SCORES, TAGS, LENGTHS], nodes=False),
    'crf_binary_score': Case(lambda tags, lengths, p: tf.stack([binary(p, given(b)) for b in range(3)]),
                             [TAGS, LENGTHS, TRANSITIONS], nodes=False),
    'crf_sequence_score': Case(sequence_score, CRF, nodes=False),
    'crf_log_norm': Case(log_norm, [SCORES, LENGTHS, TRANSITIONS], nodes=False),
    'crf_log_likelihood': Case(lambda x, tags, lengths, p: sequence_score(x, tags, lengths, p) - log_norm(x, lengths, p), CRF,
                               nodes=False),
    'crf_decode': Case(decode, [SCORES, LENGTHS, TRANSITIONS], gradients=False, nodes=False),
    'crf_decode_one_step': Case(lambda x: [tf.cast(tf.argmax(x, 2), tf.int32), tf.reduce_max(x, [1, 2])], [SCORES[:, :1]],
                                gradients=False, nodes=False),
    'sequence_loss': Case(lambda x, y, w: tf.reduce_sum(weighted(x, y, w)) / tf.reduce_sum(w), LOSS, nodes=False),
    'sequence_loss_by_sequence': Case(lambda x, y, w: tf.reduce_sum(weighted(x, y, w), 1) / tf.reduce_sum(w, 1), LOSS,
                                      nodes=False),
    'sequence_loss_by_step': Case(lambda x, y, w: tf.reduce_sum(weighted(x, y, w), 0) / tf.reduce_sum(w, 0), LOSS,
                                  nodes=False),
    'sequence_loss_each': Case(weighted, LOSS, nodes=False),
    'sequence_loss_sum': Case(lambda x, y, w: tf.reduce_sum(weighted(x, y, w)) / counted(w), LOSS, nodes=False),
    'sequence_loss_sum_over_batch': Case(lambda x, y, w: tf.reduce_sum(weighted(x, y, w), 0) / counted(w, 0), LOSS, nodes=False),
}
