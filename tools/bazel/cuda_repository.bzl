"""The CUDA toolkit as the external repository @cuda, or an empty stand-in where there is none.

The toolkit is looked for in $CUDA_PATH, $CUDA_HOME and /usr/local/cuda. Targets: @cuda//:headers, :cudart, :cublas
(with cuBLASLt), :cudnn, :nccl, :cupti and :nvrtc. None links libcuda: a program must start on a machine
without a driver. Nor is cuFFT linked, of which :headers suffice (runtime/device/cuda/late_library.h).
@cuda//:toolkit.bzl tells cuda_library what there is. Without a toolkit every target exists and is
empty, so that BUILD files load everywhere; a library that an incomplete toolkit lacks stops the
targets that use it with a line that says so.

Device code is compiled for one architecture, and to PTX that newer ones take: that of the machine's GPU, or 80
(A100) where there is none; WARPBEAM_CUDA_ARCH says otherwise: 90, or several, as 80,90, of which the last has PTX.
"""

_LIBRARIES = {
    "cudart": ["cudart"],
    "cublas": ["cublas", "cublasLt"],
    "cudnn": ["cudnn"],
    "nccl": ["nccl"],
    "cupti": ["cupti"],
    "nvrtc": ["nvrtc"],
}

_DEFAULT_ARCHITECTURE = "80"

_HEADERS = ["version.h", "include/*.h", "include/*.hpp", "include/crt/**", "include/nccl_device/**"]

def _toolkit_folder(repository_ctx):
    for folder in [
        repository_ctx.os.environ.get("CUDA_PATH", ""),
        repository_ctx.os.environ.get("CUDA_HOME", ""),
        "/usr/local/cuda",
    ]:
        if folder and repository_ctx.path(folder + "/bin/nvcc").exists:
            return folder
    return ""

def _library_folder(repository_ctx, toolkit, libraries):
    # The toolkit's own folder, or the distribution's, where packages of cuDNN and NCCL put theirs.
    for folder in [toolkit + "/lib64", toolkit + "/lib", "/usr/lib/x86_64-linux-gnu"]:
        if all([repository_ctx.path(folder + "/lib" + name + ".so").exists for name in libraries]):
            return folder
    return ""

def _version(repository_ctx, toolkit):
    if not toolkit:
        return "no CUDA toolkit"
    output = repository_ctx.execute([toolkit + "/bin/nvcc", "--version"]).stdout
    return " ".join([line for line in output.split("\n") if "release" in line])

def _number(architecture):
    """90 of "90a"."""
    return int(architecture.rstrip("af"))

def _architectures(repository_ctx):
    asked = repository_ctx.os.environ.get("WARPBEAM_CUDA_ARCH", "")
    if asked:
        architectures = [architecture.strip() for architecture in asked.split(",")]
        for architecture in architectures:
            if not architecture.rstrip("af").isdigit():
                fail("\n\nWARPBEAM_CUDA_ARCH={}: architectures are numbers with commas between, as 80,90\n".format(asked))
        return sorted(architectures, key = _number)
    nvidia_smi = repository_ctx.which("nvidia-smi")
    if nvidia_smi:
        query = [nvidia_smi, "--query-gpu=compute_cap", "--format=csv,noheader"]
        result = repository_ctx.execute(query, timeout = 30)
        found = result.stdout.strip().split("\n")[0].replace(".", "")
        if result.return_code == 0 and found.isdigit():
            return [found]
    return [_DEFAULT_ARCHITECTURE]

def _library_target(repository_ctx, toolkit, target, libraries):
    linkopts = []
    missing = ""
    if toolkit:
        folder = _library_folder(repository_ctx, toolkit, libraries)
        if folder:
            linkopts = (["-L" + folder, "-Wl,-rpath," + folder, "-Wl,--push-state,--as-needed"] +
                        ["-l" + name for name in libraries] + ["-Wl,--pop-state"])
        else:
            missing = "lib{}.so is not in the CUDA toolkit ({}/lib64): install it there, or leave out --config=cuda".format(
                libraries[0],
                toolkit,
            )
    return "system_library(name = {}, linkopts = {}, missing = {}, deps = [\":headers\"])".format(
        repr(target),
        repr(linkopts),
        repr(missing),
    )

def _cuda_repository_impl(repository_ctx):
    toolkit = _toolkit_folder(repository_ctx)
    architectures = _architectures(repository_ctx) if toolkit else []
    repository_ctx.file("version.h", "// " + _version(repository_ctx, toolkit) + "\n")
    repository_ctx.file("toolkit.bzl", "\n".join([
        "CUDA_PRESENT = " + repr(bool(toolkit)),
        "NVCC = " + repr(toolkit + "/bin/nvcc" if toolkit else ""),
        "ARCHITECTURES = " + repr(architectures),
        "",
    ]))

    # Host code must name every header it reads as an input, unless it lies in the compiler's own folders. nvcc
    # finds the rest (cooperative groups, the C++ library for devices) by itself.
    if toolkit:
        repository_ctx.symlink(toolkit + "/include", "include")
    lines = [
        "load(\"@warpbeam//tools/bazel:system_library.bzl\", \"system_library\")",
        "package(default_visibility = [\"//visibility:public\"])",
        "system_library(",
        "    name = \"headers\",",
        "    hdrs = glob({}, allow_empty = True),".format(repr(_HEADERS)),
        "    system_includes = {},".format(repr(["external/cuda/include"] if toolkit else [])),
        ")",
    ] + [
        _library_target(repository_ctx, toolkit, target, libraries)
        for target, libraries in _LIBRARIES.items()
    ]
    repository_ctx.file("BUILD", "\n".join(lines) + "\n")

cuda_repository = repository_rule(
    implementation = _cuda_repository_impl,
    environ = ["CUDA_PATH", "CUDA_HOME", "WARPBEAM_CUDA_ARCH"],
    local = True,
    doc = "Finds the CUDA toolkit.",
)
