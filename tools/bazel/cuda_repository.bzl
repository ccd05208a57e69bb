"""The CUDA toolkit as the external repository @cuda, or an empty stand-in where there is none.

The toolkit is looked for in $CUDA_PATH, $CUDA_HOME and /usr/local/cuda. Targets: @cuda//:headers,
:cudart, :cublas (with cublasLt), :cudnn, :nccl, :cupti, :nvrtc, :driver (the stub, for linking), and
@cuda//:toolkit.bzl with CUDA_PRESENT and NVCC. Without a toolkit every target exists and is empty, so that
BUILD files load everywhere.
"""

_TARGETS = {
    "cudart": (["cudart"], "lib64"),
    "cublas": (["cublas", "cublasLt"], "lib64"),
    "cudnn": (["cudnn"], "lib64"),
    "nccl": (["nccl"], "lib64"),
    "cupti": (["cupti"], "lib64"),
    "nvrtc": (["nvrtc"], "lib64"),
    "driver": (["cuda"], "lib64/stubs"),
}

def _toolkit_folder(repository_ctx):
    for folder in [
        repository_ctx.os.environ.get("CUDA_PATH", ""),
        repository_ctx.os.environ.get("CUDA_HOME", ""),
        "/usr/local/cuda",
    ]:
        if folder and repository_ctx.path(folder + "/bin/nvcc").exists:
            return folder
    return ""

def _cuda_repository_impl(repository_ctx):
    folder = _toolkit_folder(repository_ctx)
    version = ""
    if folder:
        version = repository_ctx.execute([folder + "/bin/nvcc", "--version"]).stdout
        version = "".join([line for line in version.split("\n") if "release" in line])
    repository_ctx.file("version.h", "// " + (version or "no CUDA toolkit") + "\n")
    repository_ctx.file(
        "toolkit.bzl",
        "CUDA_PRESENT = {}\nCUDA_FOLDER = {}\nNVCC = {}\n".format(
            bool(folder),
            repr(folder),
            repr(folder + "/bin/nvcc" if folder else ""),
        ),
    )

    # Host code must name every header it reads as an input, unless it lies in the compiler's own folders. nvcc
    # finds the rest (cooperative groups, the C++ library for devices) by itself.
    if folder:
        repository_ctx.symlink(folder + "/include", "include")
    lines = [
        "load(\"@warpbeam//tools/bazel:system_library.bzl\", \"system_library\")",
        "package(default_visibility = [\"//visibility:public\"])",
        "system_library(",
        "    name = \"headers\",",
        "    hdrs = [\"version.h\"] + glob([\"include/*.h\", \"include/*.hpp\", \"include/crt/**\", \"include/nccl_device/**\"], allow_empty = True),",
        "    system_includes = {},".format(repr(["external/cuda/include"] if folder else [])),
        ")",
    ]
    for target, (libraries, where) in _TARGETS.items():
        linkopts = []
        path = folder + "/" + where
        present = folder and all([
            repository_ctx.path(path + "/lib" + library + ".so").exists
            for library in libraries
        ])
        if present:
            linkopts = (["-L" + path, "-Wl,--push-state,--as-needed"] +
                        ["-l" + library for library in libraries] + ["-Wl,--pop-state"])
            if where == "lib64":
                linkopts.append("-Wl,-rpath," + path)
        lines.append(
            "system_library(name = {}, linkopts = {}, deps = [\":headers\"])".format(
                repr(target),
                repr(linkopts),
            ),
        )
    repository_ctx.file("BUILD", "\n".join(lines) + "\n")

cuda_repository = repository_rule(
    implementation = _cuda_repository_impl,
    environ = ["CUDA_PATH", "CUDA_HOME"],
    local = True,
    doc = "Finds the CUDA toolkit.",
)
