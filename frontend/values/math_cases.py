"""Arithmetic: tf.math and what tf has of it."""
import tensorflow.compat.v1 as tf
from write_values import Case, c64, f32, i32, i64

X = f32([[0.3, -0.7, 0.5], [-0.2, 0.9, 0.1]])
POSITIVE = f32([[0.3, 1.7, 2.5], [4.2, 0.9, 3.1]])
LARGE = f32([1.5, 2.5, 3.5])
Z = c64([1 + 2j, -0.5 + 0.25j, 3 - 1j])
INTEGERS = i32([7, -7, 9, 4])
DIVISORS = i32([3, 3, -4, 2])
DATA = f32([[1, 2], [3, 4], [5, 6], [7, 8]])
IDS = i32([0, 0, 1, 2])
B = [True, False, True, False]
C = [True, True, False, False]

CASES = {}
for name, values in {
        'abs': X, 'acos': X, 'acosh': LARGE, 'asin': X, 'asinh': X, 'atan': X, 'atanh': X, 'ceil': X, 'cos': X, 'cosh': X,
        'digamma': POSITIVE, 'erf': X, 'erfc': X, 'exp': X, 'expm1': X, 'floor': X, 'is_finite': X,
        'is_inf': X, 'is_nan': X, 'lgamma': POSITIVE, 'log': POSITIVE, 'log1p': POSITIVE, 'log_sigmoid': X, 'negative': X,
        'reciprocal': X, 'rint': LARGE, 'round': LARGE, 'rsqrt': POSITIVE, 'sigmoid': X, 'sign': X, 'sin': X,
        'sinh': X, 'sqrt': POSITIVE, 'square': X, 'tan': X, 'tanh': X, 'to_float': INTEGERS, 'to_int32': X, 'to_int64': X,
        'to_double': X, 'to_bfloat16': X, 'accumulate_n': X, 'is_non_decreasing': LARGE,
        'is_strictly_increasing': LARGE, 'to_complex64': X, 'to_complex128': X
}.items():
    function = getattr(tf, name)
    CASES[name] = Case((lambda f: lambda x: f([x, x]) if f is tf.accumulate_n else f(x))(function), [values])
for name, values in {
        'bessel_i0': X, 'bessel_i0e': X, 'bessel_i1': X, 'bessel_i1e': X, 'erfcinv': POSITIVE / 5, 'erfinv': X,
        'ndtri': POSITIVE / 5, 'reciprocal_no_nan': X, 'reduce_euclidean_norm': X, 'reduce_std': X, 'reduce_variance': X,
        'cumulative_logsumexp': X, 'softplus': X, 'softsign': X, 'invert_permutation': i32([2, 0, 1])
}.items():
    CASES[name] = Case(getattr(tf.math, name), [values])
for name in ('angle', 'conj', 'imag', 'real', 'abs'):
    CASES[name + '_complex'] = Case(getattr(tf, name), [Z])
CASES['round_integers'] = Case(tf.round, [INTEGERS])
CASES['real_of_real'] = Case(tf.real, [X])
CASES['conj_of_real'] = Case(tf.conj, [X])
CASES['complex'] = Case(tf.complex, [X, POSITIVE])

for name in ('add', 'subtract', 'multiply', 'divide', 'atan2', 'floordiv', 'floormod', 'mod', 'maximum', 'minimum', 'pow',
             'realdiv', 'squared_difference', 'truediv', 'div', 'div_no_nan'):
    CASES[name] = Case(getattr(tf, name), [POSITIVE, POSITIVE[0] + 0.5])
for name in ('floordiv', 'floormod', 'truncatediv', 'truncatemod', 'truediv', 'div', 'divide'):
    CASES[name + '_integers'] = Case(getattr(tf, name), [INTEGERS, DIVISORS])
CASES['divide_no_nan'] = Case(tf.math.divide_no_nan, [X, f32([0, 1, 2])])
CASES['multiply_no_nan'] = Case(tf.math.multiply_no_nan, [X, f32([0, 1, 2])])
CASES['nextafter'] = Case(tf.math.nextafter, [X, f32([0, 1, 2])])
CASES['scalar_mul'] = Case(lambda x: tf.scalar_mul(2.5, x), [X])
for name in ('xdivy', 'xlogy', 'xlog1py'):
    CASES[name] = Case(getattr(tf.math, name), [f32([0, 1, 2]), POSITIVE])
for name in ('logical_and', 'logical_or', 'logical_xor'):
    CASES[name] = Case(getattr(tf, name), [B, C])
CASES['logical_not'] = Case(tf.logical_not, [B])
for name in ('equal', 'not_equal', 'less', 'less_equal', 'greater', 'greater_equal'):
    CASES[name] = Case(getattr(tf, name), [INTEGERS, DIVISORS])
CASES['igamma'] = Case(tf.igamma, [LARGE, LARGE + 1])
CASES['igammac'] = Case(tf.igammac, [LARGE, LARGE + 1])
CASES['polygamma'] = Case(tf.polygamma, [f32([1, 2, 3]), LARGE])
CASES['zeta'] = Case(tf.zeta, [LARGE, LARGE + 1])
CASES['betainc'] = Case(tf.betainc, [LARGE, LARGE + 1, f32([0.2, 0.5, 0.7])])
CASES['lbeta'] = Case(tf.lbeta, [POSITIVE])
CASES['polyval'] = Case(lambda a, b, x: tf.math.polyval([a, b, a], x), [f32(2), f32(3), X])
CASES['saturate_cast'] = Case(lambda x: tf.saturate_cast(x, tf.uint8), [f32([-3, 7.9, 300])])
CASES['cast'] = Case(lambda x: tf.cast(x, tf.int32), [LARGE])
CASES['add_n'] = Case(lambda x, y: tf.add_n([x, y]), [X, X])
CASES['accumulate_n_three'] = Case(lambda x, y: tf.accumulate_n([x, y, x]), [X, X])

for name in ('all', 'any'):
    CASES['reduce_' + name] = Case(getattr(tf, 'reduce_' + name), [[[True, False], [True, True]]])
    CASES['reduce_' + name + '_rows'] = Case(lambda x, f=getattr(tf, 'reduce_' + name): f(x, 0, keepdims=True),
                                             [[[True, False], [True, True]]])
for name in ('sum', 'mean', 'max', 'min', 'prod', 'logsumexp'):
    CASES['reduce_' + name] = Case(getattr(tf, 'reduce_' + name), [X])
    CASES['reduce_' + name + '_rows'] = Case(lambda x, f=getattr(tf, 'reduce_' + name): f(x, [1], keepdims=True), [X])
for name in ('euclidean_norm', 'std', 'variance'):
    CASES['reduce_' + name + '_rows'] = Case(lambda x, f=getattr(tf.math, 'reduce_' + name): f(x, 1, keepdims=True), [X])
CASES['count_nonzero'] = Case(tf.count_nonzero, [f32([[0, 1], [2, 0]])])
CASES['count_nonzero_rows'] = Case(lambda x: tf.count_nonzero(x, 1, keepdims=True, dtype=tf.int32), [f32([[0, 1], [2, 0]])])
CASES['argmax'] = Case(lambda x: tf.argmax(x, 1), [X])
CASES['argmin'] = Case(lambda x: tf.argmin(x, 0, output_type=tf.int32), [X])
CASES['cumsum'] = Case(lambda x: tf.cumsum(x, 1, exclusive=True), [X])
CASES['cumprod'] = Case(lambda x: tf.cumprod(x, 1, reverse=True), [X])

for name in ('max', 'mean', 'min', 'prod', 'sum'):
    CASES['segment_' + name] = Case(getattr(tf, 'segment_' + name), [DATA, IDS])
for name in ('max', 'mean', 'min', 'prod', 'sum', 'sqrt_n'):
    CASES['unsorted_segment_' + name] = Case(lambda x, i, f=getattr(tf, 'unsorted_segment_' + name): f(x, i, 4), [DATA, IDS])
for name in ('mean', 'sum', 'sqrt_n'):
    f = getattr(tf, 'sparse_segment_' + name)
    CASES['sparse_segment_' + name] = Case(f, [DATA, i32([0, 2, 3]), i32([0, 0, 1])])
    CASES['sparse_segment_' + name + '_with_number'] = Case(lambda x, i, s, f=f: f(x, i, s, num_segments=4),
                                                            [DATA, i32([0, 2, 3]), i32([0, 0, 1])])

CASES['bincount'] = Case(tf.math.bincount, [i32([1, 1, 3, 5])])
CASES['bincount_weighted'] = Case(lambda x, w: tf.math.bincount(x, w, minlength=8), [i32([1, 1, 3, 5]), f32([1, 2, 3, 4])],
                                  gradients=False)
CASES['confusion_matrix'] = Case(tf.confusion_matrix, [i32([1, 2, 4]), i32([2, 2, 4])])
CASES['confusion_matrix_weighted'] = Case(
    lambda l, p, w: tf.confusion_matrix(l, p, num_classes=5, weights=w, dtype=tf.float32),
    [i32([1, 2, 4]), i32([2, 2, 4]), f32([0.5, 1, 2])], gradients=False)
CASES['histogram_fixed_width'] = Case(lambda x: tf.histogram_fixed_width(x, [0.0, 5.0], nbins=5),
                                      [f32([-1, 0, 1.5, 2, 5, 15])], gradients=False)
CASES['histogram_fixed_width_bins'] = Case(lambda x: tf.histogram_fixed_width_bins(x, [0.0, 5.0], nbins=5),
                                           [f32([-1, 0, 1.5, 2, 5, 15])], gradients=False)
CASES['unique'] = Case(lambda x: list(tf.unique(x)), [i32([1, 1, 3, 2, 3])])
CASES['unique_with_counts'] = Case(lambda x: list(tf.unique_with_counts(x)), [i32([1, 1, 3, 2, 3])])
CASES['setdiff1d'] = Case(lambda x, y: list(tf.setdiff1d(x, y)), [i32([1, 2, 3, 4, 5]), i32([2, 5])])
for name in ('bitwise_and', 'bitwise_or', 'bitwise_xor', 'left_shift', 'right_shift'):
    CASES[name] = Case(getattr(tf.bitwise, name), [i32([7, 5, 9]), i32([3, 1, 2])])
CASES['invert'] = Case(tf.bitwise.invert, [i32([7, 5, 9])])
CASES['check_numerics'] = Case(lambda x: tf.check_numerics(x, 'bad'), [X])
CASES['verify_tensor_all_finite'] = Case(lambda x: tf.verify_tensor_all_finite(x, 'bad'), [X])

# Longer functions whose nodes are ours.
for name in ('bincount', 'bincount_weighted', 'confusion_matrix', 'confusion_matrix_weighted', 'histogram_fixed_width_bins',
             'is_non_decreasing', 'is_strictly_increasing', 'unsorted_segment_mean', 'unsorted_segment_sqrt_n'):
    CASES[name] = CASES[name]._replace(nodes=False)
