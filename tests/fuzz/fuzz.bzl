"""Fuzz targets as tests: targets/NAME_target.cc and the driver make the test NAME_fuzz."""

# How long each runs in the test command. A longer run: bazel test --test_arg=--seconds=600 …
SECONDS = 10

# Of targets whose format is small, or that the pipeline reads as well.
SHORT_SECONDS = 5

# Of tests that watch their inputs. As the watch's limit without a sanitizer: what asks for more gets null.
WATCHED_ENV = {"ASAN_OPTIONS": "max_allocation_size_mb=2048"}

def wb_fuzz_test(name, deps, corpus = [], data = [], seconds = SECONDS, input_cpu_s = 0, **kwargs):
    """A fuzz target, whose seeds are in corpus/NAME.

    Args:
      name: of the target.
      deps: what the target links besides the driver.
      corpus: further seeds: folders and files, by their paths in the repository.
      data: targets that hold them.
      seconds: how long it runs as a test.
      input_cpu_s: what one input may take of the CPU's time, where it has a deadline.
      **kwargs: as for cc_test.
    """
    own = native.glob(["corpus/" + name + "/*"], allow_empty = True)
    if own:
        corpus = corpus + [native.package_name() + "/corpus/" + name]
    native.cc_test(
        name = name + "_fuzz",
        size = "medium",
        srcs = ["targets/" + name + "_target.cc"],
        tags = ["host_test"],
        args = [
            "--seconds=" + str(seconds),
            "--input_cpu_s=" + str(input_cpu_s),
            "--corpus=" + ",".join(corpus),
        ],
        data = data + own,
        env = WATCHED_ENV,
        deps = deps + [
            ":driver",
            ":mutators",
            "//graph/types",
            "@absl//:absl",
        ] + select({
            "//tools/bazel:with_asan": ["//tools/sanitizer_options"],
            "//tools/bazel:with_tsan": ["//tools/sanitizer_options"],
            "//conditions:default": [],
        }),
        **kwargs
    )
