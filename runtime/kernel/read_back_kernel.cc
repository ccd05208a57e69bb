#include "runtime/kernel/read_back_kernel.h"

#include <condition_variable>
#include <cstring>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "runtime/kernel/step_context.h"

namespace warpbeam {
namespace {

// What is on its way from the GPU. The stream shares it: it may come by after nobody waits any
// more.
class Arrival {
 public:
  explicit Arrival(size_t bytes) : bytes_(bytes) {}
  char* room() { return bytes_.data(); }

  // The first outcome counts.
  void End(Status outcome) {
    std::lock_guard<std::mutex> lock(mutex_);
    if (has_ended_) return;
    outcome_ = std::move(outcome);
    has_ended_ = true;
    ended_.notify_all();
  }
  Status Wait() {
    std::unique_lock<std::mutex> lock(mutex_);
    ended_.wait(lock, [&] { return has_ended_; });
    return outcome_;
  }

 private:
  std::vector<char> bytes_;
  std::mutex mutex_;
  std::condition_variable ended_;
  bool has_ended_ = false;
  Status outcome_;
};

Status WaitFor(const std::shared_ptr<Arrival>& arrival, StepContext* step) {
  if (step == nullptr) return arrival->Wait();
  const StepContext::Token token =
      step->OnCancel([arrival, step] { arrival->End(step->cancel_reason()); });
  if (token == StepContext::kAlreadyCancelled) return step->cancel_reason();
  Status outcome = arrival->Wait();
  step->RemoveCallback(token);
  return outcome;
}

}  // namespace

StatusOr<Tensor> ReadableGpuStream::Read(const Tensor& on_gpu) {
  WB_ASSIGN_OR_RETURN(Tensor value, Tensor::Allocate(on_gpu.dtype(), on_gpu.shape()));
  WB_RETURN_IF_ERROR(ReadBytes(on_gpu.raw_data(), on_gpu.bytes(), value.raw_data()));
  return value;
}

Status ReadableGpuStream::ReadBytes(const void* from, size_t bytes, void* to) {
  if (bytes == 0) return OkStatus();
  Device& device = *ctx_.device();
  if (device.execution_model() != ExecutionModel::kEnqueues) {
    memcpy(to, from, bytes);  // what was launched has run
    return OkStatus();
  }
  Stream& stream = *device.compute_stream();
  const auto arrival = std::make_shared<Arrival>(bytes);
  const void* const on_gpu = device.ToTensorAddress(const_cast<void*>(from));
  Status asked = stream.Copy(arrival->room(), on_gpu, bytes);
  if (asked.ok()) {
    asked = stream.WhenDone([arrival](const Status& outcome) { arrival->End(outcome); });
  }
  if (!asked.ok()) {
    // A part of the copy may be under way, and nobody else holds what it writes to.
    stream.Synchronize().IgnoreError();
    return asked;
  }
  WB_RETURN_IF_ERROR(WaitFor(arrival, ctx_.step()));
  memcpy(to, arrival->room(), bytes);
  return OkStatus();
}

}  // namespace warpbeam
