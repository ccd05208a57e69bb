// StatelessRandomUniform, …UniformFullInt, …Normal, StatelessTruncatedNormal and
// StatelessRandomUniformInt: values that follow from a seed alone.
#include "graph/gradients/gradient_registry.h"
#include "graph/op/op_registry.h"
#include "ops/array/index/index_argument.h"
#include "ops/random/random_filler.h"
#include "ops/random/random_shapes.h"
#include "ops/random/stateless_seed.h"
#include "runtime/kernel/kernel_registry.h"

namespace warpbeam {
namespace {

constexpr TypeSet kFullIntTypes = kIndexTypes | TypeSet{DType::kUInt32, DType::kUInt64};

template <Distribution kDistribution>
Status RunFill(KernelContext& ctx, RandomFiller& filler) {
  WB_ASSIGN_OR_RETURN(Shape shape, ReadShape(ctx.input(0), "shape"));
  WB_ASSIGN_OR_RETURN(Philox stream, StreamFromSeed(ctx.input(1)));
  WB_ASSIGN_OR_RETURN(Tensor * y, ctx.Allocate(0, shape));
  return filler.Fill(ctx, kDistribution, stream, y);
}

Status RunInts(KernelContext& ctx, RandomFiller& filler) {
  WB_ASSIGN_OR_RETURN(Shape shape, ReadShape(ctx.input(0), "shape"));
  WB_ASSIGN_OR_RETURN(Philox stream, StreamFromSeed(ctx.input(1)));
  WB_ASSIGN_OR_RETURN(Tensor * y, ctx.Allocate(0, shape));
  return filler.FillInts(ctx, stream, ctx.input(2), ctx.input(3), y);
}

Status SeededShape(ShapeContext& c) {
  WB_RETURN_IF_ERROR(CheckVector(c, 1, 2));
  return RandomShape(c);
}
Status SeededIntShape(ShapeContext& c) {
  WB_RETURN_IF_ERROR(CheckVector(c, 1, 2));
  return RandomShapeWithScalars(c, {2, 3});
}

#define WB_STATELESS_FILL(op, distribution)                                 \
  WB_OP(op)                                                                 \
      .Input("shape: T")                                                    \
      .Input("seed: Tseed")                                                 \
      .Output("output: dtype")                                              \
      .Attr("dtype: {half, bfloat16, float, double} = DT_FLOAT")            \
      .Attr("T: {int32, int64} = DT_INT32")                                 \
      .Attr("Tseed: {int32, int64} = DT_INT64")                             \
      .Shape(SeededShape);                                                  \
  WB_KERNEL(op, FillingKernel<FunctionOp<RunFill<distribution>>>)           \
      .Cpu({{"dtype", kFloatingTypes}})                                     \
      .Gpu({{"dtype", kFloatingTypes}})                                     \
      .HostMemory({"shape", "seed"});                                       \
  WB_GPU_KERNEL(op, FillingKernelOnGpu<FunctionOp<RunFill<distribution>>>); \
  WB_NO_GRADIENT(op)

WB_STATELESS_FILL("StatelessRandomUniform", Distribution::kUniform);
WB_STATELESS_FILL("StatelessRandomNormal", Distribution::kNormal);
WB_STATELESS_FILL("StatelessTruncatedNormal", Distribution::kTruncatedNormal);
#undef WB_STATELESS_FILL

WB_OP("StatelessRandomUniformFullInt")
    .Input("shape: T")
    .Input("seed: Tseed")
    .Output("output: dtype")
    .Attr("dtype: {int32, int64, uint32, uint64} = DT_UINT64")
    .Attr("T: {int32, int64} = DT_INT32")
    .Attr("Tseed: {int32, int64, uint32, uint64} = DT_INT64")
    .Shape(SeededShape);
WB_KERNEL("StatelessRandomUniformFullInt",
          FillingKernel<FunctionOp<RunFill<Distribution::kAllBits>>>)
    .Cpu({{"dtype", kFullIntTypes}})
    .Gpu({{"dtype", kFullIntTypes}})
    .HostMemory({"shape", "seed"});
WB_GPU_KERNEL("StatelessRandomUniformFullInt",
              FillingKernelOnGpu<FunctionOp<RunFill<Distribution::kAllBits>>>);
WB_NO_GRADIENT("StatelessRandomUniformFullInt");

WB_OP("StatelessRandomUniformInt")
    .Input("shape: T")
    .Input("seed: Tseed")
    .Input("minval: dtype")
    .Input("maxval: dtype")
    .Output("output: dtype")
    .Attr("dtype: {int32, int64}")
    .Attr("T: {int32, int64}")
    .Attr("Tseed: {int32, int64} = DT_INT64")
    .Shape(SeededIntShape);
WB_KERNEL("StatelessRandomUniformInt", FillingKernel<FunctionOp<RunInts>>)
    .Cpu({{"dtype", kIndexTypes}})
    .Gpu({{"dtype", kIndexTypes}})
    .HostMemory({"shape", "seed", "minval", "maxval"});
WB_GPU_KERNEL("StatelessRandomUniformInt", FillingKernelOnGpu<FunctionOp<RunInts>>);
WB_NO_GRADIENT("StatelessRandomUniformInt");

}  // namespace
}  // namespace warpbeam
