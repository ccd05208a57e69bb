"""TensorFlow's message descriptors: loads them and lists their facts, one field a line."""

import importlib
import mmap
import os
import re

from google.protobuf import descriptor_pb2
from google.protobuf import descriptor_pool

_FIELD = descriptor_pb2.FieldDescriptorProto

# Files whose messages we have, with the Python modules that carry them.
_MODULES = """
    tensorflow/core/example: example feature
    tensorflow/core/framework: allocation_description attr_value cost_graph device_attributes full_type function graph
      graph_debug_info node_def op_def resource_handle step_stats summary tensor tensor_description tensor_shape
      tensor_slice types variable versions
    tensorflow/core/protobuf: cluster config control_flow debug device_filters meta_graph named_tensor queue_runner
      rewriter_config saved_model saved_object_graph saver struct tensor_bundle tensorflow_server
      trackable_object_graph transport_options verifier_config
    tensorflow/core/util: event saved_tensor_slice
    tensorflow/python/training: checkpoint_state
"""
_LIBRARIES = ("libtensorflow_framework.so.2", "libtensorflow_cc.so.2")
# Files without a Python module: their descriptors are read out of the libraries. Some are imported by the others.
_IN_LIBRARY = (
    "xla/tsl/protobuf/histogram.proto",
    "xla/tsl/protobuf/error_codes.proto",
    "xla/tsl/protobuf/rpc_options.proto",
    "xla/tsl/protobuf/coordination_config.proto",
    "tensorflow/core/protobuf/master.proto",
    "tensorflow/core/protobuf/worker.proto",
)
# Messages and enums of these files that we leave out, as nothing in a session's or server's life uses them.
_LEFT_OUT = frozenset(
    "BatchingOptions SerializedDType SummaryDescription WorkerHealth WorkerShutdownMode WatchdogConfig "
    "RequestedExitCode WorkerHeartbeatRequest WorkerHeartbeatResponse".split())

_files = {}


def _module_files():
    folder = None
    for word in _MODULES.split():
        if word.endswith(":"):
            folder = word[:-1]
        else:
            yield "%s/%s.proto" % (folder, word)


def _read_embedded(folder, names):
    """FileDescriptorProtos that the generated code in TensorFlow's libraries holds as bytes."""
    libraries = []
    for library in _LIBRARIES:
        with open(os.path.join(folder, library), "rb") as file:
            libraries.append(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))
    for name in names:
        start = re.escape(b"\n" + bytes([len(name)]) + name.encode()) + rb"[\x12\x1a]"
        found = (_parse_embedded(data, match.start()) for data in libraries for match in re.finditer(start, data))
        proto = next(filter(None, found), None)
        if proto is None:
            raise SystemExit("no descriptor of %s in %s" % (name, folder))
        yield proto


def _parse_embedded(data, start):
    """The message at `start`, whose end is where bytes stop looking like its fields."""
    def varint(at):
        value = shift = 0
        while True:
            byte = data[at]
            value |= (byte & 127) << shift
            at, shift = at + 1, shift + 7
            if byte < 128:
                return value, at

    ends, at = [], start
    while True:
        tag, after = varint(at)
        number, wire_type = tag >> 3, tag & 7
        if wire_type != 2 or number not in range(1, 13) or (number == 1 and at != start):
            break
        size, after = varint(after)
        at = after + size
        ends.append(at)
    for end in reversed(ends):
        try:
            return descriptor_pb2.FileDescriptorProto.FromString(data[start:end])
        except Exception:  # pylint: disable=broad-except
            continue
    return None


def load_pool(package_folder):
    """Loads all files and returns a pool that knows every message of them."""
    pool = descriptor_pool.Default()
    for name in _module_files():
        module = importlib.import_module(name[:-len(".proto")].replace("/", ".") + "_pb2")
        proto = descriptor_pb2.FileDescriptorProto()
        module.DESCRIPTOR.CopyToProto(proto)
        _files[name] = proto
    for proto in _read_embedded(package_folder, _IN_LIBRARY):
        _files[proto.name] = proto
        try:
            pool.FindFileByName(proto.name)
        except KeyError:
            pool.Add(proto) if hasattr(pool, "Add") else pool.AddSerializedFile(proto.SerializeToString())
    return pool


def message_names():
    """Full names of the top-level messages, sorted."""
    return sorted("%s.%s" % (file.package, message.name)
                  for file in _files.values() for message in file.message_type if message.name not in _LEFT_OUT)


def _enum_lines(enum, scope):
    for value in enum.value:
        yield "\t".join(["value", "%s.%s" % (scope, enum.name), value.name, str(value.number)])


def _type_name(field):
    if field.type_name:
        return field.type_name[1:]
    return _FIELD.Type.Name(field.type)[len("TYPE_"):].lower()


def _is_packed(field, syntax):
    packable = field.label == _FIELD.LABEL_REPEATED and field.type not in (
        _FIELD.TYPE_STRING, _FIELD.TYPE_BYTES, _FIELD.TYPE_MESSAGE, _FIELD.TYPE_GROUP)
    if field.options.HasField("packed"):
        return packable and field.options.packed
    return packable and syntax == "proto3"


def _message_lines(message, scope, syntax):
    name = "%s.%s" % (scope, message.name)
    yield "\t".join(["message", name, "map_entry" if message.options.map_entry else "-"])
    for field in message.field:
        label = _FIELD.Label.Name(field.label)[len("LABEL_"):].lower()
        oneof = message.oneof_decl[field.oneof_index].name if field.HasField("oneof_index") else "-"
        yield "\t".join(["field", name, field.name, str(field.number), label, _type_name(field), oneof,
                         "packed" if _is_packed(field, syntax) else "-", field.default_value or "-"])
    for enum in message.enum_type:
        yield from _enum_lines(enum, name)
    for nested in message.nested_type:
        yield from _message_lines(nested, name, syntax)


def lines():
    """The facts of all messages and enums, sorted."""
    result = []
    for file in _files.values():
        syntax = file.syntax or "proto2"
        for enum in file.enum_type:
            if enum.name not in _LEFT_OUT:
                result.extend(_enum_lines(enum, file.package))
        for message in file.message_type:
            if message.name not in _LEFT_OUT:
                result.extend(_message_lines(message, file.package, syntax))
    return sorted(result)
