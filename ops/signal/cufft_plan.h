// CufftPlan: Fourier transforms of one problem, as cuFFT computes them on one GPU.
//
//   WB_ASSIGN_OR_RETURN(const auto plan, CufftPlan::Make(transform));
//   … plan->workspace_bytes() …
//   return plan->Launch(on, transform, workspace);
//
// The library is opened when something is first planned (runtime/device/cuda/late_library.h). A
// plan has settings, a stream and memory to work in; and it has tables in the GPU's memory, which
// what was recorded goes on reading.
//
// Thread safety: one thread at a time. Errors: FAILED_PRECONDITION where the library is not
// installed; UNIMPLEMENTED for what it has not, RESOURCE_EXHAUSTED for a lack of memory, else
// INTERNAL, with the function's name.
#ifndef WARPBEAM_OPS_SIGNAL_CUFFT_PLAN_H_
#define WARPBEAM_OPS_SIGNAL_CUFFT_PLAN_H_

#include <cstddef>
#include <cstdint>
#include <memory>

#include "graph/types/errors.h"
#include "ops/signal/gpu_fourier.h"

struct CUstream_st;  // what a cudaStream_t points to

namespace warpbeam {

// Opens the library, once a process.
Status OpenCufft();

class CufftPlan {
 public:
  // For the calling thread's current GPU, for problems that differ from this one in addresses and
  // direction alone.
  static StatusOr<std::unique_ptr<CufftPlan>> Make(const GpuFourierTransform& transform);
  CufftPlan(int gpu, int handle) : gpu_(gpu), handle_(handle) {}
  // Gives back memory of the GPU, which waits for what the GPU has been given.
  ~CufftPlan();
  CufftPlan(const CufftPlan&) = delete;
  CufftPlan& operator=(const CufftPlan&) = delete;

  int64_t workspace_bytes() const { return static_cast<int64_t>(workspace_bytes_); }
  Status Launch(CUstream_st* on, const GpuFourierTransform& transform, void* workspace);
  // Whether a stream recorded what was launched: the plan then has to stay.
  bool is_recorded() const { return is_recorded_; }

 private:
  Status Prepare(const GpuFourierTransform& transform);

  const int gpu_;
  const int handle_;
  size_t workspace_bytes_ = 0;
  bool is_recorded_ = false;
};

}  // namespace warpbeam

#endif  // WARPBEAM_OPS_SIGNAL_CUFFT_PLAN_H_
