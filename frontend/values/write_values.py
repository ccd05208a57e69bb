#!/usr/bin/env python3
"""Writes what TensorFlow's functions give: values, gradients and nodes, for the tests to compare with.

  write_values.py AREA...            (with TensorFlow 2.21) writes AREA.tsv from AREA_cases.py, for each area

AREA_cases.py has a dictionary CASES: name -> Case(function of placeholders, their values). A line of AREA.tsv is the
case's name, what it tells of, and that:

  in, out        number, type, shape, values: of the placeholder "in0"…, of the tensor computed
  grad           number of the placeholder, then as above, or 'none': the gradient of the sum of all computed tensors of
                 floating point types, each multiplied by weights that count (index % 5 + 1) / 4
  node           name, op, device, inputs, colocation groups: of a node that is neither a placeholder nor a gradient's
"""
import collections
import importlib
import os
import re
import sys
import warnings

import numpy as np
import tensorflow.compat.v1 as tf

warnings.simplefilter('ignore')
tf.disable_eager_execution()
tf.disable_resource_variables()
tf.disable_control_flow_v2()
tf.get_logger().setLevel('ERROR')

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

# `gradients` false: only values, of ops that have none. `random`: what is drawn repeats, by the graph's seed 7.
Case = collections.namedtuple('Case', 'function inputs gradients random nodes', defaults=(True, False, True))


def f32(values):
    return np.array(values, np.float32)


def i32(values):
    return np.array(values, np.int32)


def i64(values):
    return np.array(values, np.int64)


def c64(values):
    return np.array(values, np.complex64)


def strings(values):
    return np.array(values, object)


def flat(value):
    """The tensors of what a function returns."""
    if isinstance(value, tf.SparseTensor):
        return [value.indices, value.values, value.dense_shape]
    if isinstance(value, (list, tuple)):
        return [tensor for part in value for tensor in flat(part)]
    return [] if isinstance(value, tf.Operation) else [tf.convert_to_tensor(value)]


def text_of(value, dtype):
    if dtype == tf.string:
        data = value if isinstance(value, bytes) else str(value).encode()
        return 's' + re.sub(rb'[^!-$&-~]', lambda m: b'%%%02x' % m.group(0)[0], data).decode()
    if dtype == tf.bool:
        return '1' if value else '0'
    if dtype.is_complex:
        return f'{value.real:.9g},{value.imag:.9g}'
    return f'{value:.17g}' if dtype == tf.float64 else f'{float(value):.9g}' if dtype.is_floating else str(int(value))


def tensor_fields(value, dtype):
    array = np.asarray(value, object if dtype == tf.string else None)
    return [dtype.base_dtype.name, ','.join(map(str, array.shape)), ' '.join(text_of(v, dtype) for v in array.ravel())]


def weights(tensor):
    count = tf.range(tf.size(tensor)) % 5 + 1
    return tf.cast(tf.reshape(count, tf.shape(tensor)), tensor.dtype) / 4


def node_fields(node):
    groups = sorted(s.decode() for s in node.attr['_class'].list.s) if '_class' in node.attr else []
    data = [i for i in node.input if i[0] != '^']
    return [node.name, node.op, node.device, ' '.join(data + sorted(i for i in node.input if i[0] == '^')), ' '.join(groups)]


def lines_of(name, case):
    with tf.Graph().as_default() as graph:
        if case.random:
            tf.set_random_seed(7)
        arrays = [np.asarray(value) for value in case.inputs]
        types = [tf.string if array.dtype == object else tf.as_dtype(array.dtype) for array in arrays]
        inputs = [tf.placeholder(dtype, array.shape, name=f'in{i}') for i, (array, dtype) in enumerate(zip(arrays, types))]
        outputs = flat(case.function(*inputs))
        nodes = [node for node in graph.as_graph_def().node if not re.fullmatch(r'in\d+', node.name)]
        gradients = [None] * len(inputs)
        computed = [y for y in outputs if y.dtype.is_floating or y.dtype.is_complex]
        asked = [i for i, x in enumerate(inputs) if case.gradients and computed and (x.dtype.is_floating or x.dtype.is_complex)]
        if asked:
            got = tf.gradients(computed, [inputs[i] for i in asked], grad_ys=[weights(y) for y in computed])
            for i, gradient in zip(asked, got):
                gradients[i] = None if gradient is None else tf.convert_to_tensor(gradient)
        feeds = dict(zip(inputs, arrays))
        with tf.Session() as session:
            values, slopes = session.run([outputs, [g for g in gradients if g is not None]], feeds)
    for i, (array, dtype) in enumerate(zip(arrays, types)):
        yield [name, 'in', str(i)] + tensor_fields(array, dtype)
    for i, (value, output) in enumerate(zip(values, outputs)):
        yield [name, 'out', str(i)] + tensor_fields(value, output.dtype)
    for i in asked:
        yield [name, 'grad', str(i)] + (['none'] if gradients[i] is None else
                                        tensor_fields(slopes.pop(0), gradients[i].dtype))
    for node in nodes if case.nodes else []:
        yield [name, 'node'] + node_fields(node)


def main(areas):
    for area in areas:
        cases = importlib.import_module(area + '_cases').CASES
        path = os.path.join(os.path.dirname(os.path.abspath(__file__)), area + '.tsv')
        with open(path, 'w', encoding='utf-8') as file:
            for name in sorted(cases):
                try:
                    for fields in lines_of(name, cases[name]):
                        file.write('\t'.join(fields) + '\n')
                except Exception as error:
                    raise RuntimeError(f'the case {name} of {area}') from error


if __name__ == '__main__':
    sys.modules['write_values'] = sys.modules['__main__']
    main(sys.argv[1:])
