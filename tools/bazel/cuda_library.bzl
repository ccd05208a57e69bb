"""cuda_library: the GPU pass of C++ sources, compiled by nvcc."""

load("@bazel_tools//tools/cpp:toolchain_utils.bzl", "find_cpp_toolchain")
load("@cuda//:toolkit.bzl", "ARCHITECTURES", "CUDA_PRESENT", "NVCC")
load("//tools/bazel:joined_library.bzl", "in_groups")

_FLAGS = [
    "-std=c++17",
    "-O3",
    # A twentieth of what the default leaves of elementwise kernels, which are much alike.
    "--compress-mode=size",
    "--expt-relaxed-constexpr",
    "--expt-extended-lambda",
    # As on the host: a product and a sum are rounded twice unless the code asks for fma().
    "-fmad=false",
    "-Xcompiler=-O2,-march=x86-64-v3,-ffp-contract=off,-fPIC,-Wall",
]

# A source without the marker has no GPU pass. Where none has one, the object is empty at once, instead of after the
# seconds that nvcc takes to find nothing. The PTX that is kept is that of the least architecture.
_COMPILE = """
set -e
joined="$1"; obj="$2"; ptx="$3"; marker="$4"; least="$5"; count="$6"; shift 6
: >"$ptx"
: >"$joined"
for src in "${@:1:count}"; do
  case "$src" in
    *.cu) ;;
    *) grep -q "$marker" "$src" || continue ;;
  esac
  echo "#include \\"$src\\"" >>"$joined"
done
shift "$count"
[ -s "$joined" ] || { as -o "$obj" - </dev/null; exit 0; }
kept=$(mktemp -d)
trap 'rm -rf "$kept"' EXIT
"$@" --keep --keep-dir "$kept" -x cu -c "$joined" -o "$obj"
cat "$kept"/*.compute_"$least".ptx >"$ptx" 2>/dev/null || cat "$kept"/*.ptx >"$ptx"
"""

# What ptxas says of registers that it keeps in memory, with the kernel's name and the bytes.
_SPILLS = """
out="$1"; ptxas="$2"; arch="$3"; ptx="$4"
: >"$out"
[ -s "$ptx" ] || exit 0
"$ptxas" --gpu-name "sm_$arch" --warn-on-spills "$ptx" -o /dev/null 2>>"$out" || { cat "$out" >&2; exit 1; }
"""

PtxInfo = provider("Device code for an assembler, of a library and all that it links.", fields = ["files"])

def _compiled_together(ctx):
    """Lists of sources, neighbours together; those of CUDA alone are each by itself."""
    by_path = {src.path: src for src in ctx.files.srcs if src.extension != "cu"}
    sources = [by_path[path] for path in sorted(by_path)]
    alone = [[src] for src in ctx.files.srcs if src.extension == "cu"]
    return alone + (in_groups(sources) if ctx.attr.together else [[src] for src in sources])

def _compile(ctx, number, sources, context, headers):
    stem = "_cuda/{}/{}".format(ctx.label.name, number)
    joined, obj, ptx = [ctx.actions.declare_file(stem + ending) for ending in [".cu", ".o", ".ptx"]]
    args = ctx.actions.args()
    args.add_all([joined.path, obj.path, ptx.path, ctx.attr.marker, ARCHITECTURES[0], str(len(sources))])
    args.add_all(sources)
    args.add_all([NVCC, "-I."])
    for architecture in ARCHITECTURES[:-1]:
        args.add("-gencode=arch=compute_{0},code=sm_{0}".format(architecture))
    args.add("-gencode=arch=compute_{0},code=[sm_{0},compute_{0}]".format(ARCHITECTURES[-1]))
    args.add_all(_FLAGS)
    args.add_all(context.quote_includes, before_each = "-I")
    args.add_all(context.includes, before_each = "-I")
    args.add_all(context.system_includes, before_each = "-isystem")
    args.add_all(ctx.attr.copts)
    ctx.actions.run_shell(
        command = _COMPILE,
        arguments = [args],
        inputs = sources + headers,
        outputs = [joined, obj, ptx],
        mnemonic = "NvccCompile",
        progress_message = "Compiling %s with nvcc" % ", ".join([src.short_path for src in sources]),
        use_default_shell_env = True,
    )
    return struct(obj = obj, ptx = ptx)

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

    # Headers that the host's compiler has precompiled nvcc does not read, and they differ under each sanitizer, whose
    # build can then take what nvcc has compiled for another.
    headers = [header for header in context.headers.to_list() if header.extension != "gch"]
    together = _compiled_together(ctx)
    compiled = [_compile(ctx, i + 1, together[i], context, headers) for i in range(len(together))]
    objects = depset([one.obj for one in compiled])
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
        PtxInfo(files = depset([one.ptx for one in compiled])),
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
        "together": attr.bool(doc = "Some .cc are compiled together; names in them must differ."),
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

# By these a target links others.
_LINKED_BY = ["deps", "interface", "objects"]

def _linked_ptx_impl(target, ctx):
    linked = []
    for name in _LINKED_BY:
        deps = getattr(ctx.rule.attr, name, None) or []
        linked += [dep[_LinkedPtxInfo].files for dep in (deps if type(deps) == "list" else [deps]) if _LinkedPtxInfo in dep]
    own = [target[PtxInfo].files] if PtxInfo in target else []
    return [_LinkedPtxInfo(files = depset(transitive = own + linked))]

_LinkedPtxInfo = provider("As PtxInfo, through libraries that have none.", fields = ["files"])

_linked_ptx = aspect(implementation = _linked_ptx_impl, attr_aspects = _LINKED_BY)

def _spilled_registers_impl(ctx):
    lists = []
    for ptx in depset(transitive = [dep[_LinkedPtxInfo].files for dep in ctx.attr.deps]).to_list():
        spills = ctx.actions.declare_file("{}/{}.txt".format(ctx.label.name, len(lists) + 1))
        lists.append(spills)
        args = ctx.actions.args()
        args.add_all([spills.path, NVCC[:-len("nvcc")] + "ptxas", ctx.attr.architecture, ptx.path])
        ctx.actions.run_shell(
            command = _SPILLS,
            arguments = [args],
            inputs = [ptx],
            outputs = [spills],
            mnemonic = "SpilledRegisters",
            progress_message = "Assembling %s for sm_%s" % (ptx.short_path, ctx.attr.architecture),
        )
    args = ctx.actions.args()
    args.add_all([ctx.outputs.out] + lists)
    ctx.actions.run_shell(
        command = "out=\"$1\"; shift; cat \"$@\" >\"$out\"",
        arguments = [args],
        inputs = lists,
        outputs = [ctx.outputs.out],
        mnemonic = "JoinLists",
    )

spilled_registers = rule(
    implementation = _spilled_registers_impl,
    attrs = {
        "deps": attr.label_list(aspects = [_linked_ptx]),
        "architecture": attr.string(mandatory = True, doc = "80, 90, ..."),
        "out": attr.output(mandatory = True),
    },
    doc = "A file with ptxas's lines about registers that the kernels which `deps` link keep in memory.",
)
