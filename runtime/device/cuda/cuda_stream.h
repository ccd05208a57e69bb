// CudaStream and CudaEvent: the seam's stream and event over CUDA's own.
//
// Thread safety, errors: as Stream and Event.
#ifndef WARPBEAM_RUNTIME_DEVICE_CUDA_CUDA_STREAM_H_
#define WARPBEAM_RUNTIME_DEVICE_CUDA_CUDA_STREAM_H_

#include <cuda_runtime_api.h>

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>

#include "runtime/device/event.h"
#include "runtime/device/stream.h"

namespace warpbeam {

class CudaEvent final : public Event {
 public:
  static absl::StatusOr<std::unique_ptr<Event>> Create(int ordinal);
  ~CudaEvent() override;
  bool HasHappened() override;
  absl::Status Synchronize() override;
  cudaEvent_t handle() const { return event_; }

 private:
  explicit CudaEvent(cudaEvent_t event) : event_(event) {}
  const cudaEvent_t event_;
};

// Runs host functions of streams on a thread of its own: a function that CUDA calls itself may not
// call CUDA, and ours free buffers and enqueue more work.
class CallbackThread {
 public:
  CallbackThread();
  ~CallbackThread();
  // Runs `fn` on the thread and returns when it has returned.
  void RunAndWait(const std::function<void()>& fn);

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<const std::function<void()>*> queue_;
  int64_t finished_ = 0;
  int64_t enqueued_ = 0;
  bool stopping_ = false;
  std::thread thread_;
};

class CudaStream final : public Stream {
 public:
  static absl::StatusOr<std::unique_ptr<CudaStream>> Create(int ordinal);
  ~CudaStream() override;
  cudaStream_t handle() const { return stream_; }

  absl::Status Copy(void* to, const void* from, size_t bytes) override;
  absl::Status Fill(void* to, unsigned char value, size_t bytes) override;
  absl::Status HostCallback(std::function<void()> fn) override;
  absl::Status Record(Event* event) override;
  absl::Status Wait(Event* event) override;
  absl::Status Synchronize() override;

 private:
  CudaStream(int ordinal, cudaStream_t stream) : ordinal_(ordinal), stream_(stream) {}
  const int ordinal_;
  const cudaStream_t stream_;
  CallbackThread callbacks_;
};

}  // namespace warpbeam

#endif  // WARPBEAM_RUNTIME_DEVICE_CUDA_CUDA_STREAM_H_
