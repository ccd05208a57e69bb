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


class Beam:
    """A sequence of the search: plain numbers, no tensors."""

    def __init__(self, words=(), log_prob=0.0, length=0, ended=False, state=None, attention=0.0, looked=()):
        self.words, self.log_prob, self.length, self.ended = list(words), log_prob, length, ended
        self.state, self.attention, self.looked = state, attention, list(looked)


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def softmax(x):
    e = np.exp(x - x.max())
    return e / e.sum()


def plain_weights(*shape):
    return f32(((np.arange(int(np.prod(shape))) * 7 % 5 - 2) / 4).reshape(shape))


def plain_lstm(x, c, h):
    gates = np.concatenate([x, h]) @ plain_weights(len(x) + UNITS, 4 * UNITS) + plain_weights(4 * UNITS)
    i, j, f, o = np.split(gates, 4)
    c = c * sigmoid(f + 1) + sigmoid(i) * np.tanh(j)
    return c, np.tanh(c) * sigmoid(o)


def plain_step(embedding, memory):
    """A step of one sequence: the logits, where it looked, and the next state."""
    def step(word, state):
        if memory is None:
            c, h = plain_lstm(embedding[word], *state)
            return h @ plain_weights(UNITS, 5) + plain_weights(5), None, (c, h)
        c, h, attention = state
        c, h = plain_lstm(np.concatenate([embedding[word], attention]), c, h)
        looked = softmax(memory @ plain_weights(3, UNITS) @ h)
        attention = np.concatenate([h, looked @ memory]) @ plain_weights(UNITS + 3, 2)
        return attention @ plain_weights(2, 5) + plain_weights(5), looked, (c, h, attention)
    return step


def search(step, start, first_word, end, beams, steps, of_length, of_coverage):
    """The beams of one example, and where those in each place looked in each step."""
    alive, places = [Beam(state=start)], []
    for _ in range(steps):
        if all(beam.ended for beam in alive):
            break
        found = []
        for place, beam in enumerate(alive):
            logits, looked, state = step(beam.words[-1] if beam.words else first_word, beam.state)
            attention = beam.attention if looked is None or beam.ended else beam.attention + looked
            for word, log_prob in enumerate(np.log(softmax(logits))):
                if beam.ended and word != end:
                    continue
                total = beam.log_prob + (0 if beam.ended else log_prob)
                length = beam.length + (not beam.ended and word != end)
                score = total / ((5 + length) / 6) ** of_length
                if beam.ended and of_coverage:
                    score += of_coverage * np.log(np.minimum(attention, 1)).sum()
                after = Beam(beam.words + [word], total, beam.length + (not beam.ended), beam.ended or word == end, state,
                             attention, beam.looked + [looked])
                found.append((-score, place, word, after))
        found.sort(key=lambda entry: entry[:3])
        gaps = [b[0] - a[0] for a, b in zip(found[:beams], found[1:])]
        assert min(gaps) > 1e-4, gaps  # Or rounding would decide.
        alive = [entry[3] for entry in found[:beams]]
        places.append([beam.looked[-1] for beam in alive])
        scores = [-entry[0] for entry in found[:beams]]
    return alive, places, scores


def beam_search(beams, steps, of_length, of_coverage, end, has_memory):
    """ids, log probabilities and lengths; with a memory the history of alignments, too."""
    def plain(embedding, memory):
        results = []
        for example, first_word in enumerate([1, 2]):
            start = (np.zeros(UNITS), np.zeros(UNITS)) + ((np.zeros(2),) if has_memory else ())
            step = plain_step(embedding, memory[example] if has_memory else None)
            results.append(search(step, start, first_word, end, beams, steps, of_length, of_coverage))
        ran = max(len(places) for _, places, _ in results)
        assert all(len(places) == ran for _, places, _ in results), 'the examples end together'
        ids = [[[beam.words[t] if t < beam.length else end for beam in alive] for t in range(ran)] for alive, _, _ in results]
        log_probs = [[beam.log_prob for beam in alive] for alive, _, _ in results]
        lengths = [[beam.length for beam in alive] for alive, _, _ in results]
        built = [np.array(ids, np.int32), f32(log_probs), np.array(lengths, np.int64), f32([s for _, _, s in results])]
        if has_memory:
            looked = [[[beam.looked[t] if t < beam.length else places[t][k] for k, beam in enumerate(alive)]
                       for alive, places, _ in results] for t in range(ran)]
            built.append(f32(looked))
        return built

    def built(embedding, memory):
        types = [tf.int32, tf.float32, tf.int64, tf.float32] + ([tf.float32] if has_memory else [])
        return tf.numpy_function(plain, [embedding, memory], types)
    return built


CASES = {
    'attention_bahdanau': Case(trained(bahdanau, False, 2), [INPUTS, MEMORY], nodes=False),
    'attention_bahdanau_normalized': Case(trained(bahdanau, True, 0), [INPUTS, MEMORY], nodes=False),
    'attention_luong': Case(trained(luong, False, 2), [INPUTS, MEMORY], nodes=False),
    'attention_luong_scaled': Case(trained(luong, True, 2), [INPUTS, MEMORY], nodes=False),
    'decode_imputed': Case(imputed, [INPUTS, MEMORY], nodes=False),
    'decode_greedy': Case(greedy, [EMBEDDING], nodes=False),
    'beam_search': Case(beam_search(4, 6, 0, 0, 2, False), [EMBEDDING, MEMORY], gradients=False, nodes=False),
    'beam_search_length_penalty': Case(beam_search(4, 6, 0.8, 0, 2, False), [EMBEDDING, MEMORY], gradients=False, nodes=False),
    'beam_search_attention': Case(beam_search(4, 6, 0.6, 0.4, 2, True), [EMBEDDING, MEMORY], gradients=False, nodes=False),
}
