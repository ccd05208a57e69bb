#include "runtime/device/cpu/cpu_device.h"

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "runtime/memory/pool_allocator.h"

namespace warpbeam {
namespace {

// Host work is finished when a call returns, so a stream has nothing to keep in order.
class HostStream final : public Stream {
 public:
  Status Copy(void* to, const void* from, size_t bytes) override {
    memcpy(to, from, bytes);
    return OkStatus();
  }
  Status Fill(void* to, unsigned char value, size_t bytes) override {
    memset(to, value, bytes);
    return OkStatus();
  }
  Status WaitFor(Stream&) override { return OkStatus(); }
  Status WhenDone(Done fn) override {
    fn(OkStatus());
    return OkStatus();
  }
  Status RunOnHost(std::function<void()> kernel) override {
    kernel();
    return OkStatus();
  }
  Status Synchronize() override { return OkStatus(); }
  void* native_handle() override { return nullptr; }
};

class CpuDeviceImpl final : public CpuDevice {
 public:
  CpuDeviceImpl(DeviceName name, int threads, std::shared_ptr<WorkerTeam> team)
      : name_(std::move(name)),
        workers_("cpu:" + std::to_string(name_.id.value_or(0)), threads, std::move(team)) {}

  const DeviceName& name() const override { return name_; }
  DeviceType type() const override { return DeviceType::kCpu; }
  ExecutionModel execution_model() const override { return ExecutionModel::kHostThreads; }
  std::string Description() const override {
    return absl::StrCat(workers_.width(), workers_.width() == 1 ? " core" : " cores");
  }
  int64_t memory_limit() const override {
    const int64_t machine = static_cast<int64_t>(sysconf(_SC_PHYS_PAGES)) * sysconf(_SC_PAGESIZE);
    const int64_t limit = PoolAllocator::Process().limit();
    return limit > 0 ? std::min(limit, machine) : machine;
  }
  Allocator& allocator() override { return PoolAllocator::Process(); }
  Stream* compute_stream() override { return nullptr; }
  StatusOr<std::unique_ptr<Stream>> NewStream() override { return std::make_unique<HostStream>(); }
  Status Synchronize() override { return OkStatus(); }
  int width() const override { return workers_.loop_width(); }

  void ParallelFor(int64_t count, int64_t ns_per_item,
                   absl::FunctionRef<void(int64_t, int64_t)> fn) override {
    workers_.ParallelFor(count, ns_per_item, fn);
  }
  WorkerPool& workers() override { return workers_; }

 private:
  const DeviceName name_;
  WorkerPool workers_;
};

}  // namespace

StatusOr<std::unique_ptr<CpuDevice>> NewCpuDevice(DeviceName name, int threads,
                                                  std::shared_ptr<WorkerTeam> team) {
  auto device = std::make_unique<CpuDeviceImpl>(std::move(name), threads, std::move(team));
  WB_RETURN_IF_ERROR(device->workers().started());
  return device;
}

int NumCores() {
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof(set), &set) == 0) return CPU_COUNT(&set);
  return static_cast<int>(sysconf(_SC_NPROCESSORS_ONLN));
}

}  // namespace warpbeam
