#include "ops/math/cuda/product_description.h"

#include <utility>

namespace warpbeam {
namespace {

// Matrices of one size, `stride` elements apart.
struct Batches {
  int64_t count, stride;
};
Status MakeLayout(cudaDataType_t element, int64_t rows, int64_t columns, Batches batches,
                  ProductLayout* layout) {
  cublasLtMatrixLayout_t made = nullptr;
  WB_RETURN_IF_ERROR(
      CublasLtStatus(cublasLtMatrixLayoutCreate(&made, element, static_cast<uint64_t>(rows),
                                                static_cast<uint64_t>(columns), rows),
                     "describing a matrix"));
  layout->reset(made);
  if (batches.count == 1) return OkStatus();
  const auto count = static_cast<int32_t>(batches.count);
  WB_RETURN_IF_ERROR(
      CublasLtStatus(cublasLtMatrixLayoutSetAttribute(made, CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT,
                                                      &count, sizeof(count)),
                     "describing a batch of matrices"));
  return CublasLtStatus(
      cublasLtMatrixLayoutSetAttribute(made, CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET,
                                       &batches.stride, sizeof(batches.stride)),
      "describing a batch of matrices");
}

Status SetTranspose(cublasLtMatmulDesc_t description, cublasLtMatmulDescAttributes_t which,
                    bool transpose, bool conjugate) {
  const cublasOperation_t operation = !transpose  ? CUBLAS_OP_N
                                      : conjugate ? CUBLAS_OP_C
                                                  : CUBLAS_OP_T;
  return CublasLtStatus(
      cublasLtMatmulDescSetAttribute(description, which, &operation, sizeof(operation)),
      "describing a product");
}

template <class T>
Status SetPreference(const ProductPreference& preference,
                     cublasLtMatmulPreferenceAttributes_t which, T value) {
  return CublasLtStatus(
      cublasLtMatmulPreferenceSetAttribute(preference.get(), which, &value, sizeof(value)),
      "saying how a product shall be computed");
}

}  // namespace

Status CublasLtStatus(cublasStatus_t status, absl::string_view doing) {
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

StatusOr<ProductArithmetic> ProductArithmetic::Of(DType dtype, bool tensor_float_32) {
  switch (dtype) {
    case DType::kHalf:
      return ProductArithmetic{CUDA_R_16F, CUBLAS_COMPUTE_32F, CUDA_R_32F};
    case DType::kBFloat16:
      return ProductArithmetic{CUDA_R_16BF, CUBLAS_COMPUTE_32F, CUDA_R_32F};
    case DType::kFloat:
      return ProductArithmetic{CUDA_R_32F,
                               tensor_float_32 ? CUBLAS_COMPUTE_32F_FAST_TF32 : CUBLAS_COMPUTE_32F,
                               CUDA_R_32F};
    case DType::kDouble:
      return ProductArithmetic{CUDA_R_64F, CUBLAS_COMPUTE_64F, CUDA_R_64F};
    case DType::kComplex64:
      return ProductArithmetic{CUDA_C_32F, CUBLAS_COMPUTE_32F, CUDA_C_32F};
    case DType::kComplex128:
      return ProductArithmetic{CUDA_C_64F, CUBLAS_COMPUTE_64F, CUDA_C_64F};
    default:
      return Unimplemented("products of ", DTypeName(dtype), " on GPUs");
  }
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

StatusOr<ProductDescription> ProductDescription::Of(const GpuProduct& x) {
  ProductDescription product;
  WB_ASSIGN_OR_RETURN(product.arithmetic, ProductArithmetic::Of(x.dtype, x.tensor_float_32));
  const ProductArithmetic& with = product.arithmetic;
  cublasLtMatmulDesc_t made = nullptr;
  WB_RETURN_IF_ERROR(CublasLtStatus(cublasLtMatmulDescCreate(&made, with.compute, with.scale),
                                    "describing a product"));
  product.operation.reset(made);
  WB_RETURN_IF_ERROR(SetTranspose(made, CUBLASLT_MATMUL_DESC_TRANSA, x.transpose_b, x.conjugate));
  WB_RETURN_IF_ERROR(SetTranspose(made, CUBLASLT_MATMUL_DESC_TRANSB, x.transpose_a, x.conjugate));
  if (const cublasLtEpilogue_t epilogue = EpilogueOf(x); epilogue != CUBLASLT_EPILOGUE_DEFAULT) {
    WB_RETURN_IF_ERROR(
        CublasLtStatus(cublasLtMatmulDescSetAttribute(made, CUBLASLT_MATMUL_DESC_EPILOGUE,
                                                      &epilogue, sizeof(epilogue)),
                       "describing what goes with a product"));
    // The library chooses by where the vector is, too.
    WB_RETURN_IF_ERROR(product.SetVector(VectorOf(x)));
  }
  WB_RETURN_IF_ERROR(MakeLayout(with.element, x.transpose_b ? x.k : x.n, x.transpose_b ? x.n : x.k,
                                Batches{x.batches, x.stride_b}, &product.first));
  WB_RETURN_IF_ERROR(MakeLayout(with.element, x.transpose_a ? x.m : x.k, x.transpose_a ? x.k : x.m,
                                Batches{x.batches, x.stride_a}, &product.second));
  WB_RETURN_IF_ERROR(
      MakeLayout(with.element, x.n, x.m, Batches{x.batches, x.m * x.n}, &product.result));
  return product;
}

Status ProductDescription::SetVector(const void* vector) const {
  return CublasLtStatus(
      cublasLtMatmulDescSetAttribute(operation.get(), CUBLASLT_MATMUL_DESC_BIAS_POINTER, &vector,
                                     sizeof(vector)),
      "giving a product its bias");
}

StatusOr<ProductPreference> PreferenceFor(const ProductAlignments& alignments) {
  // What the library's documentation recommends for the largest GPUs.
  constexpr uint64_t kMostWorkspace = uint64_t{32} << 20;
  // Parts of a sum are not to be rounded to 16 bits.
  constexpr uint32_t kReductions =
      CUBLASLT_REDUCTION_SCHEME_INPLACE | CUBLASLT_REDUCTION_SCHEME_COMPUTE_TYPE;
  cublasLtMatmulPreference_t made = nullptr;
  WB_RETURN_IF_ERROR(
      CublasLtStatus(cublasLtMatmulPreferenceCreate(&made), "saying how a product is computed"));
  ProductPreference preference(made);
  WB_RETURN_IF_ERROR(
      SetPreference(preference, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, kMostWorkspace));
  WB_RETURN_IF_ERROR(
      SetPreference(preference, CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK, kReductions));
  WB_RETURN_IF_ERROR(
      SetPreference(preference, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES, alignments.b));
  WB_RETURN_IF_ERROR(
      SetPreference(preference, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES, alignments.a));
  WB_RETURN_IF_ERROR(
      SetPreference(preference, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES, alignments.c));
  WB_RETURN_IF_ERROR(
      SetPreference(preference, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES, alignments.c));
  return preference;
}

}  // namespace warpbeam
