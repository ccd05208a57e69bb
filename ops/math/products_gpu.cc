// The products of real GPUs, by cuBLASLt: an algorithm is chosen once for each problem.
#include <cublasLt.h>
#include <cuda_runtime_api.h>

#include <algorithm>
#include <limits>
#include <memory>
#include <mutex>
#include <tuple>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "ops/launch/gpu_products.h"
#include "ops/math/cuda/product_description.h"
#include "runtime/device/cuda/cuda_status.h"

namespace warpbeam {
namespace {

// The factors 1 and 0, in any of the scale types: a complex number begins with its real part. The
// library reads them as its own complex numbers, which lie at multiples of 16 bytes.
struct Factors {
  explicit Factors(cudaDataType_t scale) {
    const bool is_double = scale == CUDA_R_64F || scale == CUDA_C_64F;
    if (is_double) {
      doubles[0] = 1;
    } else {
      floats[0] = 1;
    }
  }
  const void* one(cudaDataType_t scale) const {
    return scale == CUDA_R_64F || scale == CUDA_C_64F ? static_cast<const void*>(doubles) : floats;
  }
  const void* zero() const { return zeros; }
  alignas(16) double doubles[2] = {0, 0};
  alignas(16) float floats[2] = {0, 0};
  alignas(16) double zeros[2] = {0, 0};
};

// Of the address and of what is `stride` bytes after it, again and again.
uint32_t AlignmentOf(const void* p, int64_t stride) {
  const auto address = reinterpret_cast<uintptr_t>(p) | static_cast<uintptr_t>(stride);
  const uintptr_t lowest = address & (~address + 1);
  return lowest == 0 ? 256 : static_cast<uint32_t>(std::min<uintptr_t>(lowest, 256));
}

// All that the choice of an algorithm depends on.
struct ProductKey {
  int gpu;
  DType dtype;
  bool tensor_float_32;
  int64_t m, n, k;
  bool transpose_a, transpose_b, conjugate;
  int64_t batches, stride_a, stride_b;
  uint32_t align_a, align_b, align_c;
  cublasLtEpilogue_t epilogue;
  uint32_t align_vector;

  auto Tied() const {
    return std::make_tuple(gpu, static_cast<int>(dtype), tensor_float_32, m, n, k, transpose_a,
                           transpose_b, conjugate, batches, stride_a, stride_b, align_a, align_b,
                           align_c, static_cast<int>(epilogue), align_vector);
  }
  friend bool operator==(const ProductKey& x, const ProductKey& y) { return x.Tied() == y.Tied(); }
  template <typename H>
  friend H AbslHashValue(H h, const ProductKey& x) {
    return H::combine(std::move(h), x.Tied());
  }
};

struct ProductPlan {
  ProductDescription product;
  cublasLtMatmulAlgo_t algorithm;
  int64_t workspace = 0;
};

// `x` is a product with that key.
StatusOr<std::shared_ptr<const ProductPlan>> MakePlan(cublasLtHandle_t library,
                                                      const ProductKey& key, const GpuProduct& x) {
  auto plan = std::make_shared<ProductPlan>();
  WB_ASSIGN_OR_RETURN(plan->product, ProductDescription::Of(x));
  const ProductDescription& product = plan->product;
  WB_ASSIGN_OR_RETURN(const ProductPreference preference,
                      PreferenceFor({key.align_a, key.align_b, key.align_c}));
  cublasLtMatmulHeuristicResult_t found = {};
  int count = 0;
  const cublasStatus_t chosen = cublasLtMatmulAlgoGetHeuristic(
      library, product.operation.get(), product.first.get(), product.second.get(),
      product.result.get(), product.result.get(), preference.get(), 1, &found, &count);
  // What goes with a product may be no valid argument for this one.
  const bool refused =
      chosen == CUBLAS_STATUS_INVALID_VALUE && key.epilogue != CUBLASLT_EPILOGUE_DEFAULT;
  if (!refused) WB_RETURN_IF_ERROR(CublasLtStatus(chosen, "choosing how to compute a product"));
  if (refused || count == 0) {
    return Unimplemented("cuBLASLt has no product of ", DTypeName(key.dtype), " matrices of ",
                         key.m, "x", key.k, " and ", key.k, "x", key.n,
                         key.epilogue == CUBLASLT_EPILOGUE_DEFAULT ? "" : " with that epilogue");
  }
  WB_RETURN_IF_ERROR(CublasLtStatus(found.state, "choosing how to compute a product"));
  plan->algorithm = found.algo;
  plan->workspace = static_cast<int64_t>(found.workspaceSize);
  return plan;
}

class ProductsOnGpu final : public GpuProducts {
 public:
  bool Has(DType dtype) const override { return ProductArithmetic::Of(dtype, false).ok(); }

  StatusOr<int64_t> WorkspaceBytes(GpuStream& stream, const GpuProduct& product) override {
    if (product.k == 0) return 0;
    stream.native_handle();  // makes its GPU the current one
    const std::lock_guard<std::mutex> lock(mutex_);
    WB_ASSIGN_OR_RETURN(const Chosen chosen, PlanFor(product));
    return chosen.plan->workspace;
  }

  Status Enqueue(GpuStream& stream, const GpuProduct& x, void* workspace, int64_t bytes) override {
    const auto on = static_cast<cudaStream_t>(stream.native_handle());
    if (x.k == 0) {
      const auto size = static_cast<size_t>(x.batches * x.m * x.n) * DTypeSize(x.dtype);
      return CudaStatus(cudaMemsetAsync(x.c, 0, size, on), "clearing a product (cudaMemsetAsync)");
    }
    // A plan's description is told where the vector is: nobody else may launch by it meanwhile.
    std::unique_lock<std::mutex> lock(mutex_);
    WB_ASSIGN_OR_RETURN(const Chosen chosen, PlanFor(x));
    const ProductPlan& plan = *chosen.plan;
    if (bytes < plan.workspace) {
      return Internal("a product of matrices needs ", plan.workspace, " bytes to work in, not ",
                      bytes);
    }
    if (VectorOf(x) == nullptr) {
      lock.unlock();
    } else {
      WB_RETURN_IF_ERROR(plan.product.SetVector(VectorOf(x)));
    }
    const ProductDescription& product = plan.product;
    const Factors factors(product.arithmetic.scale);
    return CublasLtStatus(
        cublasLtMatmul(chosen.library, product.operation.get(),
                       factors.one(product.arithmetic.scale), x.b, product.first.get(), x.a,
                       product.second.get(), factors.zero(), x.c, product.result.get(), x.c,
                       product.result.get(), &plan.algorithm, workspace,
                       static_cast<size_t>(plan.workspace), on),
        "launching a product of matrices");
  }

 private:
  struct Chosen {
    cublasLtHandle_t library;
    std::shared_ptr<const ProductPlan> plan;
  };

  // On the calling thread's current GPU. Under the lock, so that nobody chooses twice for one size.
  StatusOr<Chosen> PlanFor(const GpuProduct& x) {
    constexpr size_t kMostKept = 2048;
    if (x.batches > std::numeric_limits<int32_t>::max()) {
      return Unimplemented("cuBLASLt has no batch of ", x.batches, " products");
    }
    const auto bytes = static_cast<int64_t>(DTypeSize(x.dtype));
    ProductKey key = {0,
                      x.dtype,
                      x.tensor_float_32,
                      x.m,
                      x.n,
                      x.k,
                      x.transpose_a,
                      x.transpose_b,
                      x.conjugate,
                      x.batches,
                      x.stride_a,
                      x.stride_b,
                      AlignmentOf(x.a, bytes * x.stride_a),
                      AlignmentOf(x.b, bytes * x.stride_b),
                      AlignmentOf(x.c, x.batches > 1 ? bytes * x.m * x.n : 0),
                      EpilogueOf(x),
                      AlignmentOf(VectorOf(x), 0)};
    WB_RETURN_IF_ERROR(
        CudaStatus(cudaGetDevice(&key.gpu), "asking for the current GPU (cudaGetDevice)"));
    WB_ASSIGN_OR_RETURN(cublasLtHandle_t library, LibraryOf(key.gpu));
    auto found = plans_.find(key);
    if (found == plans_.end()) {
      StatusOr<std::shared_ptr<const ProductPlan>> made = MakePlan(library, key, x);
      // That the library has none is kept as well: it would be asked again in every step.
      if (!made.ok() && !IsUnimplemented(made.status())) return made.status();
      if (plans_.size() >= kMostKept) plans_.clear();
      found = plans_.emplace(key, std::move(made)).first;
    }
    WB_RETURN_IF_ERROR(found->second.status());
    return Chosen{library, *found->second};
  }

  // A handle belongs to the GPU that is current when it is made, and is kept for the whole process;
  // any number of threads may use it, since it has no settings.
  StatusOr<cublasLtHandle_t> LibraryOf(int gpu) {
    if (const auto found = libraries_.find(gpu); found != libraries_.end()) return found->second;
    cublasLtHandle_t made = nullptr;
    WB_RETURN_IF_ERROR(CublasLtStatus(cublasLtCreate(&made), "starting cuBLASLt"));
    libraries_.emplace(gpu, made);
    return made;
  }

  std::mutex mutex_;
  absl::flat_hash_map<int, cublasLtHandle_t> libraries_;
  absl::flat_hash_map<ProductKey, StatusOr<std::shared_ptr<const ProductPlan>>> plans_;
};

// Never destroyed: the driver may be gone before the process's static objects are.
const GpuProductsRegistration registration(GpuSide::kReal, new ProductsOnGpu);

}  // namespace
}  // namespace warpbeam
