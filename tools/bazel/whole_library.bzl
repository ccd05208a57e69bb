"""whole_library: libraries of which a shared library keeps every object, not only those that something refers to."""

load("@bazel_tools//tools/cpp:toolchain_utils.bzl", "find_cpp_toolchain")

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

def _whole_library_impl(ctx):
    toolchain = find_cpp_toolchain(ctx)
    features = cc_common.configure_features(
        ctx = ctx,
        cc_toolchain = toolchain,
        requested_features = ctx.features,
        unsupported_features = ctx.disabled_features,
    )

    merged = cc_common.merge_cc_infos(cc_infos = [dep[CcInfo] for dep in ctx.attr.deps])
    inputs = [
        cc_common.create_linker_input(
            owner = given.owner,
            libraries = depset([_whole(ctx, toolchain, features, library) for library in given.libraries]),
            user_link_flags = depset(given.user_link_flags),
            additional_inputs = depset(given.additional_inputs),
        )
        for given in merged.linking_context.linker_inputs.to_list()
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
    doc = "Links `deps` and all that they link as if each were alwayslink.",
)
