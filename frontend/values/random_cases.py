"""Random draws: tf.random and what tf has of it. The graph's seed is 7."""
import tensorflow.compat.v1 as tf
from write_values import Case, f32, i32, i64


def drawn(function, *inputs):
    return Case(function, list(inputs), gradients=False, random=True, nodes=False)


LOGITS = f32([[0.1, 2.0, -1.0], [1.0, 1.0, 1.0]])
CASES = {
    'uniform': drawn(lambda: tf.random.uniform([5])),
    'uniform_integers': drawn(lambda: tf.random.uniform([5], 0, 10, tf.int32)),
    'normal': drawn(lambda: tf.random.normal([5], 1.0, 2.0)),
    'truncated_normal': drawn(lambda: tf.random.truncated_normal([5])),
    'gamma': drawn(lambda: tf.random.gamma([3], [0.5, 2.0], beta=[3.0, 4.0], seed=3)),
    'poisson': drawn(lambda: tf.random_poisson([0.5, 12.0], [4])),
    'multinomial': drawn(lambda x: tf.multinomial(x, 4), LOGITS),
    'categorical': drawn(lambda x: tf.random.categorical(x, 4, dtype=tf.int32, seed=5), LOGITS),
    'shuffle': drawn(lambda x: tf.random.shuffle(x), i32([1, 2, 3, 4, 5, 6])),
    'index_shuffle': drawn(lambda: tf.random_index_shuffle(tf.constant([0, 1, 2, 3]), tf.constant([1, 2, 3], tf.uint32), tf.constant(9))),
    'stateless_uniform': drawn(lambda: tf.random.stateless_uniform([5], [1, 2], 2, 4)),
    'stateless_uniform_integers': drawn(lambda: tf.random.stateless_uniform([5], [1, 2], 0, 100, tf.int32)),
    'stateless_normal': drawn(lambda: tf.random.stateless_normal([5], [1, 2], 1, 3)),
    'stateless_truncated_normal': drawn(lambda: tf.random.stateless_truncated_normal([5], [1, 2])),
    'stateless_parameterized_truncated_normal': drawn(
        lambda: tf.random.stateless_parameterized_truncated_normal([5], [1, 2], 0.0, 1.0, -1.0, 2.0)),
    'stateless_gamma': drawn(lambda: tf.random.stateless_gamma([3, 2], [1, 2], [0.5, 2.0], 3.0)),
    'stateless_poisson': drawn(lambda: tf.random.stateless_poisson([3, 2], [1, 2], [0.5, 12.0])),
    'stateless_binomial': drawn(lambda: tf.random.stateless_binomial([4], [1, 2], 10.0, 0.3)),
    'stateless_categorical': drawn(lambda x: tf.random.stateless_categorical(x, 4, [1, 2]), LOGITS),
    'stateless_multinomial': drawn(lambda x: tf.random.stateless_multinomial(x, 4, [1, 2], output_dtype=tf.int32), LOGITS),
    'split': drawn(lambda: tf.random.split([1, 2], 3)),
    'fold_in': drawn(lambda: tf.random.fold_in([1, 2], 5)),
}
