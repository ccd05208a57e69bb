// RandomUniform, RandomStandardNormal, TruncatedNormal: they differ only in the distribution.
// RandomUniformInt: integers of a range.
#include "graph/gradients/gradient_registry.h"
#include "graph/op/op_registry.h"
#include "ops/array/index/index_argument.h"
#include "ops/random/random_filler.h"
#include "ops/random/random_shapes.h"
#include "ops/random/random_stream.h"
#include "runtime/kernel/kernel_registry.h"

namespace warpbeam {
namespace {

// What has a stream of its own, made from attributes.
template <class Derived>
class FromStream {
 public:
  // The stream moves on with each call.
  static constexpr bool kCountsCalls = true;
  explicit FromStream(std::unique_ptr<RandomStream> stream) : stream_(std::move(stream)) {}
  static StatusOr<Derived> Create(KernelInit& init) {
    WB_ASSIGN_OR_RETURN(std::unique_ptr<RandomStream> stream, RandomStream::FromAttrs(init));
    return Derived(std::move(stream));
  }

 protected:
  Philox Reserve(const Shape& shape) const {
    return stream_->ReserveForElements(shape.num_elements());
  }

 private:
  std::unique_ptr<RandomStream> stream_;
};

template <Distribution kDistribution>
class RandomFill final : public FromStream<RandomFill<kDistribution>> {
 public:
  using FromStream<RandomFill>::FromStream;
  Status Run(KernelContext& ctx, RandomFiller& filler) const {
    WB_ASSIGN_OR_RETURN(Shape shape, ReadShape(ctx.input(0), "shape", /*scalar_is_vector=*/false));
    WB_ASSIGN_OR_RETURN(Tensor * y, ctx.Allocate(0, shape));
    return filler.Fill(ctx, kDistribution, this->Reserve(shape), y);
  }
};

class RandomUniformInt final : public FromStream<RandomUniformInt> {
 public:
  using FromStream::FromStream;
  Status Run(KernelContext& ctx, RandomFiller& filler) const {
    WB_ASSIGN_OR_RETURN(Shape shape, ReadShape(ctx.input(0), "shape"));
    WB_ASSIGN_OR_RETURN(Tensor * y, ctx.Allocate(0, shape));
    return filler.FillInts(ctx, Reserve(shape), ctx.input(1), ctx.input(2), y);
  }
};

Status RandomUniformIntShape(ShapeContext& c) { return RandomShapeWithScalars(c, {1, 2}); }

#define WB_RANDOM_FILL(op, distribution)                               \
  WB_OP(op)                                                            \
      .Input("shape: T")                                               \
      .Output("output: dtype")                                         \
      .Attr("seed: int = 0")                                           \
      .Attr("seed2: int = 0")                                          \
      .Attr("dtype: {half, bfloat16, float, double}")                  \
      .Attr("T: {int32, int64}")                                       \
      .Stateful()                                                      \
      .Shape(RandomShape);                                             \
  WB_KERNEL(op, FillingKernel<RandomFill<distribution>>)               \
      .Cpu({{"dtype", kFloatingTypes}})                                \
      .Gpu({{"T", TypeSet{DType::kInt32}}, {"dtype", kFloatingTypes}}) \
      .HostMemory({"shape"});                                          \
  WB_GPU_KERNEL(op, FillingKernelOnGpu<RandomFill<distribution>>);     \
  WB_NO_GRADIENT(op)

WB_RANDOM_FILL("RandomUniform", Distribution::kUniform);
WB_RANDOM_FILL("RandomStandardNormal", Distribution::kNormal);
WB_RANDOM_FILL("TruncatedNormal", Distribution::kTruncatedNormal);
#undef WB_RANDOM_FILL

WB_OP("RandomUniformInt")
    .Input("shape: T")
    .Input("minval: Tout")
    .Input("maxval: Tout")
    .Output("output: Tout")
    .Attr("seed: int = 0")
    .Attr("seed2: int = 0")
    .Attr("Tout: {int32, int64}")
    .Attr("T: {int32, int64}")
    .Stateful()
    .Shape(RandomUniformIntShape);
WB_KERNEL("RandomUniformInt", FillingKernel<RandomUniformInt>)
    .Cpu({{"Tout", kIndexTypes}})
    .Gpu({{"T", TypeSet{DType::kInt32}}, {"Tout", kIndexTypes}})
    .HostMemory({"shape", "minval", "maxval"});
WB_GPU_KERNEL("RandomUniformInt", FillingKernelOnGpu<RandomUniformInt>);

}  // namespace
}  // namespace warpbeam
