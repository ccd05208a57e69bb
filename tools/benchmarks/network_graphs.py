"""Training steps of well-known networks, layer by layer with their gradients and updates, for placing and simulating:
Inception-v3, GNMT, an RNN language model, and towers of an MLP. Shapes and ops are those of the networks; nothing is trained.

    nodes, spec = inception_v3(32)
"""
from graph_def import (TYPE_FLOAT, add_n, attr, bool_attr, const, int_attr, int_const, ints_attr, message, node, shape,
                       string_attr, type_attr)

NHWC = string_attr('data_format', 'NHWC')
TIDX = type_attr('Tidx', 'i32')


def window(size, stride, valid):
    """The attributes of a pooling."""
    padding = string_attr('padding', 'VALID' if valid else 'SAME')
    return TYPE_FLOAT + ints_attr('ksize', [1, size, size, 1]) + ints_attr('strides', [1, stride, stride, 1]) + padding + NHWC


class Net:
    """A graph that grows forwards; `train` adds the gradients of what it has on its tape, last first."""

    def __init__(self):
        self.nodes, self.feeds = [], []
        self._dims = {}       # by output
        self._tape = []       # of (output, function of its gradient)
        self._gradients = {}  # by output: those found so far
        self._variables = []
        self._updates = []
        self._fed = set()
        self._used = {}

    # Building blocks ----------------------------------------------------------------------------

    def _name(self, wanted):
        count = self._used.get(wanted, 0)
        self._used[wanted] = count + 1
        return wanted if count == 0 else '%s_%d' % (wanted, count)

    def _add(self, name, op, inputs, dims, attrs=TYPE_FLOAT, outputs=1):
        name = self._name(name)
        self.nodes.append(node(name, op, inputs, '', attrs))
        names = [name] + ['%s:%d' % (name, i) for i in range(1, outputs)]
        for output in names:
            self._dims[output] = dims
        return name if outputs == 1 else names

    def _ints(self, name, values):
        name = self._name(name)
        self.nodes.append(int_const(name, values))
        return name

    def _learn(self, output, gradient):
        self._tape.append((output, gradient))

    def _give(self, output, gradient):
        self._gradients.setdefault(output, []).append(gradient)

    def dims(self, output):
        return self._dims[output]

    def feed(self, name, dims, below=0):
        """Floats, or integers below a number."""
        attrs = type_attr('dtype', 'i32' if below else 'f32') + attr('shape', message(7, shape(dims)))
        self.nodes.append(node(name, 'Placeholder', (), '', attrs))
        self._dims[name] = dims
        self._fed.add(name)
        self.feeds.append(dict(name=name + ':0', dtype='int32' if below else 'float32', shape=dims,
                               kind='i%d' % below if below else 'u'))
        return name

    def zeros(self, name, dims):
        name = self._name(name)
        self.nodes.append(const(name, dims, 0.0))
        self._dims[name] = dims
        return name

    def variable(self, name, dims):
        name = self._name(name)
        attrs = type_attr('dtype', 'f32') + attr('shape', message(7, shape(dims)))
        self.nodes.append(node(name, 'VariableV2', (), '', attrs))
        self.nodes.append(const(name + '/value', [], 0.01))
        self.nodes.append(int_const(name + '/dims', dims))
        self.nodes.append(node(name + '/fill', 'Fill', (name + '/dims', name + '/value'), '',
                               TYPE_FLOAT + type_attr('index_type', 'i32')))
        self.nodes.append(node(name + '/init', 'Assign', (name, name + '/fill')))
        self._dims[name] = dims
        self._variables.append(name)
        return name

    # Layers -------------------------------------------------------------------------------------

    def matmul(self, name, x, w):
        (rows, _), (_, columns) = self.dims(x), self.dims(w)
        y = self._add(name, 'MatMul', (x, w), [rows, columns])

        def gradient(dy):
            self._give(x, self._add(name + '_grad/x', 'MatMul', (dy, w), self.dims(x), TYPE_FLOAT + bool_attr('transpose_b', True)))
            self._give(w, self._add(name + '_grad/w', 'MatMul', (x, dy), self.dims(w), TYPE_FLOAT + bool_attr('transpose_a', True)))
        self._learn(y, gradient)
        return y

    def bias(self, name, x, b):
        y = self._add(name, 'BiasAdd', (x, b), self.dims(x), TYPE_FLOAT + NHWC)

        def gradient(dy):
            self._give(x, dy)
            self._give(b, self._add(name + '_grad', 'BiasAddGrad', (dy,), self.dims(b), TYPE_FLOAT + NHWC))
        self._learn(y, gradient)
        return y

    def activation(self, name, op, x):
        y = self._add(name, op, (x,), self.dims(x))
        swapped = op != 'Relu'  # whose gradient comes first
        self._learn(y, lambda dy: self._give(x, self._add(name + '_grad', op + 'Grad', (y, dy) if swapped else (dy, y), self.dims(x))))
        return y

    def add(self, name, a, b):
        y = self._add(name, 'Add', (a, b), self.dims(a))
        self._learn(y, lambda dy: (self._give(a, dy), self._give(b, dy)))
        return y

    def mul(self, name, a, b):
        y = self._add(name, 'Mul', (a, b), self.dims(a))

        def gradient(dy):
            self._give(a, self._add(name + '_grad/a', 'Mul', (dy, b), self.dims(a)))
            self._give(b, self._add(name + '_grad/b', 'Mul', (dy, a), self.dims(a)))
        self._learn(y, gradient)
        return y

    def conv(self, name, x, height, width, channels, stride=1, valid=False):
        """A convolution with bias and ReLU."""
        n, h, w, c = self.dims(x)
        out = [(e - k) // stride + 1 if valid else -(-e // stride) for e, k in ((h, height), (w, width))]
        f = self.variable(name + '/filter', [height, width, c, channels])
        attrs = TYPE_FLOAT + ints_attr('strides', [1, stride, stride, 1]) + string_attr('padding', 'VALID' if valid else 'SAME') + NHWC
        y = self._add(name + '/conv', 'Conv2D', (x, f), [n] + out + [channels], attrs)

        def gradient(dy):
            if x not in self._fed:
                sizes = self._ints(name + '_grad/x_dims', self.dims(x))
                self._give(x, self._add(name + '_grad/x', 'Conv2DBackpropInput', (sizes, f, dy), self.dims(x), attrs))
            sizes = self._ints(name + '_grad/filter_dims', self.dims(f))
            self._give(f, self._add(name + '_grad/filter', 'Conv2DBackpropFilter', (x, sizes, dy), self.dims(f), attrs))
        self._learn(y, gradient)
        return self.activation(name + '/relu', 'Relu', self.bias(name + '/bias_add', y, self.variable(name + '/bias', [channels])))

    def pool(self, name, op, x, size, stride=1, valid=False):
        n, h, w, c = self.dims(x)
        out = [(e - size) // stride + 1 if valid else -(-e // stride) for e in (h, w)]
        attrs = window(size, stride, valid)
        y = self._add(name, op + 'Pool', (x,), [n] + out + [c], attrs)

        def gradient(dy):
            first = (x, y) if op == 'Max' else (self._ints(name + '_grad/dims', self.dims(x)),)
            self._give(x, self._add(name + '_grad', op + 'PoolGrad', first + (dy,), self.dims(x), attrs))
        self._learn(y, gradient)
        return y

    def concat(self, name, parts, axis):
        dims = list(self.dims(parts[0]))
        dims[axis] = sum(self.dims(part)[axis] for part in parts)
        at = self._ints(name + '/axis', axis)
        y = self._add(name, 'ConcatV2', tuple(parts) + (at,), dims, TYPE_FLOAT + int_attr('N', len(parts)) + TIDX)

        def gradient(dy):
            begin = [0] * len(dims)
            for part in parts:
                starts = self._ints(name + '_grad/begin', begin)
                sizes = self._ints(name + '_grad/size', self.dims(part))
                self._give(part, self._add(name + '_grad', 'Slice', (dy, starts, sizes), self.dims(part),
                                           TYPE_FLOAT + type_attr('Index', 'i32')))
                begin[axis] += self.dims(part)[axis]
        self._learn(y, gradient)
        return y

    def split(self, name, x, count, axis):
        dims = list(self.dims(x))
        dims[axis] //= count
        at = self._ints(name + '/axis', axis)
        parts = self._add(name, 'Split', (at, x), dims, TYPE_FLOAT + int_attr('num_split', count), count)

        def gradient(_):
            found = tuple(self._gradient_of(part) for part in parts)
            axis_of = self._ints(name + '_grad/axis', axis)
            self._give(x, self._add(name + '_grad', 'ConcatV2', found + (axis_of,), self.dims(x),
                                    TYPE_FLOAT + int_attr('N', count) + TIDX))
        self._learn(parts[-1], gradient)
        return parts

    def reshape(self, name, x, dims):
        y = self._add(name, 'Reshape', (x, self._ints(name + '/dims', dims)), dims, TYPE_FLOAT + type_attr('Tshape', 'i32'))

        def gradient(dy):
            back = self._ints(name + '_grad/dims', self.dims(x))
            self._give(x, self._add(name + '_grad', 'Reshape', (dy, back), self.dims(x), TYPE_FLOAT + type_attr('Tshape', 'i32')))
        self._learn(y, gradient)
        return y

    def batch_matmul(self, name, a, b, transposes_b):
        (n, rows, _), dims = self.dims(a), self.dims(b)
        out = [n, rows, dims[1] if transposes_b else dims[2]]

        def product(called, x, y, of, adj_x, adj_y):
            return self._add(called, 'BatchMatMulV2', (x, y), self.dims(of), TYPE_FLOAT + bool_attr('adj_x', adj_x) + bool_attr('adj_y', adj_y))
        y = self._add(name, 'BatchMatMulV2', (a, b), out, TYPE_FLOAT + bool_attr('adj_x', False) + bool_attr('adj_y', transposes_b))

        def gradient(dy):
            self._give(a, product(name + '_grad/a', dy, b, a, False, not transposes_b))
            first, second = (dy, a) if transposes_b else (a, dy)
            self._give(b, product(name + '_grad/b', first, second, b, True, False))
        self._learn(y, gradient)
        return y

    def softmax(self, name, x):
        y = self._add(name, 'Softmax', (x,), self.dims(x))

        def gradient(dy):
            last = self._ints(name + '_grad/axis', [len(self.dims(x)) - 1])
            products = self._add(name + '_grad/mul', 'Mul', (dy, y), self.dims(x))
            total = self._add(name + '_grad/sum', 'Sum', (products, last), self.dims(x)[:-1] + [1],
                              TYPE_FLOAT + TIDX + bool_attr('keep_dims', True))
            left = self._add(name + '_grad/sub', 'Sub', (dy, total), self.dims(x))
            self._give(x, self._add(name + '_grad', 'Mul', (left, y), self.dims(x)))
        self._learn(y, gradient)
        return y

    def lookup(self, name, table, ids):
        """Rows of a variable; their gradient is subtracted from it row by row."""
        dims = self.dims(ids) + [self.dims(table)[1]]
        at = self._ints(name + '/axis', 0)
        y = self._add(name, 'GatherV2', (table, ids, at), dims,
                      type_attr('Tparams', 'f32') + type_attr('Tindices', 'i32') + type_attr('Taxis', 'i32'))

        def gradient(dy):
            rate = self._add(name + '_grad/rate', 'Mul', (dy, 'learning_rate'), dims)
            self._updates.append(self._add(name + '_grad', 'ScatterSub', (table, ids, rate), self.dims(table),
                                           TYPE_FLOAT + type_attr('Tindices', 'i32')))
        self._learn(y, gradient)
        return y

    def loss(self, name, logits, labels):
        """The mean cross entropy of labels by number."""
        rows = self.dims(logits)[0]
        both = self._add(name + '/xent', 'SparseSoftmaxCrossEntropyWithLogits', (logits, labels), [rows],
                         TYPE_FLOAT + type_attr('Tlabels', 'i32'), 2)
        axis = self._ints(name + '/axis', [0])
        mean = self._add(name, 'Mean', (both[0], axis), [], TYPE_FLOAT + TIDX)
        self.nodes.append(const(name + '_grad/share', [], 1.0 / rows))
        self._learn(mean, lambda _: self._give(logits, self._add(name + '_grad', 'Mul', (both[1], name + '_grad/share'), self.dims(logits))))
        self._gradients[mean] = [None]
        return mean

    # Training -----------------------------------------------------------------------------------

    def _gradient_of(self, output):
        found = self._gradients[output]
        if len(found) == 1:
            return found[0]
        total = self._name('gradients/' + output.replace(':', '_') + '_sum')
        self.nodes.append(add_n(total, found))
        self._dims[total] = self.dims(output)
        self._gradients[output] = [total]
        return total

    def train(self, losses):
        """Adds gradients and updates; the step, whose fetches are the losses, with what to run first."""
        self.nodes.append(const('learning_rate', [], 0.01))
        for output, gradient in reversed(self._tape):
            if output in self._gradients:
                gradient(self._gradient_of(output))
        for name in self._variables:
            if name not in self._gradients:
                continue
            self._updates.append(self._name('update/' + name))
            self.nodes.append(node(self._updates[-1], 'ApplyGradientDescent', (name, 'learning_rate', self._gradient_of(name))))
        self.nodes.append(node('train', 'NoOp', ['^' + update for update in self._updates], '', b''))
        self.nodes.append(node('init', 'NoOp', ['^' + name + '/init' for name in self._variables], '', b''))
        return self.nodes, dict(feeds=self.feeds, fetches=[loss + ':0' for loss in losses], targets=['train'], init=['init'],
                                items=len(self.nodes))


# Inception-v3 (Szegedy and others, 2015) ----------------------------------------------------------

def inception_v3(batch):
    net = Net()
    x = net.feed('images', [batch, 299, 299, 3])
    labels = net.feed('labels', [batch], below=1000)
    x = net.conv('stem/1', x, 3, 3, 32, 2, True)
    x = net.conv('stem/2', x, 3, 3, 32, 1, True)
    x = net.conv('stem/3', x, 3, 3, 64)
    x = net.pool('stem/pool1', 'Max', x, 3, 2, True)
    x = net.conv('stem/4', x, 1, 1, 80, 1, True)
    x = net.conv('stem/5', x, 3, 3, 192, 1, True)
    x = net.pool('stem/pool2', 'Max', x, 3, 2, True)

    def row(name, x, *layers):
        """Convolutions one after the other: (height, width, channels), and stride 2 where a fourth number says so."""
        for i, layer in enumerate(layers):
            height, width, channels = layer[:3]
            strided = len(layer) > 3
            x = net.conv('%s/%d' % (name, i), x, height, width, channels, 2 if strided else 1, strided)
        return x

    for k, pooled in enumerate((32, 64, 64)):
        name = 'mixed_a%d' % k
        x = net.concat(name, [
            row(name + '/a', x, (1, 1, 64)), row(name + '/b', x, (1, 1, 48), (5, 5, 64)),
            row(name + '/c', x, (1, 1, 64), (3, 3, 96), (3, 3, 96)),
            row(name + '/d', net.pool(name + '/pool', 'Avg', x, 3), (1, 1, pooled))], 3)
    x = net.concat('reduction_a', [
        row('reduction_a/a', x, (3, 3, 384, 2)), row('reduction_a/b', x, (1, 1, 64), (3, 3, 96), (3, 3, 96, 2)),
        net.pool('reduction_a/pool', 'Max', x, 3, 2, True)], 3)
    for k, c in enumerate((128, 160, 160, 192)):
        name = 'mixed_b%d' % k
        x = net.concat(name, [
            row(name + '/a', x, (1, 1, 192)), row(name + '/b', x, (1, 1, c), (1, 7, c), (7, 1, 192)),
            row(name + '/c', x, (1, 1, c), (7, 1, c), (1, 7, c), (7, 1, c), (1, 7, 192)),
            row(name + '/d', net.pool(name + '/pool', 'Avg', x, 3), (1, 1, 192))], 3)
    x = net.concat('reduction_b', [
        row('reduction_b/a', x, (1, 1, 192), (3, 3, 320, 2)),
        row('reduction_b/b', x, (1, 1, 192), (1, 7, 192), (7, 1, 192), (3, 3, 192, 2)),
        net.pool('reduction_b/pool', 'Max', x, 3, 2, True)], 3)
    for k in range(2):
        name = 'mixed_c%d' % k
        b = row(name + '/b', x, (1, 1, 384))
        c = row(name + '/c', x, (1, 1, 448), (3, 3, 384))
        x = net.concat(name, [
            row(name + '/a', x, (1, 1, 320)), row(name + '/b1', b, (1, 3, 384)), row(name + '/b2', b, (3, 1, 384)),
            row(name + '/c1', c, (1, 3, 384)), row(name + '/c2', c, (3, 1, 384)),
            row(name + '/d', net.pool(name + '/pool', 'Avg', x, 3), (1, 1, 192))], 3)
    x = net.reshape('flat', net.pool('pool', 'Avg', x, 8, 1, True), [batch, 2048])
    logits = net.bias('logits', net.matmul('fc', x, net.variable('fc/w', [2048, 1000])), net.variable('fc/b', [1000]))
    return net.train([net.loss('loss', logits, labels)])


# Recurrent networks -------------------------------------------------------------------------------

class Lstm:
    """A layer of LSTM cells, which have their weights in common."""

    def __init__(self, net, name, inputs, batch, units):
        self._net, self._name = net, name
        self._w = net.variable(name + '/w', [inputs + units, 4 * units])
        self._b = net.variable(name + '/b', [4 * units])
        self._state = (net.zeros(name + '/c0', [batch, units]), net.zeros(name + '/h0', [batch, units]))

    def step(self, t, x):
        net, name = self._net, '%s/t%d' % (self._name, t)
        c, h = self._state
        gates = net.matmul(name + '/product', net.concat(name + '/in', [x, h], 1), self._w)
        i, g, f, o = net.split(name + '/gates', net.bias(name + '/bias_add', gates, self._b), 4, 1)
        i, f, o = (net.activation(name + '/' + gate, 'Sigmoid', of) for gate, of in (('i', i), ('f', f), ('o', o)))
        c = net.add(name + '/c', net.mul(name + '/keep', f, c),
                    net.mul(name + '/write', i, net.activation(name + '/g', 'Tanh', g)))
        h = net.mul(name + '/h', o, net.activation(name + '/tanh', 'Tanh', c))
        self._state = (c, h)
        return h


def rnnlm(batch=64, steps=20, units=1024, words=10000, layers=2):
    """A language model of LSTM layers, unrolled, as of Zaremba, Sutskever and Vinyals (2014)."""
    net = Net()
    ids = [net.feed('ids_%d' % t, [batch], below=words) for t in range(steps)]
    labels = [net.feed('labels_%d' % t, [batch], below=words) for t in range(steps)]
    table = net.variable('embedding', [words, units])
    stack = [Lstm(net, 'lstm%d' % k, units, batch, units) for k in range(layers)]
    w, b = net.variable('softmax/w', [units, words]), net.variable('softmax/b', [words])
    losses = []
    for t in range(steps):
        x = net.lookup('embed/t%d' % t, table, ids[t])
        for layer in stack:
            x = layer.step(t, x)
        name = 'softmax/t%d' % t
        losses.append(net.loss(name + '/loss', net.bias(name + '/logits', net.matmul(name, x, w), b), labels[t]))
    return net.train(losses)


def gnmt(layers, batch=64, steps=20, units=512, words=8000):
    """Google's translation model (Wu and others, 2016): the first layer of the encoder reads both ways, each step of the
    decoder attends to all of the encoder's, and layers from the third on have residual connections."""
    net = Net()
    table = net.variable('embedding', [words, units])
    read = [net.lookup('encoder/embed/t%d' % t, table, net.feed('source_%d' % t, [batch], below=words)) for t in range(steps)]
    forward, backward = (Lstm(net, 'encoder/' + way, units, batch, units) for way in ('forward', 'backward'))
    ahead = [forward.step(t, x) for t, x in enumerate(read)]
    back = [backward.step(t, x) for t, x in enumerate(reversed(read))][::-1]
    values = [net.concat('encoder/both/t%d' % t, pair, 1) for t, pair in enumerate(zip(ahead, back))]
    for k in range(1, layers):
        layer = Lstm(net, 'encoder/layer%d' % k, units if k > 1 else 2 * units, batch, units)
        outputs = [layer.step(t, x) for t, x in enumerate(values)]
        values = [net.add('encoder/residual%d/t%d' % (k, t), x, y) if k > 1 else y for t, (x, y) in enumerate(zip(values, outputs))]
    rows = [net.reshape('attention/row/t%d' % t, x, [batch, 1, units]) for t, x in enumerate(values)]
    memory = net.concat('attention/memory', rows, 1)
    stack = [Lstm(net, 'decoder/layer%d' % k, 2 * units, batch, units) for k in range(layers)]
    w, b = net.variable('softmax/w', [units, words]), net.variable('softmax/b', [words])
    context = net.zeros('attention/none', [batch, units])
    losses = []
    for t in range(steps):
        name = 'decoder/t%d' % t
        x = net.lookup(name + '/embed', table, net.feed('target_%d' % t, [batch], below=words))
        for k, layer in enumerate(stack):
            y = layer.step(t, net.concat('%s/in%d' % (name, k), [x, context], 1))
            if k == 0:
                query = net.reshape(name + '/query', y, [batch, 1, units])
                weights = net.softmax(name + '/weights', net.batch_matmul(name + '/scores', query, memory, True))
                context = net.reshape(name + '/context', net.batch_matmul(name + '/read', weights, memory, False), [batch, units])
            x = net.add('%s/residual%d' % (name, k), x, y) if k > 1 else y
        labels = net.feed('labels_%d' % t, [batch], below=words)
        losses.append(net.loss(name + '/loss', net.bias(name + '/logits', net.matmul(name + '/softmax', x, w), b), labels))
    return net.train(losses)


# Towers -------------------------------------------------------------------------------------------

def towers(count, batch=1024, sizes=(784, 1024, 1024, 10)):
    """As many copies of an MLP as there are towers, which share their variables and the batch; no device is asked for."""
    net = Net()
    layers = [(net.variable('w%d' % k, [a, b]), net.variable('b%d' % k, [b])) for k, (a, b) in enumerate(zip(sizes, sizes[1:]))]
    losses = []
    for tower in range(count):
        name = 'tower_%d' % tower
        x = net.feed(name + '_x', [batch // count, sizes[0]])
        labels = net.feed(name + '_labels', [batch // count], below=sizes[-1])
        for k, (w, b) in enumerate(layers):
            x = net.bias('%s/add%d' % (name, k), net.matmul('%s/product%d' % (name, k), x, w), b)
            if k + 1 < len(layers):
                x = net.activation('%s/relu%d' % (name, k), 'Relu', x)
        losses.append(net.loss(name + '/loss', x, labels))
    return net.train(losses)
