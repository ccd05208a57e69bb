"""cuda_library: the GPU pass of C++ sources, compiled by nvcc."""

load("@bazel_tools//tools/cpp:toolchain_utils.bzl", "find_cpp_toolchain")
load("@cuda//:toolkit.bzl", "ARCHITECTURE", "CUDA_PRESENT", "NVCC")

_FLAGS = [
    "-std=c++17",
    "-O3",
    "--expt-relaxed-constexpr",
    "--expt-extended-lambda",
    # As on the host: a product and a sum are rounded twice unless the code asks for fma().
    "-fmad=false",
    "-Xcompiler=-O2,-march=x86-64-v3,-ffp-contract=off,-fPIC,-Wall",
]

# A source without the marker has no GPU pass: it becomes an empty object at once, instead of after the
# seconds that nvcc takes to find nothing.
_COMPILE = """
set -e
src="$1"; obj="$2"; marker="$3"; shift 3
case "$src" in
  *.cu) ;;
  *) if ! grep -q "$marker" "$src"; then as -o "$obj" - </dev/null; exit 0; fi ;;
esac
exec "$@" -x cu -c "$src" -o "$obj"
"""

def _compile(ctx, src, context):
    # The path keeps the sub-folder: two folders may have a file of the same name.
    folder = src.short_path[len(ctx.label.package) + 1:]
    obj = ctx.actions.declare_file("_cuda/{}/{}.o".format(ctx.label.name, folder))
    args = ctx.actions.args()
    args.add_all([src.path, obj.path, ctx.attr.marker, NVCC])
    args.add("-gencode=arch=compute_{0},code=[sm_{0},compute_{0}]".format(ARCHITECTURE))
    args.add_all(_FLAGS)
    args.add_all(context.quote_includes, before_each = "-I")
    args.add_all(context.includes, before_each = "-I")
    args.add_all(context.system_includes, before_each = "-isystem")
    args.add_all(ctx.attr.copts)
    ctx.actions.run_shell(
        command = _COMPILE,
        arguments = [args],
        inputs = depset([src], transitive = [context.headers]),
        outputs = [obj],
        mnemonic = "NvccCompile",
        progress_message = "Compiling %s with nvcc" % src.short_path,
        use_default_shell_env = True,
    )
    return obj

def _cuda_library_impl(ctx):
    if not CUDA_PRESENT:
        fail("\n\n--config=cuda needs the CUDA toolkit: there is none in $CUDA_PATH, $CUDA_HOME or " +
             "/usr/local/cuda.\nWithout --config=cuda everything builds for the CPU.\n")
    own = cc_common.create_compilation_context(
        headers = depset(ctx.files.hdrs),
        quote_includes = depset([
            ctx.label.workspace_root or ".",
            ctx.bin_dir.path + ("/" + ctx.label.workspace_root if ctx.label.workspace_root else ""),
        ]),
    )
    info = cc_common.merge_cc_infos(
        direct_cc_infos = [CcInfo(compilation_context = own)],
        cc_infos = [dep[CcInfo] for dep in ctx.attr.deps],
    )
    context = info.compilation_context
    objects = depset([_compile(ctx, src, context) for src in ctx.files.srcs])
    if not ctx.files.srcs:
        return [DefaultInfo(), info]
    toolchain = find_cpp_toolchain(ctx)
    features = cc_common.configure_features(
        ctx = ctx,
        cc_toolchain = toolchain,
        requested_features = ctx.features,
        unsupported_features = ctx.disabled_features,
    )
    linking, _ = cc_common.create_linking_context_from_compilation_outputs(
        actions = ctx.actions,
        name = ctx.label.name,
        feature_configuration = features,
        cc_toolchain = toolchain,
        compilation_outputs = cc_common.create_compilation_outputs(
            objects = objects,
            pic_objects = objects,
        ),
        linking_contexts = [info.linking_context],
        alwayslink = True,
        disallow_dynamic_library = True,
    )
    return [
        DefaultInfo(files = objects),
        CcInfo(compilation_context = context, linking_context = linking),
    ]

cuda_library = rule(
    implementation = _cuda_library_impl,
    attrs = {
        "srcs": attr.label_list(
            allow_files = [".cc", ".cu"],
            doc = "Compiled by nvcc: every .cu, and each .cc that holds the marker.",
        ),
        "hdrs": attr.label_list(allow_files = [".h", ".cuh"]),
        "deps": attr.label_list(providers = [CcInfo]),
        "copts": attr.string_list(doc = "More flags for nvcc."),
        "marker": attr.string(
            default = "^namespace .*WB_PASS\\b",
            doc = "Basic regular expression; a .cc without a match has no GPU pass.",
        ),
        "_cc_toolchain": attr.label(default = "@bazel_tools//tools/cpp:current_cc_toolchain"),
    },
    fragments = ["cpp"],
    toolchains = ["@bazel_tools//tools/cpp:toolchain_type"],
    doc = """The GPU pass of C++ sources: the same .cc that a cc_library compiles for the host.

The archive is always linked whole, because kernels register themselves.""",
)
