// StatelessShuffle: the rows of a tensor in an order that follows from a generator's state.
#include "graph/op/op_registry.h"
#include "graph/op/shape_context.h"
#include "ops/array/function_kernel.h"
#include "ops/array/kernel_types.h"
#include "ops/array/strided_copy.h"
#include "ops/random/permutation.h"
#include "ops/random/random_shapes.h"
#include "ops/random/stateless_seed.h"
#include "runtime/kernel/kernel_registry.h"

namespace warpbeam {
namespace {

Status RunStatelessShuffle(KernelContext& ctx) {
  const Tensor& x = ctx.input(0);
  WB_ASSIGN_OR_RETURN(const Philox stream,
                      StreamFromState(ctx.input(1), ctx.input(2), ctx.input(3)));
  if (x.rank() == 0 || x.dim(0) <= 1 || x.num_elements() <= 1) {
    ctx.set_output(0, x);
    return OkStatus();
  }
  const int64_t rows = x.dim(0), row = x.num_elements() / rows;
  const std::vector<int64_t> order = RandomOrder(rows, stream);
  WB_ASSIGN_OR_RETURN(Tensor * y, ctx.Allocate(0, x.shape()));
  for (int64_t i = 0; i < rows; ++i) {
    CopyElements(x.dtype(), Advance(y->raw_data(), x.dtype(), i * row),
                 Advance(x.raw_data(), x.dtype(), order[static_cast<size_t>(i)] * row), row);
  }
  return OkStatus();
}

Status StatelessShuffleShape(ShapeContext& c) {
  WB_RETURN_IF_ERROR(CheckVector(c, 1, 1));
  WB_RETURN_IF_ERROR(c.WithRank(2, 1).status());
  WB_RETURN_IF_ERROR(c.WithRank(3, 0).status());
  c.set_output(0, c.input(0));
  return OkStatus();
}

WB_OP("StatelessShuffle")
    .Input("value: T")
    .Input("key: uint64")
    .Input("counter: uint64")
    .Input("alg: int32")
    .Output("output: T")
    .Attr("T: type")
    .Shape(StatelessShuffleShape);
WB_KERNEL("StatelessShuffle", FunctionKernel<RunStatelessShuffle>)
    .Cpu({{"T", kPlainTypes | kObjectTypes}});

}  // namespace
}  // namespace warpbeam
