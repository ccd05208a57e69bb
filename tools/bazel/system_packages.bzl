"""The distribution's libraries as external repositories: @absl//:absl, @gtest//:gtest_main, ...

Each repository looks for the headers and libraries it stands for. When one is missing, building a
target that needs it stops with a line that says which package to install; targets that do not need it
still build.
"""

# Where the compiler looks without being told.
_INCLUDE_DIRS = ["/usr/include", "/usr/include/x86_64-linux-gnu", "/usr/local/include"]
_LIBRARY_DIRS = ["/usr/lib/x86_64-linux-gnu", "/usr/lib", "/usr/local/lib"]

def _find(repository_ctx, folders, name):
    for folder in folders:
        if repository_ctx.path(folder + "/" + name).exists:
            return folder + "/" + name
    return None

def _link_flags(libraries):
    # As needed: a binary loads at start only what it calls.
    if not libraries:
        return []
    return (["-Wl,--push-state,--as-needed"] + ["-l" + library for library in libraries] +
            ["-Wl,--pop-state"])

def _package_version(repository_ctx, package):
    dpkg_query = repository_ctx.which("dpkg-query")
    if not dpkg_query:
        return "unknown"
    result = repository_ctx.execute([dpkg_query, "-W", "-f=${Version}", package])
    return result.stdout if result.return_code == 0 else "unknown"

def _check_present(repository_ctx):
    missing = []
    for header in repository_ctx.attr.headers:
        if not _find(repository_ctx, _INCLUDE_DIRS, header):
            missing.append("header " + header)
    for libraries in repository_ctx.attr.targets.values():
        for library in libraries:
            if not (_find(repository_ctx, _LIBRARY_DIRS, "lib" + library + ".so") or
                    _find(repository_ctx, _LIBRARY_DIRS, "lib" + library + ".a")):
                missing.append("library lib" + library)
    for program in repository_ctx.attr.programs:
        if not repository_ctx.which(program):
            missing.append("program " + program)
    if missing:
        fail(("\n\n{name} is not installed ({what} not found).\nInstall it with " +
              "'apt-get install {packages}', or everything at once with 'tools/setup'.\n").format(
            name = repository_ctx.name,
            packages = " ".join(repository_ctx.attr.packages),
            what = ", ".join(missing[:3]),
        ))

def _select(self_contained, otherwise):
    return "select({{\"@warpbeam//tools/bazel:self_contained\": {}, \"//conditions:default\": {}}})".format(
        repr(self_contained),
        otherwise,
    )

def _system_package_impl(repository_ctx):
    _check_present(repository_ctx)

    # An input of every compilation that uses the package: a new version compiles again what saw the
    # old headers.
    versions = [
        package + " " + _package_version(repository_ctx, package)
        for package in repository_ctx.attr.packages
    ]
    repository_ctx.file("version.h", "".join(["// " + line + "\n" for line in versions]))
    lines = [
        "load(\"@warpbeam//tools/bazel:system_library.bzl\", \"system_library\")",
        "package(default_visibility = [\"//visibility:public\"])",
        "exports_files([\"version.h\"])",
    ]
    for target, libraries in repository_ctx.attr.targets.items():
        linkopts = repr(_link_flags(libraries) + repository_ctx.attr.linkopts)
        deps = repr(repository_ctx.attr.library_deps)
        if repository_ctx.attr.self_contained_linkopts or repository_ctx.attr.self_contained_deps:
            linkopts = _select(repository_ctx.attr.self_contained_linkopts, linkopts)
            deps = _select(repository_ctx.attr.library_deps + repository_ctx.attr.self_contained_deps, deps)
        lines.append("system_library(name = {}, hdrs = [\"version.h\"], system_includes = {}, linkopts = {}, deps = {})".format(
            repr(target),
            repr(repository_ctx.attr.system_includes),
            linkopts,
            deps,
        ))
    repository_ctx.file("BUILD", "\n".join(lines) + "\n")

_system_package_rule = repository_rule(
    implementation = _system_package_impl,
    attrs = {
        "packages": attr.string_list(mandatory = True, doc = "Names of the packages to install."),
        "headers": attr.string_list(doc = "Headers that must be there."),
        "programs": attr.string_list(doc = "Programs that must be there."),
        "targets": attr.string_list_dict(doc = "Target name to the libraries it links."),
        "system_includes": attr.string_list(doc = "Folders added with -isystem."),
        "library_deps": attr.string_list(doc = "Labels every target depends on."),
        "linkopts": attr.string_list(),
        "self_contained_linkopts": attr.string_list(doc = "In the place of all others, with --config=self_contained."),
        "self_contained_deps": attr.string_list(doc = "Further labels, with --config=self_contained."),
    },
    local = True,
    doc = "One package of the distribution as an external repository.",
)

def _system_package(name, **kwargs):
    if name not in native.existing_rules():
        _system_package_rule(name = name, **kwargs)

# What Warpbeam uses of Abseil and what that needs in turn: the linker is given all of it.
_ABSL_LIBRARIES = [
    "absl_flags_parse",
    "absl_flags_usage",
    "absl_flags_usage_internal",
    "absl_flags_config",
    "absl_flags_internal",
    "absl_flags_marshalling",
    "absl_flags_reflection",
    "absl_flags_private_handle_accessor",
    "absl_flags_commandlineflag",
    "absl_flags_commandlineflag_internal",
    "absl_flags_program_name",
    "absl_failure_signal_handler",
    "absl_statusor",
    "absl_status",
    "absl_hash",
    "absl_city",
    "absl_low_level_hash",
    "absl_raw_hash_set",
    "absl_hashtablez_sampler",
    "absl_cord",
    "absl_cordz_info",
    "absl_cord_internal",
    "absl_cordz_functions",
    "absl_cordz_handle",
    "absl_exponential_biased",
    "absl_synchronization",
    "absl_graphcycles_internal",
    "absl_stacktrace",
    "absl_symbolize",
    "absl_examine_stack",
    "absl_debugging_internal",
    "absl_demangle_internal",
    "absl_malloc_internal",
    "absl_time",
    "absl_civil_time",
    "absl_time_zone",
    "absl_str_format_internal",
    "absl_strings",
    "absl_strings_internal",
    "absl_strerror",
    "absl_int128",
    "absl_base",
    "absl_spinlock_wait",
    "absl_bad_optional_access",
    "absl_bad_variant_access",
    "absl_throw_delegate",
    "absl_raw_logging_internal",
    "absl_log_severity",
]

def system_packages():
    """Declares every system package that a target of this project may depend on, but those that are there already."""
    _system_package(
        name = "absl",
        packages = ["libabsl-dev"],
        headers = ["absl/status/statusor.h", "absl/container/flat_hash_map.h"],
        targets = {"absl": _ABSL_LIBRARIES},
        self_contained_deps = ["@absl_source//:library"],
        linkopts = ["-lpthread"],
    )
    _system_package(
        name = "protobuf",
        packages = ["libprotobuf-dev", "protobuf-compiler"],
        headers = ["google/protobuf/message.h"],
        programs = ["protoc"],
        targets = {"protobuf": ["protobuf"]},
        self_contained_deps = ["@protobuf_source//:library"],
        linkopts = ["-lpthread"],
    )
    _system_package(
        name = "grpc",
        packages = ["libgrpc++-dev", "protobuf-compiler-grpc"],
        headers = ["grpcpp/grpcpp.h"],
        programs = ["grpc_cpp_plugin"],
        targets = {"grpc++": ["grpc++", "grpc", "gpr"]},
        # Its static libraries are good for shared ones, and need these.
        self_contained_linkopts = [
            "-Wl,--start-group",
            "-l:libgrpc++.a",
            "-l:libgrpc.a",
            "-l:libgpr.a",
            "-l:libupb.a",
            "-l:libaddress_sorting.a",
            "-Wl,--end-group",
            "-lre2",
            "-lcares",
            "-lssl",
            "-lcrypto",
            "-lz",
        ],
        library_deps = ["@protobuf//:protobuf", "@absl//:absl"],
    )
    _system_package(
        name = "openssl",
        packages = ["libssl-dev"],
        headers = ["openssl/ssl.h"],
        targets = {"ssl": ["ssl", "crypto"]},
    )
    _system_package(
        name = "gloo",
        packages = ["libgloo-dev"],
        headers = ["gloo/transport/tcp/device.h"],
        targets = {"gloo": ["gloo"]},
        linkopts = ["-lpthread"],
    )
    _system_package(
        name = "gtest",
        packages = ["libgtest-dev", "libgmock-dev"],
        headers = ["gtest/gtest.h", "gmock/gmock.h"],
        targets = {
            "gtest": ["gmock", "gtest"],
            "gtest_main": ["gmock_main", "gmock", "gtest"],
        },
        linkopts = ["-lpthread"],
    )
    _system_package(
        name = "benchmark",
        packages = ["libbenchmark-dev"],
        headers = ["benchmark/benchmark.h"],
        targets = {
            "benchmark": ["benchmark"],
            "benchmark_main": ["benchmark_main", "benchmark"],
        },
        linkopts = ["-lpthread"],
    )
    _system_package(
        name = "dnnl",
        packages = ["libdnnl-dev"],
        headers = ["oneapi/dnnl/dnnl.h"],
        targets = {"dnnl": ["dnnl"]},
        # Its OpenMP, whose width callers set.
        linkopts = ["-lgomp"],
    )
    _system_package(
        name = "highway",
        packages = ["libhwy-dev"],
        headers = ["hwy/highway.h", "hwy/contrib/math/math-inl.h"],
        targets = {"hwy": ["hwy"]},
    )
    _system_package(
        name = "eigen",
        packages = ["libeigen3-dev"],
        headers = ["eigen3/Eigen/Core"],
        targets = {"eigen": []},
        system_includes = ["/usr/include/eigen3"],
    )
    _system_package(
        name = "farmhash",
        packages = ["libfarmhash-dev"],
        headers = ["farmhash.h"],
        targets = {"farmhash": ["farmhash"]},
    )
    _system_package(
        name = "re2",
        packages = ["libre2-dev"],
        headers = ["re2/re2.h"],
        targets = {"re2": ["re2"]},
    )
    _system_package(
        name = "zlib",
        packages = ["zlib1g-dev"],
        headers = ["zlib.h"],
        targets = {"zlib": ["z"]},
    )
    _system_package(
        name = "snappy",
        packages = ["libsnappy-dev"],
        headers = ["snappy.h"],
        targets = {"snappy": ["snappy"]},
    )
    _system_package(
        name = "png",
        packages = ["libpng-dev"],
        headers = ["png.h"],
        targets = {"png": ["png16"]},
    )
    _system_package(
        name = "jpeg",
        packages = ["libjpeg62-turbo-dev"],
        headers = ["jpeglib.h"],
        targets = {"jpeg": ["jpeg"]},
    )
    _system_package(
        name = "gif",
        packages = ["libgif-dev"],
        headers = ["gif_lib.h"],
        targets = {"gif": ["gif"]},
    )
