"""link_only: what its users link, and nothing that they would see when they compile."""

def _link_only_impl(ctx):
    merged = cc_common.merge_cc_infos(cc_infos = [dep[CcInfo] for dep in ctx.attr.deps])
    return [DefaultInfo(), CcInfo(linking_context = merged.linking_context)]

link_only = rule(
    implementation = _link_only_impl,
    attrs = {"deps": attr.label_list(providers = [CcInfo])},
    doc = """Libraries whose headers and include folders stay out of their users' compile commands.

A library that exists only in some configurations is reached through this rule: then the users' objects are the
same in all of them, and going from one to the other compiles nothing again.""",
)
