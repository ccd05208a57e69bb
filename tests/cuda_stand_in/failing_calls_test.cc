// Each call of cuBLASLt and cuDNN that a product or a convolution makes fails once: what comes is a
// status that names the call, nothing is left but plans that are whole, and the next try succeeds.
#include <functional>
#include <memory>
#include <numeric>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "ops/launch/gpu_products.h"
#include "ops/nn/conv/gpu_convolutions.h"
#include "runtime/device/gpu_platform.h"
#include "tests/cuda_stand_in/stand_in.h"

namespace warpbeam {
namespace {

// A device, and what a kernel does on it: it asks for memory to work in and enqueues.
class Caller {
 public:
  explicit Caller(int gpu) {
    cuda_stand_in::SetGpus(8);
    auto made =
        RegisteredGpuPlatform()->create(DeviceName::Local(DeviceType::kGpu, gpu), gpu, {0.25});
    EXPECT_TRUE(made.ok()) << made.status();
    if (made.ok()) gpu_ = *std::move(made);
  }

  // All ones, at an address that kernels use.
  float* Ones(int64_t count) {
    const std::vector<float> ones(static_cast<size_t>(count), 1.0f);
    const size_t bytes = ones.size() * sizeof(float);
    held_.push_back(gpu_->allocator().Allocate(bytes));
    void* const at = held_.back()->data();
    EXPECT_TRUE(gpu_->compute_stream()->Copy(at, ones.data(), bytes).ok());
    return static_cast<float*>(gpu_->ToKernelAddress(at));
  }
  // The sum of `count` floats.
  float Sum(const float* at, int64_t count) {
    std::vector<float> values(static_cast<size_t>(count));
    void* const from = gpu_->ToTensorAddress(const_cast<float*>(at));
    const size_t bytes = values.size() * sizeof(float);
    EXPECT_TRUE(gpu_->compute_stream()->Copy(values.data(), from, bytes).ok());
    EXPECT_TRUE(gpu_->Synchronize().ok());
    return std::accumulate(values.begin(), values.end(), 0.0f);
  }
  // Call `failing` of those that this makes fails; 0: none.
  template <class Library, class Problem>
  Status Call(StatusOr<Library*> (*library_of)(const GpuStream&), const Problem& problem,
              int64_t failing) {
    GpuStream stream(*gpu_);
    WB_ASSIGN_OR_RETURN(Library * library, library_of(stream));
    cuda_stand_in::FailCall(failing);
    const Status status = Launch(stream, *library, problem);
    failed_call_ = cuda_stand_in::failed_call();
    cuda_stand_in::FailCall(0);
    return status;
  }
  const std::string& failed_call() const { return failed_call_; }

 private:
  template <class Library, class Problem>
  Status Launch(GpuStream& stream, Library& library, const Problem& problem) {
    WB_ASSIGN_OR_RETURN(const int64_t bytes, library.WorkspaceBytes(stream, problem));
    const BufferRef workspace = gpu_->allocator().Allocate(static_cast<size_t>(bytes));
    if (!workspace) return ResourceExhausted("there is no memory");
    return library.Enqueue(stream, problem, gpu_->ToKernelAddress(workspace->data()), bytes);
  }

  std::string failed_call_;
  std::unique_ptr<Device> gpu_;
  std::vector<BufferRef> held_;
};

// Computes a problem of that size, with a call that fails, or 0; checks what comes of it.
using Compute = std::function<Status(Caller& on, int64_t size, int64_t failing)>;

// On a GPU whose libraries nobody has started. Sizes are new ones each time, so that plans are.
void EachCallFails(int gpu, const Compute& compute, std::set<std::string>* failed) {
  Caller on(gpu);
  const int64_t libraries = cuda_stand_in::Left().libraries;
  int64_t size = 1, per_plan = 0;
  for (int64_t i = 1;; ++i, ++size) {
    const cuda_stand_in::Leftovers before = cuda_stand_in::Left();
    const Status status = compute(on, size, i);
    const std::string function = on.failed_call();
    if (function.empty()) {
      EXPECT_TRUE(status.ok()) << status;
      break;
    }
    SCOPED_TRACE(absl::StrCat("call ", i, ", ", function));
    failed->insert(function);
    ASSERT_FALSE(status.ok());
    EXPECT_EQ(status.code(), StatusCode::kInternal) << status;
    // CUDA's own errors are named by what was to be done.
    const bool of_library = !absl::StartsWith(function, "cuda");
    EXPECT_TRUE(absl::StrContains(status.message(), of_library ? function : "made to fail"))
        << status;
    const cuda_stand_in::Leftovers failing = cuda_stand_in::Left();
    if (failing.libraries == libraries) {  // it could not be started
      EXPECT_EQ(failing.descriptors, before.descriptors);
      continue;
    }
    const Status again = compute(on, size, 0);
    ASSERT_TRUE(again.ok()) << again;
    const int64_t kept = cuda_stand_in::Left().descriptors - before.descriptors;
    if (before.libraries == libraries) {
      i = 0;  // calls are counted anew behind those that start it
      continue;
    }
    if (per_plan == 0) per_plan = kept;
    EXPECT_GT(per_plan, 0);
    EXPECT_EQ(kept, per_plan);
    const int64_t kept_of_failing = failing.descriptors - before.descriptors;
    EXPECT_TRUE(kept_of_failing == 0 || kept_of_failing == per_plan) << kept_of_failing;
  }
  EXPECT_EQ(cuda_stand_in::Left().libraries, libraries + 1);
}

Status Multiply(bool has_bias, Caller& on, int64_t m, int64_t failing) {
  constexpr int64_t kProducts = 20, kColumns = 3;
  GpuProduct p;
  p.dtype = DType::kFloat;
  p.m = m;
  p.n = kColumns;
  p.k = kProducts;
  p.a = on.Ones(m * kProducts);
  p.b = on.Ones(kProducts * kColumns);
  float* const c = on.Ones(m * kColumns);
  p.c = c;
  p.relu = has_bias;
  p.bias = has_bias ? on.Ones(kColumns) : nullptr;
  WB_RETURN_IF_ERROR(on.Call<GpuProducts>(&GpuProductsOf, p, failing));
  const int64_t each = kProducts + (has_bias ? 1 : 0);
  EXPECT_EQ(on.Sum(c, m * kColumns), static_cast<float>(m * kColumns * each));
  return OkStatus();
}

TEST(FailingCalls, OfProducts) {
  int gpu = 6;
  for (const bool has_bias : {false, true}) {
    std::set<std::string> failed;
    EachCallFails(
        gpu++,
        [has_bias](Caller& on, int64_t m, int64_t failing) {
          return Multiply(has_bias, on, m, failing);
        },
        &failed);
    const std::set<std::string> want = {"cublasLtCreate",
                                        "cublasLtMatrixLayoutCreate",
                                        "cublasLtMatmulDescCreate",
                                        "cublasLtMatmulDescSetAttribute",
                                        "cublasLtMatmul",
                                        "cublasLtMatmulPreferenceSetAttribute",
                                        "cublasLtMatmulPreferenceCreate",
                                        "cublasLtMatmulAlgoGetHeuristic"};
    EXPECT_EQ(failed, want);
  }
}

Status Convolve(ConvPass pass, bool has_bias, Caller& on, int64_t width, int64_t failing) {
  ConvGeometry g;
  g.batch = 2;
  g.in_channels = 3;
  g.out_channels = 4;
  g.input[1] = g.output[1] = 5;
  g.input[2] = g.output[2] = width;
  g.filter[1] = 3;
  g.before[1] = g.after[1] = 1;
  GpuConvolution c;
  c.pass = pass;
  c.dtype = DType::kFloat;
  c.geometry = g;
  float* const input = on.Ones(g.input_elements());
  float* const filter = on.Ones(g.filter_elements());
  float* const output = on.Ones(g.output_elements());
  c.a = pass == ConvPass::kBackwardInput ? output : input;
  c.b = pass == ConvPass::kBackwardFilter ? output : filter;
  float* const result = pass == ConvPass::kForward         ? output
                        : pass == ConvPass::kBackwardInput ? input
                                                           : filter;
  c.result = result;
  c.relu = has_bias;
  c.bias = has_bias ? on.Ones(g.out_channels) : nullptr;
  WB_RETURN_IF_ERROR(on.Call<GpuConvolutions>(&GpuConvolutionsOf, c, failing));
  const int64_t elements = pass == ConvPass::kForward         ? g.output_elements()
                           : pass == ConvPass::kBackwardInput ? g.input_elements()
                                                              : g.filter_elements();
  // Of three taps those at the upper and the lower edge have two.
  const int64_t biases = has_bias ? elements : 0;
  EXPECT_EQ(on.Sum(result, elements), static_cast<float>(2 * width * (3 * 5 - 2) * 3 * 4 + biases));
  return OkStatus();
}

TEST(FailingCalls, OfConvolutions) {
  int gpu = 1;
  const std::pair<ConvPass, bool> calls[] = {{ConvPass::kForward, false},
                                             {ConvPass::kForward, true},
                                             {ConvPass::kBackwardInput, false},
                                             {ConvPass::kBackwardFilter, false}};
  for (const auto& call : calls) {
    std::set<std::string> failed;
    EachCallFails(
        gpu++,
        [call](Caller& on, int64_t width, int64_t failing) {
          return Convolve(call.first, call.second, on, width, failing);
        },
        &failed);
    const std::set<std::string> want = {"cudaLaunchHostFunc",  // the filter in another order
                                        "cudnnCreate",
                                        "cudnnSetStream",
                                        "cudnnBackendCreateDescriptor",
                                        "cudnnBackendSetAttribute",
                                        "cudnnBackendGetAttribute",
                                        "cudnnBackendFinalize",
                                        "cudnnBackendExecute"};
    EXPECT_EQ(failed, want);
  }
}

}  // namespace
}  // namespace warpbeam
