"""Kernels for GPUs under a sanitizer, in a program whose other code is as always.

Whoever adds a kernel adds a test, and the test of all of them links their code once more, as a sanitizer wants it, in
the place of what it would link: so each run of the tests has every kernel under the sanitizers, for a tenth of what
it takes to compile everything for them.

  sanitized_kernels(...)             what wb_op_family declares for its kernels
  sanitized_kernels_test(...)        a test that links such kernels
"""

load("//tools/bazel:joined_library.bzl", "joined_library")

# As --config=asan and --config=tsan have it (.bazelrc), but with less optimisation, which takes half of the time.
# The macros by which headers know a sanitizer are not there: what they would add to a type, or do for it, the
# other code would lack.
_FLAGS = {
    "asan": struct(
        compile = [
            "-fsanitize=address,undefined",
            "-fno-sanitize-recover=undefined",
            "-U__SANITIZE_ADDRESS__",
        ],
        link = "-fsanitize=address,undefined",
    ),
    "tsan": struct(
        compile = [
            "-fsanitize=thread",
            "-U__SANITIZE_THREAD__",
            "-D_GLIBCXX_TSAN=1",
        ],
        link = "-fsanitize=thread",
    ),
}

# Variables that nobody takes an address of are in registers, where ThreadSanitizer need not look at them.
_HARDLY_OPTIMISED = ["-Og", "-g1", "-U_FORTIFY_SOURCE"]

_SanitizedInfo = provider(
    "What is linked instead of others.",
    fields = {"linked": "Linker inputs.", "owners": "Labels of those whose linker inputs are left out."},
)

def _with_objects(label):
    """A library and what joined_library calls its objects."""
    return [label, label.relative(":" + label.name + "_objects")]

def _sanitized_impl(ctx):
    linked = []
    if ctx.attr.objects:
        own = _with_objects(ctx.attr.objects.label)
        inputs = ctx.attr.objects[CcInfo].linking_context.linker_inputs.to_list()
        linked = [one for one in inputs if one.owner in own]
    return [_SanitizedInfo(
        linked = linked,
        owners = [owner for library in ctx.attr.instead_of for owner in _with_objects(library.label)],
    )]

_sanitized = rule(
    implementation = _sanitized_impl,
    attrs = {
        "objects": attr.label(providers = [CcInfo]),
        "instead_of": attr.label_list(providers = [CcInfo]),
    },
)

def sanitized_kernels(name, srcs, instead_of, deps, copts = []):
    """NAME_under_asan and NAME_under_tsan, for sanitized_kernels_test.

    Args:
      name: of the kernels.
      srcs: their sources; there may be none.
      instead_of: the libraries that have just these sources.
      deps: what they include.
      copts: further flags for them.
    """
    for sanitizer, flags in _FLAGS.items():
        under = "{}_under_{}".format(name, sanitizer)
        if srcs:
            joined_library(
                name = under + "_sources",
                srcs = srcs,
                hdrs = [],
                alwayslink = True,
                copts = flags.compile + _HARDLY_OPTIMISED + copts,
                tags = ["manual"],
                visibility = ["//visibility:private"],
                deps = deps,
            )
        _sanitized(
            name = under,
            objects = ":" + under + "_sources" if srcs else None,
            instead_of = instead_of,
            tags = ["manual"],
            visibility = ["//visibility:public"],
        )

def _linked_with_impl(ctx):
    merged = cc_common.merge_cc_infos(cc_infos = [dep[CcInfo] for dep in ctx.attr.deps])
    inputs = merged.linking_context.linker_inputs.to_list()
    there = {one.owner: True for one in inputs}
    for kernels in ctx.attr.kernels:
        owners = kernels[_SanitizedInfo].owners
        if owners and not [owner for owner in owners if owner in there]:
            fail("{} is in the place of nothing that the deps link".format(kernels.label))
    left_out = {owner: True for kernels in ctx.attr.kernels for owner in kernels[_SanitizedInfo].owners}

    # First: of a template that others use as well the linker takes the first that it sees.
    first = [one for kernels in ctx.attr.kernels for one in kernels[_SanitizedInfo].linked]
    linked = depset(first + [one for one in inputs if one.owner not in left_out], order = "topological")
    return [CcInfo(
        compilation_context = merged.compilation_context,
        linking_context = cc_common.create_linking_context(linker_inputs = linked),
    )]

_linked_with = rule(
    implementation = _linked_with_impl,
    attrs = {
        "deps": attr.label_list(providers = [CcInfo]),
        "kernels": attr.label_list(providers = [_SanitizedInfo]),
    },
)

def sanitized_kernels_test(name, sanitizer, kernels, deps, copts = [], **kwargs):
    """A GoogleTest binary, of the tests in `deps` as well.

    Args:
      name: of the test.
      sanitizer: "asan" (AddressSanitizer and UndefinedBehaviorSanitizer) or "tsan".
      kernels: labels of wb_op_family's kernels, //ops/math:math_gpu_kernels and the like.
      deps: the tests, whose libraries have alwayslink.
      copts: more flags for the sources, which are compiled for the sanitizer too.
      **kwargs: as for cc_test.
    """

    # Where everything is under a sanitizer, they are there already; and a GPU has kernels of its own.
    elsewhere = select({
        "//tools/bazel:with_asan": ["//tools/bazel:not_buildable"],
        "//tools/bazel:with_tsan": ["//tools/bazel:not_buildable"],
        "//tools/bazel:with_cuda": ["//tools/bazel:not_buildable"],
        "//conditions:default": [],
    })
    _linked_with(
        name = name + "_linked",
        testonly = True,
        deps = deps + ["@gtest//:gtest_main"],
        kernels = ["{}_under_{}".format(one, sanitizer) for one in kernels],
        tags = ["manual"],
        target_compatible_with = elsewhere,
        visibility = ["//visibility:private"],
    )
    native.cc_test(
        name = name,
        copts = copts + _FLAGS[sanitizer].compile + _HARDLY_OPTIMISED,
        deps = [":{}_linked".format(name), "//tools/sanitizer_options"],
        linkopts = [_FLAGS[sanitizer].link, "-no-pie"],
        target_compatible_with = elsewhere,
        **kwargs
    )
