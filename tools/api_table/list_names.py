#!/usr/bin/env python3
"""Writes names.tsv: TensorFlow 1's public names, of which docs/api.md says what they are here.

  list_names.py > names.tsv        (with TensorFlow 2.21)

A line is: area, name, what it is (class, function, method, property or value). The area is the file in api/ that
answers for the name. Methods are listed for the classes that programs hold in their hands.
"""
import enum
import importlib
import types

import tensorflow.compat.v1 as tf

# Modules of tf.compat.v1, each an area of its own; '' is tf itself.
MODULES = [
    '', 'bitwise', 'data', 'image', 'initializers', 'io', 'linalg', 'lookup', 'losses', 'math', 'metrics', 'nn', 'queue',
    'random', 'saved_model', 'sets', 'signal', 'sparse', 'strings', 'summary', 'train'
]
# What is listed under its module's area, since TensorFlow 1's programs name it by that path.
SUBMODULES = ['saved_model.' + name for name in ('builder', 'constants', 'loader', 'main_op', 'signature_constants',
                                                 'signature_def_utils', 'tag_constants', 'utils')]
# tf.layers and tf.nn.rnn_cell need a package of Keras that is older than TensorFlow 2.21.
LAYERS = 'tensorflow.python.keras.legacy_tf_layers.'
# Of tf.layers, what is not in TensorFlow 2.21 any more.
OTHER_LAYERS = [('BatchNormalization', 'class'), ('Layer', 'class'), ('batch_normalization', 'function')]
RNN_CELLS = 'tensorflow.python.keras.layers.legacy_rnn.rnn_cell_impl'

# Classes whose methods are listed, and the area that answers for them. What a class has from another one of the list is
# listed there alone.
CLASSES = {
    'Graph': ['Graph', 'GraphKeys', 'Operation', 'Session', 'Tensor', 'TensorShape', 'Dimension', 'DType',
              'IndexedSlices'],
    'Variable': ['Variable', 'VariableScope'],
    'Optimizer': ['train.Optimizer', 'train.SyncReplicasOptimizer', 'train.ExponentialMovingAverage'],
    'sparse': ['SparseTensor'],
    'top': ['TensorArray', 'ConditionalAccumulatorBase', 'ConditionalAccumulator', 'SparseConditionalAccumulator'],
    'queue': ['queue.QueueBase', 'queue.FIFOQueue', 'queue.PaddingFIFOQueue', 'queue.PriorityQueue',
              'queue.RandomShuffleQueue'],
    'io': ['ReaderBase'],
    'data': ['data.Dataset', 'data.Iterator', 'data.Options'],
    'lookup': ['lookup.StaticHashTable', 'lookup.StaticVocabularyTable'],
    'saved_model': ['saved_model.Builder'],
    'summary': ['summary.FileWriter'],
    'train': ['train.ClusterSpec', 'train.Coordinator', 'train.MonitoredSession', 'train.QueueRunner', 'train.Saver',
              'train.Scaffold', 'train.Server', 'train.SessionManager', 'train.SessionRunHook', 'train.Supervisor'],
}


def kind_of(value):
    if isinstance(value, type):
        return 'class'
    if isinstance(value, enum.Enum) or not callable(value):
        return 'value'
    return 'function'


def public(owner):
    return [name for name in dir(owner) if not name.startswith('_')]


def module(path):
    owner = tf
    for part in path.split('.') if path else []:
        owner = getattr(owner, part)
    return owner


def module_names(path):
    """(name, kind) of everything in tf.PATH that is no module."""
    owner = module(path)
    for name in public(owner):
        try:
            value = getattr(owner, name)
        except ImportError:
            continue
        if not isinstance(value, types.ModuleType):
            yield (path + '.' if path else '') + name, kind_of(value)


def class_names(path):
    """(name, kind) of the members of tf.PATH, without those of a class that is listed as well."""
    owner = module(path)
    listed = [module(other) for others in CLASSES.values() for other in others]
    above = [base for base in listed if base is not owner and issubclass(owner, base)]
    for name in public(owner):
        value = getattr(owner, name)
        if isinstance(value, type) or name.startswith('experimental_') or any(hasattr(base, name) for base in above):
            continue
        if isinstance(value, property):
            kind = 'property'
        else:
            kind = 'method' if callable(value) else 'value'
        yield path + '.' + name, kind


def exported(path, area):
    """What a file of Keras gives to tf.AREA, which tf.compat.v1 itself cannot load."""
    file = importlib.import_module(path)
    for name in public(file):
        value = getattr(file, name)
        if getattr(value, '__module__', '') == path and getattr(value, '__name__', '') == name:
            yield area + '.' + name, kind_of(value)


def names():
    """A set of (area, name, kind)."""
    result = set()
    for path in MODULES + SUBMODULES:
        area = path.split('.')[0] or 'top'
        result |= {(area, name, kind) for name, kind in module_names(path)}
    for file in ('convolutional', 'core', 'pooling'):
        result |= {('layers', name, kind) for name, kind in exported(LAYERS + file, 'layers')}
    result |= {('layers', 'layers.' + name, kind) for name, kind in OTHER_LAYERS}
    result |= {('rnn_cell', name, kind) for name, kind in exported(RNN_CELLS, 'nn.rnn_cell')
               if not name.split('.')[-1].startswith(('LayerRNN', 'ASSERT'))}
    for area, classes in CLASSES.items():
        for path in classes:
            result |= {(area, name, kind) for name, kind in class_names(path)}
    return result


for row in sorted(names()):
    print('\t'.join(row))
