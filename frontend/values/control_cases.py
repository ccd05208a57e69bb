"""Assertions, printing, custom gradients, branches by a number, quantized numbers and updates of variables."""
import tensorflow.compat.v1 as tf
from write_values import Case, f32, i32, i64

X = f32([[0.3, -0.7, 0.5], [-0.2, 0.9, 0.1]])


def after(assertion):
    def build(*x):
        with tf.control_dependencies([assertion(*x)]):
            return tf.identity(x[0], name='checked')

    return build


@tf.custom_gradient
def log1pexp(x):
    e = tf.exp(x)

    def grad(dy):
        return dy * (1 - 1 / (1 + e))

    return tf.log(1 + e), grad


def variable(update):
    """The value of a variable after an update."""

    def build(*x):
        w = tf.Variable(tf.zeros([4, 2]) + 2, name='w')
        with tf.control_dependencies([w.initializer]):
            with tf.control_dependencies([update(w, *x)]):
                return w.read_value()

    return Case(build, [i32([3, 0]), f32([[1, 2], [3, 4]])], nodes=False, gradients=False)


def image(function, x=X):
    """Of a quantized image [1, 3, 3, 1]; integers of few bits as int32."""
    def built(x):
        q = tf.quantize(tf.reshape(tf.concat([x, x, x], 0)[:3], [1, 3, 3, 1]), -1.0, 1.0, tf.quint8)
        return [tf.cast(t, tf.int32) if t.dtype.is_quantized else t for t in function(q)]
    return Case(built, [x], gradients=False, nodes=False)


def tensor_array_grad(x):
    array = tf.TensorArray(tf.float32, 2).unstack(x)
    gradients = array.grad('g').write(0, x[1]).write(1, x[0])
    with tf.control_dependencies([gradients.flow]):
        # Writing to an element again adds.
        again = array.grad('g', flow=gradients.flow).write(0, 2 * x[1])
    return again.stack()


CASES = {
    'assert_equal': Case(after(tf.assert_equal), [X, X], nodes=False),
    'assert_none_equal': Case(after(tf.assert_none_equal), [X, X + 1], nodes=False),
    'assert_less': Case(after(tf.assert_less), [X, X + 1], nodes=False),
    'assert_less_equal': Case(after(tf.assert_less_equal), [X, X], nodes=False),
    'assert_greater': Case(after(tf.assert_greater), [X + 1, X], nodes=False),
    'assert_greater_equal': Case(after(tf.assert_greater_equal), [X, X], nodes=False),
    'assert_near': Case(after(tf.assert_near), [X, X + 1e-7], nodes=False),
    'assert_positive': Case(after(tf.assert_positive), [X + 1], nodes=False),
    'assert_negative': Case(after(tf.assert_negative), [X - 1], nodes=False),
    'assert_non_negative': Case(after(tf.assert_non_negative), [X + 1], nodes=False),
    'assert_non_positive': Case(after(tf.assert_non_positive), [X - 1], nodes=False),
    'custom_gradient': Case(log1pexp, [X * 100], nodes=False),
    'grad_pass_through': Case(lambda x: tf.grad_pass_through(tf.round)(x), [X], nodes=False),
    'hessians': Case(lambda x: tf.hessians(x[0] * x[0] * x[1] + tf.exp(x[2] * x[0]), x), [f32([0.5, 2, 0.3])], nodes=False,
                     gradients=False),
    'tuple': Case(lambda x, y: tf.tuple([x, y]), [X, X]),
    'switch_case': Case(lambda i, x: tf.switch_case(i, [lambda: x, lambda: x * 2, lambda: x * 3]), [i32(1), X], nodes=False),
    'switch_case_beyond': Case(lambda i, x: tf.switch_case(i, [lambda: x, lambda: x * 2, lambda: x * 3]), [i32(-7), X],
                               nodes=False),
    'switch_case_default': Case(lambda i, x: tf.switch_case(i, [lambda: x], default=lambda: x * 5), [i32(2), X], nodes=False),
    'vectorized_map': Case(lambda x: tf.vectorized_map(lambda r: r * r + 1, x), [X], nodes=False),
    'fake_quant_args': Case(lambda x: tf.fake_quant_with_min_max_args(x, -1, 1), [X * 2]),
    'fake_quant_args_gradient': Case(lambda g, x: tf.fake_quant_with_min_max_args_gradient(g, x, -1, 1), [X, X * 2],
                                     gradients=False),
    'fake_quant_vars': Case(lambda x, a, b: tf.fake_quant_with_min_max_vars(x, a, b, num_bits=4), [X * 2, f32(-1), f32(1)]),
    'fake_quant_vars_gradient': Case(lambda g, x, a, b: list(tf.fake_quant_with_min_max_vars_gradient(g, x, a, b)),
                                     [X, X * 2, f32(-1), f32(1)], gradients=False),
    'fake_quant_channels': Case(lambda x, a, b: tf.fake_quant_with_min_max_vars_per_channel(x, a, b),
                                [X * 2, f32([-1, -0.5, -2]), f32([1, 0.5, 2])]),
    'fake_quant_channels_gradient': Case(
        lambda g, x, a, b: list(tf.fake_quant_with_min_max_vars_per_channel_gradient(g, x, a, b)),
        [X, X * 2, f32([-1, -0.5, -2]), f32([1, 0.5, 2])], gradients=False),
    'quantize': Case(lambda x: (lambda q: [tf.cast(q[0], tf.int32), q[1], q[2]])(tf.quantize(x, -1.0, 1.0, tf.quint8)), [X],
                     gradients=False, nodes=False),
    'dequantize': Case(lambda x: (lambda q: tf.dequantize(q[0], q[1], q[2]))(tf.quantize(x, -1.0, 1.0, tf.quint8)), [X],
                       gradients=False, nodes=False),
    'quantized_concat': Case(
        lambda x: (lambda q: [tf.cast(t, tf.int32) if t.dtype == tf.quint8 else t for t in tf.quantized_concat(
            0, [q[0], q[0]], [q[1], q[1]], [q[2], q[2]])])(tf.quantize(x, -1.0, 1.0, tf.quint8)), [X],
        gradients=False, nodes=False),
    # Averages without a fraction, which oneDNN rounds and TensorFlow's own kernel cuts off.
    'quantized_avg_pool': image(lambda q: tf.nn.quantized_avg_pool(*q, [1, 2, 1, 1], [1, 1, 1, 1], 'VALID'),
                                f32([[0.3, -0.7, 0.5], [-0.2, 0.9, 0.5]])),
    'quantized_max_pool': image(lambda q: tf.nn.quantized_max_pool(*q, [1, 2, 2, 1], [1, 2, 2, 1], 'SAME')),
    'quantized_conv2d': image(lambda q: tf.nn.quantized_conv2d(
        q[0], tf.reshape(q[0], [3, 3, 1, 1]), q[1], q[2], q[1], q[2], [1, 1, 1, 1], 'SAME')),
    'tensor_array_grad': Case(tensor_array_grad, [X], gradients=False, nodes=False),
    'assign': variable(lambda w, i, u: tf.assign(w, tf.concat([u, u], 0))),
    'assign_add': variable(lambda w, i, u: tf.assign_add(w, tf.concat([u, u], 0))),
    'assign_sub': variable(lambda w, i, u: tf.assign_sub(w, tf.concat([u, u], 0))),
    'scatter_update': variable(tf.scatter_update),
    'scatter_add': variable(tf.scatter_add),
    'scatter_sub': variable(tf.scatter_sub),
    'scatter_mul': variable(tf.scatter_mul),
    'scatter_div': variable(tf.scatter_div),
    'scatter_min': variable(tf.scatter_min),
    'scatter_max': variable(tf.scatter_max),
    'scatter_nd_update': variable(lambda w, i, u: tf.scatter_nd_update(w, i[:, None], u)),
    'scatter_nd_add': variable(lambda w, i, u: tf.scatter_nd_add(w, i[:, None], u)),
    'scatter_nd_sub': variable(lambda w, i, u: tf.scatter_nd_sub(w, i[:, None], u)),
    'batch_scatter_update': variable(lambda w, i, u: tf.batch_scatter_update(w, [[1], [0], [1], [0]], tf.concat([u, u], 0)[:, :1])),
}
