"""precompiled_header: a header that the compiler parses once instead of in every file that includes it."""

load("@bazel_tools//tools/build_defs/cc:action_names.bzl", "CPP_COMPILE_ACTION_NAME")
load("@bazel_tools//tools/cpp:toolchain_utils.bzl", "find_cpp_toolchain")

def _precompiled_header_impl(ctx):
    # The compiler takes FOLDER/x.h.gch for FOLDER/x.h. The copy ends with what identifies the packages (their
    # version.h): a new version compiles the users again.
    info = cc_common.merge_cc_infos(cc_infos = [dep[CcInfo] for dep in ctx.attr.deps])
    header = ctx.actions.declare_file(ctx.label.name + "/" + ctx.file.header.basename)
    copied = depset([ctx.file.header], transitive = [info.compilation_context.headers], order = "preorder")
    ctx.actions.run_shell(
        command = "out=\"$1\"; shift; cat \"$@\" > \"$out\"",
        arguments = [ctx.actions.args().add(header).add_all(copied)],
        inputs = copied,
        outputs = [header],
        mnemonic = "CopyHeader",
    )
    precompiled = ctx.actions.declare_file(header.basename + ".gch", sibling = header)

    # Kept in the precompiled header as well: with -fpch-deps its users list these files as their own inputs.
    dependencies = ctx.actions.declare_file(header.basename + ".d", sibling = header)

    sources = [ctx.file.header] + ctx.files.hdrs

    toolchain = find_cpp_toolchain(ctx)
    features = cc_common.configure_features(
        ctx = ctx,
        cc_toolchain = toolchain,
        requested_features = ctx.features,
        unsupported_features = ctx.disabled_features,
    )
    variables = cc_common.create_compile_variables(
        feature_configuration = features,
        cc_toolchain = toolchain,
        source_file = header.path,
        output_file = precompiled.path,
        user_compile_flags = ctx.fragments.cpp.copts + ctx.fragments.cpp.cxxopts + ctx.attr.copts,
        quote_include_directories = depset([ctx.label.workspace_root or "."]),
        system_include_directories = info.compilation_context.system_includes,
        preprocessor_defines = info.compilation_context.defines,
    )
    command = cc_common.get_memory_inefficient_command_line(
        feature_configuration = features,
        action_name = CPP_COMPILE_ACTION_NAME,
        variables = variables,
    )
    ctx.actions.run(
        executable = cc_common.get_tool_for_action(
            feature_configuration = features,
            action_name = CPP_COMPILE_ACTION_NAME,
        ),
        arguments = ["-x", "c++-header", "-MD", "-MF", dependencies.path] + command,
        inputs = depset(
            [header] + sources,
            transitive = [info.compilation_context.headers, toolchain.all_files],
        ),
        outputs = [precompiled, dependencies],
        mnemonic = "CppPrecompileHeader",
        progress_message = "Precompiling %s" % header.short_path,
        env = cc_common.get_environment_variables(
            feature_configuration = features,
            action_name = CPP_COMPILE_ACTION_NAME,
            variables = variables,
        ),
    )
    own = cc_common.create_compilation_context(headers = depset([header, precompiled] + sources))
    seen = cc_common.merge_cc_infos(direct_cc_infos = [CcInfo(compilation_context = own)], cc_infos = [info])
    return [
        DefaultInfo(files = depset([precompiled])),
        CcInfo(compilation_context = seen.compilation_context),
    ]

precompiled_header = rule(
    implementation = _precompiled_header_impl,
    attrs = {
        "header": attr.label(allow_single_file = [".h"], mandatory = True, doc = "Includes system headers and hdrs."),
        "hdrs": attr.label_list(allow_files = [".h"], doc = "Headers of the repository that it includes."),
        "copts": attr.string_list(doc = "The flags of the files that use it, if they ask for any."),
        "deps": attr.label_list(providers = [CcInfo], doc = "What the header includes."),
        "_cc_toolchain": attr.label(default = "@bazel_tools//tools/cpp:current_cc_toolchain"),
    },
    fragments = ["cpp"],
    toolchains = ["@bazel_tools//tools/cpp:toolchain_type"],
    doc = """A header, compiled ahead. Who uses it depends on it and is compiled with

    -fpch-deps -include $(BINDIR)/PACKAGE/NAME/HEADER

It is made once for each level of optimisation that it is used with. (Another -march is harmless: the compiler then
reads the header itself.)""",
)
