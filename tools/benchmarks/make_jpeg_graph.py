#!/usr/bin/env python3
"""Wrote graphs/pipe_jpeg_tfdata: the pipeline of pipe_png_tfdata on JPEG pictures of 256 by 256. Needs TensorFlow.

usage: make_jpeg_graph.py [FOLDER]
"""
import json
import os
import sys

os.environ.setdefault('TF_CPP_MIN_LOG_LEVEL', '2')
import tensorflow as tf  # noqa: E402


def change(node):
    if node.op == 'DecodePng':
        node.op = 'DecodeJpeg'
        for attr in [a for a in node.attr if a not in ('channels',) and not a.startswith('_')]:
            del node.attr[attr]
    if node.op == 'Const' and node.attr['dtype'].type == tf.string.as_datatype_enum:
        value = tf.make_ndarray(node.attr['value'].tensor)
        names = [v.replace(b'png', b'jpg') for v in value.flatten()]
        node.attr['value'].tensor.CopyFrom(tf.make_tensor_proto(names, shape=value.shape, dtype=tf.string))


def main():
    folder = sys.argv[1] if len(sys.argv) > 1 else os.path.join(os.path.dirname(os.path.realpath(__file__)), 'graphs')
    graph = tf.compat.v1.GraphDef()
    with open(os.path.join(folder, 'pipe_png_tfdata.pb'), 'rb') as file:
        graph.ParseFromString(file.read())
    for nodes in [graph.node] + [function.node_def for function in graph.library.function]:
        for node in nodes:
            change(node)
    # Inside of functions a tensor is named by its output argument, which both ops call "image".
    with open(os.path.join(folder, 'pipe_jpeg_tfdata.pb'), 'wb') as file:
        file.write(graph.SerializeToString(deterministic=True))
    with open(os.path.join(folder, 'pipe_png_tfdata.json')) as file:
        spec = json.load(file)
    spec['graph'] = 'pipe_jpeg_tfdata.pb'
    spec['ops'] = sorted('DecodeJpeg' if op == 'DecodePng' else op for op in spec['ops'])
    with open(os.path.join(folder, 'pipe_jpeg_tfdata.json'), 'w') as file:
        json.dump(spec, file, indent=1)
        file.write('\n')


if __name__ == '__main__':
    main()
