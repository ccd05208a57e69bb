// Staging: pinned host memory through which a stream copies to and from ordinary host memory.
//
// CUDA itself copies ordinary memory while the caller waits: to the host even until all work before
// it has happened. Through staging a copy is enqueued like any other work. A ring of pinned memory
// is filled at one end and becomes free at the other when the stream has come by; who finds it full
// waits for the oldest copy.
//
//   Staging staging(context, calls, "the compute stream");
//   WB_RETURN_IF_ERROR(staging.ToGpu(stream, device, host, bytes));   // host may be changed now
//   WB_RETURN_IF_ERROR(staging.ToHost(stream, host, device, bytes));  // host has to stay
//
// Ownership: the stream must have come to its end, or its GPU have failed, before staging is
// destroyed; `context` and `calls`, the stream's, outlive it. Thread safety: none;
// the stream's owner locks. Errors: those of CUDA, with what was being done.
#ifndef WARPBEAM_RUNTIME_DEVICE_CUDA_STAGING_H_
#define WARPBEAM_RUNTIME_DEVICE_CUDA_STAGING_H_

#include <cuda_runtime_api.h>

#include <cstddef>
#include <deque>
#include <vector>

#include "graph/types/errors.h"
#include "runtime/device/cuda/cuda_context.h"
#include "runtime/device/cuda/host_calls.h"

namespace warpbeam {

class Staging {
 public:
  Staging(CudaContext& context, HostCalls& calls, const char* stream_name)
      : context_(context), calls_(calls), stream_name_(stream_name) {}
  ~Staging();
  Staging(const Staging&) = delete;
  Staging& operator=(const Staging&) = delete;

  Status ToGpu(cudaStream_t stream, void* to, const void* from, size_t bytes);
  Status ToHost(cudaStream_t stream, void* to, const void* from, size_t bytes);

 private:
  static constexpr size_t kRing = size_t{32} << 20;
  static constexpr size_t kPiece = size_t{4} << 20;  // a copy overlaps with the next one's filling
  struct InUse {
    size_t bytes;  // with what was left free at the ring's end
    cudaEvent_t passed;
  };
  StatusOr<char*> Take(size_t bytes);
  Status Release(cudaStream_t stream);
  Status Mark(cudaStream_t stream);
  Status WaitForOldest();

  CudaContext& context_;
  HostCalls& calls_;
  const char* const stream_name_;
  char* ring_ = nullptr;
  size_t begin_ = 0, used_ = 0;  // of the part in use, the last taken piece included
  size_t taken_ = 0;             // bytes of that piece
  std::deque<InUse> in_use_;
  std::vector<cudaEvent_t> events_;  // that nobody waits for
};

}  // namespace warpbeam

#endif  // WARPBEAM_RUNTIME_DEVICE_CUDA_STAGING_H_
