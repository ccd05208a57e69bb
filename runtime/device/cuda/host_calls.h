// HostCalls: functions that CUDA calls in the order of a stream, each once.
//
// CUDA calls none of them any more once its context has failed, so that somebody else has to keep
// them, and to let go of what they hold.
//
//   HostCalls calls;
//   cudaError_t error = calls.Enqueue(stream, [=] { memcpy(to, pinned, bytes); });
//   calls.Abandon();                         // the context has failed: `to` may go from here on
//
// Ownership: of the stream's owner; the stream has come to its end, or its context has failed, when
// they go. A function must not call CUDA. Thread safety: any thread. Errors: CUDA's own.
#ifndef WARPBEAM_RUNTIME_DEVICE_CUDA_HOST_CALLS_H_
#define WARPBEAM_RUNTIME_DEVICE_CUDA_HOST_CALLS_H_

#include <cuda_runtime_api.h>

#include <condition_variable>
#include <functional>
#include <list>
#include <mutex>

namespace warpbeam {

class HostCalls {
 public:
  HostCalls() = default;
  ~HostCalls() { Abandon(); }
  HostCalls(const HostCalls&) = delete;
  HostCalls& operator=(const HostCalls&) = delete;

  cudaError_t Enqueue(cudaStream_t stream, std::function<void()> fn);
  // Waits for what is being called; what has not been called will not be.
  void Abandon();

 private:
  struct Call {
    HostCalls* owner;
    std::list<Call>::iterator self;
    std::function<void()> fn;
  };
  static void CUDART_CB Run(void* call);

  std::mutex mutex_;
  std::condition_variable idle_;
  std::list<Call> calls_;
  int running_ = 0;
};

}  // namespace warpbeam

#endif  // WARPBEAM_RUNTIME_DEVICE_CUDA_HOST_CALLS_H_
