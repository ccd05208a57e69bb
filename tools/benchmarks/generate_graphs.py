#!/usr/bin/env python3
"""Writes the synthetic graphs that tools/bench measures, single ops (op_graphs.py), networks (network_graphs.py) and graphs of 1 to
1,000,000 nodes: NAME.pb, a GraphDef in protobuf's wire format, and NAME.json beside it. Needs neither TensorFlow nor protobuf. Every run gives the
same bytes.

usage: generate_graphs.py OUTPUT_FOLDER [NAME...]
"""
import json
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.realpath(__file__)))

import network_graphs  # noqa: E402
import op_graphs  # noqa: E402
from graph_def import (TYPE_FLOAT, add_n, attr, bool_attr, const, graph, message, node, shape,  # noqa: E402
                       type_attr)


# Graphs: each returns (nodes, spec) --------------------------------------------------------------

def chain(n, ops):
    """n nodes in a row, which take turns at the kinds in `ops`."""
    nodes = [const('c', [], 1.0), const('one', [], 1e-6)]
    previous = 'c'
    for i in range(n):
        op = ops[i % len(ops)]
        inputs = (previous, 'one') if op == 'Add' else (previous,)
        previous = 'n%d' % i
        nodes.append(node(previous, op, inputs))
    return nodes, dict(fetches=[previous + ':0'], targets=[], items=n)


def wide(n, fan_in=16):
    """n independent additions, summed up by a tree of AddN."""
    nodes = [const('a', [], 1.0), const('b', [], 2.0)]
    level = []
    for i in range(n):
        level.append('w%d' % i)
        nodes.append(node(level[-1], 'Add', ('a', 'b')))
    depth = 0
    while len(level) > 1:
        sums = []
        for j in range(0, len(level), fan_in):
            sums.append('s%d_%d' % (depth, j // fan_in))
            nodes.append(add_n(sums[-1], level[j:j + fan_in]))
        level = sums
        depth += 1
    return nodes, dict(fetches=[level[0] + ':0'], targets=[], items=len(nodes) - 2)


def dag(n, window=1000):
    """n nodes of two inputs each, which are among the `window` nodes before."""
    nodes = [const('a', [], 1.0), const('b', [], 2.0)]
    names, used, state = ['a', 'b'], set(), 12345
    for i in range(n):
        inputs = []
        for _ in range(2):
            state = (state * 6364136223846793005 + 1442695040888963407) & (2**64 - 1)
            low = max(0, len(names) - window)
            inputs.append(names[low + (state >> 33) % (len(names) - low)])
        used.update(inputs)
        names.append('d%d' % i)
        nodes.append(node(names[-1], 'Maximum', inputs))
    sinks = ['^' + name for name in names if name not in used]
    nodes.append(node('sink', 'NoOp', sinks, '', b''))
    return nodes, dict(fetches=[], targets=['sink'], items=n)


def place(n, devices=4, chains=64, hop=250):
    """Chains of MatMul and Add of [2,2] values; each goes on to the next device every `hop` nodes."""
    names = ['/device:CPU:%d' % d for d in range(devices)]
    nodes = []
    for d, device in enumerate(names):
        nodes.append(const('w%d' % d, [2, 2], 0.5, device))
        nodes.append(const('b%d' % d, [2, 2], 0.25, device))
    matmul = TYPE_FLOAT + bool_attr('transpose_a', False) + bool_attr('transpose_b', False)
    ends = []
    for k in range(chains):
        previous = 'w%d' % (k % devices)
        for i in range((n - 2 * devices - 1) // chains):
            d = (k + i // hop) % devices
            name = 'c%d/n%d' % (k, i)
            if i % 2 == 0:
                nodes.append(node(name, 'MatMul', (previous, 'w%d' % d), names[d], matmul))
            else:
                nodes.append(node(name, 'Add', (previous, 'b%d' % d), names[d]))
            previous = name
        ends.append(previous)
    nodes.append(add_n('out', ends, names[0]))
    return nodes, dict(fetches=['out:0'], targets=[], items=len(nodes), devices=devices)


def one():
    return [const('c', [], 1.0)], dict(fetches=['c:0'], targets=[], items=1)


def onefeed():
    attrs = type_attr('dtype', 'f32') + attr('shape', message(7, shape([])))
    feed = dict(name='x:0', dtype='float32', shape=[], kind='u')
    return ([node('x', 'Placeholder', (), '', attrs), node('y', 'Identity', ('x',))],
            dict(feeds=[feed], fetches=['y:0'], targets=[], items=1))


def noop():
    return [node('t', 'NoOp', (), '', b'')], dict(fetches=[], targets=['t'], items=1)


GRAPHS = {
    'one': one,
    'onefeed': onefeed,
    'noop': noop,
    'chain10k': lambda: chain(10000, ('Add', 'Identity')),
    'addchain10k': lambda: chain(10000, ('Add',)),
    'wide10k': lambda: wide(10000),
    'dag100k': lambda: dag(100000),
    'place10k': lambda: place(10000),
    'place100k': lambda: place(100000),
    'place1m': lambda: place(1000000),
    'inception_v3': lambda: network_graphs.inception_v3(32),
    'rnnlm': network_graphs.rnnlm,
    'lstm_u128': lambda: network_graphs.rnnlm(batch=16, units=128, words=1000),
    **{'gnmt_l%d' % k: (lambda n=k: network_graphs.gnmt(n)) for k in (2, 4, 8)},
    **{'mlp_towers_%d' % k: (lambda n=k: network_graphs.towers(n)) for k in range(2, 9)},
    **{name: (lambda n=name: op_graphs.single_op(n)) for name in op_graphs.CASES},
}

# Below so many nodes executed (all but constants and what starts or ends the step), the graph was folded.
MINIMUM = {name: {'none': {'nodes': items}} for name, items in (
    ('chain10k', 10000), ('addchain10k', 10000), ('wide10k', 10669), ('dag100k', 100000))}


def write(name, folder):
    nodes, spec = GRAPHS[name]()
    spec = {'graph': name + '.pb', 'init': [], 'feeds': [], 'devices': 1, 'minimum': MINIMUM.get(name, {}),
            **spec}
    with open(os.path.join(folder, name + '.pb'), 'wb') as out:
        out.write(graph(nodes))
    with open(os.path.join(folder, name + '.json'), 'w') as out:
        json.dump(spec, out, indent=1)
        out.write('\n')


def main():
    if len(sys.argv) < 2:
        raise SystemExit(__doc__)
    os.makedirs(sys.argv[1], exist_ok=True)
    for name in sys.argv[2:] or GRAPHS:
        if name not in GRAPHS:
            raise SystemExit('no graph %s; there are %s' % (name, ', '.join(GRAPHS)))
        write(name, sys.argv[1])


if __name__ == '__main__':
    main()
