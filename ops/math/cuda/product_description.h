// ProductDescription: a product of matrices in cuBLASLt's words, for which there need be no GPU.
//
// The library's matrices stand column by column: what is stored row by row is to it the transpose.
// So it is asked for c^T = op(b)^T op(a)^T, with b as its first operand. A bias is then a vector
// along the columns of its result, as it has them.
//
//   WB_ASSIGN_OR_RETURN(const auto product, ProductDescription::Of(x));
//   WB_ASSIGN_OR_RETURN(const auto preference, PreferenceFor({align_a, align_b, align_c}));
//   cublasLtMatmulAlgoGetHeuristic(library, product.operation.get(), product.first.get(), …);
//
// Ownership: the library's descriptions are the object's. Thread safety: SetVector changes the
// object, everything else may be read from many threads. Errors: UNIMPLEMENTED for an element type
// without such products, RESOURCE_EXHAUSTED and INTERNAL from the library.
#ifndef WARPBEAM_OPS_MATH_CUDA_PRODUCT_DESCRIPTION_H_
#define WARPBEAM_OPS_MATH_CUDA_PRODUCT_DESCRIPTION_H_

#include <cublasLt.h>

#include <cstdint>
#include <memory>
#include <type_traits>

#include "absl/strings/string_view.h"
#include "graph/types/dtype.h"
#include "graph/types/errors.h"
#include "ops/launch/gpu_products.h"

namespace warpbeam {

Status CublasLtStatus(cublasStatus_t status, absl::string_view doing);

template <auto kDestroy>
struct DestroyCublasLt {
  template <class T>
  void operator()(T* p) const {
    kDestroy(p);
  }
};
template <class Handle, auto kDestroy>
using OwnedByCublasLt = std::unique_ptr<std::remove_pointer_t<Handle>, DestroyCublasLt<kDestroy>>;
using ProductLayout = OwnedByCublasLt<cublasLtMatrixLayout_t, cublasLtMatrixLayoutDestroy>;
using ProductOperation = OwnedByCublasLt<cublasLtMatmulDesc_t, cublasLtMatmulDescDestroy>;
using ProductPreference =
    OwnedByCublasLt<cublasLtMatmulPreference_t, cublasLtMatmulPreferenceDestroy>;

// How the library computes with an element type: in which one elements are multiplied and added up,
// and of which one the factors of the product are.
struct ProductArithmetic {
  cudaDataType_t element;
  cublasComputeType_t compute;
  cudaDataType_t scale;

  static StatusOr<ProductArithmetic> Of(DType dtype, bool tensor_float_32);
};

cublasLtEpilogue_t EpilogueOf(const GpuProduct& x);
// The bias that the epilogue reads, or the sums that it writes; null without an epilogue.
const void* VectorOf(const GpuProduct& x);

struct ProductDescription {
  ProductArithmetic arithmetic;
  ProductOperation operation;
  ProductLayout first, second, result;  // in the library's order: b, a, c

  // `x.batches` fits into 32 bits.
  static StatusOr<ProductDescription> Of(const GpuProduct& x);
  // Where the vector of the epilogue is from now on.
  Status SetVector(const void* vector) const;
};

// Of which numbers of bytes the addresses of all matrices are multiples.
struct ProductAlignments {
  uint32_t a, b, c;
};
// What an algorithm shall keep to.
StatusOr<ProductPreference> PreferenceFor(const ProductAlignments& alignments);

}  // namespace warpbeam

#endif  // WARPBEAM_OPS_MATH_CUDA_PRODUCT_DESCRIPTION_H_
