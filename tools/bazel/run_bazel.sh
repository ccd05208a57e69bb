# Bazel as the scripts in tools/ call it: sourced, not run.

# run_bazel COMMAND ARGUMENTS...: with a disk cache, so that a fresh clone reuses what this machine built before.
# The cache only saves time. Nothing depends on it, and what was not read for a month goes.
run_bazel() {
  local command=$1 cache=()
  shift
  if [ -n "${HOME:-}" ] && mkdir -p "$HOME/.cache/warpbeam/bazel" 2>/dev/null; then
    find "$HOME/.cache/warpbeam/bazel" -type f -atime +30 -delete 2>/dev/null || true
    cache=(--disk_cache="$HOME/.cache/warpbeam/bazel")
  fi
  bazel "$command" "${cache[@]}" "$@"
}

cuda_toolkit_present() {
  local folder
  for folder in "${CUDA_PATH:-}" "${CUDA_HOME:-}" /usr/local/cuda; do
    if [ -n "$folder" ] && [ -x "$folder/bin/nvcc" ]; then return 0; fi
  done
  return 1
}
