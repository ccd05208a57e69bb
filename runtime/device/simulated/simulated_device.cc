#include "runtime/device/simulated/simulated_device.h"

#include <mutex>
#include <utility>
#include <vector>

#include "runtime/device/arena.h"
#include "runtime/device/simulated/simulated_stream.h"
#include "runtime/device/simulated/twin_memory.h"

namespace warpbeam {
namespace {

// The memories of all simulated devices of the process: a peer copy meets addresses of both ends.
class Memories {
 public:
  void Add(const std::shared_ptr<TwinMemory>& memory) {
    std::lock_guard<std::mutex> lock(mutex_);
    all_.push_back(memory);
  }
  void* ToWritable(void* p) {
    std::lock_guard<std::mutex> lock(mutex_);
    for (auto it = all_.begin(); it != all_.end();) {
      if (auto memory = it->lock()) {
        if (void* q = memory->ToWritable(p); q != p) return q;
        ++it;
      } else {
        it = all_.erase(it);
      }
    }
    return p;
  }
  static Memories& Get() {
    static Memories* memories = new Memories;
    return *memories;
  }

 private:
  std::mutex mutex_;
  std::vector<std::weak_ptr<TwinMemory>> all_;
};

class SimulatedDevice final : public Device {
 public:
  SimulatedDevice(DeviceName name, std::shared_ptr<TwinMemory> memory,
                  const SimulatedDeviceOptions& options)
      : name_(std::move(name)), options_(options), memory_(std::move(memory)) {
    compute_ = MakeStream("compute");
  }

  const DeviceName& name() const override { return name_; }
  DeviceType type() const override { return DeviceType::kGpu; }
  ExecutionModel execution_model() const override {
    return options_.enqueues ? ExecutionModel::kEnqueues : ExecutionModel::kOnStream;
  }
  bool runs_gpu_kernels() const override { return options_.gpu_kernels; }
  std::string Description() const override {
    return absl::StrCat("simulated, ", options_.memory >> 20, " MiB");
  }
  int64_t memory_limit() const override { return options_.memory; }
  Allocator& allocator() override {
    Allocator* const memory = MemoryScope::Current(*this);
    return memory != nullptr ? *memory : *memory_;
  }
  Stream* compute_stream() override { return compute_.get(); }
  StatusOr<std::unique_ptr<Stream>> NewStream() override { return MakeStream("copy"); }
  Status Synchronize() override { return compute_->Synchronize(); }
  void ParallelFor(int64_t count, int64_t, absl::FunctionRef<void(int64_t, int64_t)> fn) override {
    // One thread per device: simulated GPUs share the cores among each other as they are.
    if (count > 0) fn(0, count);
  }
  void* ToKernelAddress(void* p) const override { return memory_->ToWritable(p); }
  void* ToTensorAddress(void* p) const override { return memory_->ToGuarded(p); }

 private:
  std::unique_ptr<Stream> MakeStream(const char* kind) {
    return std::make_unique<SimulatedStream>(absl::StrCat("gpu:", name_.id.value_or(0), "/", kind),
                                             [](void* p) { return Memories::Get().ToWritable(p); });
  }

  const DeviceName name_;
  const SimulatedDeviceOptions options_;
  const std::shared_ptr<TwinMemory> memory_;
  std::unique_ptr<Stream> compute_;
};

}  // namespace

StatusOr<std::unique_ptr<Device>> NewSimulatedDevice(DeviceName name,
                                                     const SimulatedDeviceOptions& options) {
  WB_ASSIGN_OR_RETURN(
      std::shared_ptr<TwinMemory> memory,
      TwinMemory::Create(absl::StrCat("gpu:", name.id.value_or(0)), options.memory));
  Memories::Get().Add(memory);
  return std::unique_ptr<Device>(
      std::make_unique<SimulatedDevice>(std::move(name), std::move(memory), options));
}

}  // namespace warpbeam
