// WarnOfGpus: the one line about what keeps this machine's GPUs from being used, where the CPU goes
// on.
//
//   WarnOfGpus(std::string(NoGpuDriver("libcuda.so.1").message()));   // "warning: no GPU is …"
//
// It goes to stderr, each text once in a process, whatever the number of sessions. Who hides all
// GPUs from CUDA (CUDA_VISIBLE_DEVICES is empty or -1) wants none and is told nothing.
//
// Thread safety: any thread. Errors: none.
#ifndef WARPBEAM_RUNTIME_DEVICE_GPU_WARNING_H_
#define WARPBEAM_RUNTIME_DEVICE_GPU_WARNING_H_

#include <string>

#include "graph/types/errors.h"

namespace warpbeam {

void WarnOfGpus(const std::string& line);

// UNAVAILABLE, as code for GPUs finds a machine where the driver's library is not installed.
Status NoGpuDriver(absl::string_view library);

}  // namespace warpbeam

#endif  // WARPBEAM_RUNTIME_DEVICE_GPU_WARNING_H_
