"""joined_library: a library whose sources are compiled a few at a time.

Half of the time of compiling a small source goes into what it shares with its neighbours: the headers that both
include, and the templates that both instantiate. A compiler that sees several of them does that once.
"""

# How many sources are compiled together. More would save little, and who edits one compiles all of them.
_AT_ONCE = 8

def in_groups(sources, at_once = _AT_ONCE):
    """What is compiled together: neighbours in a list of sources, as equally many as there can be.

    Args:
      sources: a list.
      at_once: how many there are in a group at most.
    Returns:
      a list of lists.
    """
    groups = (len(sources) + at_once - 1) // at_once
    return [sources[i * len(sources) // groups:(i + 1) * len(sources) // groups] for i in range(groups)]

def _included_as(source):
    """The path of a source in its repository."""
    path = source.short_path
    return "/".join(path.split("/")[2:]) if path.startswith("../") else path

def _joined_sources_impl(ctx):
    sources = sorted([(_included_as(source), source) for source in ctx.files.srcs])
    outputs = []
    for part in in_groups(sources, ctx.attr.at_once):
        output = ctx.actions.declare_file("{}_{}{}".format(ctx.label.name, len(outputs) + 1, ctx.attr.ending))
        ctx.actions.write(output, "".join(['#include "{}"\n'.format(name) for name, _ in part]))
        outputs.append(output)
    return [
        DefaultInfo(files = depset(outputs)),
        # The compiler may read the sources that it is not given.
        CcInfo(compilation_context = cc_common.create_compilation_context(headers = depset(ctx.files.srcs))),
    ]

joined_sources = rule(
    implementation = _joined_sources_impl,
    attrs = {
        "srcs": attr.label_list(allow_files = [".cc"]),
        "at_once": attr.int(default = _AT_ONCE, doc = "How many of them are compiled together."),
        "ending": attr.string(default = ".cc", doc = "Of the sources' names."),
    },
    doc = "Sources that include `srcs`, some each. Names in them must differ, unnamed namespaces included.",
)

def _hidden_objects_impl(ctx):
    linked = cc_common.merge_cc_infos(cc_infos = [ctx.attr.interface[CcInfo], ctx.attr.objects[CcInfo]])
    return [
        ctx.attr.objects[DefaultInfo],
        CcInfo(
            compilation_context = ctx.attr.interface[CcInfo].compilation_context,
            linking_context = linked.linking_context,
        ),
    ]

_hidden_objects = rule(
    implementation = _hidden_objects_impl,
    attrs = {
        "interface": attr.label(providers = [CcInfo], doc = "The headers, and what they include."),
        "objects": attr.label(providers = [CcInfo], doc = "What is linked. Its own sources no user may include."),
    },
    doc = "A library as its users see it.",
)

def joined_library(name, srcs, hdrs, deps, private_deps = [], one_by_one = None, copts = [], visibility = None, **kwargs):
    """A cc_library whose sources are compiled a few at a time; names in them must differ, unnamed namespaces included.

    Args:
      name: of the library.
      srcs: its sources.
      hdrs: its headers.
      deps: what they include and link.
      private_deps: what only the sources include.
      one_by_one: a config_setting's label: there each source is compiled alone, and shows that it includes what it uses.
      copts: flags for the sources.
      visibility: of the library.
      **kwargs: as for cc_library, for the sources; tags, testonly and target_compatible_with for everything.
    """
    for_all = {key: kwargs[key] for key in ["tags", "testonly", "target_compatible_with"] if key in kwargs}
    private = ["//visibility:private"]
    joined_sources(name = name + "_joined", srcs = srcs, visibility = private, **for_all)
    native.cc_library(name = name + "_headers", hdrs = hdrs, deps = deps, visibility = private, **for_all)
    joined = {"//conditions:default": [":{}_joined".format(name)]}
    if one_by_one:
        joined[one_by_one] = srcs
    native.cc_library(
        name = name + "_objects",
        srcs = select(joined),
        # The compiler takes a source for a header, and warns of a class that has a type of its unnamed namespace.
        copts = copts + ["-Wno-subobject-linkage"],
        deps = [":{}_headers".format(name), ":{}_joined".format(name)] + private_deps,
        visibility = private,
        **kwargs
    )
    _hidden_objects(
        name = name,
        interface = ":{}_headers".format(name),
        objects = ":{}_objects".format(name),
        visibility = visibility,
        **for_all
    )
