"""The sources of installed packages whose static libraries cannot be part of a shared library.

Debian compiles them for programs. The shared library (//tools/packaging) has Abseil and Protobuf inside: they are
compiled again from the distribution's sources, of the version that is installed, which fits the installed headers.
Nothing is downloaded before a target needs it (--config=self_contained).
"""

_ABSL_BUILD = """
load("@warpbeam//tools/bazel:link_only.bzl", "link_only")
package(default_visibility = ["//visibility:public"])

_NOT_LIBRARY = [
    "source/absl/**/*_test.cc",
    "source/absl/**/*test_*.cc",
    "source/absl/**/*testing*.cc",
    "source/absl/**/*benchmark*.cc",
    "source/absl/**/*mock*.cc",
    "source/absl/**/*_gentables.cc",
    "source/absl/**/chi_square.cc",
    "source/absl/**/distribution_test_util.cc",
    "source/absl/**/print_hash_of.cc",
]

_AES = ["source/absl/random/internal/randen_hwaes.cc"]

cc_library(
    name = "aes",
    srcs = _AES,
    hdrs = glob(["source/absl/**/*.h", "source/absl/**/*.inc"]),
    includes = ["source"],
    copts = ["-w", "-maes", "-O2"],
    alwayslink = True,
)

cc_library(
    name = "compiled",
    srcs = glob(["source/absl/**/*.cc"], exclude = _NOT_LIBRARY + _AES),
    copts = ["-w", "-O2"],
    linkopts = ["-lpthread"],
    alwayslink = True,
    deps = [":aes"],
)

link_only(
    name = "library",
    deps = [":compiled"],
)
"""

_PROTOBUF_BUILD = """
load("@warpbeam//tools/bazel:link_only.bzl", "link_only")
package(default_visibility = ["//visibility:public"])

cc_library(
    name = "compiled",
    srcs = {srcs},
    hdrs = glob(["source/src/google/**/*.h", "source/src/google/**/*.inc"]),
    includes = ["source/src"],
    copts = ["-w", "-O2", "-DHAVE_ZLIB=1"],
    linkopts = ["-lpthread", "-lz"],
    alwayslink = True,
)

link_only(
    name = "library",
    deps = [":compiled"],
)
"""

def _fetch(repository_ctx, package):
    script = repository_ctx.path(repository_ctx.attr._script)
    result = repository_ctx.execute(["bash", str(script), package], timeout = 600)
    if result.return_code != 0:
        fail("\n\nThe sources of {} cannot be had: {}\n".format(
            package,
            result.stderr.strip().split("\n")[-1] if result.stderr else "no message",
        ))

def _absl_source_impl(repository_ctx):
    _fetch(repository_ctx, "libabsl-dev")
    _delete_build_files(repository_ctx)
    repository_ctx.file("BUILD", _ABSL_BUILD)

def _delete_build_files(repository_ctx):
    # Theirs would be packages of their own.
    repository_ctx.execute(["find", "source", "-name", "BUILD*", "-type", "f", "-delete"])

def _protobuf_source_impl(repository_ctx):
    _fetch(repository_ctx, "libprotobuf-dev")
    _delete_build_files(repository_ctx)

    # Which files are the library is what its own build says.
    srcs = []
    for name in ["libprotobuf-lite", "libprotobuf"]:
        for line in repository_ctx.read("source/cmake/{}.cmake".format(name)).split("\n"):
            if line.endswith(".cc") and "/src/" in line:
                srcs.append("source/src/" + line.split("/src/")[1])
    repository_ctx.file("BUILD", _PROTOBUF_BUILD.format(srcs = repr(srcs)))

_SCRIPT = {
    "_script": attr.label(default = "//tools/bazel:debian_source.sh", allow_single_file = True),
}

_absl_source = repository_rule(implementation = _absl_source_impl, attrs = _SCRIPT)
_protobuf_source = repository_rule(implementation = _protobuf_source_impl, attrs = _SCRIPT)

def debian_sources():
    """Declares @absl_source and @protobuf_source; each has a target :library."""
    existing = native.existing_rules()
    if "absl_source" not in existing:
        _absl_source(name = "absl_source")
    if "protobuf_source" not in existing:
        _protobuf_source(name = "protobuf_source")
