#include "runtime/device/cuda/cuda_stream.h"

#include <utility>

#include "runtime/device/cuda/cuda_memory.h"
#include "runtime/device/cuda/cuda_status.h"

namespace warpbeam {
namespace {

StatusOr<cudaEvent_t> MakeEvent(CudaContext& context) {
  cudaEvent_t event;
  WB_RETURN_IF_ERROR(context.Check(cudaEventCreateWithFlags(&event, cudaEventDisableTiming),
                                   "making a CUDA event (cudaEventCreateWithFlags)"));
  return event;
}

void CUDART_CB CallAgain(void* kernel) { (*static_cast<std::function<void()>*>(kernel))(); }

}  // namespace

CompletionThread::CompletionThread(CudaContext& context, HostCalls& calls, const char* stream_name)
    : context_(context), calls_(calls), stream_name_(stream_name), thread_([this] { Main(); }) {}

CompletionThread::~CompletionThread() {
  {
    std::lock_guard<std::mutex> lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_all();
  thread_.join();
  const CurrentGpu on(context_.ordinal());
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
  return MakeEvent(context_);
}

void CompletionThread::Add(cudaEvent_t event, Stream::Done fn) {
  {
    std::lock_guard<std::mutex> lock(mutex_);
    queue_.push_back({event, std::move(fn)});
  }
  changed_.notify_all();
}

void CompletionThread::Main() {
  const CurrentGpu on(context_.ordinal());
  std::unique_lock<std::mutex> lock(mutex_);
  for (;;) {
    changed_.wait(lock, [&] { return stopping_ || !queue_.empty(); });
    if (queue_.empty()) return;
    Waiting next = std::move(queue_.front());
    queue_.pop_front();
    lock.unlock();
    Status s = context_.status();
    if (s.ok()) {
      s = context_.Check(cudaEventSynchronize(next.event),
                         "waiting for what was enqueued (cudaEventSynchronize)", stream_name_);
    }
    if (!context_.is_usable()) calls_.Abandon();  // `fn` may let go of what they use
    next.fn(s);
    next.fn = nullptr;  // what it holds is released before the next one is waited for
    lock.lock();
    unused_.push_back(next.event);
  }
}

StatusOr<std::unique_ptr<CudaStream>> CudaStream::Create(CudaContext& context, const char* name,
                                                         bool runs_host_code) {
  WB_RETURN_IF_ERROR(context.status());
  const CurrentGpu on(context.ordinal());
  WB_RETURN_IF_ERROR(context.Check(on));
  cudaStream_t stream;
  WB_RETURN_IF_ERROR(context.Check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking),
                                   "making a CUDA stream (cudaStreamCreateWithFlags)"));
  StatusOr<cudaEvent_t> so_far = MakeEvent(context);
  if (!so_far.ok()) {
    cudaStreamDestroy(stream);
    return so_far.status();
  }
  return std::unique_ptr<CudaStream>(
      new CudaStream(context, name, runs_host_code, stream, *so_far));
}

CudaStream::~CudaStream() {
  const CurrentGpu on(context_.ordinal());
  if (context_.is_usable()) cudaStreamSynchronize(stream_);
  calls_.Abandon();  // before the memory that they use goes
  cudaEventDestroy(so_far_);
  cudaStreamDestroy(stream_);
}

Status CudaStream::Settled(Status s) {
  if (!context_.is_usable()) calls_.Abandon();
  return s;
}

Status CudaStream::Copy(void* to, const void* from, size_t bytes) {
  if (bytes == 0) return OkStatus();
  WB_RETURN_IF_ERROR(Settled(context_.status()));
  const CurrentGpu on(context_.ordinal());
  WB_RETURN_IF_ERROR(Settled(context_.Check(on)));
  const bool to_gpu = CudaMemory::IsOnGpu(to), from_gpu = CudaMemory::IsOnGpu(from);
  if (to_gpu != from_gpu) {
    WB_ASSIGN_OR_RETURN(const auto lock, Lock());
    return Settled(to_gpu ? staging_.ToGpu(stream_, to, from, bytes)
                          : staging_.ToHost(stream_, to, from, bytes));
  }
  return context_.Check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, stream_),
                        "copying (cudaMemcpyAsync)", name_);
}

Status CudaStream::Fill(void* to, unsigned char value, size_t bytes) {
  if (bytes == 0) return OkStatus();
  WB_RETURN_IF_ERROR(Settled(context_.status()));
  const CurrentGpu on(context_.ordinal());
  WB_RETURN_IF_ERROR(Settled(context_.Check(on)));
  return context_.Check(cudaMemsetAsync(to, value, bytes, stream_),
                        "filling memory (cudaMemsetAsync)", name_);
}

// A wait is for what was recorded when it was enqueued: one event serves all waits for a stream.
Status CudaStream::WaitFor(Stream& other) {
  auto* cuda = dynamic_cast<CudaStream*>(&other);
  if (cuda == nullptr) return InvalidArgument("the stream belongs to another kind of device");
  if (cuda == this) return OkStatus();
  WB_RETURN_IF_ERROR(Settled(context_.status()));
  WB_RETURN_IF_ERROR(cuda->context_.status());
  const std::thread::id here = std::this_thread::get_id();
  if (recorder_.load() == here || cuda->recorder_.load() == here) {
    return FailedPrecondition("waiting for another stream cannot be recorded");
  }
  // Neither may be recorded by another thread meanwhile: it would be spoilt, and this refused.
  const std::scoped_lock lock(mutex_, cuda->mutex_);
  {
    const CurrentGpu on(cuda->context_.ordinal());
    WB_RETURN_IF_ERROR(cuda->context_.Check(on));
    WB_RETURN_IF_ERROR(cuda->context_.Check(cudaEventRecord(cuda->so_far_, cuda->stream_),
                                            "recording a CUDA event (cudaEventRecord)",
                                            cuda->name_));
  }
  const CurrentGpu on(context_.ordinal());
  WB_RETURN_IF_ERROR(Settled(context_.Check(on)));
  return context_.Check(cudaStreamWaitEvent(stream_, cuda->so_far_, 0),
                        "waiting for a CUDA event (cudaStreamWaitEvent)", name_);
}

Status CudaStream::WhenDone(Done fn) {
  WB_RETURN_IF_ERROR(Settled(context_.status()));
  const CurrentGpu on(context_.ordinal());
  WB_RETURN_IF_ERROR(Settled(context_.Check(on)));
  // Recorded and queued under one lock, so that events are waited for in the order of the stream.
  WB_ASSIGN_OR_RETURN(const auto lock, Lock());
  WB_ASSIGN_OR_RETURN(cudaEvent_t event, completions_.NewEvent());
  Status recorded = context_.Check(cudaEventRecord(event, stream_),
                                   "recording a CUDA event (cudaEventRecord)", name_);
  if (!recorded.ok()) {
    cudaEventDestroy(event);
    return Settled(recorded);
  }
  completions_.Add(event, std::move(fn));
  return OkStatus();
}

// A recording keeps its kernels, which it may call any number of times.
Status CudaStream::RunOnHost(std::function<void()> kernel) {
  if (!runs_host_code_) return Unimplemented("a kernel of host code cannot run on a GPU");
  WB_RETURN_IF_ERROR(Settled(context_.status()));
  const CurrentGpu on(context_.ordinal());
  WB_RETURN_IF_ERROR(Settled(context_.Check(on)));
  constexpr char kDoing[] = "enqueuing a kernel of host code (cudaLaunchHostFunc)";
  if (recorder_.load() != std::this_thread::get_id()) {
    return context_.Check(calls_.Enqueue(stream_, std::move(kernel)), kDoing, name_);
  }
  auto held = std::make_unique<std::function<void()>>(std::move(kernel));
  WB_RETURN_IF_ERROR(
      context_.Check(cudaLaunchHostFunc(stream_, &CallAgain, held.get()), kDoing, name_));
  recorded_kernels_.push_back(std::move(held));
  return OkStatus();
}

Status CudaStream::Synchronize() {
  WB_RETURN_IF_ERROR(Settled(context_.status()));
  const CurrentGpu on(context_.ordinal());
  WB_RETURN_IF_ERROR(Settled(context_.Check(on)));
  WB_ASSIGN_OR_RETURN(const auto lock, Lock());  // a stream must not begin to record meanwhile
  return Settled(context_.Check(cudaStreamSynchronize(stream_),
                                "waiting for what was enqueued (cudaStreamSynchronize)", name_));
}

void CudaStream::Probe(absl::string_view doing) {
  if (!context_.is_usable() || recorder_.load() == std::this_thread::get_id()) return;
  const std::unique_lock<std::mutex> lock(mutex_, std::try_to_lock);
  if (!lock.owns_lock()) return;
  const CurrentGpu on(context_.ordinal());
  context_.Check(cudaStreamQuery(stream_), doing).IgnoreError();
}

namespace {

class CudaRecording final : public Recording {
 public:
  CudaRecording(CudaContext& context, cudaGraphExec_t graph, cudaStream_t stream,
                HostKernels kernels)
      : context_(context), graph_(graph), stream_(stream), kernels_(std::move(kernels)) {}
  ~CudaRecording() override {
    const CurrentGpu on(context_.ordinal());
    // The stream may be calling them.
    if (!kernels_.empty() && context_.is_usable()) cudaStreamSynchronize(stream_);
    cudaGraphExecDestroy(graph_);
  }
  Status Enqueue() override {
    WB_RETURN_IF_ERROR(context_.status());
    const CurrentGpu on(context_.ordinal());
    WB_RETURN_IF_ERROR(context_.Check(on));
    return context_.Check(cudaGraphLaunch(graph_, stream_),
                          "launching a CUDA graph (cudaGraphLaunch)");
  }

 private:
  CudaContext& context_;
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
  WB_RETURN_IF_ERROR(Settled(context_.status()));
  const CurrentGpu on(context_.ordinal());
  WB_RETURN_IF_ERROR(Settled(context_.Check(on)));
  WB_ASSIGN_OR_RETURN(auto lock, Lock());
  WB_RETURN_IF_ERROR(context_.Check(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeRelaxed),
                                    "recording (cudaStreamBeginCapture)", name_));
  recorded_kernels_.clear();
  recorder_.store(std::this_thread::get_id());
  lock.release();  // EndRecording lets go of it
  return OkStatus();
}

StatusOr<std::unique_ptr<Recording>> CudaStream::EndRecording() {
  const CurrentGpu on(context_.ordinal());
  if (recorder_.load() != std::this_thread::get_id()) {
    return FailedPrecondition("the stream does not record");
  }
  cudaGraph_t recorded = nullptr;
  const Status ended = context_.Check(cudaStreamEndCapture(stream_, &recorded),
                                      "ending a recording (cudaStreamEndCapture)", name_);
  HostKernels kernels = std::move(recorded_kernels_);
  recorder_.store(std::thread::id());
  mutex_.unlock();
  WB_RETURN_IF_ERROR(ended);
  cudaGraphExec_t graph = nullptr;
  const Status made = context_.Check(cudaGraphInstantiate(&graph, recorded, 0),
                                     "making a CUDA graph (cudaGraphInstantiate)");
  cudaGraphDestroy(recorded);
  WB_RETURN_IF_ERROR(made);
  return std::unique_ptr<Recording>(
      std::make_unique<CudaRecording>(context_, graph, stream_, std::move(kernels)));
}

void* CudaStream::native_handle() {
  cudaSetDevice(context_.ordinal());
  return stream_;
}

}  // namespace warpbeam
