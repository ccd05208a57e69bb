// CudaStream: the seam's stream over CUDA's own.
//
// Thread safety, errors: as Stream.
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

#include "runtime/device/stream.h"

namespace warpbeam {

// Calls functions when the work before them has happened, each on the one thread that waits for
// CUDA events in the order of the stream: a function that CUDA calls itself may not call CUDA, and
// ours free buffers and enqueue more work.
class CompletionThread {
 public:
  explicit CompletionThread(int ordinal);
  // Runs what is left.
  ~CompletionThread();
  // `event` has been recorded; it is destroyed afterwards.
  void Add(cudaEvent_t event, Stream::Done fn);

 private:
  struct Waiting {
    cudaEvent_t event;
    Stream::Done fn;
  };
  void Main();

  const int ordinal_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Waiting> queue_;
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
  absl::Status WaitFor(Stream& other) override;
  absl::Status WhenDone(Done fn) override;
  absl::Status RunOnHost(std::function<void()> kernel) override;
  absl::Status Synchronize() override;
  void* native_handle() override;

 private:
  CudaStream(int ordinal, cudaStream_t stream, cudaEvent_t so_far)
      : ordinal_(ordinal), stream_(stream), so_far_(so_far), completions_(ordinal) {}
  const int ordinal_;
  const cudaStream_t stream_;
  std::mutex mutex_;          // around recording and waiting for:
  const cudaEvent_t so_far_;  // recorded anew for each stream that waits for this one
  CompletionThread completions_;
};

}  // namespace warpbeam

#endif  // WARPBEAM_RUNTIME_DEVICE_CUDA_CUDA_STREAM_H_
