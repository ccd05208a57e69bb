"""GraphDefs in protobuf's wire format, written without TensorFlow and without protobuf.

    nodes = [const('c', [], 1.0), node('y', 'Identity', ('c',))]
    data = graph(nodes)
"""
import struct

DTYPES = {'f32': 1, 'f64': 2, 'i32': 3, 'u8': 4, 'i64': 9, 'bool': 10, 'bf16': 14, 'f16': 19}
DT_FLOAT = DTYPES['f32']
PRODUCER = 134  # GraphDef.versions.producer of TensorFlow 1.15


# Wire format -------------------------------------------------------------------------------------

def varint(n):
    n &= 2**64 - 1
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


# Attributes --------------------------------------------------------------------------------------

def attr(name, value):
    return message(5, message(1, name.encode()) + message(2, value))


def int_attr(name, value):
    return attr(name, integer(3, value))


def bool_attr(name, value):
    return attr(name, integer(5, int(value)))


def float_attr(name, value):
    return attr(name, varint(4 << 3 | 5) + struct.pack('<f', value))


def string_attr(name, value):
    return attr(name, message(2, value.encode()))


def type_attr(name, dtype):
    return attr(name, integer(6, DTYPES[dtype]))


def shape_attr(name, dims):
    return attr(name, message(7, shape(dims)))


def ints_attr(name, values):
    return attr(name, message(1, b''.join(integer(3, v) for v in values)))


def attr_of(name, value):
    """An attribute of the kind that the Python value suggests: 'type:f32' is a type."""
    if isinstance(value, bool):
        return bool_attr(name, value)
    if isinstance(value, int):
        return int_attr(name, value)
    if isinstance(value, float):
        return float_attr(name, value)
    if isinstance(value, str) and value.startswith('type:'):
        return type_attr(name, value[len('type:'):])
    return string_attr(name, value) if isinstance(value, str) else ints_attr(name, value)


TYPE_FLOAT = type_attr('T', 'f32')


# Nodes -------------------------------------------------------------------------------------------

def shape(dims):
    return b''.join(message(2, integer(1, d) if d else b'') for d in dims)


def node(name, op, inputs=(), device='', attrs=TYPE_FLOAT):
    body = message(1, name.encode()) + message(2, op.encode())
    body += b''.join(message(3, i.encode()) for i in inputs)
    if device:
        body += message(4, device.encode())
    return message(1, body + attrs)


def const(name, dims, value, device=''):
    """A float constant; all its elements are `value`."""
    tensor = integer(1, DT_FLOAT) + message(2, shape(dims)) + message(5, struct.pack('<f', value))
    return node(name, 'Const', (), device, type_attr('dtype', 'f32') + attr('value', message(8, tensor)))


def int_const(name, values, dtype='i32'):
    """A vector of integers, or a scalar when `values` is one number."""
    dims = [] if isinstance(values, int) else [len(values)]
    numbers = [values] if isinstance(values, int) else values
    packed = b''.join(varint(v) for v in numbers)
    tensor = integer(1, DTYPES[dtype]) + message(2, shape(dims)) + message(7 if dtype == 'i32' else 10, packed)
    return node(name, 'Const', (), '', type_attr('dtype', dtype) + attr('value', message(8, tensor)))


def add_n(name, inputs, device=''):
    return node(name, 'AddN', inputs, device, int_attr('N', len(inputs)) + TYPE_FLOAT)


def graph(nodes):
    return b''.join(nodes) + message(4, integer(1, PRODUCER))
