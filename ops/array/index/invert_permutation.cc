// InvertPermutation: y[x[i]] = i.
#include "graph/gradients/gradient_registry.h"
#include "graph/op/op_registry.h"
#include "graph/op/shape_context.h"
#include "ops/array/function_kernel.h"
#include "ops/array/index/index_argument.h"
#include "ops/array/kernel_types.h"
#include "runtime/kernel/kernel_registry.h"

namespace warpbeam {
namespace {

Status InvertPermutationShape(ShapeContext& c) {
  WB_ASSIGN_OR_RETURN(PartialShape x, c.WithRank(0, 1));
  c.set_output(0, std::move(x));
  return OkStatus();
}

Status RunInvertPermutation(KernelContext& ctx) {
  const Tensor& x = ctx.input(0);
  if (x.rank() != 1) {
    return InvalidArgument("a permutation must be a vector, not of shape ", x.shape().ToString());
  }
  WB_ASSIGN_OR_RETURN(Dims perm, ReadIndices(x, "x"));
  const int64_t n = x.num_elements();
  Dims inverse(static_cast<size_t>(n), -1);
  for (int64_t i = 0; i < n; ++i) {
    const int64_t p = perm[static_cast<size_t>(i)];
    if (p < 0 || p >= n) return InvalidArgument(p, " is not between 0 and ", n);
    if (inverse[static_cast<size_t>(p)] != -1) return InvalidArgument(p, " is duplicated");
    inverse[static_cast<size_t>(p)] = i;
  }
  WB_ASSIGN_OR_RETURN(Tensor * y, ctx.Allocate(0, x.shape()));
  return WriteIndices(inverse, y);
}

WB_OP("InvertPermutation")
    .Input("x: T")
    .Output("y: T")
    .Attr("T: {int32, int64} = int32")
    .Shape(InvertPermutationShape);
WB_KERNEL("InvertPermutation", FunctionKernel<RunInvertPermutation>)
    .Cpu({{"T", kIndexTypes}})
    .Gpu({{"T", kIndexTypes}})
    .HostMemory({"x", "y"})
    .Cheap();

WB_NO_GRADIENT("InvertPermutation");

}  // namespace
}  // namespace warpbeam
