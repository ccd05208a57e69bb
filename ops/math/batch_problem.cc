#include "ops/math/batch_problem.h"

namespace warpbeam {
namespace {

StatusOr<Shape> LeadingDims(const Shape& s) {
  return Shape::Make(s.dims().subspan(0, s.rank() - 2));
}

}  // namespace

StatusOr<BatchMatMulAttrs> ReadBatchMatMulAttrs(const KernelInit& init) {
  BatchMatMulAttrs attrs;
  WB_ASSIGN_OR_RETURN(attrs.adj_x, init.attr<bool>("adj_x"));
  WB_ASSIGN_OR_RETURN(attrs.adj_y, init.attr<bool>("adj_y"));
  attrs.broadcasts = init.schema.name != "BatchMatMul";
  return attrs;
}

StatusOr<BatchProblem> BatchMatMulProblem(const BatchMatMulAttrs& attrs, const Shape& x,
                                          const Shape& y) {
  if (x.rank() < 2 || y.rank() < 2) {
    return InvalidArgument("the product takes tensors of matrices, but the inputs have shapes ",
                           x.ToString(), " and ", y.ToString());
  }
  BatchProblem problem;
  GemmProblem& p = problem.product;
  p.m = x.dim(x.rank() - (attrs.adj_x ? 1 : 2));
  p.k = x.dim(x.rank() - (attrs.adj_x ? 2 : 1));
  p.n = y.dim(y.rank() - (attrs.adj_y ? 2 : 1));
  p.transpose_a = p.conjugate_a = attrs.adj_x;
  p.transpose_b = p.conjugate_b = attrs.adj_y;
  if (y.dim(y.rank() - (attrs.adj_y ? 1 : 2)) != p.k) {
    return InvalidArgument("Matrix size-incompatible: In[0]: ", x.ToString(),
                           attrs.adj_x ? " (adjoint)" : "", ", In[1]: ", y.ToString(),
                           attrs.adj_y ? " (adjoint)" : "", "; the inner dimensions must be equal");
  }
  WB_ASSIGN_OR_RETURN(const Shape x_batch, LeadingDims(x));
  WB_ASSIGN_OR_RETURN(const Shape y_batch, LeadingDims(y));
  if (!attrs.broadcasts && x_batch != y_batch) {
    return InvalidArgument("the leading dimensions differ: ", x.ToString(), " and ", y.ToString(),
                           "; BatchMatMulV2 would broadcast them");
  }
  Shape batch;
  WB_RETURN_IF_ERROR(MakeBroadcast({&x_batch, &y_batch}, &problem.batches, &batch));
  WB_ASSIGN_OR_RETURN(batch, batch.Insert(batch.rank(), p.m));
  WB_ASSIGN_OR_RETURN(problem.result, batch.Insert(batch.rank(), p.n));
  return problem;
}

}  // namespace warpbeam
