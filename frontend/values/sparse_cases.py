"""Sparse tensors and sets: tf.sparse, tf.sets and what tf has of them."""
import tensorflow.compat.v1 as tf
from write_values import Case, f32, i32, i64, strings

I = i64([[0, 0], [0, 2], [1, 1]])
J = i64([[0, 1], [0, 2], [1, 0]])
V = f32([1, 2, 3])
W = f32([4, 5, 6])
D = f32([[1, 2], [3, 4], [5, 6]])


def a(v):
    return tf.SparseTensor(I, v, [2, 3])


def b(v):
    return tf.SparseTensor(J, v, [2, 3])


CASES = {
    'add': Case(lambda v, w: tf.sparse_add(a(v), b(w)), [V, W], nodes=False),
    'add_dense': Case(lambda v, d: tf.sparse_add(a(v), d), [V, f32([[1, 2, 3], [4, 5, 6]])], nodes=False),
    'maximum': Case(lambda v, w: tf.sparse_maximum(a(v), b(w)), [V, W], nodes=False, gradients=False),
    'minimum': Case(lambda v, w: tf.sparse_minimum(a(v), b(w)), [V, W], nodes=False, gradients=False),
    'concat': Case(lambda v, w: tf.sparse_concat(1, [a(v), b(w)]), [V, W], nodes=False),
    'split': Case(lambda v: tf.sparse_split(sp_input=a(v), num_split=3, axis=1), [V], nodes=False, gradients=False),
    'bincount': Case(lambda v: tf.sparse.bincount(v), [i64([[3, 1, 3], [0, 1, 6]])], nodes=False, gradients=False),
    'bincount_rows': Case(lambda v, w: tf.sparse.bincount(v, weights=w, axis=-1, minlength=9, maxlength=12),
                          [i64([[3, 1, 3], [0, 1, 6]]), f32([[1, 2, 3], [4, 5, 6]])], nodes=False, gradients=False),
    'bincount_binary': Case(lambda v: tf.sparse.bincount(v, axis=-1, binary_output=True, maxlength=3),
                            [i64([[3, 1, 1], [0, 1, 6]])], nodes=False, gradients=False),
    'bincount_sparse': Case(lambda v, w: tf.sparse.bincount(a(v), weights=a(w)), [i64([2, 5, 2]), f32([0.5, 2, 4])],
                            nodes=False, gradients=False),
    'bincount_sparse_rows': Case(lambda v, w: tf.sparse.bincount(a(v), weights=a(w), axis=-1),
                                 [i64([2, 2, 5]), f32([0.5, 2, 4])], nodes=False, gradients=False),
    'fill_empty_rows': Case(lambda v: list(tf.sparse_fill_empty_rows(tf.SparseTensor(i64([[0, 1], [2, 0], [2, 1]]), v, [4, 2]), 9.0)),
                            [V], nodes=False),
    'reduce_sum': Case(lambda v: tf.sparse_reduce_sum(a(v)), [V], nodes=False),
    'reduce_sum_rows': Case(lambda v: tf.sparse_reduce_sum(a(v), axis=1, keepdims=True), [V], nodes=False),
    'reduce_max': Case(lambda v: tf.sparse_reduce_max(a(v), axis=0), [V], nodes=False, gradients=False),
    'reduce_sum_sparse': Case(lambda v: tf.sparse_reduce_sum_sparse(a(v), axis=1), [V], nodes=False, gradients=False),
    'reduce_max_sparse': Case(lambda v: tf.sparse_reduce_max_sparse(a(v), axis=1), [V], nodes=False, gradients=False),
    'reorder': Case(lambda v: tf.sparse_reorder(tf.SparseTensor(i64([[1, 0], [0, 2], [0, 1]]), v, [2, 3])), [V], nodes=False),
    'reshape': Case(lambda v: tf.sparse_reshape(a(v), [3, -1]), [V], nodes=False),
    'reset_shape': Case(lambda v: tf.sparse_reset_shape(tf.SparseTensor(I, v, [5, 5])), [V], nodes=False),
    'reset_shape_to': Case(lambda v: tf.sparse_reset_shape(a(v), [4, 4]), [V], nodes=False),
    'retain': Case(lambda v: tf.sparse_retain(a(v), [True, False, True]), [V], nodes=False),
    'slice': Case(lambda v: tf.sparse_slice(a(v), [0, 1], [2, 2]), [V], nodes=False),
    'transpose': Case(lambda v: tf.sparse_transpose(a(v)), [V], nodes=False),
    'softmax': Case(lambda v: tf.sparse_softmax(a(v)), [V], nodes=False),
    'dense_matmul': Case(lambda v, d: tf.sparse_tensor_dense_matmul(a(v), d), [V, D], nodes=False),
    'dense_matmul_adjoint': Case(lambda v, d: tf.sparse_tensor_dense_matmul(a(v), d, adjoint_a=True), [V, f32([[1, 2], [3, 4]])],
                                 nodes=False),
    'to_dense': Case(lambda v: tf.sparse_tensor_to_dense(a(v), 7.0), [V], nodes=False),
    'to_dense_strings': Case(lambda v: tf.sparse_tensor_to_dense(a(v)), [strings([b'x', b'y', b'z'])], nodes=False),
    'sparse_to_dense': Case(lambda v: tf.sparse_to_dense(I, [2, 3], v), [V], nodes=False),
    'to_indicator': Case(lambda v: tf.sparse_to_indicator(a(v), 5), [i64([1, 4, 0])], nodes=False),
    'merge': Case(lambda i, v: tf.sparse_merge(a(i), a(v), 5), [i64([1, 4, 0]), V], nodes=False),
    'mask': Case(lambda d: (lambda s: [s.values, s.indices])(tf.sparse_mask(tf.IndexedSlices(d, tf.constant([3, 5, 7])), [5])), [D],
                 nodes=False),
    'from_dense': Case(lambda d: tf.sparse.from_dense(d), [f32([[0, 1], [2, 0]])], nodes=False),
    'eye': Case(lambda: tf.sparse.eye(2, 3), [], nodes=False),
    'expand_dims': Case(lambda v: tf.sparse.expand_dims(a(v), 1), [V], nodes=False),
    'cross': Case(lambda v, w: tf.sparse.cross([tf.SparseTensor(i64([[0, 0], [1, 0], [1, 1]]), v, [2, 2]),
                                                tf.SparseTensor(i64([[0, 0], [1, 0]]), w, [2, 1])]),
                  [strings([b'a', b'b', b'c']), strings([b'd', b'e'])], nodes=False),
    'cross_hashed': Case(lambda v, w: tf.sparse.cross_hashed([tf.SparseTensor(i64([[0, 0], [1, 0], [1, 1]]), v, [2, 2]),
                                                              tf.SparseTensor(i64([[0, 0], [1, 0]]), w, [2, 1])], 100),
                         [strings([b'a', b'b', b'c']), strings([b'd', b'e'])], nodes=False),
    'set_size': Case(lambda v: tf.sets.size(a(v)), [i64([1, 2, 3])], nodes=False),
    'intersection': Case(tf.sets.intersection, [i32([[1, 2, 3], [4, 5, 6]]), i32([[3, 1], [7, 8]])], nodes=False),
    'union': Case(tf.sets.union, [i32([[1, 2, 3], [4, 5, 6]]), i32([[3, 1], [7, 8]])], nodes=False),
    'difference': Case(tf.sets.difference, [i32([[1, 2, 3], [4, 5, 6]]), i32([[3, 1], [7, 8]])], nodes=False),
    'difference_back': Case(lambda x, y: tf.sets.difference(x, y, aminusb=False), [i32([[1, 2, 3], [4, 5, 6]]), i32([[3, 1], [7, 8]])],
                            nodes=False),
    'union_sparse': Case(lambda v, w: tf.sets.union(a(v), b(w)), [i64([1, 2, 3]), i64([2, 5, 3])], nodes=False),
    'intersection_mixed': Case(lambda x, w: tf.sets.intersection(x, b(w)), [i64([[1, 2], [4, 5]]), i64([2, 5, 5])], nodes=False),
}
