// NonDeterministicInts: integers that nobody can foresee, to make generators' states of.
#include <random>

#include "graph/op/op_registry.h"
#include "ops/array/function_kernel.h"
#include "ops/array/index/index_argument.h"
#include "ops/random/distributions.h"
#include "ops/random/random_shapes.h"
#include "runtime/kernel/kernel_registry.h"

namespace warpbeam {
namespace {

Status RunNonDeterministicInts(KernelContext& ctx) {
  WB_ASSIGN_OR_RETURN(const Shape shape, ReadShape(ctx.input(0), "shape"));
  WB_ASSIGN_OR_RETURN(Tensor * y, ctx.Allocate(0, shape));
  std::random_device device;
  const auto number = [&] { return uint64_t{device()} << 32 | device(); };
  return FillRandom(ctx, Distribution::kAllBits, Philox(number(), number()), y);
}

WB_OP("NonDeterministicInts")
    .Input("shape: shape_dtype")
    .Output("output: dtype")
    .Attr("dtype: type = DT_INT64")
    .Attr("shape_dtype: type = DT_INT64")
    .Stateful()
    .Shape(RandomShape);
WB_KERNEL("NonDeterministicInts", FunctionKernel<RunNonDeterministicInts>)
    .Cpu({{"dtype", kIndexTypes | TypeSet{DType::kUInt32, DType::kUInt64}}});

}  // namespace
}  // namespace warpbeam
