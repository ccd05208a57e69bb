# Bazel as the scripts in tools/ call it: sourced, not run.

# The option for a disk cache, so that a fresh clone reuses what this machine built before; nothing where there can be
# none. The cache only saves time. Nothing depends on it, and what was not read for a month goes.
bazel_disk_cache() {
  if [ -n "${HOME:-}" ] && mkdir -p "$HOME/.cache/warpbeam/bazel" 2>/dev/null; then
    find "$HOME/.cache/warpbeam/bazel" -type f -atime +30 -delete 2>/dev/null || true
    echo "--disk_cache=$HOME/.cache/warpbeam/bazel"
  fi
}

# run_bazel COMMAND ARGUMENTS...
run_bazel() {
  local command=$1 cache
  shift
  cache=$(bazel_disk_cache)
  bazel "$command" ${cache:+"$cache"} "$@"
}

cuda_toolkit_present() {
  local folder
  for folder in "${CUDA_PATH:-}" "${CUDA_HOME:-}" /usr/local/cuda; do
    if [ -n "$folder" ] && [ -x "$folder/bin/nvcc" ]; then return 0; fi
  done
  return 1
}
