#include "tools/bazel/testdata/tripler/tripler.h"

#include <cuda_runtime_api.h>

namespace warpbeam {

int GpuCount() {
  int count = 0;
  return cudaGetDeviceCount(&count) == cudaSuccess ? count : 0;
}

bool Triple(std::vector<float>* values) {
  const size_t bytes = values->size() * sizeof(float);
  float* device_values = nullptr;
  if (cudaMalloc(reinterpret_cast<void**>(&device_values), bytes) != cudaSuccess) return false;
  bool good = cudaMemcpy(device_values, values->data(), bytes, cudaMemcpyDefault) == cudaSuccess;
  LaunchTriple(device_values, static_cast<int>(values->size()));
  good = good && cudaGetLastError() == cudaSuccess;
  good = good && cudaMemcpy(values->data(), device_values, bytes, cudaMemcpyDefault) == cudaSuccess;
  return cudaFree(device_values) == cudaSuccess && good;
}

}  // namespace warpbeam
