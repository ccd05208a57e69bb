"""Dumps facts about TensorFlow's ops, for the golden tests of this folder.

Run it with the Python of an environment that has TensorFlow's CUDA build (`pip install tensorflow==2.21.0`; no GPU is
needed, its kernels are registered all the same):

    python tests/golden/dump_tensorflow.py tests/golden

It reads the op names in ops.txt and writes tf_op_defs.pbtxt, tf_op_defs.txt, tf_kernels.tsv and tf_no_gradient.txt.
README.md describes the formats. Documentation strings of TensorFlow are dropped: only facts are kept.
"""

import glob
import importlib
import itertools
import os
import sys

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"

import tensorflow as tf  # pylint: disable=g-import-not-at-top
from tensorflow.core.framework import op_def_pb2
from tensorflow.core.framework import types_pb2
from tensorflow.python.client import pywrap_tf_session
from tensorflow.python.framework import kernels
from tensorflow.python.framework import ops
from google.protobuf import text_format


def dtype_name(number):
    name = types_pb2.DataType.Name(number)[len("DT_"):].lower()
    return name[:-4] + "&" if name.endswith("_ref") else name


def op_defs(names):
    """The OpDefs of `names`, sorted by name, without documentation."""
    everything = op_def_pb2.OpList.FromString(
        pywrap_tf_session.TF_GetBuffer(pywrap_tf_session.TF_GetAllOpList()))
    by_name = {op.name: op for op in everything.op}
    unknown = [name for name in names if name not in by_name]
    if unknown:
        raise SystemExit("unknown ops in ops.txt: " + " ".join(unknown))
    result = [by_name[name] for name in sorted(names)]
    for op in result:
        op.ClearField("summary")
        op.ClearField("description")
        if op.HasField("deprecation"):
            op.deprecation.ClearField("explanation")
        for part in itertools.chain(op.input_arg, op.output_arg, op.attr):
            part.ClearField("description")
    return result


def argument_spec(arg):
    """An argument in the op spec grammar, e.g. "values: N * T"."""
    if arg.type_list_attr:
        kind = arg.type_list_attr
    else:
        kind = arg.type_attr or dtype_name(arg.type)
        if arg.number_attr:
            kind = arg.number_attr + " * " + kind
    return "%s: %s" % (arg.name, "Ref(%s)" % kind if arg.is_ref else kind)


def value_spec(value):
    """An attribute value as the op spec grammar writes it."""
    kind = value.WhichOneof("value")
    if kind == "list":
        parts = []
        for field, entries in value.list.ListFields():
            for entry in entries:
                parts.append(scalar_spec(field.name, entry))
        return "[" + ", ".join(parts) + "]"
    return scalar_spec(kind, getattr(value, kind))


def scalar_spec(kind, value):
    if kind == "s":
        return repr(value)[1:]
    if kind == "b":
        return "true" if value else "false"
    if kind == "type":
        return "DT_" + dtype_name(value).upper()
    if kind == "f":
        return "%.9g" % value
    if kind == "shape":
        if value.unknown_rank:
            return "{ unknown_rank: true }"
        return "{ " + " ".join("dim { size: %d }" % dim.size for dim in value.dim) + " }"
    return text_format.MessageToString(value, as_one_line=True) if hasattr(value, "DESCRIPTOR") else str(value)


def attribute_spec(attr):
    kind = attr.type
    allowed = attr.allowed_values.list
    if allowed.type or allowed.s:
        choices = [dtype_name(t) for t in allowed.type] or [repr(s)[1:] for s in allowed.s]
        inner = "{" + ", ".join(choices) + "}"
        kind = "list(%s)" % inner if kind.startswith("list(") else inner
    text = "%s: %s" % (attr.name, kind)
    if attr.has_minimum:
        text += " >= %d" % attr.minimum
    if attr.HasField("default_value"):
        text += " = " + value_spec(attr.default_value)
    return text


def spec_lines(op):
    yield op.name
    for arg in op.input_arg:
        yield "  in   " + argument_spec(arg)
    for arg in op.output_arg:
        yield "  out  " + argument_spec(arg)
    for attr in op.attr:
        yield "  attr " + attribute_spec(attr)
    traits = [t for t in ("is_commutative", "is_aggregate", "is_stateful", "allows_uninitialized_input",
                          "is_distributed_communication") if getattr(op, t)]
    if op.HasField("deprecation"):
        traits.append("deprecated(%d)" % op.deprecation.version)
    if traits:
        yield "  is   " + " ".join(traits)


def expand(kernel):
    """The combinations of constrained attributes a kernel is registered for."""
    keys = sorted(c.name for c in kernel.constraint)
    values = {}
    for constraint in kernel.constraint:
        allowed = constraint.allowed_values.list
        values[constraint.name] = ([dtype_name(t) for t in allowed.type] or [repr(s)[1:] for s in allowed.s] or
                                   [str(i) for i in allowed.i] or [str(b).lower() for b in allowed.b])
        if not values[constraint.name]:
            raise SystemExit("%s: constraint of an unknown kind: %s" % (kernel.op, constraint))
    for combination in itertools.product(*(values[key] for key in keys)):
        yield tuple(zip(keys, combination))


def merge(combinations):
    """Few "attr -> set of dtypes" maps whose products are exactly `combinations`."""
    merged = [{key: frozenset([value]) for key, value in combination} for combination in sorted(combinations)]
    changed = True
    while changed:
        changed = False
        for key in sorted({key for entry in merged for key in entry}):
            groups = {}
            for entry in merged:
                rest = tuple(sorted((k, tuple(sorted(v))) for k, v in entry.items() if k != key))
                groups.setdefault((rest, key in entry), []).append(entry)
            if len(groups) < len(merged):
                changed = True
                merged = []
                for entries in groups.values():
                    joined = dict(entries[0])
                    if key in joined:
                        joined[key] = frozenset().union(*(entry[key] for entry in entries))
                    merged.append(joined)
    return merged


def kernel_rows(name):
    """Rows (device, constraints, host memory arguments, priority, registered as) of one op."""
    found = {}
    for kernel in kernels.get_registered_kernels_for_op(name).kernel:
        if kernel.label or kernel.device_type not in ("CPU", "GPU", "DEFAULT"):
            continue
        host = tuple(sorted(set(kernel.host_memory_arg)))
        for combination in expand(kernel):
            found.setdefault(kernel.device_type, {}).setdefault(combination, set()).add((kernel.priority, host))
    for device in ("CPU", "GPU"):
        effective = {}
        for source in (device, "DEFAULT"):
            for combination, registrations in found.get(source, {}).items():
                taken = any(set(other) <= set(combination) for other in found.get(device, {}))
                if source == "DEFAULT" and taken:
                    continue
                priority, host = max(registrations)
                effective.setdefault((host, priority, source), set()).add(combination)
        for (host, priority, source), combinations in sorted(effective.items()):
            for entry in sorted(merge(combinations), key=lambda e: sorted((k, sorted(v)) for k, v in e.items())):
                constraints = " ".join("%s=%s" % (key, ",".join(sorted(value))) for key, value in sorted(entry.items()))
                yield device, constraints or "-", ",".join(host) or "-", str(priority), source


def gradient_state(name):
    """None if TensorFlow can differentiate the op, else why it cannot."""
    try:
        return "not_differentiable" if ops.gradient_registry.lookup(name) is None else None
    except LookupError:
        return "unregistered"


def import_gradient_modules():
    folder = os.path.join(os.path.dirname(tf.__file__), "python")
    for path in sorted(glob.glob(folder + "/**/*.py", recursive=True)):
        text = open(path, encoding="utf-8").read()
        registers = ("RegisterGradient(" in text or "NotDifferentiable(" in text or "NoGradient(" in text)
        if registers and not path.endswith("_test.py"):
            module = os.path.relpath(path, os.path.dirname(os.path.dirname(tf.__file__)))[:-3]
            try:
                importlib.import_module(module.replace("/", "."))
            except ImportError as error:
                print("not imported:", module, error, file=sys.stderr)


def write(folder, name, lines):
    with open(os.path.join(folder, name), "w", encoding="utf-8") as out:
        out.writelines(line + "\n" for line in lines)


def main(folder):
    if not tf.test.is_built_with_cuda():
        raise SystemExit("this is not TensorFlow's CUDA build: its kernel registry lacks the GPU")
    with open(os.path.join(folder, "ops.txt"), encoding="utf-8") as lines:
        names = [line.strip() for line in lines if line.strip() and not line.startswith("#")]
    defs = op_defs(names)
    origin = "# TensorFlow %s, CUDA build. Written by dump_tensorflow.py." % tf.__version__
    write(folder, "tf_op_defs.pbtxt",
          [origin] + ["op { %s }" % text_format.MessageToString(op, as_one_line=True) for op in defs])
    write(folder, "tf_op_defs.txt", [origin] + [line for op in defs for line in spec_lines(op)])
    rows = [(op.name,) + row for op in defs for row in kernel_rows(op.name)]
    with_kernels = {row[0] for row in rows}
    rows += [(op.name, "none", "-", "-", "0", "-") for op in defs if op.name not in with_kernels]
    write(folder, "tf_kernels.tsv",
          [origin, "# op\tdevice\tconstraints\thost_memory\tpriority\tregistered_as"] +
          ["\t".join(row) for row in sorted(rows)])
    import_gradient_modules()
    states = [(op.name, gradient_state(op.name)) for op in defs]
    write(folder, "tf_no_gradient.txt", [origin] + ["%s\t%s" % state for state in states if state[1]])


if __name__ == "__main__":
    main(sys.argv[1])
