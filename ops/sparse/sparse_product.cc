#include "ops/sparse/sparse_product.h"

#include "ops/array/index/index_argument.h"

namespace warpbeam {
namespace {

Status CheckRanks(const KernelContext& ctx) {
  const Tensor &indices = ctx.input(0), &values = ctx.input(1), &shape = ctx.input(2);
  if (indices.rank() != 2 || indices.dim(1) != 2 || values.rank() != 1 ||
      values.dim(0) != indices.dim(0)) {
    return InvalidArgument(
        "'a_indices' must be a matrix of two columns and 'a_values' a vector of one value per "
        "row of it, but they have shapes ",
        indices.shape().ToString(), " and ", values.shape().ToString());
  }
  if (shape.rank() != 1 || shape.dim(0) != 2) {
    return InvalidArgument("'a_shape' must hold two extents, but has shape ",
                           shape.shape().ToString());
  }
  if (ctx.input(3).rank() != 2) {
    return InvalidArgument("'b' must be a matrix, but has shape ", ctx.input(3).shape().ToString());
  }
  return OkStatus();
}

}  // namespace

StatusOr<SparseProduct> ReadSparseProduct(const KernelContext& ctx, bool adjoint_a,
                                          bool adjoint_b) {
  WB_RETURN_IF_ERROR(CheckRanks(ctx));
  const Tensor& b = ctx.input(3);
  WB_ASSIGN_OR_RETURN(const Shape a, ReadShape(ctx.input(2), "a_shape"));
  SparseProduct product;
  product.m = a.dim(adjoint_a ? 1 : 0);
  product.k = a.dim(adjoint_a ? 0 : 1);
  product.n = b.dim(adjoint_b ? 0 : 1);
  if (b.dim(adjoint_b ? 1 : 0) != product.k) {
    return InvalidArgument(
        "Cannot multiply A and B because inner dimension does not match: ", product.k, " vs. ",
        b.dim(adjoint_b ? 1 : 0), ": A is ", a.ToString(), ", B ", b.shape().ToString());
  }
  return product;
}

}  // namespace warpbeam
