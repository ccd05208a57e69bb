#!/usr/bin/env python3
"""Writes the synthetic graphs that tools/bench measures, from 1 to 1,000,000 nodes: NAME.pb, a GraphDef in
protobuf's wire format, and NAME.json beside it. Needs neither TensorFlow nor protobuf. Every run gives the
same bytes.

usage: generate_graphs.py OUTPUT_FOLDER [NAME...]
"""
import json
import os
import struct
import sys

DT_FLOAT = 1
PRODUCER = 134  # GraphDef.versions.producer of TensorFlow 1.15


# Wire format -------------------------------------------------------------------------------------

def varint(n):
    out = bytearray()
    while n > 127:
        out.append(n & 127 | 128)
        n >>= 7
    out.append(n)
    return bytes(out)


def message(number, payload):
    return varint(number << 3 | 2) + varint(len(payload)) + payload


def integer(number, value):
    return varint(number << 3) + varint(value)


# GraphDef ----------------------------------------------------------------------------------------

def attr(name, value):
    return message(5, message(1, name.encode()) + message(2, value))


def int_attr(name, value):
    return attr(name, integer(3, value))


def bool_attr(name, value):
    return attr(name, integer(5, int(value)))


TYPE_FLOAT = attr('T', integer(6, DT_FLOAT))


def shape(dims):
    return b''.join(message(2, integer(1, d) if d else b'') for d in dims)


def node(name, op, inputs=(), device='', attrs=TYPE_FLOAT):
    body = message(1, name.encode()) + message(2, op.encode())
    body += b''.join(message(3, i.encode()) for i in inputs)
    if device:
        body += message(4, device.encode())
    return message(1, body + attrs)


def const(name, dims, value, device=''):
    tensor = integer(1, DT_FLOAT) + message(2, shape(dims)) + message(5, struct.pack('<f', value))
    return node(name, 'Const', (), device, attr('dtype', integer(6, DT_FLOAT)) + attr('value', message(8, tensor)))


def add_n(name, inputs, device=''):
    return node(name, 'AddN', inputs, device, int_attr('N', len(inputs)) + TYPE_FLOAT)


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
    attrs = attr('dtype', integer(6, DT_FLOAT)) + attr('shape', message(7, shape([])))
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
}

# Below so many nodes executed (all but constants and what starts or ends the step), the graph was folded.
MINIMUM = {name: {'none': {'nodes': items}} for name, items in (
    ('chain10k', 10000), ('addchain10k', 10000), ('wide10k', 10669), ('dag100k', 100000))}


def write(name, folder):
    nodes, spec = GRAPHS[name]()
    spec = {'graph': name + '.pb', 'init': [], 'feeds': [], 'devices': 1, **spec,
            'minimum': MINIMUM.get(name, {})}
    data = b''.join(nodes) + message(4, integer(1, PRODUCER))
    with open(os.path.join(folder, name + '.pb'), 'wb') as out:
        out.write(data)
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
