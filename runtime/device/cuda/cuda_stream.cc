#include "runtime/device/cuda/cuda_stream.h"

#include <utility>

#include "runtime/device/cuda/cuda_status.h"

namespace warpbeam {
namespace {

absl::StatusOr<cudaEvent_t> NewEvent() {
  cudaEvent_t event;
  WB_RETURN_IF_ERROR(
      CudaStatus(cudaEventCreateWithFlags(&event, cudaEventDisableTiming), "making a CUDA event"));
  return event;
}

}  // namespace

CompletionThread::CompletionThread(int ordinal) : ordinal_(ordinal), thread_([this] { Main(); }) {}

CompletionThread::~CompletionThread() {
  {
    std::lock_guard<std::mutex> lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void CompletionThread::Add(cudaEvent_t event, Stream::Done fn) {
  {
    std::lock_guard<std::mutex> lock(mutex_);
    queue_.push_back({event, std::move(fn)});
  }
  changed_.notify_all();
}

void CompletionThread::Main() {
  const CurrentGpu on(ordinal_);
  std::unique_lock<std::mutex> lock(mutex_);
  for (;;) {
    changed_.wait(lock, [&] { return stopping_ || !queue_.empty(); });
    if (queue_.empty()) return;
    Waiting next = std::move(queue_.front());
    queue_.pop_front();
    lock.unlock();
    const absl::Status s = CudaStatus(cudaEventSynchronize(next.event), "running on a GPU");
    cudaEventDestroy(next.event);
    next.fn(s);
    next.fn = nullptr;  // what it holds is released before the next one is waited for
    lock.lock();
  }
}

absl::StatusOr<std::unique_ptr<CudaStream>> CudaStream::Create(int ordinal) {
  const CurrentGpu on(ordinal);
  cudaStream_t stream;
  WB_RETURN_IF_ERROR(CudaStatus(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking),
                                "making a CUDA stream"));
  absl::StatusOr<cudaEvent_t> so_far = NewEvent();
  if (!so_far.ok()) {
    cudaStreamDestroy(stream);
    return so_far.status();
  }
  return std::unique_ptr<CudaStream>(new CudaStream(ordinal, stream, *so_far));
}

CudaStream::~CudaStream() {
  const CurrentGpu on(ordinal_);
  cudaStreamSynchronize(stream_);
  cudaEventDestroy(so_far_);
  cudaStreamDestroy(stream_);
}

absl::Status CudaStream::Copy(void* to, const void* from, size_t bytes) {
  if (bytes == 0) return absl::OkStatus();
  const CurrentGpu on(ordinal_);
  return CudaStatus(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, stream_),
                    "copying on a CUDA stream");
}

absl::Status CudaStream::Fill(void* to, unsigned char value, size_t bytes) {
  if (bytes == 0) return absl::OkStatus();
  const CurrentGpu on(ordinal_);
  return CudaStatus(cudaMemsetAsync(to, value, bytes, stream_), "filling on a CUDA stream");
}

// A wait is for what was recorded when it was enqueued: one event serves all waits for a stream.
absl::Status CudaStream::WaitFor(Stream& other) {
  auto* cuda = dynamic_cast<CudaStream*>(&other);
  if (cuda == nullptr) return InvalidArgument("the stream belongs to another kind of device");
  if (cuda == this) return absl::OkStatus();
  std::lock_guard<std::mutex> lock(cuda->mutex_);
  {
    const CurrentGpu on(cuda->ordinal_);
    WB_RETURN_IF_ERROR(
        CudaStatus(cudaEventRecord(cuda->so_far_, cuda->stream_), "recording a CUDA event"));
  }
  const CurrentGpu on(ordinal_);
  return CudaStatus(cudaStreamWaitEvent(stream_, cuda->so_far_, 0), "waiting for a CUDA event");
}

absl::Status CudaStream::WhenDone(Done fn) {
  const CurrentGpu on(ordinal_);
  // Recorded and queued under one lock, so that events are waited for in the order of the stream.
  std::lock_guard<std::mutex> lock(mutex_);
  WB_ASSIGN_OR_RETURN(cudaEvent_t event, NewEvent());
  absl::Status recorded = CudaStatus(cudaEventRecord(event, stream_), "recording a CUDA event");
  if (!recorded.ok()) {
    cudaEventDestroy(event);
    return recorded;
  }
  completions_.Add(event, std::move(fn));
  return absl::OkStatus();
}

absl::Status CudaStream::RunOnHost(std::function<void()>) {
  return Unimplemented("a kernel of host code cannot run on a GPU");
}

absl::Status CudaStream::Synchronize() {
  const CurrentGpu on(ordinal_);
  return CudaStatus(cudaStreamSynchronize(stream_), "waiting for a CUDA stream");
}

void* CudaStream::native_handle() {
  cudaSetDevice(ordinal_);
  return stream_;
}

}  // namespace warpbeam
