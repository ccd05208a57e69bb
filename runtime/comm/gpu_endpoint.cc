#include "runtime/comm/gpu_endpoint.h"

#include <atomic>
#include <thread>
#include <utility>

#include "runtime/memory/pool_allocator.h"
#include "runtime/thread/new_thread.h"

namespace warpbeam {
namespace {

struct Endpoints {
  std::mutex mutex;
  std::map<const Device*, std::weak_ptr<GpuEndpoint>> all;
};

Endpoints& TheEndpoints() {
  static auto* const endpoints = new Endpoints;
  return *endpoints;
}

int64_t NextEndpoint() {
  static std::atomic<int64_t> next{0};
  return next.fetch_add(1);
}

}  // namespace

std::shared_ptr<GpuEndpoint> GpuEndpoint::Of(Device* device) {
  if (device == nullptr || device->compute_stream() == nullptr) return nullptr;
  std::lock_guard<std::mutex> lock(TheEndpoints().mutex);
  std::weak_ptr<GpuEndpoint>& known = TheEndpoints().all[device];
  std::shared_ptr<GpuEndpoint> endpoint = known.lock();
  if (endpoint == nullptr) {
    endpoint = std::make_shared<GpuEndpoint>(*device);
    known = endpoint;
  }
  return endpoint;
}

GpuEndpoint::GpuEndpoint(Device& device) : device_(device), id_(NextEndpoint()) {}

// Streams come by before communicators end.
GpuEndpoint::~GpuEndpoint() {
  stream_.reset();
  communicators_.clear();
  std::lock_guard<std::mutex> lock(TheEndpoints().mutex);
  const auto found = TheEndpoints().all.find(&device_);
  if (found != TheEndpoints().all.end() && found->second.expired()) {
    TheEndpoints().all.erase(found);
  }
}

StatusOr<Stream*> GpuEndpoint::stream() {
  std::lock_guard<std::mutex> lock(mutex_);
  if (stream_ == nullptr) {
    WB_ASSIGN_OR_RETURN(stream_, device_.NewStream());
  }
  return stream_.get();
}

StatusOr<std::shared_ptr<GpuCommunicator>> GpuEndpoint::CommunicatorOf(
    const std::vector<GpuEndpoint*>& ranks, const std::function<bool()>& gives_up) {
  std::vector<int64_t> ids;
  std::vector<Device*> devices;
  for (const GpuEndpoint* rank : ranks) {
    ids.push_back(rank->id_);
    devices.push_back(&rank->device_);
  }
  // Made under the lock, so that nobody makes a second one meanwhile.
  std::lock_guard<std::mutex> lock(mutex_);
  std::shared_ptr<GpuCommunicator>& known = communicators_[ids];
  if (known == nullptr || !known->status().ok()) {
    known = nullptr;
    WB_ASSIGN_OR_RETURN(known, NewGpuCommunicator(devices, gives_up));
  }
  return known;
}

// A stream that cannot tell is waited for, on a thread of its own.
void WhenPassed(Stream& stream, Stream::Done then) {
  const auto shared = std::make_shared<Stream::Done>(std::move(then));
  const Status asked = stream.WhenDone([shared](const Status& s) { (*shared)(s); });
  if (asked.ok()) return;
  const auto wait = [shared, asked, &stream] {
    stream.Synchronize().IgnoreError();
    (*shared)(asked);
  };
  StatusOr<std::thread> thread = NewThread(wait);
  if (!thread.ok()) return wait();
  thread->detach();
}

void CopyToHost(GpuEndpoint& from, const Tensor& tensor,
                std::function<void(StatusOr<Tensor> copied)> then) {
  StatusOr<Stream*> stream = from.stream();
  if (!stream.ok()) return then(stream.status());
  StatusOr<Tensor> host =
      Tensor::Allocate(tensor.dtype(), tensor.shape(), PoolAllocator::Process());
  if (!host.ok()) return then(host.status());
  Status copied = (*stream)->Copy(host->raw_data(), tensor.raw_data(), tensor.bytes());
  WhenPassed(**stream, [tensor = tensor, host = *std::move(host), copied = std::move(copied),
                        then = std::move(then)](const Status& passed) mutable {
    tensor = Tensor();
    if (!copied.ok()) return then(copied);
    if (!passed.ok()) return then(passed);
    then(std::move(host));
  });
}

void CopyToGpu(GpuEndpoint& to, Tensor host, Tensor out, Stream::Done then) {
  StatusOr<Stream*> stream = to.stream();
  if (!stream.ok()) return then(stream.status());
  Status copied =
      (*stream)->Copy(out.raw_data(), std::as_const(host).raw_data(), std::as_const(host).bytes());
  WhenPassed(**stream, [host = std::move(host), out = std::move(out), copied = std::move(copied),
                        then = std::move(then)](const Status& passed) mutable {
    host = Tensor();
    out = Tensor();
    then(copied.ok() ? passed : copied);
  });
}

}  // namespace warpbeam
