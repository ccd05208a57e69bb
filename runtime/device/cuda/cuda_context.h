// CudaContext: what this process knows of a physical GPU: whether CUDA still works there.
//
// Some errors of CUDA, such as an access to memory that is not there, leave the GPU's context of no
// use until the process ends: each later call gives the same error. Every call whose outcome
// matters therefore goes through Check, which keeps the first of these; callers look at status()
// before they call CUDA at all. Other errors, such as a lack of memory, change nothing.
//
//   CudaContext& context = CudaContext::Of(ordinal);
//   WB_RETURN_IF_ERROR(context.status());
//   WB_RETURN_IF_ERROR(context.Check(cudaMemsetAsync(to, 0, n, stream), "filling", "the stream"));
//
// Ownership: kept for the whole process. Thread safety: any thread. Errors: those of CudaStatus;
// INTERNAL once the GPU cannot be used, the same for all.
#ifndef WARPBEAM_RUNTIME_DEVICE_CUDA_CUDA_CONTEXT_H_
#define WARPBEAM_RUNTIME_DEVICE_CUDA_CUDA_CONTEXT_H_

#include <cuda.h>
#include <cuda_runtime_api.h>

#include <atomic>
#include <mutex>
#include <string>
#include <vector>

#include "graph/types/errors.h"
#include "runtime/device/cuda/cuda_status.h"

namespace warpbeam {

// Whether an error says that a GPU's context is of no use any more, whichever call gives it.
bool BreaksContext(cudaError_t error);

class CudaContext {
 public:
  static CudaContext& Of(int ordinal);
  CudaContext(const CudaContext&) = delete;
  CudaContext& operator=(const CudaContext&) = delete;

  int ordinal() const { return ordinal_; }
  bool is_usable() const { return !is_broken_.load(std::memory_order_acquire); }
  // OK as long as the context can be used.
  Status status() const { return is_usable() ? OkStatus() : Broken(); }
  // What a call gave, and what it was to do: "copying (cudaMemcpyAsync)", "the compute stream".
  Status Check(cudaError_t error, absl::string_view doing, absl::string_view on = "");
  // Whether the calling thread's calls go to this GPU.
  Status Check(const CurrentGpu& current);
  // The same of the driver's functions.
  Status CheckDriver(CUresult result, absl::string_view doing);

  // As DeviceHealth: what somebody gives to the GPU and waits for.
  void Begin(const std::string& what);
  void End(const std::string& what);

 private:
  explicit CudaContext(int ordinal) : ordinal_(ordinal) {}
  void Break(cudaError_t error, absl::string_view doing);
  Status Broken() const;

  const int ordinal_;
  std::atomic<bool> is_broken_{false};
  mutable std::mutex mutex_;           // of what follows
  std::vector<std::string> launches_;  // that are waited for
  std::string cause_;                  // of the first error, once it is broken
};

}  // namespace warpbeam

#endif  // WARPBEAM_RUNTIME_DEVICE_CUDA_CUDA_CONTEXT_H_
