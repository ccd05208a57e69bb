#include "ops/nn/top_k_inputs.h"

#include "ops/launch/dispatch.h"

namespace warpbeam {

StatusOr<int64_t> ReadTopKAttrs(const KernelInit& init) {
  if (init.schema.name == "TopKV2") return -1;
  WB_ASSIGN_OR_RETURN(const int64_t k, init.attr<int64_t>("k"));
  if (init.schema.name != "ApproxTopK") return k;
  WB_ASSIGN_OR_RETURN(const int64_t dimension, init.attr<int64_t>("reduction_dimension"));
  WB_ASSIGN_OR_RETURN(const bool is_max, init.attr<bool>("is_max_k"));
  if (dimension == -1 && is_max) return k;
  return Unimplemented("the least elements, or those along another dimension than the last (",
                       "'is_max_k' is ", is_max ? "true" : "false", ", 'reduction_dimension' ",
                       dimension, "); negate or transpose the input");
}

StatusOr<int64_t> ReadTopK(const KernelContext& ctx, int64_t attr) {
  if (ctx.num_inputs() == 1) return attr;
  const Tensor& k = ctx.input(1);
  if (k.rank() != 0) {
    return InvalidArgument("'k' must be a scalar, but has shape ", k.shape().ToString());
  }
  int64_t value = 0;
  WB_RETURN_IF_ERROR((DispatchTypes<int16_t, int32_t, int64_t>(k.dtype(), [&](auto tag) {
    value = k.scalar<typename decltype(tag)::type>();
    return OkStatus();
  })));
  return value;
}

StatusOr<Shape> TopKOutputShape(const Shape& input, int64_t k) {
  if (k < 0) return InvalidArgument("Need k >= 0, got ", k);
  if (input.rank() < 1) return InvalidArgument("input must be >= 1-D, got shape []");
  const int64_t n = input.dim(input.rank() - 1);
  if (n < k) {
    return InvalidArgument("input must have at least k columns. Had ", n, ", needed ", k,
                           ": its shape is ", input.ToString());
  }
  return input.WithDim(input.rank() - 1, k);
}

}  // namespace warpbeam
