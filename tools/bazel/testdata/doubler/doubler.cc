// Stands for an op: compiled for the host, and by nvcc with --config=cuda.

#include "tools/bazel/testdata/doubler/doubler.h"

namespace warpbeam {
namespace WB_PASS {

#ifdef __CUDACC__
__global__ void Double(float* values, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) values[i] += values[i];
}

const bool registered = [] {
  LinkedPasses().push_back("cuda");
  return true;
}();
#else
const bool registered = [] {
  LinkedPasses().push_back("host");
  return true;
}();
#endif

}  // namespace WB_PASS
}  // namespace warpbeam
