"""A library that the compiler and the linker find by themselves: only flags, no sources of its own."""

def _system_library_impl(ctx):
    if ctx.attr.missing:
        fail("\n\n{}: {}.\n".format(ctx.label, ctx.attr.missing))
    compilation = cc_common.create_compilation_context(
        headers = depset(ctx.files.hdrs),
        system_includes = depset(ctx.attr.system_includes),
    )
    linker_input = cc_common.create_linker_input(
        owner = ctx.label,
        user_link_flags = depset(ctx.attr.linkopts),
    )
    linking = cc_common.create_linking_context(
        linker_inputs = depset([linker_input] if ctx.attr.linkopts else []),
    )
    own = CcInfo(compilation_context = compilation, linking_context = linking)
    return [
        DefaultInfo(files = depset(ctx.files.hdrs)),
        cc_common.merge_cc_infos(
            direct_cc_infos = [own],
            cc_infos = [dep[CcInfo] for dep in ctx.attr.deps],
        ),
    ]

system_library = rule(
    implementation = _system_library_impl,
    attrs = {
        "hdrs": attr.label_list(
            allow_files = True,
            doc = "Files whose change compiles the users again.",
        ),
        "system_includes": attr.string_list(doc = "Folders given with -isystem."),
        "linkopts": attr.string_list(),
        "missing": attr.string(doc = "When not empty: what to say instead of building a user."),
        "deps": attr.label_list(providers = [CcInfo]),
    },
    doc = "Flags for a library that is installed on the machine.",
)
