"""Makes the files of this folder out of TensorFlow's own code.

Run it with the Python of an environment that has TensorFlow 2.21 (`pip install tensorflow-cpu==2.21.0`):

    python proto/testdata/make_testdata.py proto/testdata

README.md says what each file is. The files change a little from run to run (times, addresses, random numbers), so
wire_test.cc checks what TensorFlow was asked for and not whole files by heart.
"""

import os
import sys
import tempfile

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"

import numpy as np  # pylint: disable=g-import-not-at-top
import tensorflow as tf
from tensorflow.core.example import example_pb2
from tensorflow.core.protobuf import tensor_bundle_pb2

import descriptors
import fill
import traffic

v1 = tf.compat.v1
CONFIG = v1.ConfigProto(device_count={"CPU": 2}, allow_soft_placement=True)


def write(name, message_or_bytes):
    data = message_or_bytes
    if not isinstance(data, bytes):
        data = data.SerializeToString(deterministic=True)
    with open(os.path.join(FOLDER, name), "wb") as out:
        out.write(data)


def training_graph():
    """A small graph with variables, devices, control edges, a function, collections and a saver."""
    graph = tf.Graph()
    with graph.as_default():
        v1.disable_resource_variables()
        x = v1.placeholder(tf.float32, [None, 3], name="x")
        with tf.name_scope("layer"), tf.device("/job:localhost/task:0/device:GPU:1"):
            w = v1.get_variable("w", [3, 2], initializer=v1.truncated_normal_initializer(seed=7))
            b = v1.get_variable("b", initializer=tf.constant([0.5, -0.25]), use_resource=True)
            y = tf.identity(tf.matmul(x, w) + b, name="y")
        step = v1.train.get_or_create_global_step()

        @tf.function
        def square(value):
            return value * value

        loss = tf.reduce_mean(square(y), name="loss")
        train = v1.train.GradientDescentOptimizer(0.5).minimize(loss, global_step=step)
        with tf.control_dependencies([train]):
            tf.no_op(name="done")
        tf.constant(np.array([b"one", b"two\0"], object), name="strings")
        tf.constant(np.array([1.5, -2], np.float16), name="halves")
        v1.summary.scalar("loss", loss)
        v1.summary.histogram("weights", w)
        saver = v1.train.Saver(max_to_keep=3, name="save")
    return graph, saver


def make_graphs(scratch):
    graph, saver = training_graph()
    with graph.as_default(), v1.Session(config=CONFIG) as session:
        session.run(v1.global_variables_initializer())
        write("graph.pb", graph.as_graph_def())
        write("meta_graph.pb", v1.train.export_meta_graph(graph=graph, saver_def=saver.saver_def))

        options = v1.RunOptions(trace_level=v1.RunOptions.FULL_TRACE, output_partition_graphs=True)
        metadata = v1.RunMetadata()
        summary = session.run([v1.summary.merge_all(), "done"], {"x:0": [[1, 2, 3]]}, options, metadata)[0]
        write("run_metadata.pb", metadata)

        logs = os.path.join(scratch, "logs")
        with v1.summary.FileWriter(logs, graph) as writer:
            writer.add_summary(summary, 17)
            writer.add_run_metadata(metadata, "step17", 17)
            writer.add_session_log(v1.SessionLog(status=v1.SessionLog.START), 17)
        with open(os.path.join(logs, os.listdir(logs)[0]), "rb") as events:
            write("events.tfrecord", events.read())

        saver.save(session, os.path.join(scratch, "model"), write_meta_graph=False)

        exported = os.path.join(scratch, "v1")
        builder = v1.saved_model.Builder(exported)
        tensors = [graph.get_tensor_by_name(name) for name in ("x:0", "layer/y:0")]
        builder.add_meta_graph_and_variables(
            session, ["train"], {"predict": v1.saved_model.predict_signature_def({"x": tensors[0]}, {"y": tensors[1]})})
        builder.add_meta_graph(["serve"])
        builder.save()
    for version in ("v1", "v2"):
        if version == "v2":
            make_object_model(os.path.join(scratch, version))
        with open(os.path.join(scratch, version, "saved_model.pb"), "rb") as model:
            write("saved_model_%s.pb" % version, model.read())
    with open(os.path.join(scratch, "model.index"), "rb") as index:
        records = dict(table_records(index.read()))
    header = tensor_bundle_pb2.BundleHeaderProto.FromString(records[b""])
    assert header.num_shards == 1
    write("bundle_header.pb", records[b""])
    write("bundle_entry.pb", records[b"w"])


def make_object_model(folder):
    """A version 2 SavedModel, which holds a tree of objects beside its graph."""
    with tf.Graph().as_default():
        pass
    tf.compat.v1.enable_resource_variables()
    module = tf.Module()
    module.scale = tf.Variable(2.0, name="scale")
    module.parts = [tf.Variable([1, 2]), {"table": tf.constant(3)}]

    @tf.function(input_signature=[{"a": tf.TensorSpec([None], tf.float32, name="a"),
                                   "b": tf.RaggedTensorSpec([None, None], tf.int32)}])
    def call(inputs):
        return inputs["a"] * module.scale

    module.call = call
    tf.saved_model.save(module, folder, options=tf.saved_model.SaveOptions(save_debug_info=False))


def table_records(data):
    """Key and value of each record of an uncompressed table file with a single data block."""
    def varint(at):
        value = shift = 0
        while True:
            byte = data[at]
            value |= (byte & 127) << shift
            at, shift = at + 1, shift + 7
            if byte < 128:
                return value, at

    at, key = 0, b""
    end = data_block_size(data, varint)
    while at < end:
        shared, at = varint(at)
        unshared, at = varint(at)
        size, at = varint(at)
        key = key[:shared] + data[at:at + unshared]
        at += unshared
        yield key, data[at:at + size]
        at += size


def data_block_size(data, varint):
    """Bytes of records in the block at offset 0, which the index block's first record points to."""
    at = len(data) - 48
    for _ in range(2):
        _, at = varint(at)
    index_offset, _ = varint(at)
    at = index_offset
    _, at = varint(at)
    unshared, at = varint(at)
    _, at = varint(at)
    at += unshared
    offset, at = varint(at)
    size, _ = varint(at)
    assert offset == 0
    restarts = int.from_bytes(data[size - 4:size], "little")
    return size - 4 * (restarts + 1)


def make_examples():
    feature = {
        "image": tf.train.Feature(bytes_list=tf.train.BytesList(value=[b"\x00\xff\x80", b""])),
        "label": tf.train.Feature(int64_list=tf.train.Int64List(value=[7, -1])),
        "weight": tf.train.Feature(float_list=tf.train.FloatList(value=[0.5])),
        "absent": tf.train.Feature(),
    }
    features = tf.train.Features(feature=feature)
    write("example.pb", tf.train.Example(features=features))
    frames = tf.train.FeatureList(feature=[feature["label"], feature["label"]])
    write("sequence_example.pb", example_pb2.SequenceExample(
        context=features, feature_lists=tf.train.FeatureLists(feature_list={"frames": frames})))


def main():
    pool = descriptors.load_pool(os.path.dirname(tf.__file__))
    with open(os.path.join(FOLDER, "tf_descriptors.tsv"), "w", encoding="utf-8") as out:
        out.writelines(line + "\n" for line in descriptors.lines())
    write("filled.pb", fill.filled_messages(pool, descriptors.message_names()))
    make_examples()
    write("traffic.pb", traffic.record(pool))
    with tempfile.TemporaryDirectory() as scratch:
        make_graphs(scratch)


if __name__ == "__main__":
    FOLDER = sys.argv[1]
    main()
