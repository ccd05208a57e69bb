// The convolutions of real GPUs, by cuDNN.
//
// Filters are put into the library's order first, or their gradients come out of it last
// (filter_order.h); the copy lies at the front of the memory to work in.
#include <cuda_runtime_api.h>
#include <cudnn.h>

#include <algorithm>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <tuple>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "ops/nn/conv/cudnn_plan.h"
#include "ops/nn/conv/cudnn_status.h"
#include "ops/nn/conv/filter_order.h"
#include "ops/nn/conv/gpu_convolutions.h"
#include "ops/nn/conv/integer_convolution.h"
#include "runtime/device/cuda/cuda_status.h"
#include "runtime/record/plan_file.h"

namespace warpbeam {
namespace {

// The largest power of two, up to 16, that divides all addresses.
int64_t AlignmentOf(const GpuConvolution& x) {
  const uintptr_t bits = reinterpret_cast<uintptr_t>(x.a) | reinterpret_cast<uintptr_t>(x.b) |
                         reinterpret_cast<uintptr_t>(x.result) |
                         reinterpret_cast<uintptr_t>(x.bias) | 16;
  return static_cast<int64_t>(bits & (~bits + 1));
}

int64_t FilterBytes(const GpuConvolution& x) {
  constexpr int64_t kAlignment = 256;
  const int64_t bytes = x.geometry.filter_elements() * static_cast<int64_t>(DTypeSize(x.dtype));
  return (bytes + kAlignment - 1) / kAlignment * kAlignment;
}

// Whether there is nothing to add up, so that the result is zero.
bool HasNoProducts(const GpuConvolution& x) {
  const ConvGeometry& g = x.geometry;
  return g.input_elements() == 0 || g.output_elements() == 0 || g.filter_elements() == 0;
}

int64_t ResultBytes(const GpuConvolution& x) {
  const ConvGeometry& g = x.geometry;
  const int64_t elements = x.pass == ConvPass::kForward         ? g.output_elements()
                           : x.pass == ConvPass::kBackwardInput ? g.input_elements()
                                                                : g.filter_elements();
  return elements * static_cast<int64_t>(DTypeSize(x.dtype));
}

// All that a plan depends on, for GPUs in this process.
struct PlanKey {
  int gpu;
  ConvPass pass;
  DType dtype;
  bool channels_first;
  bool tensor_float_32;
  int64_t alignment;
  bool has_bias, has_relu;
  ConvGeometry geometry;

  auto Tied() const {
    return std::make_tuple(gpu, static_cast<int>(pass), static_cast<int>(dtype), channels_first,
                           tensor_float_32, alignment, has_bias, has_relu);
  }
  friend bool operator==(const PlanKey& x, const PlanKey& y) {
    return x.Tied() == y.Tied() && x.geometry == y.geometry;
  }
  template <typename H>
  friend H AbslHashValue(H h, const PlanKey& x) {
    const ConvGeometry& g = x.geometry;
    return H::combine(std::move(h), x.Tied(), g.batch, g.groups, g.in_channels, g.out_channels,
                      g.input[1], g.input[2], g.filter[1], g.filter[2], g.output[1], g.output[2]);
  }
};

// The same for any GPU that calls itself so.
std::string ProblemOf(const PlanKey& key, absl::string_view gpu) {
  const ConvGeometry& g = key.geometry;
  const auto axes = [](const int64_t(&numbers)[3]) { return absl::StrJoin(numbers, ","); };
  return absl::StrCat(
      gpu, " pass ", static_cast<int>(key.pass), " ", DTypeName(key.dtype),
      key.channels_first ? " channels first" : "", key.tensor_float_32 ? " tf32" : "",
      key.has_bias ? " bias" : "", key.has_relu ? " relu" : "", " at ", key.alignment, ": ",
      g.batch, " images ", axes(g.input), " of ", g.in_channels, " by ", axes(g.filter), " in ",
      g.groups, " groups to ", axes(g.output), " of ", g.out_channels, ", strides ", axes(g.stride),
      ", dilations ", axes(g.dilation), ", paddings ", axes(g.before), " and ", axes(g.after));
}

class ConvolutionsOnGpu final : public GpuConvolutions {
 public:
  bool Has(DType dtype) const override { return CudnnPlan::Has(dtype) || dtype == DType::kInt32; }

  StatusOr<int64_t> WorkspaceBytes(GpuStream& stream, const GpuConvolution& x) override {
    if (HasNoProducts(x)) return 0;
    if (x.dtype == DType::kInt32) {
      if (x.bias != nullptr) return Unimplemented("convolutions of int32 with a bias");
      return 0;
    }
    stream.native_handle();  // makes its GPU the current one
    const std::lock_guard<std::mutex> lock(mutex_);
    WB_ASSIGN_OR_RETURN(const Chosen chosen, PlanFor(x));
    return FilterBytes(x) + chosen.plan->workspace_bytes();
  }

  Status Enqueue(GpuStream& stream, const GpuConvolution& x, void* workspace,
                 int64_t bytes) override {
    const auto on = static_cast<cudaStream_t>(stream.native_handle());
    if (HasNoProducts(x)) {
      return CudaStatus(cudaMemsetAsync(x.result, 0, static_cast<size_t>(ResultBytes(x)), on),
                        "clearing a convolution's result");
    }
    if (x.dtype == DType::kInt32) return EnqueueIntegerConvolution(stream, x);
    const FilterOrder order(x.geometry, x.channels_first);
    void* const filter = workspace;
    void* const rest = static_cast<char*>(workspace) + FilterBytes(x);
    if (x.pass != ConvPass::kBackwardFilter) {
      WB_RETURN_IF_ERROR(order.ToLibrary(stream, x.dtype, x.b, filter));
    }
    CudnnPlan::Operands operands = {x.a, filter, x.result};
    if (x.pass == ConvPass::kBackwardInput) operands = {x.result, filter, x.a};
    if (x.pass == ConvPass::kBackwardFilter) operands = {x.a, filter, x.b};
    operands.bias = x.bias;
    WB_RETURN_IF_ERROR(Execute(x, on, operands, rest, bytes - FilterBytes(x)));
    if (x.pass != ConvPass::kBackwardFilter) return OkStatus();
    return order.FromLibrary(stream, x.dtype, filter, x.result);
  }

 private:
  struct Library {
    cudnnHandle_t handle;
    CudnnGpu gpu;
  };
  struct Chosen {
    cudnnHandle_t handle;
    std::shared_ptr<const CudnnPlan> plan;
  };

  // A handle has one stream at a time, so the lock is held until the launch is over.
  Status Execute(const GpuConvolution& x, cudaStream_t stream, const CudnnPlan::Operands& operands,
                 void* workspace, int64_t bytes) {
    const std::lock_guard<std::mutex> lock(mutex_);
    WB_ASSIGN_OR_RETURN(const Chosen chosen, PlanFor(x));
    if (bytes < chosen.plan->workspace_bytes()) {
      return Internal("a convolution needs ", chosen.plan->workspace_bytes(),
                      " bytes to work in, not ", bytes);
    }
    WB_RETURN_IF_ERROR(CudnnStatus(cudnnSetStream(chosen.handle, stream), "giving cuDNN a stream"));
    return chosen.plan->Execute(chosen.handle, operands, workspace);
  }

  // On the calling thread's current GPU. Under the lock, so that nobody plans twice for one size.
  StatusOr<Chosen> PlanFor(const GpuConvolution& x) {
    constexpr size_t kMostKept = 1024;
    PlanKey key = {0,
                   x.pass,
                   x.dtype,
                   x.channels_first,
                   x.tensor_float_32 && x.dtype == DType::kFloat,
                   AlignmentOf(x),
                   x.bias != nullptr,
                   x.relu,
                   x.geometry};
    WB_RETURN_IF_ERROR(
        CudaStatus(cudaGetDevice(&key.gpu), "asking for the current GPU (cudaGetDevice)"));
    WB_ASSIGN_OR_RETURN(const Library* library, LibraryOf(key.gpu));
    auto found = plans_.find(key);
    if (found == plans_.end()) {
      StatusOr<std::shared_ptr<const CudnnPlan>> made = Plan(*library, x, key);
      // That the library has none is kept as well: it would be asked again in every step.
      if (!made.ok() && !IsUnimplemented(made.status())) return made.status();
      if (plans_.size() >= kMostKept) plans_.clear();
      found = plans_.emplace(key, std::move(made)).first;
    }
    WB_RETURN_IF_ERROR(found->second.status());
    return Chosen{library->handle, *found->second};
  }

  // As it was kept in the file of the process, or new; a plan that cannot be read is made anew.
  static StatusOr<std::shared_ptr<const CudnnPlan>> Plan(const Library& library,
                                                         const GpuConvolution& x,
                                                         const PlanKey& key) {
    const std::shared_ptr<PlanFile> file = PlanFile::OfProcess();
    if (file == nullptr) return CudnnPlan::Make(library.gpu, x, key.alignment);
    static const std::string version = absl::StrCat("cuDNN ", cudnnGetVersion());
    WB_ASSIGN_OR_RETURN(const std::string gpu, library.gpu.Describe());
    const std::string problem = ProblemOf(key, gpu);
    if (const std::optional<std::string> kept = file->Find(version, problem)) {
      auto plan = CudnnPlan::FromWritten(library.gpu, *kept);
      if (plan.ok()) return plan;
    }
    WB_ASSIGN_OR_RETURN(const auto made, CudnnPlan::Make(library.gpu, x, key.alignment));
    const StatusOr<std::string> words = made->Written();
    if (words.ok()) file->Keep(version, problem, *words);
    return made;
  }

  // A handle belongs to the GPU that is current when it is made, and is kept for the whole process.
  StatusOr<const Library*> LibraryOf(int gpu) {
    if (const auto found = libraries_.find(gpu); found != libraries_.end()) {
      return found->second.get();
    }
    cudnnHandle_t handle = nullptr;
    WB_RETURN_IF_ERROR(CudnnStatus(cudnnCreate(&handle), "starting cuDNN"));
    auto properties = CudnnGpu::Of(handle);
    if (!properties.ok()) {
      cudnnDestroy(handle);
      return properties.status();
    }
    auto made = std::make_unique<Library>(Library{handle, *std::move(properties)});
    return libraries_.emplace(gpu, std::move(made)).first->second.get();
  }

  std::mutex mutex_;
  absl::flat_hash_map<int, std::unique_ptr<const Library>> libraries_;
  absl::flat_hash_map<PlanKey, StatusOr<std::shared_ptr<const CudnnPlan>>> plans_;
};

// Never destroyed: the driver may be gone before the process's static objects are.
const GpuConvolutionsRegistration registration(GpuSide::kReal, new ConvolutionsOnGpu);

}  // namespace
}  // namespace warpbeam
