// The second versions of the Stateless* ops, which take a generator's state (key, counter,
// algorithm), and the ops that make such states of seeds.
#include "graph/gradients/gradient_registry.h"
#include "graph/op/op_registry.h"
#include "ops/array/function_kernel.h"
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
  WB_ASSIGN_OR_RETURN(RandomSource stream,
                      filler.FromState(ctx.input(1), ctx.input(2), ctx.input(3)));
  WB_ASSIGN_OR_RETURN(Shape shape, ReadShape(ctx.input(0), "shape"));
  WB_ASSIGN_OR_RETURN(Tensor * y, ctx.Allocate(0, shape));
  return filler.Fill(ctx, kDistribution, stream, y);
}

Status RunInts(KernelContext& ctx, RandomFiller& filler) {
  WB_ASSIGN_OR_RETURN(RandomSource stream,
                      filler.FromState(ctx.input(1), ctx.input(2), ctx.input(3)));
  WB_ASSIGN_OR_RETURN(Shape shape, ReadShape(ctx.input(0), "shape"));
  WB_ASSIGN_OR_RETURN(Tensor * y, ctx.Allocate(0, shape));
  return filler.FillInts(ctx, stream, ctx.input(4), ctx.input(5), y);
}

Status StateShape(ShapeContext& c) {
  WB_RETURN_IF_ERROR(CheckVector(c, 1, 1));
  WB_RETURN_IF_ERROR(c.WithRank(2, 1).status());
  return RandomShapeWithScalars(c, {3});
}
Status StateIntShape(ShapeContext& c) {
  WB_RETURN_IF_ERROR(StateShape(c));
  return RandomShapeWithScalars(c, {4, 5});
}

Status KeyCounterShape(ShapeContext& c) {
  WB_RETURN_IF_ERROR(CheckVector(c, 0, 2));
  c.set_output(0, PartialShape({1}));
  c.set_output(1, PartialShape({2}));
  if (c.num_outputs() == 3) c.set_output(2, PartialShape(Shape()));
  return OkStatus();
}

Status RunGetKeyCounter(KernelContext& ctx) {
  WB_ASSIGN_OR_RETURN(Philox stream, StreamFromSeed(ctx.input(0)));
  const Philox::Block& c = stream.counter();
  WB_ASSIGN_OR_RETURN(Tensor * key, ctx.Allocate(0, Shape({1})));
  key->data<uint64_t>()[0] = uint64_t{stream.key()[1]} << 32 | stream.key()[0];
  WB_ASSIGN_OR_RETURN(Tensor * counter, ctx.Allocate(1, Shape({2})));
  counter->data<uint64_t>()[0] = uint64_t{c[1]} << 32 | c[0];
  counter->data<uint64_t>()[1] = uint64_t{c[3]} << 32 | c[2];
  if (ctx.num_outputs() == 3) ctx.set_output(2, Tensor::Scalar<int32_t>(kAlgorithmPhilox));
  return OkStatus();
}

Status RunGetAlg(KernelContext& ctx) {
  ctx.set_output(0, Tensor::Scalar<int32_t>(kAlgorithmPhilox));
  return OkStatus();
}

#define WB_STATE_ARGUMENTS \
  Input("shape: Tshape").Input("key: uint64").Input("counter: uint64").Input("alg: int32")

#define WB_STATELESS_V2(op, distribution, types_spec, types)                \
  WB_OP(op)                                                                 \
      .WB_STATE_ARGUMENTS.Output("output: dtype")                           \
      .Attr("dtype: " types_spec)                                           \
      .Attr("Tshape: {int32, int64} = DT_INT32")                            \
      .Shape(StateShape);                                                   \
  WB_KERNEL(op, FillingKernel<FunctionOp<RunFill<distribution>>>)           \
      .Cpu({{"dtype", types}})                                              \
      .Gpu({{"dtype", types}})                                              \
      .HostMemory({"shape", "alg"});                                        \
  WB_GPU_KERNEL(op, FillingKernelOnGpu<FunctionOp<RunFill<distribution>>>); \
  WB_NO_GRADIENT(op)

#define WB_FLOATS "{half, bfloat16, float, double} = DT_FLOAT"
WB_STATELESS_V2("StatelessRandomUniformV2", Distribution::kUniform, WB_FLOATS, kFloatingTypes);
WB_STATELESS_V2("StatelessRandomNormalV2", Distribution::kNormal, WB_FLOATS, kFloatingTypes);
WB_STATELESS_V2("StatelessTruncatedNormalV2", Distribution::kTruncatedNormal, WB_FLOATS,
                kFloatingTypes);
WB_STATELESS_V2("StatelessRandomUniformFullIntV2", Distribution::kAllBits,
                "{int32, int64, uint32, uint64} = DT_UINT64", kFullIntTypes);
#undef WB_FLOATS
#undef WB_STATELESS_V2

WB_OP("StatelessRandomUniformIntV2")
    .WB_STATE_ARGUMENTS.Input("minval: dtype")
    .Input("maxval: dtype")
    .Output("output: dtype")
    .Attr("dtype: {int32, int64, uint32, uint64}")
    .Attr("Tshape: {int32, int64} = DT_INT32")
    .Shape(StateIntShape);
WB_KERNEL("StatelessRandomUniformIntV2", FillingKernel<FunctionOp<RunInts>>)
    .Cpu({{"dtype", kIndexTypes}})
    .Gpu({{"dtype", kIndexTypes}})
    .HostMemory({"shape", "alg", "minval", "maxval"});
WB_GPU_KERNEL("StatelessRandomUniformIntV2", FillingKernelOnGpu<FunctionOp<RunInts>>);
WB_NO_GRADIENT("StatelessRandomUniformIntV2");
#undef WB_STATE_ARGUMENTS

WB_OP("StatelessRandomGetKeyCounter")
    .Input("seed: Tseed")
    .Output("key: uint64")
    .Output("counter: uint64")
    .Attr("Tseed: {int32, int64} = DT_INT64")
    .Shape(KeyCounterShape);
WB_KERNEL("StatelessRandomGetKeyCounter", FunctionKernel<RunGetKeyCounter>)
    .Cpu()
    .Gpu()
    .HostMemory({"seed", "key", "counter"})
    .Cheap();

WB_OP("StatelessRandomGetKeyCounterAlg")
    .Input("seed: Tseed")
    .Output("key: uint64")
    .Output("counter: uint64")
    .Output("alg: int32")
    .Attr("Tseed: {int32, int64} = DT_INT64")
    .Shape(KeyCounterShape);
WB_KERNEL("StatelessRandomGetKeyCounterAlg", FunctionKernel<RunGetKeyCounter>)
    .Cpu()
    .Gpu()
    .HostMemory({"seed", "key", "counter", "alg"})
    .Cheap();

WB_OP("StatelessRandomGetAlg").Output("alg: int32").Stateful().Shape(shapes::Scalar);
WB_KERNEL("StatelessRandomGetAlg", FunctionKernel<RunGetAlg>)
    .Cpu()
    .Gpu()
    .HostMemory({"alg"})
    .Cheap();

}  // namespace
}  // namespace warpbeam
