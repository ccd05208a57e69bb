// The products of real GPUs, by cuBLASLt.
//
// The library's matrices stand column by column: what is stored row by row is to it the transpose.
// So it is asked for c^T = op(b)^T op(a)^T, with b as its first operand. A bias is then a vector
// along the columns of its result, as it has them.
#include <cublasLt.h>
#include <cuda_runtime_api.h>

#include <algorithm>
#include <limits>
#include <memory>
#include <mutex>
#include <tuple>
#include <type_traits>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "ops/launch/gpu_products.h"
#include "runtime/device/cuda/cuda_status.h"

namespace warpbeam {
namespace {

Status CublasStatus(cublasStatus_t status, absl::string_view doing) {
  switch (status) {
    case CUBLAS_STATUS_SUCCESS:
      return OkStatus();
    case CUBLAS_STATUS_ALLOC_FAILED:
      return ResourceExhausted(doing, ": ", cublasLtGetStatusString(status));
    case CUBLAS_STATUS_NOT_SUPPORTED:
    case CUBLAS_STATUS_ARCH_MISMATCH:
      return Unimplemented(doing, ": ", cublasLtGetStatusString(status));
    default:
      return Internal(doing, ": ", cublasLtGetStatusName(status), ", ",
                      cublasLtGetStatusString(status));
  }
}

template <auto kDestroy>
struct Destroy {
  template <class T>
  void operator()(T* p) const {
    kDestroy(p);
  }
};
template <class Handle, auto kDestroy>
using Owned = std::unique_ptr<std::remove_pointer_t<Handle>, Destroy<kDestroy>>;
using Layout = Owned<cublasLtMatrixLayout_t, cublasLtMatrixLayoutDestroy>;
using Description = Owned<cublasLtMatmulDesc_t, cublasLtMatmulDescDestroy>;
using Preference = Owned<cublasLtMatmulPreference_t, cublasLtMatmulPreferenceDestroy>;

// How the library computes with an element type: in which one elements are multiplied and added up,
// and of which one the factors of the product are.
struct Arithmetic {
  cudaDataType_t element;
  cublasComputeType_t compute;
  cudaDataType_t scale;
};
StatusOr<Arithmetic> ArithmeticOf(DType dtype, bool tensor_float_32) {
  switch (dtype) {
    case DType::kHalf:
      return Arithmetic{CUDA_R_16F, CUBLAS_COMPUTE_32F, CUDA_R_32F};
    case DType::kBFloat16:
      return Arithmetic{CUDA_R_16BF, CUBLAS_COMPUTE_32F, CUDA_R_32F};
    case DType::kFloat:
      return Arithmetic{CUDA_R_32F,
                        tensor_float_32 ? CUBLAS_COMPUTE_32F_FAST_TF32 : CUBLAS_COMPUTE_32F,
                        CUDA_R_32F};
    case DType::kDouble:
      return Arithmetic{CUDA_R_64F, CUBLAS_COMPUTE_64F, CUDA_R_64F};
    case DType::kComplex64:
      return Arithmetic{CUDA_C_32F, CUBLAS_COMPUTE_32F, CUDA_C_32F};
    case DType::kComplex128:
      return Arithmetic{CUDA_C_64F, CUBLAS_COMPUTE_64F, CUDA_C_64F};
    default:
      return Unimplemented("products of ", DTypeName(dtype), " on GPUs");
  }
}

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
  Description description;
  Layout first, second, result;  // in the library's order: b, a, c
  cublasLtMatmulAlgo_t algorithm;
  int64_t workspace = 0;
  Arithmetic arithmetic;
};

// Matrices of one size, `stride` elements apart.
struct Batches {
  int64_t count, stride;
};
Status MakeLayout(cudaDataType_t element, int64_t rows, int64_t columns, Batches batches,
                  Layout* layout) {
  cublasLtMatrixLayout_t made = nullptr;
  WB_RETURN_IF_ERROR(
      CublasStatus(cublasLtMatrixLayoutCreate(&made, element, static_cast<uint64_t>(rows),
                                              static_cast<uint64_t>(columns), rows),
                   "describing a matrix"));
  layout->reset(made);
  if (batches.count == 1) return OkStatus();
  const auto count = static_cast<int32_t>(batches.count);
  WB_RETURN_IF_ERROR(
      CublasStatus(cublasLtMatrixLayoutSetAttribute(made, CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT,
                                                    &count, sizeof(count)),
                   "describing a batch of matrices"));
  return CublasStatus(
      cublasLtMatrixLayoutSetAttribute(made, CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET,
                                       &batches.stride, sizeof(batches.stride)),
      "describing a batch of matrices");
}

Status SetTranspose(cublasLtMatmulDesc_t description, cublasLtMatmulDescAttributes_t which,
                    bool transpose, bool conjugate) {
  const cublasOperation_t operation = !transpose  ? CUBLAS_OP_N
                                      : conjugate ? CUBLAS_OP_C
                                                  : CUBLAS_OP_T;
  return CublasStatus(
      cublasLtMatmulDescSetAttribute(description, which, &operation, sizeof(operation)),
      "describing a product");
}

cublasLtEpilogue_t EpilogueOf(const GpuProduct& x) {
  if (x.bias != nullptr) return x.relu ? CUBLASLT_EPILOGUE_RELU_BIAS : CUBLASLT_EPILOGUE_BIAS;
  if (x.sums_of_a != nullptr) return CUBLASLT_EPILOGUE_BGRADB;
  return x.sums_of_b != nullptr ? CUBLASLT_EPILOGUE_BGRADA : CUBLASLT_EPILOGUE_DEFAULT;
}
// The bias that the epilogue reads, or the sums that it writes.
const void* VectorOf(const GpuProduct& x) {
  if (x.bias != nullptr) return x.bias;
  return x.sums_of_a != nullptr ? x.sums_of_a : x.sums_of_b;
}

Status SetVector(cublasLtMatmulDesc_t description, const void* vector) {
  return CublasStatus(cublasLtMatmulDescSetAttribute(description, CUBLASLT_MATMUL_DESC_BIAS_POINTER,
                                                     &vector, sizeof(vector)),
                      "giving a product its bias");
}

// The library chooses by where the vector is, too.
Status SetEpilogue(cublasLtMatmulDesc_t description, const GpuProduct& x) {
  const cublasLtEpilogue_t epilogue = EpilogueOf(x);
  WB_RETURN_IF_ERROR(
      CublasStatus(cublasLtMatmulDescSetAttribute(description, CUBLASLT_MATMUL_DESC_EPILOGUE,
                                                  &epilogue, sizeof(epilogue)),
                   "describing what goes with a product"));
  return SetVector(description, VectorOf(x));
}

template <class T>
Status SetPreference(const Preference& preference, cublasLtMatmulPreferenceAttributes_t which,
                     T value) {
  return CublasStatus(
      cublasLtMatmulPreferenceSetAttribute(preference.get(), which, &value, sizeof(value)),
      "saying how a product shall be computed");
}

StatusOr<Preference> PreferenceFor(const ProductKey& key) {
  // What the library's documentation recommends for the largest GPUs.
  constexpr uint64_t kMostWorkspace = uint64_t{32} << 20;
  // Parts of a sum are not to be rounded to 16 bits.
  constexpr uint32_t kReductions =
      CUBLASLT_REDUCTION_SCHEME_INPLACE | CUBLASLT_REDUCTION_SCHEME_COMPUTE_TYPE;
  cublasLtMatmulPreference_t made = nullptr;
  WB_RETURN_IF_ERROR(
      CublasStatus(cublasLtMatmulPreferenceCreate(&made), "saying how a product is computed"));
  Preference preference(made);
  WB_RETURN_IF_ERROR(
      SetPreference(preference, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, kMostWorkspace));
  WB_RETURN_IF_ERROR(
      SetPreference(preference, CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK, kReductions));
  WB_RETURN_IF_ERROR(
      SetPreference(preference, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES, key.align_b));
  WB_RETURN_IF_ERROR(
      SetPreference(preference, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES, key.align_a));
  WB_RETURN_IF_ERROR(
      SetPreference(preference, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES, key.align_c));
  WB_RETURN_IF_ERROR(
      SetPreference(preference, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES, key.align_c));
  return preference;
}

// `x` is a product with that key.
StatusOr<std::shared_ptr<const ProductPlan>> MakePlan(cublasLtHandle_t library,
                                                      const ProductKey& key, const GpuProduct& x) {
  auto plan = std::make_shared<ProductPlan>();
  WB_ASSIGN_OR_RETURN(plan->arithmetic, ArithmeticOf(key.dtype, key.tensor_float_32));
  const Arithmetic& with = plan->arithmetic;
  cublasLtMatmulDesc_t made = nullptr;
  WB_RETURN_IF_ERROR(CublasStatus(cublasLtMatmulDescCreate(&made, with.compute, with.scale),
                                  "describing a product"));
  plan->description.reset(made);
  WB_RETURN_IF_ERROR(
      SetTranspose(made, CUBLASLT_MATMUL_DESC_TRANSA, key.transpose_b, key.conjugate));
  WB_RETURN_IF_ERROR(
      SetTranspose(made, CUBLASLT_MATMUL_DESC_TRANSB, key.transpose_a, key.conjugate));
  if (key.epilogue != CUBLASLT_EPILOGUE_DEFAULT) WB_RETURN_IF_ERROR(SetEpilogue(made, x));
  WB_RETURN_IF_ERROR(MakeLayout(with.element, key.transpose_b ? key.k : key.n,
                                key.transpose_b ? key.n : key.k, Batches{key.batches, key.stride_b},
                                &plan->first));
  WB_RETURN_IF_ERROR(MakeLayout(with.element, key.transpose_a ? key.m : key.k,
                                key.transpose_a ? key.k : key.m, Batches{key.batches, key.stride_a},
                                &plan->second));
  WB_RETURN_IF_ERROR(
      MakeLayout(with.element, key.n, key.m, Batches{key.batches, key.m * key.n}, &plan->result));
  WB_ASSIGN_OR_RETURN(const Preference preference, PreferenceFor(key));
  cublasLtMatmulHeuristicResult_t found = {};
  int count = 0;
  const cublasStatus_t chosen = cublasLtMatmulAlgoGetHeuristic(
      library, made, plan->first.get(), plan->second.get(), plan->result.get(), plan->result.get(),
      preference.get(), 1, &found, &count);
  // What goes with a product may be no valid argument for this one.
  const bool refused =
      chosen == CUBLAS_STATUS_INVALID_VALUE && key.epilogue != CUBLASLT_EPILOGUE_DEFAULT;
  if (!refused) WB_RETURN_IF_ERROR(CublasStatus(chosen, "choosing how to compute a product"));
  if (refused || count == 0) {
    return Unimplemented("cuBLASLt has no product of ", DTypeName(key.dtype), " matrices of ",
                         key.m, "x", key.k, " and ", key.k, "x", key.n,
                         key.epilogue == CUBLASLT_EPILOGUE_DEFAULT ? "" : " with that epilogue");
  }
  WB_RETURN_IF_ERROR(CublasStatus(found.state, "choosing how to compute a product"));
  plan->algorithm = found.algo;
  plan->workspace = static_cast<int64_t>(found.workspaceSize);
  return plan;
}

class ProductsOnGpu final : public GpuProducts {
 public:
  bool Has(DType dtype) const override { return ArithmeticOf(dtype, false).ok(); }

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
      return CudaStatus(cudaMemsetAsync(x.c, 0, size, on), "clearing a product");
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
      WB_RETURN_IF_ERROR(SetVector(plan.description.get(), VectorOf(x)));
    }
    const Factors factors(plan.arithmetic.scale);
    return CublasStatus(
        cublasLtMatmul(chosen.library, plan.description.get(), factors.one(plan.arithmetic.scale),
                       x.b, plan.first.get(), x.a, plan.second.get(), factors.zero(), x.c,
                       plan.result.get(), x.c, plan.result.get(), &plan.algorithm, workspace,
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
    WB_RETURN_IF_ERROR(CudaStatus(cudaGetDevice(&key.gpu), "asking for the current GPU"));
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
    WB_RETURN_IF_ERROR(CublasStatus(cublasLtCreate(&made), "starting cuBLASLt"));
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
