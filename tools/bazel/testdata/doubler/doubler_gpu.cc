// Stands for the part of an op that calls a CUDA library: host code that exists only with
// --config=cuda.

#include <cuda_runtime_api.h>

#include "tools/bazel/testdata/doubler/doubler.h"

namespace warpbeam {
namespace {

const bool registered = [] {
  int version = 0;
  // Needs no driver, so it answers on a machine without a GPU.
  if (cudaRuntimeGetVersion(&version) == cudaSuccess && version > 0) {
    LinkedPasses().push_back("cudart");
  }
  return true;
}();

}  // namespace
}  // namespace warpbeam
