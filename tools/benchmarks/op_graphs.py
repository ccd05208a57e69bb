"""Graphs of a single op each, with the shapes and dtypes that it has in the multi-tower MNIST and CIFAR-10
programs, in LeNet5, ResNet-50 (64x64 images, batch 8), an LSTM language model and a Transformer.

Inputs are variables with random values, so that nothing can be folded; a step runs the op once.
"""
import collections

import graph_def as g

Var = collections.namedtuple('Var', 'dims dtype kind')  # kind: 'u' in 0..1, 'n' in -0.5..0.5, iK below K
Const = collections.namedtuple('Const', 'values dtype')
Case = collections.namedtuple('Case', 'name op inputs attrs')

F = 'type:f32'


def var(*dims, dtype='f32', kind='n'):
    return Var(list(dims), dtype, kind)


def const(*values, dtype='i32'):
    return Const(list(values), dtype)


def scalar(value, dtype='i32'):
    return Const(value, dtype)


def case(name, op, *inputs, **attrs):
    return Case(name, op, inputs, attrs or {'T': F})


def unary(name, op, *dims, **attrs):
    return case(name, op, var(*dims), **attrs)


def binary(name, op, a, b, **attrs):
    return case(name, op, var(*a), var(*b), **attrs)


def matmul(name, m, k, n, ta=False, tb=False):
    a, b = ((k, m) if ta else (m, k)), ((n, k) if tb else (k, n))
    return binary('matmul_' + name, 'MatMul', a, b, T=F, transpose_a=ta, transpose_b=tb)


def conv(name, image, kernel, stride=1, first=False):
    """The convolution and its gradients; image [N,H,W,C], kernel [h,w,in,out]. The `first` of a net has no gradient
    of its input."""
    side = [-(-d // stride) for d in image[1:3]]
    result = [image[0]] + side + [kernel[3]]
    attrs = dict(T=F, strides=[1, stride, stride, 1], padding='SAME')
    to_input = case('conv_%s_dx' % name, 'Conv2DBackpropInput', const(*image), var(*kernel), var(*result), **attrs)
    return ([] if first else [to_input]) + [
        case('conv_%s_fwd' % name, 'Conv2D', var(*image), var(*kernel), **attrs),
        case('conv_%s_dw' % name, 'Conv2DBackpropFilter', var(*image), const(*kernel), var(*result), **attrs)]


def pool(name, image, window, stride):
    side = [-(-d // stride) for d in image[1:3]]
    result = [image[0]] + side + [image[3]]
    attrs = dict(T=F, ksize=[1, window, window, 1], strides=[1, stride, stride, 1], padding='SAME')
    return [case('maxpool_' + name, 'MaxPool', var(*image), **attrs),
            case('maxpool_%s_grad' % name, 'MaxPoolGrad', var(*image), var(*result), var(*result), **attrs)]


def mlp():
    return [
        matmul('mlp_fwd', 32, 784, 500), matmul('mlp_dw', 784, 32, 500, ta=True),
        matmul('mlp_logits', 32, 500, 10), matmul('mlp_dx', 32, 10, 500, tb=True),
        binary('bias_add_mlp', 'BiasAdd', (32, 500), (500,)),
        unary('bias_add_grad_mlp', 'BiasAddGrad', 32, 500),
        unary('relu_mlp', 'Relu', 32, 500), binary('relu_grad_mlp', 'ReluGrad', (32, 500), (32, 500)),
        unary('l2_loss_mlp', 'L2Loss', 784, 500),
        case('sparse_xent_mlp', 'SparseSoftmaxCrossEntropyWithLogits', var(32, 10),
             var(32, dtype='i64', kind='i10'), T=F, Tlabels='type:i64'),
        case('sgd_mlp', 'ApplyGradientDescent', var(784, 500), var(), var(784, 500)),
        case('adam_mlp', 'ApplyAdam', var(784, 500), var(784, 500), var(784, 500, kind='u'), var(kind='u'),
             var(kind='u'), var(), var(kind='u'), var(kind='u'), var(kind='u'), var(784, 500)),
        case('momentum_mlp', 'ApplyMomentum', var(784, 500), var(784, 500), var(), var(784, 500), var(kind='u')),
        binary('mul_scalar_mlp', 'Mul', (784, 500), ()), binary('sub_mlp', 'Sub', (784, 500), (784, 500)),
        case('argmax_mlp', 'ArgMax', var(1000, 10), scalar(1), T=F),
        case('cast_images', 'Cast', var(128, 784, dtype='u8', kind='i256'), SrcT='type:u8', DstT=F),
        case('equal_i64', 'Equal', var(1000, dtype='i64', kind='i10'), var(1000, dtype='i64', kind='i10'),
             T='type:i64'),
        case('concat_tower_gradients', 'ConcatV2', var(1, 784, 500), var(1, 784, 500), scalar(0), T=F, N=2),
        case('mean_tower_gradients', 'Mean', var(2, 784, 500), scalar(0), T=F),
        case('add_n_towers', 'AddN', var(784, 500), var(784, 500), T=F, N=2),
    ]


def cifar():
    return (conv('cifar1', [128, 24, 24, 3], [5, 5, 3, 64], first=True) + conv('cifar2', [128, 12, 12, 64], [5, 5, 64, 64])
            + pool('cifar', [128, 24, 24, 64], 3, 2) + [
                unary('lrn_cifar', 'LRN', 128, 12, 12, 64, T=F, depth_radius=4, bias=1.0, alpha=0.001 / 9.0),
                case('lrn_grad_cifar', 'LRNGrad', var(128, 12, 12, 64), var(128, 12, 12, 64), var(128, 12, 12, 64),
                     T=F, depth_radius=4, bias=1.0, alpha=0.001 / 9.0),
                binary('bias_add_cifar', 'BiasAdd', (128, 24, 24, 64), (64,)),
                unary('bias_add_grad_cifar', 'BiasAddGrad', 128, 24, 24, 64),
                unary('relu_cifar', 'Relu', 128, 24, 24, 64), matmul('cifar_fc', 128, 2304, 384)])


def lenet():
    return (pool('lenet', [128, 28, 28, 32], 2, 2)
            + [matmul('lenet_fc', 128, 3136, 512), matmul('lenet_fc_dw', 3136, 128, 512, ta=True),
               case('random_uniform_dropout', 'RandomUniform', const(128, 512), dtype=F, T='type:i32'),
               case('transpose_nhwc_nchw', 'Transpose', var(128, 28, 28, 32), const(0, 3, 1, 2), T=F,
                    Tperm='type:i32')])


def resnet():
    wide, norm = (8, 16, 16, 256), dict(T=F, U=F, epsilon=1.001e-5)
    scales = [var(256, kind='u')] * 4
    return (conv('resnet_stem', [8, 64, 64, 3], [7, 7, 3, 64], 2, first=True) + conv('resnet_1x1', [8, 16, 16, 64], [1, 1, 64, 256])
            + conv('resnet_3x3', [8, 8, 8, 128], [3, 3, 128, 128])
            + conv('resnet_deep', [8, 4, 4, 256], [3, 3, 256, 256]) + [
                case('conv_resnet_1x1_stride2', 'Conv2D', var(*wide), var(1, 1, 256, 512), T=F,
                     strides=[1, 2, 2, 1], padding='SAME'),
                case('batch_norm_train', 'FusedBatchNormV3', var(*wide), *scales, is_training=True, **norm),
                case('batch_norm_infer', 'FusedBatchNormV3', var(*wide), *scales, is_training=False, **norm),
                case('batch_norm_grad', 'FusedBatchNormGradV3', var(*wide), var(*wide), var(256), var(256),
                     var(256, kind='u'), var(256), is_training=True, **norm),
                binary('add_resnet', 'AddV2', wide, wide), unary('relu_resnet', 'Relu', *wide),
                case('mean_resnet', 'Mean', var(8, 2, 2, 2048), const(1, 2), T=F)])


def lstm():
    return [
        matmul('lstm', 64, 512, 1024), unary('sigmoid_lstm', 'Sigmoid', 64, 256),
        unary('tanh_lstm', 'Tanh', 64, 256), binary('mul_lstm', 'Mul', (64, 256), (64, 256)),
        case('concat_lstm', 'ConcatV2', var(64, 256), var(64, 256), scalar(1), T=F, N=2),
        case('split_lstm', 'Split', scalar(1), var(64, 1024), T=F, num_split=4),
        binary('sigmoid_grad_lstm', 'SigmoidGrad', (64, 256), (64, 256)),
        case('lstm_cell', 'LSTMBlockCell', var(64, 256), var(64, 256), var(64, 256), var(512, 1024), var(256),
             var(256), var(256), var(1024), T=F),
        case('gather_embedding', 'GatherV2', var(10000, 256), var(64, 20, dtype='i32', kind='i10000'), scalar(0),
             Tparams=F, Tindices='type:i32', Taxis='type:i32'),
        case('unsorted_segment_sum', 'UnsortedSegmentSum', var(1280, 256), var(1280, dtype='i32', kind='i10000'),
             scalar(10000), T=F, Tindices='type:i32'),
        case('transpose_time_major', 'Transpose', var(64, 20, 256), const(1, 0, 2), T=F, Tperm='type:i32'),
        unary('log_softmax_words', 'LogSoftmax', 64, 10000),
        case('top_k_words', 'TopKV2', var(64, 10000), scalar(5), T=F),
        case('one_hot', 'OneHot', var(1280, dtype='i32', kind='i1000'), scalar(1000), var(), var(), T=F,
             TI='type:i32'),
    ]


def transformer():
    tokens, heads = (8, 128, 512), (8, 8, 128, 64)
    return [
        binary('batch_matmul_scores', 'BatchMatMulV2', heads, heads, T=F, adj_y=True),
        binary('batch_matmul_values', 'BatchMatMulV2', (8, 8, 128, 128), heads, T=F),
        unary('softmax_scores', 'Softmax', 8, 8, 128, 128),
        matmul('transformer_ffn', 1024, 512, 2048), matmul('transformer_ffn_dw', 512, 1024, 2048, ta=True),
        case('mean_layer_norm', 'Mean', var(*tokens), const(2), T=F, keep_dims=True),
        binary('squared_difference', 'SquaredDifference', tokens, (8, 128, 1)),
        binary('mul_layer_norm', 'Mul', tokens, (512,)),
        case('rsqrt_layer_norm', 'Rsqrt', var(8, 128, 1, kind='u')),
        case('transpose_heads', 'Transpose', var(8, 128, 8, 64), const(0, 2, 1, 3), T=F, Tperm='type:i32'),
        unary('erf_gelu', 'Erf', 8, 128, 2048), unary('exp', 'Exp', *tokens),
        case('sum_columns', 'Sum', var(1024, 2048), scalar(0), T=F),
        case('select_mask', 'SelectV2', var(8, 1, 128, 128, dtype='bool'), var(8, 8, 128, 128), var(), T=F),
        case('strided_slice', 'StridedSlice', var(*tokens), const(0, 1), const(0, 128), const(1, 1), T=F,
             Index='type:i32', begin_mask=1, end_mask=1),
        case('pad_tokens', 'Pad', var(8, 126, 512), Const([0, 0, 1, 1, 0, 0], 'i32'), T=F),
        case('tile', 'Tile', var(8, 1, 512), const(1, 128, 1), T=F),
        case('add_f64', 'AddV2', var(*tokens, dtype='f64'), var(*tokens, dtype='f64'), T='type:f64'),
        case('add_i32', 'AddV2', var(*tokens, dtype='i32', kind='i100'), var(*tokens, dtype='i32', kind='i100'),
             T='type:i32'),
        case('matmul_f64', 'MatMul', var(256, 256, dtype='f64'), var(256, 256, dtype='f64'), T='type:f64'),
        case('cumsum', 'Cumsum', var(*tokens), scalar(1), T=F),
    ]


CASES = {'op_' + c.name: c for c in mlp() + cifar() + lenet() + resnet() + lstm() + transformer()}


def random_value(name, spec, seed):
    """Nodes that make a random value for a variable; the last one is the value."""
    shape_const = g.int_const(name + '/shape', spec.dims)
    seeds = g.int_attr('seed', seed) + g.int_attr('seed2', seed)
    if spec.kind.startswith('i'):
        low, high = g.int_const(name + '/low', 0), g.int_const(name + '/high', int(spec.kind[1:]))
        uniform = g.node(name + '/random', 'RandomUniformInt', (name + '/shape', name + '/low', name + '/high'), '',
                         g.type_attr('Tout', 'i32') + g.type_attr('T', 'i32') + seeds)
        cast = g.node(name + '/value', 'Cast', (name + '/random',), '',
                      g.type_attr('SrcT', 'i32') + g.type_attr('DstT', spec.dtype))
        return [shape_const, low, high, uniform, cast]
    uniform = g.node(name + '/random', 'RandomUniform', (name + '/shape',), '',
                     g.type_attr('dtype', 'f32') + g.type_attr('T', 'i32') + seeds)
    half = g.const(name + '/half', [], 0.5)
    inputs = (name + '/random', name + '/half')
    if spec.dtype == 'bool':
        return [shape_const, uniform, half, g.node(name + '/value', 'Greater', inputs)]
    centred = [] if spec.kind == 'u' else [g.node(name + '/centred', 'Sub', inputs)]
    source = name + ('/centred' if centred else '/random')
    cast = g.node(name + '/value', 'Cast', (source,), '',
                  g.type_attr('SrcT', 'f32') + g.type_attr('DstT', spec.dtype))
    return [shape_const, uniform, half] + centred + [cast]


def variable(name, spec, seed):
    dtype = g.type_attr('dtype', spec.dtype)
    return ([g.node(name, 'VariableV2', (), '', dtype + g.shape_attr('shape', spec.dims))]
            + random_value(name, spec, seed)
            + [g.node(name + '/assign', 'Assign', (name, name + '/value'), '', g.type_attr('T', spec.dtype))])


def single_op(name):
    """(nodes, spec) of a case."""
    chosen = CASES[name]
    nodes, inputs, assigns = [], [], []
    for i, spec in enumerate(chosen.inputs):
        inputs.append('x%d' % i)
        if isinstance(spec, Var):
            nodes += variable(inputs[-1], spec, i + 1)
            assigns.append('^%s/assign' % inputs[-1])
        elif chosen.op == 'Pad':
            nodes += [g.int_const('flat', spec.values), g.int_const('rows', [len(spec.values) // 2, 2]),
                      g.node(inputs[-1], 'Reshape', ('flat', 'rows'), '', g.type_attr('T', 'i32'))]
        else:
            nodes.append(g.int_const(inputs[-1], spec.values, spec.dtype))
    attrs = b''.join(g.attr_of(key, value) for key, value in chosen.attrs.items())
    nodes.append(g.node('op', chosen.op, inputs, '', attrs))
    nodes.append(g.node('init', 'NoOp', assigns, '', b''))
    nodes.append(g.node('step', 'NoOp', ('^op',), '', b''))
    return nodes, dict(init=['init'], fetches=[], targets=['step'], items=1,
                       minimum={'none': {chosen.op: 1}})
