#include "runtime/device/local/fixed_cuts.h"

#include <algorithm>
#include <string>

namespace warpbeam {
namespace {

// As WorkerPool has them; pieces enough for eight threads.
constexpr double kLeastLoopNs = 8'000;
constexpr double kLeastPieceNs = 4'000;
constexpr int64_t kMostPieces = 32;

class FixedCuts final : public Device {
 public:
  explicit FixedCuts(Device* device) : device_(*device) {}

  const DeviceName& name() const override { return device_.name(); }
  DeviceType type() const override { return device_.type(); }
  ExecutionModel execution_model() const override { return device_.execution_model(); }
  std::string Description() const override { return device_.Description(); }
  int64_t memory_limit() const override { return device_.memory_limit(); }
  bool runs_host_code() const override { return device_.runs_host_code(); }
  bool runs_gpu_kernels() const override { return device_.runs_gpu_kernels(); }
  Allocator& allocator() override { return device_.allocator(); }
  Stream* compute_stream() override { return device_.compute_stream(); }
  StatusOr<std::unique_ptr<Stream>> NewStream() override { return device_.NewStream(); }
  Status Synchronize() override { return device_.Synchronize(); }
  void* ToKernelAddress(void* p) const override { return device_.ToKernelAddress(p); }
  void* ToTensorAddress(void* p) const override { return device_.ToTensorAddress(p); }

  int width() const override { return kFixedWidth; }

  void ParallelFor(int64_t count, int64_t ns_per_item,
                   absl::FunctionRef<void(int64_t, int64_t)> fn) override {
    if (count <= 0) return;
    const double total_ns = static_cast<double>(count) * static_cast<double>(ns_per_item);
    if (count == 1 || total_ns < kLeastLoopNs) return fn(0, count);
    const double worth = std::min<double>(kMostPieces, std::max(2.0, total_ns / kLeastPieceNs));
    const int64_t wanted = std::min(count, static_cast<int64_t>(worth));
    const int64_t piece = (count + wanted - 1) / wanted;
    const int64_t pieces = (count + piece - 1) / piece;
    const double piece_ns = total_ns / static_cast<double>(pieces);
    device_.ParallelFor(pieces, static_cast<int64_t>(piece_ns), [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) fn(i * piece, std::min(count, (i + 1) * piece));
    });
  }

 private:
  Device& device_;
};

}  // namespace

std::unique_ptr<Device> NewFixedCuts(Device* device) { return std::make_unique<FixedCuts>(device); }

}  // namespace warpbeam
