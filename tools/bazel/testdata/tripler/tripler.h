// A kernel on the GPU, called from host code: the proof that a folder that exists only with CUDA
// builds, links and, where there is a GPU, runs.
//
// Safe from any thread; owns nothing.
//
//   int gpus = warpbeam::GpuCount();                       // 0 where there is no GPU or no driver
//   if (gpus > 0 && !warpbeam::Triple(&values)) ...        // false: CUDA reported an error

#ifndef WARPBEAM_TOOLS_BAZEL_TESTDATA_TRIPLER_TRIPLER_H_
#define WARPBEAM_TOOLS_BAZEL_TESTDATA_TRIPLER_TRIPLER_H_

#include <vector>

namespace warpbeam {

int GpuCount();

// Multiplies every value by three on GPU 0.
bool Triple(std::vector<float>* values);

// Starts the kernel on memory of the device; implemented in the .cu file.
void LaunchTriple(float* device_values, int count);

}  // namespace warpbeam

#endif  // WARPBEAM_TOOLS_BAZEL_TESTDATA_TRIPLER_TRIPLER_H_
