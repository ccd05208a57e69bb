"""The groups of figures that tools/bench knows. Executor and memory figures run without passes on both sides
(with them, folding would leave nothing to run); whole models run with both sides' defaults."""
import dataclasses
import math
import os
import statistics

from jobs import (COST_GRAPH, CYCLES, ClusterLoad, ECHO, Figure, GLOO, Group, IDEAL, Job, LIMITS, Load, PREDICTION, SEARCH,
                  TENSORFLOW, TRAINING, Term, WARPBEAM, pair, term)

NO_ONEDNN = (('TF_ENABLE_ONEDNN_OPTS', '0'),)


def of_ideal(name, unit, job, scale, ideal):
    """Ours beside the cost of a minimal executor."""
    return Figure(name, unit, term(WARPBEAM, job, 'step_median', scale),
                  Term(((IDEAL, ''),), lambda m: m['ideal.' + ideal], 'minimal executor'))


def exec_figures(specs):
    figures = []
    for graph, bar in (('chain10k', 0.7), ('addchain10k', None), ('wide10k', None), ('dag100k', None)):
        scale = 1000.0 / specs[graph]['items']
        job = Job(graph)
        figures.append(pair('exec.%s.per_node' % graph, 'ns', job, 'step_median', scale, bar))
        if graph != 'addchain10k':
            figures.append(of_ideal('exec.%s.per_node.ideal' % graph, 'ns', job, scale, graph))
    for graph in ('one', 'onefeed', 'noop'):
        figures.append(pair('exec.%s.run' % graph, 'us', Job(graph), 'step_median'))
    figures.append(pair('exec.one.run.callers_thread', 'us', Job('one'), 'step_median',
                        peer_job=Job('one', flags=('--pool=-1',)),
                        peer_name="tensorflow, caller's thread"))
    return figures


def loop_figures(specs):
    """Ten thousand iterations of Enter, Merge, Switch and NextIteration, in one loop and in 100, and of a
    StatelessWhile, which TensorFlow lowers to the first; the value that comes out says that all ran."""
    return [pair('loops.%s.per_iteration' % graph, 'ns', Job(graph), 'step_median',
                 1000.0 / specs[graph]['items'], bar)
            for graph, bar in (('while_v1', 0.3), ('while_v2', 0.3), ('while_v1_nested', None))]


def fma_peak(metrics):
    """GFLOP/s of all cores with the widest vectors there are."""
    return max(v for k, v in metrics.items() if k.startswith('limit.fma_') and k.endswith('_best'))


def fma_scaling(metrics):
    """What a second core gives where nothing is shared but the machine: FMAs of two threads over those of one."""
    ones = [k for k in metrics if k.startswith('limit.fma_') and k.endswith('_1t_median')]
    return max(metrics.get(k.replace('_1t_', '_2t_'), metrics[k]) / metrics[k] for k in ones)


def of_flops(name, job, flops):
    """Ours beside the time that the FLOPs take at the machine's peak."""
    return Figure(name, 'us', term(WARPBEAM, job, 'step_median'),
                  Term(((LIMITS, 'compute'),), lambda m: flops / fma_peak(m) / 1e3, 'FMA peak'))


def tower_scaling(name, one, two):
    """Throughput of two towers on two cores over that of one tower on one core: against its bar, and beside
    TensorFlow's."""
    def term_of(side):
        return Term(((side, one), (side, two)),
                    lambda m1, m2: 2 * m1['step_median'] / m2['step_median'], side)
    return [Figure(name, 'x', term_of(WARPBEAM), bar=1.7, at_least=True),
            Figure(name + '.tensorflow', 'x', term_of(WARPBEAM), term_of(TENSORFLOW), at_least=True)]


def mlp_figures(specs):
    figures = []
    for graph, bar in (('mlp_t1', 0.8), ('mlp_t2', 0.8), ('softmax_adam', 0.8)):
        job = Job(graph, passes='default')
        figures.append(pair('mlp.%s.step' % graph, 'us', job, 'step_median', 1, bar))
        figures.append(pair('mlp.%s.cpu' % graph, 'us', job, 'cpu_step'))
        figures.append(of_flops('mlp.%s.step.limit' % graph, job, specs[graph]['flops']))
    one_core = Job('mlp_t1', passes='default', cores='0', inter=1, intra=1)
    two_cores = Job('mlp_t2', passes='default')
    figures += tower_scaling('mlp.tower_scaling', one_core, two_cores)
    figures.append(dataclasses.replace(figures[-1], name='mlp.tower_scaling.limit',
                                       peer=Term(((LIMITS, 'compute'),), fma_scaling, 'FMA on two cores')))
    figures.append(Figure('mlp.mlp_t2.overlap', '%', term(WARPBEAM, two_cores, 'device_overlap'),
                          bar=80, at_least=True))
    return figures


def towers_figures(specs):
    figures = []
    for graph in ('towers_t1', 'towers_t2'):
        job = Job(graph, passes='default', budget=2)
        figures.append(pair('towers.%s.step' % graph, 'us', job, 'step_median', 1, 0.8))
        figures.append(pair('towers.%s.cpu_per_example' % graph, 'us', job, 'cpu_step',
                            1 / specs[graph]['examples']))
        figures.append(Figure('towers.%s.input_wait' % graph, '%',
                              Term(((WARPBEAM, job),),
                                   lambda m: 100 * m['input_wait'] / m['step_median']), bar=5))
    return figures


def program_figures(specs):
    """The example programs' steps as our frontend builds their graphs, input and all, and two towers on two
    cores beside one tower on one core."""
    figures = []
    for program, bar in (('mnist', 0.8), ('cifar10', 0.95), ('lenet5', 0.98)):
        for towers in (1, 2, 3):
            graph = 'program_%s_t%d' % (program, towers)
            figures.append(pair('programs.%s_t%d.step' % (program, towers), 'us',
                                Job(graph, passes='default', budget=3), 'step_median', 1, bar))
        one_core = Job('program_%s_t1' % program, passes='default', cores='0', inter=1, intra=1, budget=3)
        two_cores = Job('program_%s_t2' % program, passes='default', budget=3)
        figures += tower_scaling('programs.%s.tower_scaling' % program, one_core, two_cores)
    return figures


def copy_limit(metrics):
    """GB/s, read and written, of the better of one thread's memcpy and all threads'."""
    return max(v for k, v in metrics.items() if k.startswith('limit.mem_memcpy_'))


def avg_figures(specs):
    figures = []
    for size in ('n2_1mb', 'n8_1mb', 'n2_16mb', 'n8_16mb', 'n2_64mb'):
        graph, bar = 'avg_concat_' + size, None if size.endswith('_1mb') else 0.5
        job, bytes_in = Job(graph), specs['avg_concat_' + size]['bytes_in']
        name = 'avg.concat_%s' % size
        figures.append(pair(name + '.step', 'us', job, 'step_median', 1, bar))
        figures.append(pair(name + '.step.no_onednn', 'us', job, 'step_median', 1, bar,
                            peer_job=Job(graph, environment=NO_ONEDNN),
                            peer_name='tensorflow without oneDNN'))
        figures.append(Figure(name + '.read', 'GB/s',
                              Term(((WARPBEAM, job),), lambda m, b=bytes_in: b / m['step_median'] / 1e3),
                              Term(((LIMITS, 'memory'),), copy_limit, 'memcpy'), bar, at_least=True))
    for size in ('n2_16mb', 'n8_16mb'):
        figures.append(pair('avg.addn_%s.step' % size, 'us', Job('avg_addn_' + size), 'step_median'))
    figures.append(Figure('avg.replicas.hidden', '%',
                          Term(((TRAINING, 'replicas'),), lambda m: 100 * m['replicas.hidden']), bar=70, at_least=True))
    return figures


def startup_figures(specs):
    job = Job('mlp_t1', passes='default', budget=0)
    return [pair('startup.to_first_step', 'ms', job, 'start_to_first_step', 1e3, 0.35),
            pair('startup.memory', 'MiB', job, 'rss_first_step'),
            Figure('startup.installed', 'MiB', term(WARPBEAM, job, 'installed'), bar=120),
            pair('startup.installed.beside', 'MiB', job, 'installed')]


def pipe_figures(specs):
    figures = []
    for graph, bar in (('pipe_mnist_tfdata', 0.2),):
        job, per_item = Job(graph, passes='default', budget=2), 1.0 / specs[graph]['items']
        figures.append(pair('pipe.%s.cpu_per_example' % graph[5:], 'us', job, 'cpu_step', per_item, bar))
        figures.append(pair('pipe.%s.per_example' % graph[5:], 'us', job, 'step_median', per_item))
    return figures


def queue_figures(specs):
    jobs = [Job('queue_1000x'), Job('queue_1x')]
    figures = [pair('queue.%s.per_item' % job.graph[6:], 'us', job, 'step_median',
                    1.0 / specs[job.graph]['items']) for job in jobs]
    for graph in ('pipe_mnist_queue', 'pipe_cifarbin_queue', 'pipe_png_tfdata'):
        job = Job(graph, passes='default', budget=2)
        figures.append(pair('queue.%s.cpu_per_example' % graph, 'us', job, 'cpu_step',
                            1.0 / specs[graph]['items']))
    return figures


def load_figures(graphs, bar):
    figures = []
    for graph in graphs:
        job = Job(graph, budget=0)

        def load(side):
            return Term(((side, job),), lambda m: m['parse'] + m['create'] + m['first_run'], side)
        figures.append(Figure('big.%s.load' % graph, 's', load(WARPBEAM), load(TENSORFLOW), bar))
        figures.append(pair('big.%s.memory' % graph, 'MiB', job, 'rss_peak'))
    return figures


def big_figures(specs):
    return load_figures(['place100k', 'dag100k'], 0.15)


def huge_figures(specs):
    return load_figures(['place1m'], 0.12)


def op_figures(specs):
    """Single ops: each beside TensorFlow's, and the geometric mean of all ratios."""
    figures = []
    for graph in sorted(specs):
        if graph.startswith(('op_', 'elem_', 'matmul_', 'conv', 'res1x1', 'res3x3')):
            name = 'ops.%s.step' % graph[len('op_') if graph.startswith('op_') else 0:]
            figures.append(pair(name, 'us', Job(graph, budget=0.3), 'step_median', 1, 1.3))
    figures.append(geometric_mean('ops.geometric_mean', figures, 0.9))
    for graph in ('xdev_1mb', 'xdev_64mb'):
        figures.append(pair('ops.%s.step' % graph, 'us', Job(graph), 'step_median'))
    return figures


def geometric_mean(name, figures, bar):
    """Of the ratios of `figures`, each of which is of one run on either side."""
    needs = tuple(f.ours.needs[0] for f in figures) + tuple(f.peer.needs[0] for f in figures)

    def mean(*runs):
        steps = [math.log(run['step_median']) for run in runs]
        return math.exp((sum(steps[:len(figures)]) - sum(steps[len(figures):])) / len(figures))
    return Figure(name, 'x', Term(needs, mean, WARPBEAM), bar=bar)


def trace_figures(specs):
    """What tracing a step costs: beside the same step untraced."""
    figures = []
    for graph in ('mlp_t2', 'lenet_t2', 'chain10k'):
        job = Job(graph, passes='none' if graph == 'chain10k' else 'default')
        figures.append(Figure('trace.%s.step' % graph, 'us', term(WARPBEAM, job, 'traced_step'),
                              term(WARPBEAM, job, 'untraced_step', 1, 'not traced'),
                              None if graph == 'chain10k' else 1.1))
    return figures


def model_figures(specs):
    figures = []
    for graph, bar in (('softmax_adam', 0.8), ('cifar_b128_t1', 0.95), ('cifar_b128_t2', 0.95),
                       ('lenet_t1', 0.98), ('lenet_t2', 0.98), ('resnet50_b8', 0.9),
                       ('transformer_l4', 1.0)):
        job = Job(graph, passes='default', budget=3)
        figures.append(pair('models.%s.step' % graph, 'us', job, 'step_median', 1, bar))
        figures.append(of_flops('models.%s.step.limit' % graph, job, specs[graph]['flops']))
    served = Job('resnet50_served', passes='default', budget=0)
    for name, bar, metrics in (('load_to_first_result', 0.1, ('load', 'first_run')), ('load', None, ('load',))):
        def seconds(side, parts=metrics):
            return Term(((side, served),), lambda m: sum(m[part] for part in parts), side)
        figures.append(Figure('models.resnet50_served.' + name, 's', seconds(WARPBEAM), seconds(TENSORFLOW), bar))
    figures.append(pair('models.resnet50_served.memory', 'MiB', served, 'rss_peak'))
    return figures


def serve_figures(specs):
    """Steps over loopback, each side's server in a process of its own. A client's error fails the figure."""
    step, fetch, clients = Load('step'), Load('fetch'), Load('clients', budget=5)
    return [pair('serve.one.run', 'us', step, 'step_median', 1, 0.5),
            Figure('serve.one.run.echo', 'us', term(WARPBEAM, step, 'step_median'),
                   term(ECHO, step, 'step_median', name='bare gRPC echo'), 1.3),
            pair('serve.one.run.p99', 'us', step, 'step_p99'),
            pair('serve.fetch_64mb', 'GB/s', fetch, 'fetch', 1, 2, at_least=True),
            pair('serve.clients_100.steps', '1/s', clients, 'steps_per_second'),
            Figure('serve.clients_100.errors', '', term(WARPBEAM, clients, 'errors'), bar=0)]


def cluster_figures(specs):
    """Steps over a ps and two workers on loopback, each a process of its own. A server's error fails the figure. Two hundred
    clients for a minute, and what that leaves in the tasks' memory; a server that is started and stopped a hundred times."""
    clients = ClusterLoad('clients', budget=60)

    def left(name, unit, bar):
        return Figure('cluster.server_cycles_100.' + name, unit, Term(((CYCLES, ''),), lambda m: m['cycles.' + name]), bar=bar)
    step, variables = ClusterLoad('step'), ClusterLoad('variables')
    recv, train, in_step = ClusterLoad('recv'), ClusterLoad('train', budget=3), ClusterLoad('train_sync', budget=3)

    def mixed(name, side, ps):
        return Figure('cluster.recv_64mb.' + name, 'GB/s', term(side, ClusterLoad('recv', ps=ps), 'rate'),
                      term(TENSORFLOW, recv, 'rate'), 1.5, at_least=True)
    return [pair('cluster.two_tasks.step', 'us', step, 'step_median', 1, 0.6),
            pair('cluster.two_tasks.step.p99', 'us', step, 'step_p99'),
            pair('cluster.variables_100.step', 'us', variables, 'step_median', 1, 0.6),
            pair('cluster.recv_64mb', 'GB/s', recv, 'rate', 1, 2.5, at_least=True),
            Figure('cluster.recv_64mb.tcp', 'GB/s', term(WARPBEAM, recv, 'rate'),
                   Term(((LIMITS, 'loopback'),), lambda m: m['limit.tcp_stream_64MiB'], 'bare TCP'), 0.8, at_least=True),
            mixed('from_tensorflow', WARPBEAM, TENSORFLOW),
            mixed('to_tensorflow', TENSORFLOW, WARPBEAM),
            Figure('cluster.all_reduce_64mb.gloo', 'GB/s', term(WARPBEAM, ClusterLoad('reduce'), 'rate'),
                   Term(((GLOO, ''),), lambda m: m['gloo.all_reduce_64MiB'], 'Gloo alone'), 0.8, at_least=True),
            pair('cluster.train_async.steps', '1/s', train, 'steps_per_second', 1, 1.3, at_least=True),
            pair('cluster.train_sync.steps', '1/s', in_step, 'steps_per_second', 1, 1.3, at_least=True),
            pair('cluster.clients_200.steps', '1/s', clients, 'steps_per_second'),
            Figure('cluster.clients_200.errors', '', term(WARPBEAM, clients, 'errors'), bar=0),
            Figure('cluster.clients_200.memory_growth', '%', term(WARPBEAM, clients, 'memory_growth'), bar=2),
            left('stop_slowest', 's', 2), left('files_left', '', 0), left('threads_left', '', 0)]


def disk_limit(metrics):
    """GB/s of the better of the two ways to the disk."""
    return max(v for k, v in metrics.items() if k.startswith('limit.disk_'))


def checkpoint_figures(specs):
    """A durable save holds one of its two bars: TensorFlow's with fsync, or the disk's own speed."""
    job, size = Job('ckpt_500mb'), specs['ckpt_500mb']['bytes'] / 1e9

    def speed(side, compute):
        return Term(((side, job),), compute, side)
    save, restore = (lambda m: size / m['save']), (lambda m: size / m['step_median'] * 1e6)
    saved = Figure('checkpoint.save', 'GB/s', speed(WARPBEAM, save), speed(TENSORFLOW, save), 1.5, at_least=True)
    figures = [saved,
               dataclasses.replace(saved, name='checkpoint.save.limit', bar=0.85,
                                   peer=Term(((LIMITS, 'disk'),), disk_limit, 'disk')),
               Figure('checkpoint.restore', 'GB/s', speed(WARPBEAM, restore), speed(TENSORFLOW, restore), 1.5,
                      at_least=True),
               pair('checkpoint.save.cpu', 's', job, 'save_cpu')]
    for name, metric in (('background_wait', 'saving.call'), ('background_delay', 'saving.delay')):
        figures.append(Figure('checkpoint.' + name, '%',
                              Term(((TRAINING, 'saving'),), lambda m, k=metric: 100 * m[k] / m['saving.save']),
                              bar=10 if name == 'background_wait' else None))
    return figures


def input_figures(specs):
    figures = []
    for graph, bar in (('pipe_cifarbin_queue', 0.5), ('pipe_png_tfdata', 0.6), ('pipe_jpeg_tfdata', 0.75)):
        job = Job(graph, passes='default', budget=2)
        figures.append(pair('input.%s.cpu_per_example' % graph[5:], 'us', job, 'cpu_step',
                            1.0 / specs[graph]['items'], bar))
    figures.append(Figure('input.file_writer.delay', '%',
                          Term(((TRAINING, 'summaries'),), lambda m: 100 * m['summaries.delay']), bar=1))
    return figures


def memory_figures(specs):
    return [pair('memory.%s.peak' % graph, 'MiB', Job(graph, passes='default'), 'rss_peak', 1, 0.5)
            for graph in ('mlp_t1', 'towers_t1', 'towers_t2', 'cifar_b128_t1', 'cifar_b128_t2', 'lenet_t1',
                          'lenet_t2')]


def determinism_figures(specs):
    """What deterministic sessions cost: our own steps with and without the mode."""
    figures = []
    for graph in ('mlp_t2', 'lenet_t1', 'cifar_b128_t1', 'cifar_b128_t2', 'transformer_l4'):
        plain = Job(graph, passes='default')
        mode = dataclasses.replace(plain, flags=('--deterministic',))
        figures.append(Figure('determinism.%s.step' % graph, 'us', term(WARPBEAM, mode, 'step_median'),
                              term(WARPBEAM, plain, 'step_median', 1, 'warpbeam by default')))
    return figures


def search_figures():
    """What a search finds on usual devices: never worse than the rules and than one device."""
    graphs = ('mlp_t2', 'lenet_t2', 'cifar_b128_t2', 'resnet50_b8', 'transformer_l4', 'inception_v3', 'rnnlm', 'gnmt_l2', 'gnmt_l4',
              'gnmt_l8', *('mlp_towers_%d' % k for k in range(2, 9)), 'dag100k')
    figures = []
    for graph in graphs:
        for machine in ('cpu2', 'gpu4'):
            need = ((SEARCH, graph),)
            figures.append(Figure('placement.search.%s.%s.ratio' % (graph, machine), 'x',
                                  Term(need, lambda m, k=machine: m[k + '.ratio']), bar=1))
            for metric, unit in (('found', 'us'), ('gap', '%'), ('per_second', '/s')):
                figures.append(Figure('placement.search.%s.%s.%s' % (graph, machine, metric), unit,
                                      Term(need, lambda m, k='%s.%s' % (machine, metric): m[k])))
    return figures


def yardstick_figures():
    """Layer graphs with given costs, beside splits that people made; none without $WB_COST_GRAPHS, which is a checkout of
    github.com/msr-fiddle/dnn-partitioning."""
    folder = os.environ.get('WB_COST_GRAPHS')
    if not folder:
        return []
    graph = lambda name: os.path.join(folder, 'throughput-inputs', 'LayerGraphs', name + '.json')
    figures = []
    for name in ('bert24_inference', 'bert24_training', 'gnmt_inference', 'gnmt_training', 'inceptionv3_inference',
                 'resnet50_inference'):
        need = ((COST_GRAPH, (graph(name), os.path.join(folder, 'human-experts', name + '_expert.json'))),)
        figures.append(Figure('placement.expert.%s' % name, 'us', Term(need, lambda m: m['found']),
                              Term(need, lambda m: m['expert'], 'a person'), 0.9))
    needs = tuple((COST_GRAPH, (graph('%s_%s' % (net, what)), str(devices)))
                  for net in ('bert24', 'gnmt', 'inceptionv3', 'resnet50') for what in ('inference', 'training')
                  for devices in (2, 4))
    for name, of_all, bar in (('median', statistics.median, 2), ('worst', max, 12)):
        figures.append(Figure('placement.layer_graphs.%s_gap' % name, '%',
                              Term(needs, lambda *all_metrics, f=of_all: f(m['gap'] for m in all_metrics)), bar=bar))
    figures.append(Figure('placement.layer_graphs.fullest_memory', '%',
                          Term(needs, lambda *all_metrics: max(m['peak'] for m in all_metrics)), bar=100))
    return figures


def placement_figures(specs):
    """Simulated steps beside real ones, on one and two CPU devices of one core each. Bars hold on a machine that
    does nothing else: `delayed` says how much others had of it."""
    graphs = ('mlp_t1', 'mlp_t2', 'lenet_t1', 'lenet_t2', 'cifar_b128_t1', 'cifar_b128_t2', 'resnet50_b8', 'transformer_l4',
              'lstm_u128')
    needs = {graph: (PREDICTION, graph) for graph in graphs}
    figures = search_figures() + yardstick_figures()
    for graph, need in needs.items():
        for metric, bar in (('one.error', 25), ('two.error', 25), ('one.peak.error', 2), ('two.peak.error', 2),
                            ('analytic.error', None), ('random.median_error', None), ('random.worst_error', None),
                            ('searched.error', None), ('delayed', None)):
            figures.append(Figure('placement.%s.%s' % (graph, metric), '%',
                                  Term((need,), lambda m, k=metric: abs(m[k])), bar=bar))
        figures.append(Figure('placement.%s.random.tau' % graph, '', Term((need,), lambda m: m['random.tau']), bar=0.8,
                              at_least=True))
        figures.append(Figure('placement.%s.searched.times_as_fast' % graph, 'x', Term((need,), lambda m: m['searched.times_as_fast']),
                              bar=1.3 if graph in ('lenet_t2', 'cifar_b128_t2') else None, at_least=True))
    figures.append(Figure('placement.median_error', '%',
                          Term(tuple(needs.values()),
                               lambda *all_metrics: statistics.median(abs(m[k]) for m in all_metrics
                                                                      for k in ('one.error', 'two.error'))), bar=10))
    return figures


# Name, what it is about, figures, the most rounds, whether it runs when no group is named.
_GROUPS = (
    ('exec', 'the cost of a node and of a Session::Run', exec_figures, 99, True),
    ('loops', 'while loops of 10,000 trivial iterations', loop_figures, 99, True),
    ('mlp', 'MLP training steps, and how towers scale', mlp_figures, 99, True),
    ('towers', 'the multi-tower MNIST program on TFRecords', towers_figures, 99, True),
    ('avg', "the towers' gradient average", avg_figures, 99, True),
    ('startup', 'process start to first training step, and the size on disk', startup_figures, 99, True),
    ('pipe', 'the MNIST input pipeline', pipe_figures, 99, True),
    ('big', 'loading graphs of 100,000 nodes', big_figures, 3, True),
    ('huge', 'loading a graph of 1,000,000 nodes (a minute and 4 GiB in TensorFlow)', huge_figures, 1,
     False),
    ('queue', 'queues and the pipelines built on them', queue_figures, 99, False),
    ('ops', 'single ops and copies between devices', op_figures, 3, False),
    ('checkpoint', 'saving and restoring 500 MB', checkpoint_figures, 3, False),
    ('input', "the seeds' input, and writing summaries", input_figures, 99, False),
    ('memory', 'the most memory that a training program holds', memory_figures, 3, False),
    ('serve', 'a server and its clients over loopback', serve_figures, 99, False),
    ('cluster', 'a ps and two workers over loopback', cluster_figures, 99, False),
    ('determinism', 'deterministic sessions beside ordinary ones', determinism_figures, 99, False),
    ('trace', 'what tracing a step costs', trace_figures, 99, False),
    ('models', 'training steps of whole nets', model_figures, 99, False),
    ('placement', 'placements that are searched for, and simulated steps beside real ones', placement_figures, 3, False),
    ('programs', 'the example programs, 1 to 3 towers, with their input', program_figures, 99, False),
)


def all_groups(specs):
    return [Group(name, what, figures(specs), rounds, by_default)
            for name, what, figures, rounds, by_default in _GROUPS]
