#include "ops/state/gather_checks.h"

namespace warpbeam {

StatusOr<Tensor> ReadGatherParams(const KernelContext& ctx, VariableFinder& finder) {
  WB_ASSIGN_OR_RETURN(std::shared_ptr<Variable> v, finder.Find(ctx, 0));
  WB_ASSIGN_OR_RETURN(Tensor params, ReadForKernel(ctx, *v));
  if (params.rank() < 1) return InvalidArgument("the variable must be at least a vector");
  if (params.dtype() != ctx.output_type(0)) {
    return InvalidArgument("the variable '", v->name(), "' holds ", DTypeName(params.dtype()),
                           ", not ", DTypeName(ctx.output_type(0)));
  }
  return params;
}

StatusOr<int> GatherBatchDims(const Tensor& params, const Tensor& indices, int64_t batch_dims) {
  const int64_t batch = batch_dims < 0 ? batch_dims + indices.rank() : batch_dims;
  if (batch >= 0 && batch <= indices.rank() && batch < params.rank()) {
    return static_cast<int>(batch);
  }
  return InvalidArgument("'batch_dims' is out of range: ", batch_dims);
}

}  // namespace warpbeam
