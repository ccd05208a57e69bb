// GpuEndpoint: what one GPU has for collectives: a stream of its own, so that they overlap with its
// kernels, and the communicators of which it has the first rank.
//
//   std::shared_ptr<GpuEndpoint> gpu = GpuEndpoint::Of(init.device);   // null: in host memory
//   WB_ASSIGN_OR_RETURN(Stream * stream, gpu->stream());
//   WB_RETURN_IF_ERROR(gpu->device().OrderBehindKernels(*stream));
//
// Ownership: of those that use it, such as the kernels of collective ops, which a device outlives;
// the last one ends stream and communicators. Thread safety: any thread. Errors: those of the
// device and of NewGpuCommunicator.
#ifndef WARPBEAM_RUNTIME_COMM_GPU_ENDPOINT_H_
#define WARPBEAM_RUNTIME_COMM_GPU_ENDPOINT_H_

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "graph/types/tensor.h"
#include "runtime/comm/gpu_communicator.h"
#include "runtime/device/device.h"

namespace warpbeam {

class GpuEndpoint {
 public:
  // The same for all that ask while there is one. Null for a device whose memory is the host's.
  static std::shared_ptr<GpuEndpoint> Of(Device* device);

  explicit GpuEndpoint(Device& device);
  ~GpuEndpoint();
  GpuEndpoint(const GpuEndpoint&) = delete;
  GpuEndpoint& operator=(const GpuEndpoint&) = delete;

  Device& device() const { return device_; }
  StatusOr<Stream*> stream();
  // Between these GPUs, of which this is the first; made when it is first asked for, and again when
  // it is of no more use. Blocks until they are connected, or `gives_up`.
  StatusOr<std::shared_ptr<GpuCommunicator>> CommunicatorOf(const std::vector<GpuEndpoint*>& ranks,
                                                            const std::function<bool()>& gives_up);

 private:
  Device& device_;
  const int64_t id_;  // no other endpoint of the process has had it
  std::mutex mutex_;
  std::map<std::vector<int64_t>, std::shared_ptr<GpuCommunicator>> communicators_;  // by ids
  std::unique_ptr<Stream> stream_;
};

// Calls `then` when the stream has come by, with what went wrong of it; on any thread, once.
void WhenPassed(Stream& stream, Stream::Done then);

// Copies behind what the endpoint's stream has been given. The tensors are held until it has
// happened.
void CopyToHost(GpuEndpoint& from, const Tensor& tensor,
                std::function<void(StatusOr<Tensor> copied)> then);
void CopyToGpu(GpuEndpoint& to, Tensor host, Tensor out, Stream::Done then);

}  // namespace warpbeam

#endif  // WARPBEAM_RUNTIME_COMM_GPU_ENDPOINT_H_
