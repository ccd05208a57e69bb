"""The macros of this project's BUILD files: a folder's BUILD is usually one call.

  wb_package(deps = [...])        one library and one test binary from the files of the folder
  wb_cuda_package(deps = [...])   the same for a folder that exists only with CUDA
  wb_op_family(deps = [...])      the same for a family of ops, GPU pass included
  wb_test(...), wb_binary(...)    a further test, a program
  wb_library(...)                 a library of some of the folder's files

A file's name says what becomes of it:

  x.cc, x.h       the library          x_gpu.cc, x_gpu.cu   the library, with --config=cuda only
  x_test.cc       the test binary      x_main.cc            neither: a wb_binary names it
  x_gpu_test.cc   of a family of ops: a test binary of its own, with --config=cuda only
"""

load("//tools/bazel:cuda_library.bzl", "cuda_library")
load("//tools/bazel:joined_library.bzl", "joined_library", "joined_sources")
load("//tools/bazel:link_only.bzl", "link_only")
load("//tools/bazel:sanitized_kernels.bzl", "sanitized_kernels")

def _ours(label):
    """A label of this repository, for macros that other repositories call as well."""
    return str(Label(label))

_WITH_CUDA = _ours("//tools/bazel:with_cuda")

_NOT_SOURCES = ["**/*_test.cc", "**/*_main.cc", "**/*_gpu.cc"]

# Of a family of ops: the kernels that only GPUs have, compiled for the host.
_OF_GPUS_ALONE = ["**/gpu/*.cc", "**/*_gpu_kernel.cc"]

_ONLY_WITH_CUDA = select({
    _WITH_CUDA: [],
    "//conditions:default": [_ours("//tools/bazel:not_buildable")],
})

_SANITIZER_OPTIONS = select({
    _ours("//tools/bazel:with_asan"): [_ours("//tools/sanitizer_options")],
    _ours("//tools/bazel:with_tsan"): [_ours("//tools/sanitizer_options")],
    "//conditions:default": [],
})

_SOURCES_ALONE = _ours("//tools/bazel:sources_alone")

# Under --config=alone every source shows that it includes what it uses.
def _unless_alone(value):
    return select({
        _SOURCES_ALONE: [],
        "//conditions:default": value,
    })

def without_sanitizer(level):
    """Flags for a level of optimisation; none under a sanitizer, where all sources are optimised alike.

    Args:
      level: a list of flags.
    Returns:
      what a rule takes for a list.
    """
    return select({
        _ours("//tools/bazel:with_asan"): [],
        _ours("//tools/bazel:with_tsan"): [],
        "//conditions:default": level,
    })

# Where this repository's files and outputs are below the root of a build: "external/warpbeam" in another workspace.
ROOT = Label("//tools/bazel:warpbeam.bzl").workspace_root
_IN_OUTPUTS = "$(BINDIR)/" + (ROOT + "/" if ROOT else "")

def _is_ours():
    """Whether the package that calls a macro is one of this repository."""
    return native.repository_name() == "@" + ROOT.split("/")[-1]

def baseline_copts(optimisation = "-O2"):
    """The flags that .bazelrc gives here. Another workspace has a .bazelrc of its own, so there our packages say them.

    Its flags may ask for warnings, too, which our sources are not written for.

    Args:
      optimisation: the level, where the compilation mode does not say it.
    Returns:
      a list of flags; nothing in this workspace, and nothing for the packages of others.
    """
    if not ROOT or not _is_ours():
        return []
    return ["-std=c++17", "-march=x86-64-v3", "-ffp-contract=off", "-w", optimisation]

def _precompiled(name, header):
    """The flags and the deps of sources that are compiled with a header of //tools/pch; others compile without."""
    if not _is_ours():
        return struct(copts = [], deps = [])
    return struct(
        copts = _unless_alone(["-fpch-deps", "-include", _IN_OUTPUTS + "tools/pch/{}/{}".format(name, header)]),
        deps = _unless_alone([_ours("//tools/pch:" + name)]),
    )

def _precompiled_for(copts):
    for level in ["O1", "O3"]:
        if "-" + level in copts:
            return _precompiled(level, "system.h")
    return _precompiled("O2", "system.h")

def _folder_name(name):
    return name or native.package_name().split("/")[-1]

def _linked_with_cuda(name, deps):
    """What a library links with --config=cuda; see link_only for why it is nothing more."""
    link_only(
        name = name,
        target_compatible_with = _ONLY_WITH_CUDA,
        visibility = ["//visibility:private"],
        deps = deps,
    )
    return select({
        _WITH_CUDA: [":" + name],
        "//conditions:default": [],
    })

# Three hundred tests are linked, with half of a second each where other linkers take one and a half.
_FAST_LINKER = ["-fuse-ld=lld"]

def wb_test(name, srcs, deps = [], size = "small", copts = [], linkopts = [], tags = ["host_test"], **kwargs):
    """A GoogleTest binary.

    Args:
      name: of the test.
      srcs: its sources; main() comes from GoogleTest.
      deps: what it links besides GoogleTest and GoogleMock.
      size: Bazel's size of the test.
      copts: more flags for its sources.
      linkopts: more flags for the linker.
      tags: Bazel's. A host_test is not linked again where there is CUDA but no GPU to run it; a toolkit_test needs
        no GPU and runs there.
      **kwargs: as for cc_test.
    """
    precompiled = _precompiled("test", "system_and_gtest.h")
    native.cc_test(
        name = name,
        size = size,
        srcs = srcs,
        copts = baseline_copts("-O0") + precompiled.copts + copts,
        linkopts = (_FAST_LINKER if _is_ours() else []) + linkopts,
        deps = deps + precompiled.deps + ["@gtest//:gtest_main"] + _SANITIZER_OPTIONS,
        tags = tags,
        **kwargs
    )

def wb_binary(name, srcs, deps = [], **kwargs):
    """A program. On a CPU below the baseline it says so instead of stopping at an illegal instruction.

    Args:
      name: of the program.
      srcs: its sources.
      deps: what it links.
      **kwargs: as for cc_binary.
    """
    precompiled = _precompiled_for([])
    native.cc_binary(
        name = name,
        srcs = srcs,
        copts = baseline_copts() + precompiled.copts,
        deps = deps + precompiled.deps + [_ours("//tools/baseline_check")] + _SANITIZER_OPTIONS,
        **kwargs
    )

def wb_library(name, srcs = [], hdrs = [], deps = [], copts = [], **kwargs):
    """A library of some files of a folder. This repository's sources are compiled a few at a time (joined_library), but for tests'.

    Args:
      name: of the library.
      srcs: its sources.
      hdrs: its headers.
      deps: what they include and link.
      copts: more flags for its sources; a level of optimisation does not count under a sanitizer.
      **kwargs: as for cc_library.
    """
    precompiled = _precompiled_for(copts)
    if not srcs:
        precompiled = struct(copts = [], deps = [])
    level = [flag for flag in copts if flag.startswith("-O")]
    others = [flag for flag in copts if not flag.startswith("-O")]
    copts = baseline_copts() + precompiled.copts + without_sanitizer(level) + others
    if len(srcs) > 1 and _is_ours() and not kwargs.get("testonly"):
        joined_library(
            name = name,
            srcs = srcs,
            hdrs = hdrs,
            copts = copts,
            deps = deps,
            private_deps = precompiled.deps,
            one_by_one = _SOURCES_ALONE,
            **kwargs
        )
    else:
        native.cc_library(
            name = name,
            srcs = srcs,
            hdrs = hdrs,
            copts = copts,
            deps = deps + precompiled.deps,
            **kwargs
        )

# How many tests are compiled together: fewer than of a library's sources, as they are edited and compiled more often.
_TESTS_AT_ONCE = 4

def _joined_tests(name, srcs):
    """What is compiled of a folder's tests, and what that is compiled with; the tests of others are not joined."""
    if len(srcs) < 2 or not _is_ours():
        return struct(srcs = srcs, deps = [])
    joined_sources(
        name = name + "_joined",
        testonly = True,
        srcs = srcs,
        at_once = _TESTS_AT_ONCE,
        # By which .bazelrc knows tests.
        ending = "_test.cc",
        visibility = ["//visibility:private"],
    )
    return struct(
        srcs = select({
            _SOURCES_ALONE: srcs,
            "//conditions:default": [":{}_joined".format(name)],
        }),
        deps = [":{}_joined".format(name)],
    )

def _package_test(name, srcs, deps, **kwargs):
    if srcs:
        tests = _joined_tests(name + "_test", srcs)
        wb_test(name = name + "_test", srcs = tests.srcs, deps = [":" + name] + deps + tests.deps, **kwargs)

def wb_package(
        name = None,
        deps = [],
        test_deps = [],
        srcs_exclude = [],
        alwayslink = False,
        test_data = [],
        test_shards = None,
        test_size = "small",
        copts = [],
        linkopts = [],
        testonly = False,
        subfolders = []):
    """One library of the folder's sources and headers, and one test binary of its *_test.cc.

    Args:
      name: of the library; by default the folder's name. The test is NAME_test.
      deps: of the library.
      test_deps: what the tests need besides the library, GoogleTest and GoogleMock.
      srcs_exclude: files of the folder that belong to neither.
      alwayslink: keep objects that only register themselves.
      test_data: files the tests read.
      test_shards: how many processes share the tests.
      test_size: Bazel's size of the test.
      copts: more flags for the library's sources; -O1 where code runs once in a program, such as what builds graphs.
      linkopts: more flags for the linker.
      testonly: the library is for tests only.
      subfolders: those whose files belong to it, too.
    """
    name = _folder_name(name)
    folders = [""] + [folder + "/" for folder in subfolders]
    wb_library(
        name = name,
        srcs = native.glob([f + "*.cc" for f in folders], exclude = _NOT_SOURCES + srcs_exclude, allow_empty = True),
        hdrs = native.glob([f + "*.h" for f in folders], exclude = srcs_exclude, allow_empty = True),
        alwayslink = alwayslink,
        copts = copts,
        linkopts = linkopts,
        testonly = testonly,
        visibility = ["//visibility:public"],
        deps = deps,
    )
    _package_test(
        name = name,
        srcs = native.glob([f + "*_test.cc" for f in folders], exclude = srcs_exclude, allow_empty = True),
        data = test_data,
        deps = test_deps,
        shard_count = test_shards,
        size = test_size,
    )

def wb_cuda_package(
        name = None,
        deps = [],
        test_deps = [],
        test_data = [],
        test_tags = ["gpu_test"],
        alwayslink = True,
        local_defines = []):
    """A folder that exists only with CUDA; without it the library is its headers.

    So a BUILD file to the right may depend on it everywhere. Who includes a header that includes CUDA's depends on
    @cuda//:cudart as well. Sources are host code that calls CUDA's libraries (.cc) and device code (.cu, compiled by
    nvcc); tests are built and run with --config=cuda.

    Args:
      name: of the library; by default the folder's name. The test is NAME_test.
      deps: of the library, @cuda//:cublas and the like among them; @cuda//:cudart comes by itself.
      test_deps: what the tests need besides.
      test_data: files the tests read.
      test_tags: Bazel's, of the tests; toolkit_test where they need no GPU.
      alwayslink: keep objects that only register themselves.
      local_defines: macros of the sources of host code.
    """
    name = _folder_name(name)
    public_deps = [dep for dep in deps if not dep.startswith("@cuda//")]
    deps = deps + ["@cuda//:cudart"]
    hdrs = native.glob(["*.h"], allow_empty = True)
    wb_library(
        name = name + "_host",
        srcs = native.glob(["*.cc"], exclude = ["*_test.cc", "*_main.cc"], allow_empty = True),
        hdrs = hdrs,
        alwayslink = alwayslink,
        local_defines = local_defines,
        target_compatible_with = _ONLY_WITH_CUDA,
        visibility = ["//visibility:private"],
        deps = deps,
    )
    cuda_library(
        name = name + "_device",
        srcs = native.glob(["*.cu"], allow_empty = True),
        hdrs = hdrs,
        target_compatible_with = _ONLY_WITH_CUDA,
        visibility = ["//visibility:private"],
        deps = deps,
    )
    native.cc_library(
        name = name,
        hdrs = hdrs,
        visibility = ["//visibility:public"],
        deps = public_deps + _linked_with_cuda(name + "_cuda", [":" + name + "_host", ":" + name + "_device"]),
    )
    _package_test(
        name = name,
        srcs = native.glob(["*_test.cc"], allow_empty = True),
        data = test_data,
        tags = test_tags,
        deps = test_deps + ["@cuda//:cudart"],
        target_compatible_with = _ONLY_WITH_CUDA,
    )

def _op_library(name, label = None, **kwargs):
    """A library whose ops know what a program links for them, `label` or itself: `warpbeam ops MODEL --bazel` prints it."""
    repository = native.repository_name()
    label = "{}//{}:{}".format("" if repository == "@" else repository, native.package_name(), label or name)
    wb_library(
        name = name,
        alwayslink = True,
        visibility = ["//visibility:public"],
        local_defines = ["WB_OP_LIBRARY=\\\"{}\\\"".format(label)],
        **kwargs
    )

def _gpu_libraries(name, deps, gpu_deps, hdrs, others, elementwise):
    """What a family has for GPUs: its kernels for simulated ones, and its host and device code that needs CUDA.

    Args:
      name: of the family.
      deps: of the family, its base among them.
      gpu_deps: as for wb_op_family.
      hdrs: of the family.
      others: of further libraries with block functions, by name, the sources.
      elementwise: as for wb_op_family.
    Returns:
      what to link with CUDA.
    """
    kernels = ":" + name + "_gpu_kernels"
    of_gpus_alone = native.glob(_OF_GPUS_ALONE, exclude = _NOT_SOURCES, allow_empty = True)
    wb_library(
        name = name + "_gpu_kernels",
        srcs = of_gpus_alone,
        alwayslink = True,
        # Simulated GPUs need not be fast, and the compiler needs half of the time that it needs for -O3.
        copts = ["-O1"],
        visibility = ["//visibility:public"],
        deps = deps,
    )

    # The host's compiler is to see what nvcc sees (ops/launch/pass.h).
    simulated_pass = ["-DWB_SIMULATED_GPU_PASS"]
    wb_library(
        name = name + "_gpu_elementwise",
        srcs = elementwise,
        alwayslink = True,
        copts = ["-Os"] + simulated_pass,
        visibility = ["//visibility:public"],
        deps = deps,
    )
    sanitized = of_gpus_alone + [src for srcs in others.values() for src in srcs]
    if _is_ours():
        sanitized_kernels(
            name = name + "_gpu_kernels",
            srcs = sanitized,
            instead_of = ([kernels] if of_gpus_alone else []) + others.keys(),
            deps = deps,
        )
        sanitized_kernels(
            name = name + "_gpu_elementwise",
            srcs = elementwise,
            instead_of = [":" + name + "_gpu_elementwise"] if elementwise else [],
            deps = deps,
            copts = simulated_pass,
        )
    gpu_deps = deps + gpu_deps + ["@cuda//:cudart"]
    wb_library(
        name = name + "_host_gpu",
        srcs = native.glob(["**/*_gpu.cc"], allow_empty = True),
        hdrs = hdrs,
        alwayslink = True,
        target_compatible_with = _ONLY_WITH_CUDA,
        visibility = ["//visibility:private"],
        deps = gpu_deps,
    )
    cuda_library(
        name = name + "_device",
        srcs = native.glob(["*.cc", "gpu/*.cc", "**/*.cu"], exclude = _NOT_SOURCES, allow_empty = True),
        hdrs = hdrs,
        together = select({
            _SOURCES_ALONE: False,
            "//conditions:default": True,
        }),
        target_compatible_with = _ONLY_WITH_CUDA,
        visibility = ["//visibility:private"],
        deps = gpu_deps,
    )
    return _linked_with_cuda(name + "_cuda", [":" + name + "_host_gpu", ":" + name + "_device", kernels])

def _families_of(deps):
    """The families that have the bases among `deps`: what a test runs ops of, their kernels for GPUs included."""
    families = [dep.split(":")[0] for dep in deps if dep.startswith("//") and dep.endswith("_base")]
    return families, ["{}:{}_gpu_kernels".format(family, family.split("/")[-1]) for family in families]

def _family_tests(name, gpu_deps, test_deps, test_data, test_shards, test_size, test_copts):
    """The tests of wb_op_family, with its arguments; those in gpu/ are a library, which //tests/gpu links as well."""
    of_gpu_kernels = ["**/gpu/*_test.cc", "**/*_gpu_kernel_test.cc"]
    gpu_kernel_tests = native.glob(of_gpu_kernels, allow_empty = True)
    precompiled = _precompiled("test", "system_and_gtest.h")
    tests = _joined_tests(name + "_gpu_kernel_tests", gpu_kernel_tests)
    native.cc_library(
        name = name + "_gpu_kernel_tests",
        testonly = True,
        srcs = tests.srcs,
        alwayslink = True,
        copts = baseline_copts("-O0") + precompiled.copts + test_copts,
        visibility = [_ours("//tests/cuda_stand_in:__pkg__"), _ours("//tests/gpu:__pkg__")],
        deps = [":" + name] + test_deps + precompiled.deps + tests.deps + ["@gtest//:gtest"],
    )
    _package_test(
        name = name,
        srcs = native.glob(["**/*_test.cc"], exclude = ["**/*_gpu_test.cc"] + of_gpu_kernels, allow_empty = True),
        copts = test_copts,
        data = test_data,
        deps = test_deps + [":{}_gpu_kernel_tests".format(name)],
        shard_count = test_shards,
        size = test_size,
    )
    gpu_tests = native.glob(["**/*_gpu_test.cc"], allow_empty = True)
    if gpu_tests:
        wb_test(
            name = name + "_gpu_test",
            srcs = gpu_tests,
            size = test_size,
            tags = ["toolkit_test"],
            target_compatible_with = _ONLY_WITH_CUDA,
            deps = [":" + name, ":" + name + "_host_gpu"] + test_deps + gpu_deps + ["@cuda//:cudart"],
        )

def wb_op_family(
        name = None,
        deps = [],
        base = [],
        block_functions = [],
        elementwise = [],
        test_deps = [],
        gpu_deps = [],
        test_data = [],
        test_shards = 4,
        test_size = "small",
        test_copts = [],
        optimisation = "-O3"):
    """A family of ops: the folder and its sub-folders, without a line to edit for a new op.

    x.cc without an x.h has ops that nothing else needs: it is a library of its own, named x, so that a program can
    have the ops of its graphs alone. All other sources and all headers are NAME_base, which every op of the family has,
    and which other families depend on. Everything together is NAME.

    Every .cc is compiled for the host. Kernels that GPUs alone have (gpu/*.cc and *_gpu_kernel.cc) are NAME_gpu_kernels:
    without CUDA only simulated GPUs run them, so that library is a part of //ops, and of NAME with --config=cuda alone.
    There, nvcc compiles each .cc in the family's folder or its gpu/ that opens a `namespace ... WB_PASS` (the same
    file, its GPU pass) and every .cu; *_gpu.cc is host code that calls CUDA's libraries. *_gpu_test.cc is
    NAME_gpu_test: what of it can be tested where there is no GPU. Tests in gpu/ are in NAME_test, and in //tests/gpu.
    NAME_gpu_elementwise is what nvcc compiles of elementwise ops, for simulated GPUs: without it they run the CPU's loops.
    NAME_gpu_kernels_under_asan and _under_tsan are the kernels once more, for //tests/gpu alone.

    Args:
      name: of the library; by default the folder's name. The test is NAME_test.
      deps: of all passes.
      base: further sources of NAME_base (globs): those that define what a header of another name declares.
      block_functions: sources (globs) outside of gpu/ that have some, which are tested under the sanitizers as well.
      elementwise: sources (globs) that include ops/launch/elementwise.h and have code for GPUs.
      test_deps: what the tests need besides the family, those whose bases it has, GoogleTest and GoogleMock.
      gpu_deps: of what exists only with CUDA: @cuda//:cudnn and the like; @cuda//:cudart comes by itself.
      test_data: files the tests read.
      test_shards: how many processes share the family's tests.
      test_size: Bazel's size of the test.
      test_copts: more flags for the tests' sources.
      optimisation: the level for the host's sources; less where templates take minutes to compile.
    """
    name = _folder_name(name)
    hdrs = native.glob(["**/*.h"], allow_empty = True)
    srcs = native.glob(["**/*.cc"], exclude = _NOT_SOURCES + _OF_GPUS_ALONE, allow_empty = True)
    of_base = [hdr[:-len(".h")] + ".cc" for hdr in hdrs] + (native.glob(base) if base else [])
    ops = [src for src in srcs if src not in of_base]
    with_blocks = native.glob(block_functions) if block_functions else []
    _op_library(
        name = name + "_host",
        label = name + "_base",
        srcs = [src for src in srcs if src in of_base and src not in with_blocks],
        hdrs = hdrs,
        copts = [optimisation],
        deps = deps,
    )
    own_base = [":" + name + "_host"]
    others = {":" + op[:-len(".cc")]: [op] for op in ops if op in with_blocks}
    base_with_blocks = [src for src in with_blocks if src in of_base]
    if base_with_blocks:
        _op_library(
            name = name + "_block_functions",
            label = name + "_base",
            srcs = base_with_blocks,
            copts = [optimisation],
            deps = deps + own_base,
        )
        own_base = own_base + [":" + name + "_block_functions"]
        others[":" + name + "_block_functions"] = base_with_blocks
    deps = deps + own_base
    elementwise = native.glob(elementwise) if elementwise else []
    with_cuda = _gpu_libraries(name, deps, gpu_deps, hdrs, others, elementwise)
    native.cc_library(
        name = name + "_base",
        visibility = ["//visibility:public"],
        deps = own_base + with_cuda,
    )
    for op in ops:
        _op_library(
            name = op[:-len(".cc")],
            srcs = [op],
            copts = [optimisation],
            deps = deps + with_cuda,
        )
    native.cc_library(
        name = name,
        visibility = ["//visibility:public"],
        deps = [":" + name + "_base"] + [":" + op[:-len(".cc")] for op in ops] + with_cuda,
    )
    families, their_gpu_kernels = _families_of(deps)
    test_deps = test_deps + [family for family in families if family not in test_deps] + their_gpu_kernels
    test_deps.append(":" + name + "_gpu_kernels")
    _family_tests(name, deps + gpu_deps, test_deps, test_data, test_shards, test_size, test_copts)
