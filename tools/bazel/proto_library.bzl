"""wb_proto_library: C++ (and gRPC) code from .proto files."""

load("//tools/bazel:joined_library.bzl", "joined_library")
load("//tools/bazel:warpbeam.bzl", "ROOT", "baseline_copts")

def wb_proto_library(name, srcs, deps = [], grpc = False):
    """C++ code from .proto files, included by their path in the repository ("proto/graph.pb.h").

    Args:
      name: of the library.
      srcs: .proto files of this folder; they import each other by their path in the repository.
      deps: other wb_proto_library targets whose files are imported.
      grpc: also generate the services (x.grpc.pb.h) and link gRPC.
    """
    native.filegroup(
        name = name + "_protos",
        srcs = srcs + [_protos_of(dep) for dep in deps],
        visibility = ["//visibility:public"],
    )
    stems = [src[:-len(".proto")] for src in srcs]
    endings = [".pb"] + ([".grpc.pb"] if grpc else [])
    cc = [stem + ending + ".cc" for stem in stems for ending in endings]
    h = [stem + ending + ".h" for stem in stems for ending in endings]
    # Files of another repository are below a folder of its name; they import each other by the path in their own.
    root = "" if native.repository_name() == "@" else "external/" + native.repository_name()[1:]
    outputs = "/".join([part for part in ["$(GENDIR)", root] if part])
    imports = ["-I" + (root or ".")] + (["-I" + ROOT] if ROOT != root else [])
    command = ["protoc {} --cpp_out={}".format(" ".join(imports), outputs)]
    if grpc:
        command += [
            "--grpc_out=" + outputs,
            "--plugin=protoc-gen-grpc=$$(command -v grpc_cpp_plugin)",
        ]
    command += ["/".join([part for part in [root, native.package_name(), src] if part]) for src in srcs]

    # Two names are the same in all of protoc's files, which would keep them from being compiled together.
    rename = "sed -Ei \"s/\\b(schemas|file_default_instances)\\b/&_$$(basename $$f .pb.cc)/g\" $$f"
    command += ["&& for f in $(OUTS); do case $$f in *.pb.cc)", rename, ";; esac; done"]
    native.genrule(
        name = name + "_generate",
        # The compilers' versions are inputs too: a new one generates again.
        srcs = [":" + name + "_protos", "@protobuf//:version.h"] +
               (["@grpc//:version.h"] if grpc else []),
        outs = cc + h,
        cmd = " ".join(command),
        message = "Generating C++ from the .proto files of",
        visibility = ["//visibility:private"],
    )
    joined_library(
        name = name,
        srcs = cc,
        hdrs = h,
        copts = baseline_copts() + ["-w", "-O1"],
        visibility = ["//visibility:public"],
        deps = deps + ["@protobuf//:protobuf"] + (["@grpc//:grpc++"] if grpc else []),
    )

def _protos_of(dep):
    return dep + ("" if ":" in dep else ":" + dep.split("/")[-1]) + "_protos"
