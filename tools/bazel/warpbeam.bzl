"""The macros of this project's BUILD files: a folder's BUILD is usually one call.

  wb_package(deps = [...])      one library and one test binary from the files of the folder
  wb_op_family(deps = [...])    the same for a family of ops, GPU pass included
  wb_proto_library(...)         C++ (and gRPC) code from .proto files
  wb_binary(...)                a program that checks the CPU before anything else runs
"""

load("//tools/bazel:cuda_library.bzl", "cuda_library")

_WITH_CUDA = "//tools/bazel:with_cuda"

def _folder_name(name):
    return name or native.package_name().split("/")[-1]

def _package_test(name, deps, srcs, data, shards, size, copts = [], timeout = None):
    if not srcs:
        return
    native.cc_test(
        name = name + "_test",
        size = size,
        timeout = timeout,
        srcs = srcs,
        copts = copts,
        data = data,
        shard_count = shards,
        deps = [":" + name] + deps + ["@gtest//:gtest_main"],
    )

def wb_package(
        name = None,
        deps = [],
        test_deps = [],
        srcs_exclude = [],
        alwayslink = False,
        test_data = [],
        test_shards = None,
        test_size = "small",
        test_timeout = None,
        copts = [],
        linkopts = [],
        testonly = False):
    """One library of the folder's sources and headers, and one test binary of its *_test.cc.

    Args:
      name: of the library; by default the folder's name. The test is NAME_test.
      deps: of the library.
      test_deps: more of what the tests need; GoogleTest, GoogleMock and the library come by themselves.
      srcs_exclude: files of the folder that belong to neither.
      alwayslink: keep objects that only register themselves.
      test_data: files the tests read.
      test_shards: how many processes share the tests.
      test_size: Bazel's size of the test.
      test_timeout: Bazel's timeout of the test, where the size's is not right.
      copts: more flags for the library's sources.
      linkopts: more flags for the linker.
      testonly: the library is for tests only.
    """
    name = _folder_name(name)
    native.cc_library(
        name = name,
        srcs = native.glob(
            ["*.cc"],
            exclude = ["*_test.cc", "*_main.cc", "*_gpu.cc"] + srcs_exclude,
            allow_empty = True,
        ),
        hdrs = native.glob(["*.h"], exclude = srcs_exclude, allow_empty = True),
        alwayslink = alwayslink,
        copts = copts,
        linkopts = linkopts,
        testonly = testonly,
        visibility = ["//visibility:public"],
        deps = deps,
    )
    _package_test(
        name = name,
        srcs = native.glob(["*_test.cc"], exclude = srcs_exclude, allow_empty = True),
        data = test_data,
        deps = test_deps,
        shards = test_shards,
        size = test_size,
        timeout = test_timeout,
    )

def wb_op_family(
        name = None,
        deps = [],
        test_deps = [],
        gpu_deps = [],
        test_data = [],
        test_shards = 4,
        test_size = "small",
        test_copts = []):
    """A family of ops: the folder and its sub-folders, without a line to edit for a new op.

    Every .cc is compiled for the host (*_gpu.cc only with CUDA). With --config=cuda, each .cc directly in the
    folder that opens a `namespace ... WB_PASS` is compiled by nvcc as well, and so is every .cu.

    Args:
      name: of the library; by default the folder's name. The test is NAME_test.
      deps: of both passes.
      test_deps: more of what the tests need.
      gpu_deps: of the files that exist only with CUDA: @cuda//:cudnn and the like.
      test_data: files the tests read.
      test_shards: how many processes share the family's tests.
      test_size: Bazel's size of the test.
      test_copts: more flags for the tests' sources.
    """
    name = _folder_name(name)
    hdrs = native.glob(["**/*.h"], allow_empty = True)
    native.cc_library(
        name = name + "_host",
        srcs = native.glob(
            ["**/*.cc"],
            exclude = ["**/*_test.cc", "**/*_main.cc", "**/*_gpu.cc"],
            allow_empty = True,
        ),
        hdrs = hdrs,
        alwayslink = True,
        copts = ["-O3"],
        visibility = ["//visibility:private"],
        deps = deps,
    )
    native.cc_library(
        name = name + "_gpu",
        srcs = native.glob(["**/*_gpu.cc"], allow_empty = True),
        hdrs = hdrs,
        alwayslink = True,
        tags = ["manual"],
        visibility = ["//visibility:private"],
        deps = deps + gpu_deps + ["@cuda//:cudart"],
    )
    cuda_library(
        name = name + "_cuda",
        srcs = native.glob(
            ["*.cc", "**/*.cu"],
            exclude = ["*_test.cc", "*_main.cc", "*_gpu.cc"],
            allow_empty = True,
        ),
        hdrs = hdrs,
        tags = ["manual"],
        visibility = ["//visibility:private"],
        deps = deps + gpu_deps + ["@cuda//:cudart"],
    )
    native.cc_library(
        name = name,
        visibility = ["//visibility:public"],
        deps = [":" + name + "_host"] + select({
            _WITH_CUDA: [":" + name + "_gpu", ":" + name + "_cuda"],
            "//conditions:default": [],
        }),
    )
    _package_test(
        name = name,
        srcs = native.glob(["**/*_test.cc"], allow_empty = True),
        copts = test_copts,
        data = test_data,
        deps = test_deps,
        shards = test_shards,
        size = test_size,
    )

def wb_proto_library(name, srcs, deps = [], grpc = False):
    """C++ code from .proto files, included by their path in the repository ("proto/graph.pb.h").

    Args:
      name: of the library.
      srcs: .proto files of this folder; they import each other by their path in the repository.
      deps: other wb_proto_library targets whose files are imported.
      grpc: also generate the services (x.grpc.pb.h) and link gRPC.
    """
    folder = native.package_name() + "/"
    native.filegroup(
        name = name + "_protos",
        srcs = srcs + [_protos_of(dep) for dep in deps],
        visibility = ["//visibility:public"],
    )
    stems = [src[:-len(".proto")] for src in srcs]
    endings = [".pb"] + ([".grpc.pb"] if grpc else [])
    cc = [stem + ending + ".cc" for stem in stems for ending in endings]
    h = [stem + ending + ".h" for stem in stems for ending in endings]
    plugin = ("--grpc_out=$(GENDIR) --plugin=protoc-gen-grpc=$$(command -v grpc_cpp_plugin) " if grpc else "")
    native.genrule(
        name = name + "_generate",
        srcs = [":" + name + "_protos"],
        outs = cc + h,
        cmd = "protoc -I. --cpp_out=$(GENDIR) " + plugin + " ".join([folder + src for src in srcs]),
        message = "Generating C++ from the .proto files of",
        visibility = ["//visibility:private"],
    )
    native.cc_library(
        name = name,
        srcs = cc,
        hdrs = h,
        copts = ["-w", "-O1"],
        visibility = ["//visibility:public"],
        deps = deps + ["@protobuf//:protobuf"] + (["@grpc//:grpc++"] if grpc else []),
    )

def _protos_of(dep):
    if ":" in dep:
        return dep + "_protos"
    return dep + ":" + dep.split("/")[-1] + "_protos"

def wb_binary(name, srcs, deps = [], **kwargs):
    """A program. On a CPU below the baseline it says so instead of stopping at an illegal instruction.

    Args:
      name: of the program.
      srcs: its sources.
      deps: what it links.
      **kwargs: as for cc_binary.
    """
    native.cc_binary(
        name = name,
        srcs = srcs,
        deps = deps + ["//tools/baseline_check"],
        **kwargs
    )
