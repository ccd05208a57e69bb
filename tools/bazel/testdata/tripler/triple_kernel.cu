#include "tools/bazel/testdata/tripler/tripler.h"

namespace warpbeam {
namespace {

__global__ void TripleKernel(float* values, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) values[i] *= 3.0f;
}

}  // namespace

void LaunchTriple(float* device_values, int count) {
  TripleKernel<<<(count + 255) / 256, 256>>>(device_values, count);
}

}  // namespace warpbeam
