"""header_examples: the examples in headers' comments are compiled (header_examples.py)."""

load("//tools/bazel:warpbeam.bzl", "wb_library")

def _examples_source_impl(ctx):
    headers = []
    for library in ctx.attr.libraries:
        headers += [header for header in library[CcInfo].compilation_context.direct_headers if header.is_source]
    headers += ctx.files.pages
    source = ctx.actions.declare_file(ctx.label.name + ".cc")
    arguments = ctx.actions.args()
    arguments.add(ctx.file.context)
    arguments.add(source)
    arguments.add_all(headers)
    ctx.actions.run(
        executable = ctx.executable._script,
        arguments = [arguments],
        inputs = headers + [ctx.file.context],
        outputs = [source],
        mnemonic = "HeaderExamples",
    )
    return [DefaultInfo(files = depset([source]))]

_examples_source = rule(
    implementation = _examples_source_impl,
    attrs = {
        "context": attr.label(allow_single_file = True, mandatory = True),
        "libraries": attr.label_list(providers = [CcInfo]),
        "pages": attr.label_list(allow_files = [".md"]),
        "_script": attr.label(
            default = "//tests/header_examples:header_examples.py",
            allow_single_file = True,
            cfg = "host",
            executable = True,
        ),
    },
)

def header_examples(name, libraries = [], deps = [], pages = []):
    """Compiles the examples in the headers of `libraries` and in `pages`, with NAME.context.cc.

    Args:
      name: of the library of all examples, which nothing links.
      libraries: whose headers are looked at.
      deps: what the examples need besides.
      pages: documents (.md) whose code is looked at.
    """
    _examples_source(
        name = name + "_source",
        context = name + ".context.cc",
        libraries = libraries,
        pages = pages,
        testonly = True,
    )
    wb_library(
        name = name,
        srcs = [name + "_source"],
        copts = ["-O1", "-w"],
        linkstatic = True,
        testonly = True,
        deps = libraries + deps,
    )
