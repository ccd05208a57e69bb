#include "runtime/comm/gpu_communicator.h"

#include <algorithm>
#include <cstring>
#include <mutex>
#include <set>

namespace warpbeam {
namespace {

// Initialised at compile time: a registration in another file may run before anything here.
const GpuCommunicatorSide* real_side = nullptr;

Status NotBetweenTasks() {
  return Unimplemented("this build has no communicators of GPUs on several tasks");
}

// A call as the host computes it, at addresses that host code may use.
class HostCall {
 public:
  explicit HostCall(const GpuCall& call) : call_(call), size_(DTypeSize(call.dtype)) {
    for (GpuRank& rank : call_.ranks) {
      rank.in = rank.device->ToKernelAddress(const_cast<void*>(rank.in));
      rank.out = rank.device->ToKernelAddress(rank.out);
    }
  }

  void Run() const {
    switch (call_.kind) {
      case kReduction:
        return ReduceInto(call_.ranks[0].out, 0, call_.count, /*copies=*/true);
      case kReduceScatter:
        return ForEachShare([this](size_t rank, int64_t first, int64_t count) {
          ReduceInto(call_.ranks[rank].out, first, count, /*copies=*/false);
        });
      case kBroadcast:
        return Broadcast(call_.ranks[call_.source].in, call_.source);
      case kGather:
        return Gather();
      case kAllToAll:
        return ForEachShare([this](size_t rank, int64_t first, int64_t count) {
          for (size_t from = 0; from < call_.ranks.size(); ++from) {
            Copy(At(call_.ranks[rank].out, static_cast<int64_t>(from) * count),
                 At(call_.ranks[from].in, first), count);
          }
        });
      default:
        return;
    }
  }

 private:
  void* At(const void* begin, int64_t element) const {
    return static_cast<char*>(const_cast<void*>(begin)) + static_cast<size_t>(element) * size_;
  }
  void Copy(void* to, const void* from, int64_t count) const {
    if (to != from) memcpy(to, from, static_cast<size_t>(count) * size_);
  }
  template <class Fn>
  void ForEachShare(const Fn& fn) const {
    const auto n = static_cast<int64_t>(call_.ranks.size());
    const int64_t count = call_.count / n;
    for (int64_t rank = 0; rank < n; ++rank) fn(static_cast<size_t>(rank), rank * count, count);
  }
  void ReduceInto(void* out, int64_t first, int64_t count, bool copies) const {
    Copy(out, At(call_.ranks[0].in, first), count);
    for (size_t r = 1; r < call_.ranks.size(); ++r) {
      call_.merge(out, out, At(call_.ranks[r].in, first), count);
    }
    if (call_.divide != nullptr) {
      call_.divide(out, count, static_cast<int64_t>(call_.ranks.size()));
    }
    if (copies) Broadcast(out, 0);
  }
  void Broadcast(const void* value, size_t source) const {
    for (size_t r = 0; r < call_.ranks.size(); ++r) {
      if (r != source) Copy(call_.ranks[r].out, value, call_.count);
    }
  }
  void Gather() const {
    for (const GpuRank& to : call_.ranks) {
      int64_t place = 0;
      for (const GpuRank& from : call_.ranks) {
        Copy(At(to.out, place), from.in, call_.count);
        place += call_.count;
      }
    }
  }

  GpuCall call_;
  const size_t size_;
};

// The first rank's stream waits for all others, computes everything, and they wait for it.
class SimulatedCommunicator final : public GpuCommunicator {
 public:
  Status Enqueue(const GpuCall& call) override {
    static std::mutex one_at_a_time;
    std::lock_guard<std::mutex> lock(one_at_a_time);
    Stream* const first = call.ranks[0].stream;
    for (const GpuRank& rank : call.ranks) WB_RETURN_IF_ERROR(first->WaitFor(*rank.stream));
    WB_RETURN_IF_ERROR(first->RunOnHost([run = HostCall(call)] { run.Run(); }));
    for (const GpuRank& rank : call.ranks) WB_RETURN_IF_ERROR(rank.stream->WaitFor(*first));
    return OkStatus();
  }
  Status status() override { return OkStatus(); }
  void Abort() override {}
};

}  // namespace

GpuCommunicatorRegistration::GpuCommunicatorRegistration(const GpuCommunicatorSide* real) {
  real_side = real;
}

bool HasGpuCommunicators(DType dtype) { return real_side != nullptr && real_side->has(dtype); }

bool HasGpuCommunicatorOf(const std::vector<Device*>& devices, DType dtype) {
  if (!HasGpuCommunicators(dtype)) return false;
  std::set<std::string> gpus;
  for (Device* device : devices) {
    const StatusOr<GpuIdentity> identity = IdentifyGpu(device);
    if (!identity.ok() || !gpus.insert(identity->gpu).second) return false;
  }
  return true;
}

StatusOr<std::shared_ptr<GpuCommunicator>> NewGpuCommunicator(
    const std::vector<Device*>& devices, const std::function<bool()>& gives_up) {
  const auto real = std::count_if(devices.begin(), devices.end(),
                                  [](const Device* device) { return device->has_driver(); });
  if (real == 0) return std::shared_ptr<GpuCommunicator>(new SimulatedCommunicator);
  if (real != static_cast<int64_t>(devices.size()) || real_side == nullptr) {
    return Unimplemented("this build has no collectives between these GPUs");
  }
  return real_side->make(devices, gives_up);
}

StatusOr<GpuIdentity> IdentifyGpu(Device* device) {
  if (device == nullptr || real_side == nullptr || !device->has_driver()) return NotBetweenTasks();
  return real_side->identify(*device);
}

StatusOr<std::string> NewGpuCommunicatorId() {
  if (real_side == nullptr) return NotBetweenTasks();
  return real_side->new_id();
}

StatusOr<std::shared_ptr<GpuCommunicator>> JoinGpuCommunicator(
    const GpuRanks& ranks, const std::function<bool()>& gives_up) {
  if (real_side == nullptr) return NotBetweenTasks();
  return real_side->join(ranks, gives_up);
}

}  // namespace warpbeam
