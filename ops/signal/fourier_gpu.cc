// The Fourier transforms of real GPUs, by cuFFT.
//
// Plans are kept by problem, so many of them. One thread at a time launches by them, since they
// have settings; and one that was recorded stays for as long as the process.
#include <cuda_runtime_api.h>

#include <memory>
#include <mutex>
#include <tuple>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "ops/signal/cufft_plan.h"
#include "ops/signal/gpu_fourier.h"
#include "runtime/device/cuda/cuda_status.h"

namespace warpbeam {
namespace {

// All that a plan depends on; one serves both directions.
struct FourierKey {
  int gpu;
  FourierKind kind;
  bool is_double;
  int rank;
  GpuFourierTransform::Extents lengths, given;
  int64_t batches;

  auto Tied() const {
    return std::make_tuple(gpu, static_cast<int>(kind), is_double, rank, lengths, given, batches);
  }
  friend bool operator==(const FourierKey& x, const FourierKey& y) { return x.Tied() == y.Tied(); }
  template <typename H>
  friend H AbslHashValue(H h, const FourierKey& x) {
    return H::combine(std::move(h), x.Tied());
  }
};

class FourierOnGpu final : public GpuFourierTransforms {
 public:
  StatusOr<int64_t> WorkspaceBytes(GpuStream& stream,
                                   const GpuFourierTransform& transform) override {
    stream.native_handle();  // makes the stream's GPU the current one
    std::lock_guard<std::mutex> lock(mutex_);
    WB_ASSIGN_OR_RETURN(const CufftPlan* plan, PlanFor(transform));
    return plan->workspace_bytes();
  }

  Status Enqueue(GpuStream& stream, const GpuFourierTransform& transform, void* workspace,
                 int64_t bytes) override {
    const auto on = static_cast<cudaStream_t>(stream.native_handle());
    std::lock_guard<std::mutex> lock(mutex_);
    WB_ASSIGN_OR_RETURN(CufftPlan * plan, PlanFor(transform));
    if (bytes < plan->workspace_bytes()) {
      return Internal("a Fourier transform needs ", plan->workspace_bytes(),
                      " bytes to work in, not ", bytes);
    }
    return plan->Launch(on, transform, workspace);
  }

 private:
  struct KeptPlan {
    std::unique_ptr<CufftPlan> plan;
    int64_t last_use;
  };

  // On the calling thread's current GPU; valid as long as the lock is held.
  StatusOr<CufftPlan*> PlanFor(const GpuFourierTransform& x) {
    FourierKey key = {0, x.kind, x.is_double, x.rank, x.lengths, {}, x.batches};
    if (x.kind == FourierKind::kRealToComplex) key.given = x.given;
    WB_RETURN_IF_ERROR(
        CudaStatus(cudaGetDevice(&key.gpu), "asking for the current GPU (cudaGetDevice)"));
    auto found = plans_.find(key);
    if (found == plans_.end()) {
      WB_ASSIGN_OR_RETURN(std::unique_ptr<CufftPlan> made, CufftPlan::Make(x));
      MakeRoom();
      found = plans_.emplace(key, KeptPlan{std::move(made), 0}).first;
    }
    found->second.last_use = ++uses_;
    return found->second.plan.get();
  }

  // Of the plans that no recording reads the one goes that was not used for longest.
  void MakeRoom() {
    constexpr int64_t kMostKept = 128;
    auto oldest = plans_.end();
    int64_t kept = 0;
    for (auto at = plans_.begin(); at != plans_.end(); ++at) {
      if (at->second.plan->is_recorded()) continue;
      ++kept;
      if (oldest == plans_.end() || at->second.last_use < oldest->second.last_use) {
        oldest = at;
      }
    }
    if (kept >= kMostKept) plans_.erase(oldest);
  }

  std::mutex mutex_;
  absl::flat_hash_map<FourierKey, KeptPlan> plans_;
  int64_t uses_ = 0;
};

// Never destroyed: the driver may be gone before the process's static objects are.
const GpuFourierRegistration registration_of_cufft(GpuSide::kReal, new FourierOnGpu);

}  // namespace
}  // namespace warpbeam
