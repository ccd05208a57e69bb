// GPU launch functions: how kernel classes, compiled by the host compiler, reach code compiled by
// nvcc. Plain data on both sides; nothing here needs the CUDA toolkit or Abseil.
//
// The passes of GPUs add entries to a list before main, each to its own; kernels look theirs up
// when they are built. In a build without CUDA the list of real GPUs is empty, in a program that
// does not link kernels for GPUs that of simulated ones, and the look-up gives null.
//
//   static GpuElementwiseEntry entry{"Exp", DType::kFloat, DType::kInvalid, &Launch, nullptr};
//   RegisterGpuElementwise(GpuSide::kReal, &entry);                              // CUDA pass
//   GpuElementwiseLaunch f =                                                     // host
//       FindGpuElementwise(GpuSide::kReal, "Exp", DType::kFloat, DType::kInvalid);
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

// Who runs the code of GPUs: a GPU, or the host for a simulated one.
enum class GpuSide { kReal, kSimulated };

struct GpuElementwiseArgs {
  const void* inputs[Broadcast::kMaxInputs] = {};
  void* output = nullptr;
  int64_t count = 0;
  bool broadcasts = false;  // else all inputs are like the output
  Broadcast plan;
  const void* functor = nullptr;  // on the host; the launch copies it
  void* stream = nullptr;         // CUstream; that of simulated GPUs runs at once
};
using GpuElementwiseLaunch = int (*)(const GpuElementwiseArgs& args);

struct GpuElementwiseEntry {
  const char* op;
  DType dtype;    // of the last input (Select's condition is the first)
  DType variant;  // of ops with several functors per dtype (Cast: the target), else kInvalid
  GpuElementwiseLaunch launch;
  GpuElementwiseEntry* next;
};

void RegisterGpuElementwise(GpuSide side, GpuElementwiseEntry* entry);
GpuElementwiseLaunch FindGpuElementwise(GpuSide side, const char* op, DType dtype, DType variant);
// The first of a side's; null where it has none.
const GpuElementwiseEntry* GpuElementwiseEntries(GpuSide side);

#if WB_HOST_PASS
// OK for 0, else INTERNAL with the error's number and the op.
Status GpuStatus(int cuda_error, const std::string& op);
#endif

}  // namespace warpbeam

#endif  // WARPBEAM_OPS_LAUNCH_GPU_LAUNCH_H_
