#!/usr/bin/env python3
"""Writes program_NAME_tN: the graphs of the example programs with N = 1, 2 and 3 towers, as our frontend builds
them (bazel-bin/examples/PROGRAM --graph_file=...), with the specs of their training steps. Needs TensorFlow and
a build of //examples/..., and the data that make_data.py writes.

usage: make_program_graphs.py PROGRAM_FOLDER DATA_FOLDER OUTPUT_FOLDER

Towers stand on /device:CPU:0, /device:CPU:1, ... in the place of /gpu:0, /gpu:1, ... Files are named relative to
DATA_FOLDER's parent, in which the graphs run.
"""
import json
import os
import subprocess
import sys

os.environ.setdefault('TF_CPP_MIN_LOG_LEVEL', '2')
from tensorflow.core.framework import graph_pb2  # noqa: E402

# How many threads a queue has that is filled by several.
SHUFFLE_THREADS = 16
PROGRAMS = {
    'mnist': dict(program='mnist_towers', towers='--num_gpus', batch=32,
                  flags=['--train_file=data/output.tfrecord'], minimum={'MatMul': 5}),
    'cifar10': dict(program='cifar10_multi_gpu_train', towers='--num_gpus', batch=128,
                    flags=['--data_dir=data/cifar10'], minimum={'Conv2D': 5}),
    # Each tower computes on the same batch, so that a step takes `batch` examples for each.
    'lenet5': dict(program='lenet5_multi_gpu', towers='--nof_gpus', batch=64,
                   flags=['--data_dir=data/cifar10'], minimum={'Conv2D': 5}),
}


def export(program, binary, towers, folder, path):
    command = [binary, '%s=%d' % (program['towers'], towers), '--graph_file=' + path] + program['flags']
    result = subprocess.run(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if result.returncode != 0:
        raise SystemExit('%s failed:\n%s' % (' '.join(command), result.stdout))
    graph = graph_pb2.GraphDef()
    with open(path, 'rb') as file:
        graph.ParseFromString(file.read())
    for node in graph.node:
        node.device = node.device.replace('/device:GPU:', '/device:CPU:').replace('/gpu:', '/device:CPU:')
    with open(path, 'wb') as file:
        file.write(graph.SerializeToString(deterministic=True))
    return graph


def queue_runners(graph):
    """A thread's target for each that fills a queue."""
    targets = []
    for node in graph.node:
        if node.op in ('QueueEnqueueV2', 'QueueEnqueueManyV2'):
            threads = SHUFFLE_THREADS if node.name.startswith('shuffle_batch/') else 1
            targets += [node.name] * threads
    return targets


def the_only(graph, names):
    found = [name for name in names if any(node.name == name for node in graph.node)]
    if len(found) != 1:
        raise SystemExit('one of %s should be there, not %s' % (names, found))
    return found[0]


def write(name, towers, program_folder, data_folder, output_folder):
    program, graph_name = PROGRAMS[name], 'program_%s_t%d' % (name, towers)
    path = os.path.join(os.path.abspath(output_folder), graph_name + '.pb')
    binary = os.path.join(os.path.abspath(program_folder), program['program'])
    graph = export(program, binary, towers, os.path.dirname(os.path.abspath(data_folder)), path)
    spec = {
        'graph': graph_name + '.pb',
        'init': ['init'],
        'feeds': [],
        'fetches': [],
        'targets': [the_only(graph, ['train', 'group_deps'])],
        'queue_runners': queue_runners(graph),
        'devices': towers,
        'nodes': len(graph.node),
        'batch': program['batch'],
        'examples': program['batch'] * towers,
        'reads_data': True,
        'minimum': {'default': {op: count * towers for op, count in program['minimum'].items()}},
    }
    with open(os.path.join(output_folder, graph_name + '.json'), 'w') as file:
        json.dump(spec, file, indent=1)
        file.write('\n')


def main():
    if len(sys.argv) != 4:
        raise SystemExit(__doc__)
    for name in PROGRAMS:
        for towers in (1, 2, 3):
            write(name, towers, *sys.argv[1:])


if __name__ == '__main__':
    main()
