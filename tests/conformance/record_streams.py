"""Records what TensorFlow draws for every op that is given a seed, as conformance cases.

Run it with a Python that has TensorFlow 2.21; `protoc` must be installed:

    python tests/conformance/record_streams.py FOLDER

Each op runs four times in one session, with several sizes and types. One thread computes, because
some ops give each thread a stretch of the stream of its own. README.md says how to make a pack of
the cases.
"""

import os
import subprocess
import sys
import tempfile

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
os.environ["PROTOCOL_BUFFERS_PYTHON_IMPLEMENTATION"] = "python"

import numpy as np  # pylint: disable=g-import-not-at-top
import tensorflow as tf

HERE = os.path.dirname(os.path.abspath(__file__))
with tempfile.TemporaryDirectory() as made:
    subprocess.check_call(["protoc", "-I", HERE, "--python_out", made, HERE + "/case.proto"])
    sys.path.insert(0, made)
    import case_pb2

tf1 = tf.compat.v1
tf1.disable_eager_execution()
RAW = tf.raw_ops
STEPS = 4
SEED = {"seed": 3, "seed2": 5}
SIZES = [[1], [5], [3, 7], [259]]
FLOATS = [tf.half, tf.bfloat16, tf.float32, tf.float64]
WIDE_FLOATS = [tf.half, tf.float32, tf.float64]
INTS = [tf.int32, tf.int64]
ALL_INTS = INTS + [tf.uint32, tf.uint64]
RNG = np.random.RandomState(7)
INF = float("inf")


def const(value, dtype):
    return tf1.constant(value, dtype=dtype)


def ints(value):
    return const(value, tf.int32)


def longs(value):
    return const(value, tf.int64)


class Recorder:
    """Writes cases into a folder, numbered op by op."""

    def __init__(self, folder):
        self.folder = folder
        self.counts = {}
        os.makedirs(folder, exist_ok=True)

    def record(self, op, build):
        """`build` gives a tensor or a list of them, and perhaps a list of what runs first."""
        graph = tf1.Graph()
        with graph.as_default():
            fetches = build()
        targets = []
        if isinstance(fetches, tuple) and type(fetches) is tuple:  # not a named tuple
            fetches, targets = fetches
        if isinstance(fetches, tf.Tensor):
            fetches = [fetches]
        self.run(op, graph, graph.as_graph_def(), list(fetches), targets)

    def record_old(self, op, build, attrs, producer):
        """An op that newer graphs may not have: the graph says that an older version made it."""
        graph = tf1.Graph()
        with graph.as_default():
            inputs, targets = build()
        graph_def = graph.as_graph_def()
        node = graph_def.node.add(name="node", op=op, input=[x.op.name for x in inputs])
        for name, value in attrs.items():
            if isinstance(value, tf.DType):
                node.attr[name].type = value.as_datatype_enum
            else:
                node.attr[name].i = value
        graph_def.versions.producer = producer
        graph_def.versions.min_consumer = 0
        graph = tf1.Graph()
        with graph.as_default():
            tf1.import_graph_def(graph_def, name="")
        self.run(op, graph, graph_def, [graph.get_tensor_by_name("node:0")],
                 [graph.get_operation_by_name(t.name) for t in targets])

    def run(self, op, graph, graph_def, fetches, targets):
        number = self.counts.get(op, 0)
        self.counts[op] = number + 1
        case = case_pb2.Case(name=f"streams/{op}_{number}", ops=[op])
        case.graph = graph_def.SerializeToString()
        config = tf1.ConfigProto(intra_op_parallelism_threads=1)
        config.graph_options.optimizer_options.opt_level = -1
        config.graph_options.rewrite_options.disable_meta_optimizer = True
        with tf1.Session(graph=graph, config=config) as session:
            if targets:
                session.run(targets)
                case.steps.add().targets.extend(t.name for t in targets)
            for _ in range(STEPS):
                step = case.steps.add()
                for tensor, value in zip(fetches, session.run(fetches)):
                    proto = tf.make_tensor_proto(value, tensor.dtype, np.shape(value))
                    step.expected.add(name=tensor.name, tensor=proto.SerializeToString())
        with open(f"{self.folder}/{op}_{number}.case", "wb") as file:
            file.write(case.SerializeToString())


def generator(state):
    """A variable with the state of a generator, and what fills it."""
    handle = RAW.VarHandleOp(dtype=tf.int64, shape=[len(state)], shared_name="generator")
    # The sum has a buffer of its own: StatefulRandomBinomial writes to the one that was assigned.
    return handle, RAW.AssignVariableOp(resource=handle, value=longs(state) + longs(0))


def key():
    return {"key": const([77], tf.uint64), "counter": const([5, 6], tf.uint64), "alg": ints(1)}


def seed():
    return {"seed": longs([3, 5])}


def record_fills(r):
    for size in SIZES:
        for dtype in FLOATS:
            for op in ("RandomUniform", "RandomStandardNormal", "TruncatedNormal"):
                r.record(op, lambda: getattr(RAW, op)(shape=ints(size), dtype=dtype, **SEED))
            for op in ("RandomUniform", "RandomNormal", "TruncatedNormal"):
                op = "Stateless" + op
                r.record(op, lambda: getattr(RAW, op)(shape=ints(size), dtype=dtype, **seed()))
                r.record(op + "V2",
                         lambda: getattr(RAW, op + "V2")(shape=ints(size), dtype=dtype, **key()))
            for op in ("StatefulUniform", "StatefulStandardNormalV2", "StatefulTruncatedNormal"):
                def stateful():
                    handle, fill = generator([5, 6, 7])
                    return getattr(RAW, op)(resource=handle, algorithm=longs(1),
                                            shape=longs(size), dtype=dtype), [fill]
                r.record(op, stateful)

            def tagged():
                handle, fill = generator([1, 5, 6, 7])
                return [handle, longs(size)], [fill]
            r.record_old("StatefulStandardNormal", tagged,
                         {"dtype": dtype, "shape_dtype": tf.int64}, 28)


def record_ints(r):
    for size in SIZES:
        for dtype in ALL_INTS:
            r.record("StatelessRandomUniformFullInt", lambda: RAW.StatelessRandomUniformFullInt(
                shape=ints(size), dtype=dtype, **seed()))
            r.record("StatelessRandomUniformFullIntV2",
                     lambda: RAW.StatelessRandomUniformFullIntV2(
                         shape=ints(size), dtype=dtype, **key()))

            def full():
                handle, fill = generator([5, 6, 7])
                return RAW.StatefulUniformFullInt(
                    resource=handle, algorithm=longs(1), shape=longs(size), dtype=dtype), [fill]
            r.record("StatefulUniformFullInt", full)
        for dtype in INTS:
            bounds = lambda: {"minval": const(-7, dtype), "maxval": const(1000, dtype)}
            r.record("RandomUniformInt",
                     lambda: RAW.RandomUniformInt(shape=ints(size), **bounds(), **SEED))
            r.record("StatelessRandomUniformInt", lambda: RAW.StatelessRandomUniformInt(
                shape=ints(size), **bounds(), **seed()))
            r.record("StatelessRandomUniformIntV2", lambda: RAW.StatelessRandomUniformIntV2(
                shape=ints(size), **bounds(), **key()))

            def ranged():
                handle, fill = generator([5, 6, 7])
                return RAW.StatefulUniformInt(resource=handle, algorithm=longs(1),
                                              shape=longs(size), **bounds()), [fill]
            r.record("StatefulUniformInt", ranged)
    for value in ([3, 5], [-1, 9]):
        for op in ("StatelessRandomGetKeyCounter", "StatelessRandomGetKeyCounterAlg"):
            r.record(op, lambda: getattr(RAW, op)(seed=longs(value)))
    for delta in (0, 1, 300):
        def read():
            handle, fill = generator([-5, 6, 7])
            return RAW.RngReadAndSkip(
                resource=handle, alg=ints(1), delta=const(delta, tf.uint64)), [fill]
        r.record("RngReadAndSkip", read)

        def skip():
            handle, fill = generator([-5, 6, 7])
            skipped = RAW.RngSkip(resource=handle, algorithm=longs(1), delta=longs(delta))
            with tf1.control_dependencies([skipped]):
                return RAW.ReadVariableOp(resource=handle, dtype=tf.int64), [fill]
        r.record("RngSkip", skip)


TRUNCATED = [  # shape, mean, deviation, interval
    ([5], -.48, 1.58, -1, 1), ([4], 1.25, 1.08, 1.5, 4), ([5], 1.43, .83, -.1, 9),
    ([4], -1.15, 1.6, 3, 3.2), ([250], 0, 1, -2, 2), ([7, 31], 0, 1, 1, 6),
    ([303], 0, 2, -9, -5), ([6], 0, 1, .1, .2), ([6], 0, 1, 2, INF), ([6], 0, 1, -INF, .5),
    ([4, 3], [0, 1, 2, 3], [1, 1, 2, 1], [-1, 1.5, 0, 8], [1, 2, 9, 9]),
    ([4, 3], [0, 1, 2, -3], 1, [-1, 1.5, 0, -20], 20),
    ([3, 2, 5], 0, [1], [-1, 0, 2], [1, 2, 4]), ([1, 9], 0, 1, [-1], [1])]


def record_distributions(r):
    for dtype in FLOATS:
        for rows, classes, samples in ((1, 3, 1), (2, 4, 3), (3, 5, 4), (2, 4, 7), (5, 9, 13)):
            logits = RNG.normal(size=(rows, classes)) * 1.5
            for out in INTS:
                arguments = lambda: {"logits": const(logits, dtype), "num_samples": ints(samples),
                                     "output_dtype": out}
                r.record("Multinomial", lambda: RAW.Multinomial(**arguments(), **SEED))
                r.record("StatelessMultinomial",
                         lambda: RAW.StatelessMultinomial(**arguments(), **seed()))
    for dtype in WIDE_FLOATS:
        for shape, mean, deviation, low, high in TRUNCATED:
            r.record("ParameterizedTruncatedNormal", lambda: RAW.ParameterizedTruncatedNormal(
                shape=ints(shape), means=const(mean, dtype), stdevs=const(deviation, dtype),
                minvals=const(low, dtype), maxvals=const(high, dtype), **SEED))
            # Its batches are columns.
            r.record("StatelessParameterizedTruncatedNormal",
                     lambda: RAW.StatelessParameterizedTruncatedNormal(
                         shape=ints(shape[::-1]), means=const(mean, dtype),
                         stddevs=const(deviation, dtype), minvals=const(low, dtype),
                         maxvals=const(high, dtype), **seed()))
        for size in ([], [1], [5], [3, 4], [70]):
            for alpha in (.3, 1., [.05, .5, 1, 2.5, 40]):
                full = size + list(np.shape(alpha))
                r.record("RandomGamma", lambda: RAW.RandomGamma(
                    shape=ints(size), alpha=const(alpha, dtype), **SEED))
                r.record("StatelessRandomGammaV2", lambda: RAW.StatelessRandomGammaV2(
                    shape=ints(full), alpha=const(alpha, dtype), **seed()))
                r.record("StatelessRandomGammaV3", lambda: RAW.StatelessRandomGammaV3(
                    shape=ints(full), alpha=const(alpha, dtype), **key()))
    for dtype in WIDE_FLOATS + INTS:
        for size in ([], [5], [3, 4], [70]):
            for rate in ([1, 3, 9], [0, 10, 12], [100, 1000, 4]):
                r.record("RandomPoissonV2", lambda: RAW.RandomPoissonV2(
                    shape=ints(size), rate=const(rate, dtype), dtype=dtype, **SEED))
                r.record("StatelessRandomPoisson", lambda: RAW.StatelessRandomPoisson(
                    shape=ints(size + [3]), lam=const(rate, dtype), dtype=tf.int32, **seed()))
    for dtype in WIDE_FLOATS:
        for size in ([1], [5], [3, 4], [70]):
            r.record_old("RandomPoisson",
                         lambda: ([ints(size), const([.5, 3, 12.5, 100], dtype)], []),
                         {"S": tf.int32, "dtype": dtype, **SEED}, 24)
        for out in INTS + [tf.float32]:
            for size in ([5], [4, 5], [70, 5]):
                arguments = lambda: {"shape": ints(size),
                                     "counts": const([1, 10, 50, 100, 1000], dtype),
                                     "probs": const([.5, .3, .9, .2, .7], dtype), "dtype": out}
                r.record("StatelessRandomBinomial",
                         lambda: RAW.StatelessRandomBinomial(**arguments(), **seed()))

                def stateful():
                    handle, fill = generator([5, 6, 7])
                    return RAW.StatefulRandomBinomial(
                        resource=handle, algorithm=longs(1), **arguments()), [fill]
                r.record("StatefulRandomBinomial", stateful)


def record_orders(r):
    for shape in ([1], [2], [5], [10], [259], [4, 3], [6, 2, 2]):
        rows = np.arange(np.prod(shape)).reshape(shape)
        for dtype in (tf.float32, tf.int64):
            r.record("RandomShuffle",
                     lambda: RAW.RandomShuffle(value=const(rows, dtype), **SEED))
            r.record("StatelessShuffle",
                     lambda: RAW.StatelessShuffle(value=const(rows, dtype), **key()))
    for dtype in ALL_INTS:
        for index, last, rounds in ((0, 9, 4), (5, 9, 4), (7, 1000, 4), (123, 1000, 8)):
            r.record("RandomIndexShuffle", lambda: RAW.RandomIndexShuffle(
                index=const(index, dtype), seed=ints([[1, 2, 3]]), max_index=const(last, dtype),
                rounds=rounds))
    for op in ("RandomShuffleQueue", "RandomShuffleQueueV2"):
        for elements in (5, 20):
            def queue():
                q = getattr(RAW, op)(component_types=[tf.int64], shapes=[[]], capacity=100, **SEED)
                add, take = ((RAW.QueueEnqueueManyV2, RAW.QueueDequeueV2) if op.endswith("V2") else
                             (RAW.QueueEnqueueMany, RAW.QueueDequeue))
                return (take(handle=q, component_types=[tf.int64]),
                        [add(handle=q, components=[longs(list(range(elements)))])])
            r.record(op, queue)


def record_classes(r):
    for samples in (1, 4, 7, 15):
        for unique in (True, False):
            classes = RNG.randint(0, 20, size=(3, 2))
            arguments = lambda: {"true_classes": longs(classes), "num_true": 2, "unique": unique,
                                 **SEED}
            for op in ("Uniform", "LogUniform", "LearnedUnigram", "ThreadUnsafeUnigram"):
                op += "CandidateSampler"
                r.record(op, lambda: getattr(RAW, op)(
                    num_sampled=samples, range_max=20, **arguments()))
            r.record("AllCandidateSampler",
                     lambda: RAW.AllCandidateSampler(num_sampled=samples + 20, **arguments()))
            for distortion, reserved in ((1., 0), (.5, 2)):
                unigrams = [float(k % 7 + 1) for k in range(20 - reserved)]
                r.record("FixedUnigramCandidateSampler", lambda: RAW.FixedUnigramCandidateSampler(
                    num_sampled=samples, range_max=20, distortion=distortion,
                    num_reserved_ids=reserved, unigrams=unigrams, **arguments()))
    r.record("ComputeAccidentalHits", lambda: RAW.ComputeAccidentalHits(
        true_classes=longs([[1, 2], [3, 4]]), sampled_candidates=longs([4, 1, 9]), num_true=2,
        **SEED))
    for count in (1, 3, 6):
        points = RNG.normal(size=(17, 3))
        r.record("KmeansPlusPlusInitialization", lambda: RAW.KmeansPlusPlusInitialization(
            points=const(points, tf.float32), num_to_sample=longs(count), seed=longs(5),
            num_retries_per_sample=longs(2)))
        distances = RNG.uniform(size=5 + count * 20)
        r.record("KMC2ChainInitialization", lambda: RAW.KMC2ChainInitialization(
            distances=const(distances, tf.float32), seed=longs(count)))


def record_images(r):
    for image, size in (([4, 5, 3], [2, 2]), ([9, 7, 1], [3, 7]), ([9, 7, 2], [8, 1]),
                        ([3, 3, 1], [3, 3])):
        for dtype in (tf.uint8, tf.float32):
            pixels = np.arange(np.prod(image)).reshape(image) % 251
            r.record_old("RandomCrop", lambda: ([const(pixels, dtype), longs(size)], []),
                         {"T": dtype, **SEED}, 7)
    for pseudo_random in (True, False):
        for overlapping in (True, False):
            for dtype in (tf.float32, tf.int32):
                value = RNG.randint(-50, 50, size=(2, 13, 11, 2))
                for op in ("FractionalAvgPool", "FractionalMaxPool"):
                    r.record(op, lambda: getattr(RAW, op)(
                        value=const(value, dtype), pooling_ratio=[1., 1.44, 1.73, 1.],
                        pseudo_random=pseudo_random, overlapping=overlapping, deterministic=True,
                        **SEED))
    for boxes in ([[[.1, .2, .5, .9]]], [[[.1, .2, .5, .9], [.4, .1, .9, .3]]]):
        for covered in (.1, .9):
            image = lambda: {"image_size": ints([50, 70, 3]),
                             "bounding_boxes": const(boxes, tf.float32)}
            r.record("SampleDistortedBoundingBox", lambda: RAW.SampleDistortedBoundingBox(
                min_object_covered=covered, **image(), **SEED))
            r.record("SampleDistortedBoundingBoxV2", lambda: RAW.SampleDistortedBoundingBoxV2(
                min_object_covered=const(covered, tf.float32), area_range=[.3, .8], **image(),
                **SEED))
            r.record("StatelessSampleDistortedBoundingBox",
                     lambda: RAW.StatelessSampleDistortedBoundingBox(
                         min_object_covered=const(covered, tf.float32), **image(), **seed()))


def record_pipelines(r):
    kinds = {"output_types": [tf.int64], "output_shapes": [[]]}

    def numbers(count):
        return RAW.RangeDataset(start=longs(0), stop=longs(count), step=longs(1), **kinds)

    def record(op, make):
        def steps():
            iterator = RAW.IteratorV2(shared_name="iterator", container="", **kinds)
            start = RAW.MakeIterator(dataset=make(), iterator=iterator)
            return RAW.IteratorGetNext(iterator=iterator, **kinds), [start]
        r.record(op, steps)

    for first, second in ((3, 5), (0, 9)):
        seeds = lambda: {"seed": longs(first), "seed2": longs(second), **kinds}
        fresh = lambda: {"seed_generator": RAW.DummySeedGenerator(), **seeds()}
        record("RandomDataset", lambda: RAW.RandomDataset(**seeds()))
        record("RandomDatasetV2", lambda: RAW.RandomDatasetV2(**fresh()))
        record("SamplingDataset", lambda: RAW.SamplingDataset(
            input_dataset=numbers(100), rate=const(.4, tf.float32), **seeds()))
        for size in (2, 5, 50):
            many = lambda: {"input_dataset": numbers(20), "buffer_size": longs(size)}
            few = lambda: {"input_dataset": numbers(3), "buffer_size": longs(size),
                           "count": longs(5)}
            record("ShuffleDataset", lambda: RAW.ShuffleDataset(**many(), **seeds()))
            record("ShuffleDatasetV3", lambda: RAW.ShuffleDatasetV3(**many(), **fresh()))
            record("ShuffleDatasetV2", lambda: RAW.ShuffleDatasetV2(
                seed_generator=RAW.AnonymousSeedGenerator(
                    seed=longs(first), seed2=longs(second), reshuffle=tf.constant(True))[0],
                **many(), **kinds))
            record("ShuffleAndRepeatDataset",
                   lambda: RAW.ShuffleAndRepeatDataset(**few(), **seeds()))
            record("ShuffleAndRepeatDatasetV2",
                   lambda: RAW.ShuffleAndRepeatDatasetV2(**few(), **fresh()))


def main():
    recorder = Recorder(sys.argv[1])
    for record in (record_fills, record_ints, record_distributions, record_orders, record_classes,
                   record_images, record_pipelines):
        record(recorder)
    print(f"{sum(recorder.counts.values())} cases of {len(recorder.counts)} ops")


if __name__ == "__main__":
    main()
