// GPU launch functions: how kernel classes, compiled by the host compiler, reach code compiled by
// nvcc. Plain data on both sides; nothing here needs the CUDA toolkit or Abseil.
//
// The CUDA pass adds entries to a list before main; kernels look theirs up when they are built. In
// a build without CUDA the list is empty and the look-up gives null.
//
//   static GpuElementwiseEntry entry{"Exp", DType::kFloat, DType::kInvalid, &Launch, nullptr};
//   RegisterGpuElementwise(&entry);                                              // CUDA pass
//   GpuElementwiseLaunch f = FindGpuElementwise("Exp", DType::kFloat, DType::kInvalid);  // host
//
// Ownership: entries are static objects. Thread safety: registration before main only. Errors:
// launch functions return a cudaError_t as an int, which GpuStatus turns into a status.
#ifndef WARPBEAM_OPS_LAUNCH_GPU_LAUNCH_H_
#define WARPBEAM_OPS_LAUNCH_GPU_LAUNCH_H_

#include <cstdint>

#include "graph/types/dtype.h"
#include "ops/launch/broadcast.h"
#include "ops/launch/pass.h"
#if WB_HOST_PASS
#include <string>

#include "graph/types/errors.h"
#endif

namespace warpbeam {

struct GpuElementwiseArgs {
  const void* inputs[Broadcast::kMaxInputs] = {};
  void* output = nullptr;
  int64_t count = 0;
  bool broadcasts = false;  // else all inputs are like the output
  Broadcast plan;
  const void* functor = nullptr;  // on the host; the launch copies it
  void* stream = nullptr;         // CUstream
};
using GpuElementwiseLaunch = int (*)(const GpuElementwiseArgs& args);

struct GpuElementwiseEntry {
  const char* op;
  DType dtype;    // of the last input (Select's condition is the first)
  DType variant;  // of ops with several functors per dtype (Cast: the target), else kInvalid
  GpuElementwiseLaunch launch;
  GpuElementwiseEntry* next;
};

void RegisterGpuElementwise(GpuElementwiseEntry* entry);
GpuElementwiseLaunch FindGpuElementwise(const char* op, DType dtype, DType variant);

#if WB_HOST_PASS
// OK for 0, else INTERNAL with the error's number and the op.
Status GpuStatus(int cuda_error, const std::string& op);
#endif

}  // namespace warpbeam

#endif  // WARPBEAM_OPS_LAUNCH_GPU_LAUNCH_H_
