#include "runtime/device/cuda/cuda_stream.h"

#include <utility>

#include "runtime/device/cuda/cuda_status.h"

namespace warpbeam {

absl::StatusOr<std::unique_ptr<Event>> CudaEvent::Create(int ordinal) {
  CurrentGpu on(ordinal);
  cudaEvent_t event;
  WB_RETURN_IF_ERROR(
      CudaStatus(cudaEventCreateWithFlags(&event, cudaEventDisableTiming), "making a CUDA event"));
  return std::unique_ptr<Event>(new CudaEvent(event));
}

CudaEvent::~CudaEvent() { cudaEventDestroy(event_); }

bool CudaEvent::HasHappened() { return cudaEventQuery(event_) == cudaSuccess; }

absl::Status CudaEvent::Synchronize() {
  return CudaStatus(cudaEventSynchronize(event_), "waiting for a CUDA event");
}

absl::StatusOr<std::unique_ptr<CudaStream>> CudaStream::Create(int ordinal) {
  CurrentGpu on(ordinal);
  cudaStream_t stream;
  WB_RETURN_IF_ERROR(CudaStatus(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking),
                                "making a CUDA stream"));
  return std::unique_ptr<CudaStream>(new CudaStream(ordinal, stream));
}

CudaStream::~CudaStream() {
  cudaStreamSynchronize(stream_);
  cudaStreamDestroy(stream_);
}

absl::Status CudaStream::Copy(void* to, const void* from, size_t bytes) {
  if (bytes == 0) return absl::OkStatus();
  CurrentGpu on(ordinal_);
  return CudaStatus(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, stream_),
                    "copying on a CUDA stream");
}

absl::Status CudaStream::Fill(void* to, unsigned char value, size_t bytes) {
  CurrentGpu on(ordinal_);
  return CudaStatus(cudaMemsetAsync(to, value, bytes, stream_), "filling on a CUDA stream");
}

absl::Status CudaStream::HostCallback(std::function<void()> fn) {
  struct Call {
    CallbackThread* thread;
    std::function<void()> fn;
  };
  CurrentGpu on(ordinal_);
  auto* held = new Call{&callbacks_, std::move(fn)};
  const auto call = [](void* p) {
    std::unique_ptr<Call> c(static_cast<Call*>(p));
    c->thread->RunAndWait(c->fn);
  };
  const cudaError_t error = cudaLaunchHostFunc(stream_, call, held);
  if (error != cudaSuccess) delete held;
  return CudaStatus(error, "enqueuing a host function");
}

CallbackThread::CallbackThread() {
  thread_ = std::thread([this] {
    std::unique_lock<std::mutex> lock(mutex_);
    for (;;) {
      changed_.wait(lock, [&] { return stopping_ || !queue_.empty(); });
      if (queue_.empty()) return;
      const std::function<void()>* fn = queue_.front();
      queue_.pop_front();
      lock.unlock();
      (*fn)();
      lock.lock();
      ++finished_;
      changed_.notify_all();
    }
  });
}

CallbackThread::~CallbackThread() {
  {
    std::lock_guard<std::mutex> lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void CallbackThread::RunAndWait(const std::function<void()>& fn) {
  std::unique_lock<std::mutex> lock(mutex_);
  queue_.push_back(&fn);
  const int64_t mine = ++enqueued_;  // functions of a stream come one after the other
  changed_.notify_all();
  changed_.wait(lock, [&] { return finished_ >= mine; });
}

absl::Status CudaStream::Record(Event* event) {
  auto* cuda = dynamic_cast<CudaEvent*>(event);
  if (cuda == nullptr) return InvalidArgument("the event belongs to another kind of device");
  return CudaStatus(cudaEventRecord(cuda->handle(), stream_), "recording a CUDA event");
}

absl::Status CudaStream::Wait(Event* event) {
  auto* cuda = dynamic_cast<CudaEvent*>(event);
  if (cuda == nullptr) return event->Synchronize();
  return CudaStatus(cudaStreamWaitEvent(stream_, cuda->handle(), 0), "waiting for a CUDA event");
}

absl::Status CudaStream::Synchronize() {
  return CudaStatus(cudaStreamSynchronize(stream_), "waiting for a CUDA stream");
}

}  // namespace warpbeam
