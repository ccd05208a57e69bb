#include "runtime/device/cuda/cuda_stream.h"

#include <utility>

#include "runtime/device/cuda/cuda_memory.h"
#include "runtime/device/cuda/cuda_status.h"

namespace warpbeam {
namespace {

StatusOr<cudaEvent_t> MakeEvent() {
  cudaEvent_t event;
  WB_RETURN_IF_ERROR(
      CudaStatus(cudaEventCreateWithFlags(&event, cudaEventDisableTiming), "making a CUDA event"));
  return event;
}

void CUDART_CB CallAgain(void* kernel) { (*static_cast<std::function<void()>*>(kernel))(); }

void CUDART_CB CallOnce(void* kernel) {
  const std::unique_ptr<std::function<void()>> held(static_cast<std::function<void()>*>(kernel));
  (*held)();
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
  const CurrentGpu on(ordinal_);
  for (const cudaEvent_t event : unused_) cudaEventDestroy(event);
}

StatusOr<cudaEvent_t> CompletionThread::NewEvent() {
  {
    std::lock_guard<std::mutex> lock(mutex_);
    if (!unused_.empty()) {
      const cudaEvent_t event = unused_.back();
      unused_.pop_back();
      return event;
    }
  }
  return MakeEvent();
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
    const Status s = CudaStatus(cudaEventSynchronize(next.event), "running on a GPU");
    next.fn(s);
    next.fn = nullptr;  // what it holds is released before the next one is waited for
    lock.lock();
    unused_.push_back(next.event);
  }
}

StatusOr<std::unique_ptr<CudaStream>> CudaStream::Create(int ordinal, bool runs_host_code) {
  const CurrentGpu on(ordinal);
  cudaStream_t stream;
  WB_RETURN_IF_ERROR(CudaStatus(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking),
                                "making a CUDA stream"));
  StatusOr<cudaEvent_t> so_far = MakeEvent();
  if (!so_far.ok()) {
    cudaStreamDestroy(stream);
    return so_far.status();
  }
  return std::unique_ptr<CudaStream>(new CudaStream(ordinal, runs_host_code, stream, *so_far));
}

CudaStream::~CudaStream() {
  const CurrentGpu on(ordinal_);
  cudaStreamSynchronize(stream_);
  cudaEventDestroy(so_far_);
  cudaStreamDestroy(stream_);
}

Status CudaStream::Copy(void* to, const void* from, size_t bytes) {
  if (bytes == 0) return OkStatus();
  const CurrentGpu on(ordinal_);
  const bool to_gpu = CudaMemory::IsOnGpu(to), from_gpu = CudaMemory::IsOnGpu(from);
  if (to_gpu != from_gpu) {
    WB_ASSIGN_OR_RETURN(const auto lock, Lock());
    return to_gpu ? staging_.ToGpu(stream_, to, from, bytes)
                  : staging_.ToHost(stream_, to, from, bytes);
  }
  return CudaStatus(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, stream_),
                    "copying on a CUDA stream");
}

Status CudaStream::Fill(void* to, unsigned char value, size_t bytes) {
  if (bytes == 0) return OkStatus();
  const CurrentGpu on(ordinal_);
  return CudaStatus(cudaMemsetAsync(to, value, bytes, stream_), "filling on a CUDA stream");
}

// A wait is for what was recorded when it was enqueued: one event serves all waits for a stream.
Status CudaStream::WaitFor(Stream& other) {
  auto* cuda = dynamic_cast<CudaStream*>(&other);
  if (cuda == nullptr) return InvalidArgument("the stream belongs to another kind of device");
  if (cuda == this) return OkStatus();
  const std::thread::id here = std::this_thread::get_id();
  if (recorder_.load() == here || cuda->recorder_.load() == here) {
    return FailedPrecondition("waiting for another stream cannot be recorded");
  }
  // Neither may be recorded by another thread meanwhile: it would be spoilt, and this refused.
  const std::scoped_lock lock(mutex_, cuda->mutex_);
  {
    const CurrentGpu on(cuda->ordinal_);
    WB_RETURN_IF_ERROR(
        CudaStatus(cudaEventRecord(cuda->so_far_, cuda->stream_), "recording a CUDA event"));
  }
  const CurrentGpu on(ordinal_);
  return CudaStatus(cudaStreamWaitEvent(stream_, cuda->so_far_, 0), "waiting for a CUDA event");
}

Status CudaStream::WhenDone(Done fn) {
  const CurrentGpu on(ordinal_);
  // Recorded and queued under one lock, so that events are waited for in the order of the stream.
  WB_ASSIGN_OR_RETURN(const auto lock, Lock());
  WB_ASSIGN_OR_RETURN(cudaEvent_t event, completions_.NewEvent());
  Status recorded = CudaStatus(cudaEventRecord(event, stream_), "recording a CUDA event");
  if (!recorded.ok()) {
    cudaEventDestroy(event);
    return recorded;
  }
  completions_.Add(event, std::move(fn));
  return OkStatus();
}

// A recording keeps its kernels, which it may call any number of times.
Status CudaStream::RunOnHost(std::function<void()> kernel) {
  if (!runs_host_code_) return Unimplemented("a kernel of host code cannot run on a GPU");
  const CurrentGpu on(ordinal_);
  const bool records = recorder_.load() == std::this_thread::get_id();
  auto held = std::make_unique<std::function<void()>>(std::move(kernel));
  WB_RETURN_IF_ERROR(
      CudaStatus(cudaLaunchHostFunc(stream_, records ? &CallAgain : &CallOnce, held.get()),
                 "enqueuing a kernel of host code"));
  if (records) {
    recorded_kernels_.push_back(std::move(held));
  } else {
    held.release();
  }
  return OkStatus();
}

Status CudaStream::Synchronize() {
  const CurrentGpu on(ordinal_);
  WB_ASSIGN_OR_RETURN(const auto lock, Lock());  // a stream must not begin to record meanwhile
  return CudaStatus(cudaStreamSynchronize(stream_), "waiting for a CUDA stream");
}

namespace {

class CudaRecording final : public Recording {
 public:
  CudaRecording(int ordinal, cudaGraphExec_t graph, cudaStream_t stream, HostKernels kernels)
      : ordinal_(ordinal), graph_(graph), stream_(stream), kernels_(std::move(kernels)) {}
  ~CudaRecording() override {
    const CurrentGpu on(ordinal_);
    if (!kernels_.empty()) cudaStreamSynchronize(stream_);  // which may be calling them
    cudaGraphExecDestroy(graph_);
  }
  Status Enqueue() override {
    const CurrentGpu on(ordinal_);
    return CudaStatus(cudaGraphLaunch(graph_, stream_), "launching a CUDA graph");
  }

 private:
  const int ordinal_;
  const cudaGraphExec_t graph_;
  const cudaStream_t stream_;
  const HostKernels kernels_;
};

}  // namespace

StatusOr<std::unique_lock<std::mutex>> CudaStream::Lock() {
  if (recorder_.load() == std::this_thread::get_id()) {
    return FailedPrecondition("copies from and to the host, and waiting, cannot be recorded");
  }
  return std::unique_lock<std::mutex>(mutex_);
}

// Relaxed: other threads, and the libraries that kernels call, may take memory meanwhile.
Status CudaStream::BeginRecording() {
  const CurrentGpu on(ordinal_);
  WB_ASSIGN_OR_RETURN(auto lock, Lock());
  WB_RETURN_IF_ERROR(CudaStatus(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeRelaxed),
                                "recording a CUDA stream"));
  recorded_kernels_.clear();
  recorder_.store(std::this_thread::get_id());
  lock.release();  // EndRecording lets go of it
  return OkStatus();
}

StatusOr<std::unique_ptr<Recording>> CudaStream::EndRecording() {
  const CurrentGpu on(ordinal_);
  if (recorder_.load() != std::this_thread::get_id()) {
    return FailedPrecondition("the stream does not record");
  }
  cudaGraph_t recorded = nullptr;
  const Status ended =
      CudaStatus(cudaStreamEndCapture(stream_, &recorded), "ending a recording of a CUDA stream");
  HostKernels kernels = std::move(recorded_kernels_);
  recorder_.store(std::thread::id());
  mutex_.unlock();
  WB_RETURN_IF_ERROR(ended);
  cudaGraphExec_t graph = nullptr;
  const Status made = CudaStatus(cudaGraphInstantiate(&graph, recorded, 0), "making a CUDA graph");
  cudaGraphDestroy(recorded);
  WB_RETURN_IF_ERROR(made);
  return std::unique_ptr<Recording>(
      std::make_unique<CudaRecording>(ordinal_, graph, stream_, std::move(kernels)));
}

void* CudaStream::native_handle() {
  cudaSetDevice(ordinal_);
  return stream_;
}

}  // namespace warpbeam
