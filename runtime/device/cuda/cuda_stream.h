// CudaStream: the seam's stream over CUDA's own.
//
// Thread safety, errors: as Stream.
#ifndef WARPBEAM_RUNTIME_DEVICE_CUDA_CUDA_STREAM_H_
#define WARPBEAM_RUNTIME_DEVICE_CUDA_CUDA_STREAM_H_

#include <cuda_runtime_api.h>

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "runtime/device/cuda/cuda_context.h"
#include "runtime/device/cuda/host_calls.h"
#include "runtime/device/cuda/staging.h"
#include "runtime/device/recording.h"
#include "runtime/device/stream.h"

namespace warpbeam {

// Calls functions when the work before them has happened, each on the one thread that waits for
// CUDA events in the order of the stream: a function that CUDA calls itself may not call CUDA, and
// ours free buffers and enqueue more work. When the GPU has failed nobody is waited for any more.
class CompletionThread {
 public:
  CompletionThread(CudaContext& context, HostCalls& calls, const char* stream_name);
  // Runs what is left.
  ~CompletionThread();
  // An event that nobody waits for, to be recorded and added.
  StatusOr<cudaEvent_t> NewEvent();
  // `event` has been recorded; it is used again afterwards.
  void Add(cudaEvent_t event, Stream::Done fn);

 private:
  struct Waiting {
    cudaEvent_t event;
    Stream::Done fn;
  };
  void Main();

  CudaContext& context_;
  HostCalls& calls_;
  const char* const stream_name_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Waiting> queue_;
  std::vector<cudaEvent_t> unused_;
  bool stopping_ = false;
  std::thread thread_;
};

// Kernels of host code that CUDA calls by their addresses.
using HostKernels = std::vector<std::unique_ptr<std::function<void()>>>;

class CudaStream final : public Stream, public RecordingStream {
 public:
  // `runs_host_code`: kernels are host code (Device::runs_host_code).
  // `name` is for messages: "the compute stream".
  static StatusOr<std::unique_ptr<CudaStream>> Create(CudaContext& context, const char* name,
                                                      bool runs_host_code);
  ~CudaStream() override;
  cudaStream_t handle() const { return stream_; }
  // Lets the context find out whether its GPU has failed, behind a call that did, which was `doing`
  // something. Does not wait, and says nothing while the stream records.
  void Probe(absl::string_view doing);

  Status Copy(void* to, const void* from, size_t bytes) override;
  Status Fill(void* to, unsigned char value, size_t bytes) override;
  Status WaitFor(Stream& other) override;
  Status WhenDone(Done fn) override;
  Status RunOnHost(std::function<void()> kernel) override;
  Status Synchronize() override;
  void* native_handle() override;
  // CUDA graphs: what is recorded is launched as one. Meanwhile other threads that would enqueue
  // here, or wait, are kept from it.
  Status BeginRecording() override;
  StatusOr<std::unique_ptr<Recording>> EndRecording() override;

 private:
  CudaStream(CudaContext& context, const char* name, bool runs_host_code, cudaStream_t stream,
             cudaEvent_t so_far)
      : context_(context),
        name_(name),
        runs_host_code_(runs_host_code),
        stream_(stream),
        so_far_(so_far),
        staging_(context, calls_, name),
        completions_(context, calls_, name) {}
  CudaContext& context_;
  const char* const name_;
  const bool runs_host_code_;
  const cudaStream_t stream_;
  // What a call gave, once nothing that the host was to be called for uses memory any more if the
  // GPU has failed: who gets an error may let go of it.
  Status Settled(Status s);
  // For what may not come into a recording: FAILED_PRECONDITION on the thread that records, which
  // would wait for itself.
  StatusOr<std::unique_lock<std::mutex>> Lock();
  std::mutex mutex_;          // held while the stream records, around staging, and around:
  const cudaEvent_t so_far_;  // recorded anew for each stream that waits for this one
  std::atomic<std::thread::id> recorder_;  // the thread that records
  HostKernels recorded_kernels_;           // of that thread
  HostCalls calls_;
  Staging staging_;
  CompletionThread completions_;
};

}  // namespace warpbeam

#endif  // WARPBEAM_RUNTIME_DEVICE_CUDA_CUDA_STREAM_H_
