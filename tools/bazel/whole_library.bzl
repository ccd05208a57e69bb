"""whole_library: libraries of which a shared library keeps every object, not only those that something refers to.

gpu_library is the part of them that --config=cuda adds, and shared_exports what of the rest that part refers to: a
plug-in and what a shared library has to show it.
"""

load("@bazel_tools//tools/cpp:toolchain_utils.bzl", "find_cpp_toolchain")

def _is_for_gpus(owner):
    """Whether --config=cuda adds the library: by the names that tools/bazel/warpbeam.bzl gives."""
    if owner.workspace_name:
        return owner.workspace_name == "cuda"
    family = owner.package.split("/")[-1]
    return family == "cuda" or owner.name == family + "_device" or family + "_host_gpu" in owner.name

def _toolchain(ctx):
    toolchain = find_cpp_toolchain(ctx)
    features = cc_common.configure_features(
        ctx = ctx,
        cc_toolchain = toolchain,
        requested_features = ctx.features,
        unsupported_features = ctx.disabled_features,
    )
    return toolchain, features

def _whole(ctx, toolchain, features, library):
    archive = library.static_library or library.pic_static_library
    if not archive:
        return library
    return cc_common.create_library_to_link(
        actions = ctx.actions,
        feature_configuration = features,
        cc_toolchain = toolchain,
        static_library = archive,
        alwayslink = True,
    )

def _linker_inputs(ctx):
    merged = cc_common.merge_cc_infos(cc_infos = [dep[CcInfo] for dep in ctx.attr.deps])
    return merged.linking_context.linker_inputs.to_list()

def _whole_library_impl(ctx):
    toolchain, features = _toolchain(ctx)
    inputs = [
        cc_common.create_linker_input(
            owner = given.owner,
            libraries = depset([_whole(ctx, toolchain, features, library) for library in given.libraries]),
            user_link_flags = depset(given.user_link_flags),
            additional_inputs = depset(given.additional_inputs),
        )
        for given in _linker_inputs(ctx)
        if not _is_for_gpus(given.owner)
    ]
    linking = cc_common.create_linking_context(linker_inputs = depset(inputs))
    return [DefaultInfo(), CcInfo(linking_context = linking)]

whole_library = rule(
    implementation = _whole_library_impl,
    attrs = {
        "deps": attr.label_list(providers = [CcInfo]),
        "_cc_toolchain": attr.label(default = "@bazel_tools//tools/cpp:current_cc_toolchain"),
    },
    fragments = ["cpp"],
    toolchains = ["@bazel_tools//tools/cpp:toolchain_type"],
    doc = "Links `deps` and all that they link as if each were alwayslink, but for what is for GPUs.",
)

def _gpu_library_impl(ctx):
    # Other people's libraries, too, of which the linker takes what is still missing.
    inputs = [
        given
        for given in _linker_inputs(ctx)
        if given.owner.workspace_name or _is_for_gpus(given.owner)
    ]
    own = [
        library.static_library or library.pic_static_library
        for given in inputs
        if not given.owner.workspace_name
        for library in given.libraries
    ]
    linking = cc_common.create_linking_context(linker_inputs = depset(inputs))
    return [DefaultInfo(files = depset(own)), CcInfo(linking_context = linking)]

gpu_library = rule(
    implementation = _gpu_library_impl,
    attrs = {"deps": attr.label_list(providers = [CcInfo])},
    doc = "What --config=cuda adds to `deps`, without the rest, and what that needs of others.",
)

# Names that the archives do not define themselves, as the linker knows them. Abseil salts its hashes with an address:
# tables that both sides use need the same one.
_EXPORTS = """
set -euo pipefail
map="$1"; exports="$2"; nm="$3"; shift 3
cat "$map" > "$exports"
[ $# -gt 0 ] || exit 0
"$nm" --undefined-only --format=posix "$@" 2>/dev/null | awk 'NF > 1 {print $1}' | sort -u |
  { grep -E '8warpbeam|MixingHashState5kSeed' || true; } | sed 's/.*/    &;/' > "$exports.names"
sed "/^  global:/r $exports.names" "$map" > "$exports"
rm "$exports.names"
"""

def _shared_exports_impl(ctx):
    toolchain, _ = _toolchain(ctx)
    archives = ctx.files.plugin
    ctx.actions.run_shell(
        command = _EXPORTS,
        arguments = [ctx.file.map.path, ctx.outputs.out.path, toolchain.nm_executable] + [file.path for file in archives],
        inputs = depset([ctx.file.map] + archives, transitive = [toolchain.all_files]),
        outputs = [ctx.outputs.out],
        mnemonic = "SharedExports",
    )

shared_exports = rule(
    implementation = _shared_exports_impl,
    attrs = {
        "map": attr.label(allow_single_file = True, mandatory = True, doc = "A linker's version script."),
        "plugin": attr.label(mandatory = True, doc = "A gpu_library."),
        "out": attr.output(mandatory = True),
        "_cc_toolchain": attr.label(default = "@bazel_tools//tools/cpp:current_cc_toolchain"),
    },
    fragments = ["cpp"],
    toolchains = ["@bazel_tools//tools/cpp:toolchain_type"],
    doc = "`map` with all that the plug-in refers to; as it is where there is nothing for GPUs.",
)
