"""OP_FAMILIES: the folders of ops/, for what links all of them. tools/lint tells of one that is missing here."""

OP_FAMILIES = [
    "array",
    "batching",
    "collective",
    "comm",
    "control_flow",
    "data",
    "fused",
    "histogram",
    "image",
    "io",
    "linalg",
    "linalg/factorisation",
    "list",
    "math",
    "nn",
    "nn/conv",
    "nn/gpu_loops",
    "nn/norm",
    "nn/patches",
    "nn/pool",
    "nn/sampling",
    "nn/sequence",
    "parsing",
    "quantize",
    "queue",
    "ragged",
    "random",
    "set",
    "signal",
    "sparse",
    "state",
    "string",
    "summary",
    "table",
    "tensor_array",
    "training",
]

def of_families(ending = ""):
    """A library of each family, as wb_op_family (tools/bazel/warpbeam.bzl) declares them.

    Args:
      ending: "" for its ops, "_gpu_kernels" and the like.
    Returns:
      labels.
    """
    return ["//ops/{}:{}{}".format(family, family.split("/")[-1], ending) for family in OP_FAMILIES]
