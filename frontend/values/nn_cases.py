"""tf.nn: convolutions, pools, moments, losses, CTC, candidate samplers, selections."""
import numpy as np
import tensorflow.compat.v1 as tf
from write_values import Case, f32, i32, i64


def ramp(*shape):
    """Numbers without ties or symmetry."""
    count = int(np.prod(shape))
    return f32((np.arange(count) * 7 % 23 - 9) / 8 + np.arange(count) / 64).reshape(shape)


SIGNAL = ramp(2, 6, 2)
IMAGE = ramp(1, 5, 6, 2)
VOLUME = ramp(1, 4, 4, 4, 2)
K1 = ramp(3, 2, 3)
K2 = ramp(3, 3, 2, 3)
K3 = ramp(2, 2, 2, 2, 3)
DEPTH = ramp(2, 2, 2, 2)
POINT = ramp(1, 1, 4, 3)
LOGITS = ramp(5, 2, 4)
LENGTHS = i32([5, 4])
CLASSES = i64([[1, 7], [3, 2]])


def sparse_labels():
    return tf.SparseTensor(i64([[0, 0], [0, 1], [1, 0]]), i32([1, 2, 0]), i64([2, 2]))


def decoded(result):
    paths, probabilities = result
    return [paths[0].indices, paths[0].values, paths[0].dense_shape, probabilities]


def emb(weights):
    ids = tf.SparseTensor(i64([[0, 0], [0, 1], [2, 0], [3, 1]]), i64([1, 3, -1, 2]), i64([4, 2]))
    return ids, None if weights is None else tf.SparseTensor(ids.indices, weights, ids.dense_shape)


NN = tf.nn
CASES = {
    'softmax_axis': Case(lambda x: tf.nn.softmax(x, axis=0), [LOGITS], nodes=False),
    'log_softmax_axis': Case(lambda x: tf.nn.log_softmax(x, axis=-2), [LOGITS], nodes=False),
    'convolution': Case(lambda x, k: NN.convolution(x, k, 'SAME'), [IMAGE, K2]),
    'convolution_strides': Case(lambda x, k: NN.convolution(x, k, 'VALID', strides=[2, 1]), [IMAGE, K2]),
    'convolution_dilated': Case(lambda x, k: NN.convolution(x, k, 'SAME', dilation_rate=[2, 2]), [IMAGE, K2], nodes=False),
    'convolution_1d': Case(lambda x, k: NN.convolution(x, k, 'SAME'), [SIGNAL, K1], nodes=False),
    'convolution_1d_dilated': Case(lambda x, k: NN.convolution(x, k, 'VALID', dilation_rate=[2]), [SIGNAL, K1], nodes=False),
    'convolution_3d': Case(lambda x, k: NN.convolution(x, k, 'VALID'), [VOLUME, K3]),
    'conv1d': Case(lambda x, k: NN.conv1d(x, k, 2, 'SAME'), [SIGNAL, K1]),
    'conv1d_transpose': Case(lambda x, k: NN.conv1d_transpose(x, k, [2, 12, 3], 2), [SIGNAL, ramp(3, 3, 2)], nodes=False),
    'conv2d_transpose': Case(lambda x, k: NN.conv2d_transpose(x, k, [1, 10, 12, 3], [2]), [IMAGE, ramp(3, 3, 3, 2)]),
    'conv2d_backprop_input': Case(lambda k, y: NN.conv2d_backprop_input([1, 5, 6, 2], k, y, [1, 1, 1, 1], 'SAME'),
                                  [K2, ramp(1, 5, 6, 3)]),
    'conv2d_backprop_filter': Case(lambda x, y: NN.conv2d_backprop_filter(x, [3, 3, 2, 3], y, [1, 1, 1, 1], 'SAME'),
                                   [IMAGE, ramp(1, 5, 6, 3)]),
    'conv3d': Case(lambda x, k: NN.conv3d(x, k, [1, 1, 2, 2, 1], 'SAME'), [VOLUME, K3]),
    'conv3d_transpose': Case(lambda x, k: NN.conv3d_transpose(x, k, [1, 8, 8, 8, 3], [2]), [VOLUME, ramp(2, 2, 2, 3, 2)],
                             nodes=False),
    'conv3d_backprop_filter': Case(
        lambda x, y: NN.conv3d_backprop_filter(x, [2, 2, 2, 2, 3], y, [1, 1, 1, 1, 1], 'SAME'),
        [VOLUME, ramp(1, 4, 4, 4, 3)], gradients=False, nodes=False),
    'conv_transpose': Case(lambda x, k: NN.conv_transpose(x, k, [1, 10, 12, 3], [2]), [IMAGE, ramp(3, 3, 3, 2)],
                           nodes=False),
    'atrous_conv2d': Case(lambda x, k: NN.atrous_conv2d(x, k, 2, 'VALID'), [IMAGE, K2], nodes=False),
    'atrous_conv2d_transpose': Case(lambda x, k: NN.atrous_conv2d_transpose(x, k, [1, 5, 6, 3], 2, 'SAME'),
                                    [IMAGE, ramp(3, 3, 3, 2)], nodes=False),
    'depthwise_conv2d': Case(lambda x, k: NN.depthwise_conv2d(x, k, [1, 2, 2, 1], 'SAME'), [IMAGE, DEPTH], nodes=False),
    'depthwise_conv2d_rate': Case(lambda x, k: NN.depthwise_conv2d(x, k, [1, 1, 1, 1], 'VALID', rate=[2, 3]),
                                  [IMAGE, DEPTH], nodes=False),
    'depthwise_conv2d_native': Case(lambda x, k: NN.depthwise_conv2d_native(x, k, [1, 1, 1, 1], 'VALID'), [IMAGE, DEPTH]),
    'separable_conv2d': Case(lambda x, d, p: NN.separable_conv2d(x, d, p, [1, 1, 1, 1], 'SAME', rate=[2, 2]),
                             [IMAGE, DEPTH, POINT], nodes=False),
    'dilation2d': Case(lambda x, k: NN.dilation2d(x, k, [1, 1, 2, 1], [1, 2, 1, 1], 'SAME'), [IMAGE, ramp(2, 3, 2)]),
    'erosion2d': Case(lambda x, k: NN.erosion2d(x, k, [1, 1, 1, 1], [1, 1, 1, 1], 'VALID'), [IMAGE, ramp(2, 3, 2)]),
    'max_pool1d': Case(lambda x: NN.max_pool1d(x, 2, 2, 'VALID'), [SIGNAL]),
    'avg_pool1d': Case(lambda x: NN.avg_pool1d(x, 3, 1, 'SAME'), [SIGNAL]),
    'max_pool2d': Case(lambda x: NN.max_pool2d(x, 2, 2, 'SAME'), [IMAGE]),
    'avg_pool2d': Case(lambda x: NN.avg_pool2d(x, [1, 2, 3, 1], [1, 1, 1, 1], 'VALID'), [IMAGE]),
    'max_pool3d': Case(lambda x: NN.max_pool3d(x, 2, 2, 'VALID'), [VOLUME]),
    'avg_pool3d': Case(lambda x: NN.avg_pool3d(x, 3, 2, 'SAME'), [VOLUME]),
    'max_pool_v2': Case(lambda x: NN.max_pool_v2(x, 2, 2, 'VALID'), [VOLUME], nodes=False),
    'avg_pool_v2': Case(lambda x: NN.avg_pool_v2(x, 2, 1, 'VALID'), [SIGNAL], nodes=False),
    'pool_max': Case(lambda x: NN.pool(x, [2, 2], 'MAX', 'SAME', strides=[2, 1]), [IMAGE], nodes=False),
    'pool_avg_dilated': Case(lambda x: NN.pool(x, [2, 2], 'AVG', 'VALID', dilation_rate=[2, 1]), [IMAGE], nodes=False),
    'pool_1d': Case(lambda x: NN.pool(x, [3], 'MAX', 'VALID'), [SIGNAL], nodes=False),
    'max_pool_with_argmax': Case(lambda x: list(NN.max_pool_with_argmax(x, [1, 2, 2, 1], [1, 2, 2, 1], 'SAME')), [IMAGE]),
    'fractional_max_pool': Case(
        lambda x: list(NN.fractional_max_pool(x, [1, 1.4, 1.5, 1], deterministic=True, seed=3, seed2=4)), [IMAGE],
        gradients=False),
    'fractional_avg_pool': Case(
        lambda x: list(NN.fractional_avg_pool(x, [1, 1.4, 1.5, 1], True, True, True, 3, 4)), [IMAGE], gradients=False),
    'swish': Case(NN.swish, [ramp(2, 3)], nodes=False),
    'swish_beta': Case(lambda x: NN.swish(x, 0.5), [ramp(2, 3)], nodes=False),
    'silu': Case(NN.silu, [ramp(2, 3)], nodes=False),
    'relu_layer': Case(NN.relu_layer, [ramp(2, 3), ramp(3, 4), ramp(4)]),
    'log_poisson_loss': Case(lambda z, x: NN.log_poisson_loss(z, x), [f32([0.5, 1, 3]), f32([0.2, -1, 1])]),
    'log_poisson_loss_full': Case(lambda z, x: NN.log_poisson_loss(z, x, True), [f32([0.5, 1, 3]), f32([0.2, -1, 1])],
                                  nodes=False),
    'lrn': Case(lambda x: NN.lrn(x, 1, 1.5, 0.5, 0.75), [IMAGE]),
    'sufficient_statistics': Case(lambda x: list(NN.sufficient_statistics(x, [0, 1])[:3]), [ramp(3, 4)]),
    'sufficient_statistics_shift': Case(lambda x, s: list(NN.sufficient_statistics(x, [0], s)[:3]), [ramp(3, 4), f32(0.5)],
                                        nodes=False),
    'normalize_moments': Case(lambda c, m, v: list(NN.normalize_moments(c, m, v, None)), [f32(3), f32([2, 1]), f32([9, 4])]),
    'normalize_moments_shift': Case(lambda c, m, v, s: list(NN.normalize_moments(c, m, v, s)),
                                    [f32(3), f32([2, 1]), f32([9, 4]), f32([1, 2])]),
    'weighted_moments': Case(lambda x, w: list(NN.weighted_moments(x, [0], w)), [ramp(3, 4), f32([[1], [2], [0.5]])]),
    'fused_batch_norm': Case(lambda x, g, b: NN.fused_batch_norm(x, g, b)[0], [IMAGE, f32([1, 2]), f32([0.5, -1])],
                             nodes=False),
    'fused_batch_norm_inference': Case(
        lambda x, g, b, m, v: NN.fused_batch_norm(x, g, b, m, v, is_training=False)[0],
        [IMAGE, f32([1, 2]), f32([0.5, -1]), f32([0.1, 0.2]), f32([1, 3])], gradients=False, nodes=False),
    'batch_norm_with_global_normalization': Case(
        lambda x, m, v, b, g: NN.batch_norm_with_global_normalization(x, m, v, b, g, 1e-3, True),
        [IMAGE, f32([0.1, 0.2]), f32([1, 3]), f32([0.5, -1]), f32([1, 2])]),
    'ctc_loss': Case(lambda x, n: NN.ctc_loss(sparse_labels(), x, n), [LOGITS, LENGTHS], nodes=False),
    'ctc_loss_batch_major': Case(lambda x, n: NN.ctc_loss(sparse_labels(), x, n, time_major=False),
                                 [ramp(2, 5, 4), LENGTHS], nodes=False),
    'ctc_loss_v2_sparse': Case(lambda x, n: NN.ctc_loss_v2(sparse_labels(), x, None, n, blank_index=3), [LOGITS, LENGTHS],
                               nodes=False),
    'ctc_loss_v2_blank': Case(
        lambda x, n: NN.ctc_loss_v2(tf.SparseTensor(i64([[0, 0], [0, 1], [1, 0]]), i32([1, 2, 3]), i64([2, 2])), x, None, n,
                                    blank_index=0), [LOGITS, LENGTHS], nodes=False),
    'ctc_loss_v2_dense': Case(lambda y, x, m, n: NN.ctc_loss_v2(y, x, m, n), [i32([[1, 2], [3, 0]]), LOGITS, i32([2, 1]), LENGTHS],
                              nodes=False),
    'ctc_greedy_decoder': Case(lambda x, n: decoded(NN.ctc_greedy_decoder(x, n)), [LOGITS, LENGTHS], gradients=False),
    'ctc_beam_search_decoder': Case(lambda x, n: decoded(NN.ctc_beam_search_decoder(x, n, 4, 2)), [LOGITS, LENGTHS],
                                    gradients=False),
    'ctc_beam_search_decoder_v2': Case(lambda x, n: decoded(NN.ctc_beam_search_decoder_v2(x, n, 4)), [LOGITS, LENGTHS],
                                       gradients=False),
    'collapse_repeated': Case(lambda y, n: list(NN.collapse_repeated(y, n)), [i32([[1, 1, 2, 2, 1], [3, 3, 3, 0, 0]]), i32([5, 3])],
                              nodes=False),
    'ctc_unique_labels': Case(lambda y: list(NN.ctc_unique_labels(y)), [i32([[1, 2, 1, 0], [4, 4, 5, 4]])], nodes=False),
    'uniform_candidate_sampler': Case(lambda y: list(NN.uniform_candidate_sampler(y, 2, 4, True, 9, seed=5)), [CLASSES],
                                      gradients=False, random=True),
    'log_uniform_candidate_sampler': Case(lambda y: list(NN.log_uniform_candidate_sampler(y, 2, 4, False, 9)), [CLASSES],
                                          gradients=False, random=True),
    'learned_unigram_candidate_sampler': Case(lambda y: list(NN.learned_unigram_candidate_sampler(y, 2, 4, True, 9)), [CLASSES],
                                              gradients=False, random=True),
    'fixed_unigram_candidate_sampler': Case(
        lambda y: list(NN.fixed_unigram_candidate_sampler(y, 2, 3, True, 9, distortion=0.75,
                                                          unigrams=[1, 2, 3, 4, 5, 6, 7, 8, 9])), [CLASSES],
        gradients=False, random=True),
    'all_candidate_sampler': Case(lambda y: list(NN.all_candidate_sampler(y, 2, 9, True)), [CLASSES], gradients=False,
                                  random=True),
    'compute_accidental_hits': Case(lambda y, s: list(NN.compute_accidental_hits(y, s, 2)), [CLASSES, i64([7, 2, 0])],
                                    gradients=False),
    'top_k': Case(lambda x: list(NN.top_k(x, 3)), [ramp(2, 5)]),
    'depth_to_space': Case(lambda x: NN.depth_to_space(x, 2), [ramp(1, 2, 1, 8)]),
    'space_to_depth': Case(lambda x: NN.space_to_depth(x, 2), [ramp(1, 4, 2, 2)]),
    'space_to_batch': Case(lambda x, p: NN.space_to_batch(x, p, 2), [ramp(1, 3, 4, 1), i32([[1, 0], [0, 0]])], nodes=False),
    'compute_average_loss': Case(lambda x, w: NN.compute_average_loss(x, w), [ramp(4), f32([1, 0, 2, 1])], nodes=False),
    'scale_regularization_loss': Case(NN.scale_regularization_loss, [ramp(4)], nodes=False),
    'mean_pairwise_squared_error': Case(lambda y, x: tf.losses.mean_pairwise_squared_error(y, x), [ramp(3, 4), ramp(3, 4) * 2 + 1],
                                        nodes=False),
    'mean_pairwise_squared_error_weights': Case(lambda y, x, w: tf.losses.mean_pairwise_squared_error(y, x, w),
                                                [ramp(3, 4), ramp(3, 4)[::-1] * 1, f32([[1], [0], [2]])], nodes=False),
    'safe_embedding_lookup_sparse': Case(lambda t: NN.safe_embedding_lookup_sparse(t, emb(None)[0]), [ramp(4, 3)], nodes=False),
    'safe_embedding_lookup_sparse_weights': Case(
        lambda t, w: NN.safe_embedding_lookup_sparse(t, *emb(w), combiner='sqrtn', default_id=2),
        [ramp(4, 3), f32([1, 0, 2, 3])], nodes=False),
}
