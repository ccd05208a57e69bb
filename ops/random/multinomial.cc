// Multinomial, StatelessMultinomial: classes drawn with probabilities given by logits.
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "graph/gradients/gradient_registry.h"
#include "graph/op/op_registry.h"
#include "ops/array/function_kernel.h"
#include "ops/array/index/index_argument.h"
#include "ops/launch/dispatch.h"
#include "ops/random/distributions.h"
#include "ops/random/multinomial_draw.h"
#include "ops/random/random_shapes.h"
#include "ops/random/random_stream.h"
#include "ops/random/stateless_seed.h"
#include "runtime/kernel/kernel_registry.h"
#include "runtime/kernel/running_step.h"

namespace warpbeam {
namespace {

// Sums of exp(logit - largest) up to each class; infinite and NaN logits add nothing.
template <typename T>
double CumulativeWeights(const T* logits, std::vector<double>& sums) {
  double largest = -std::numeric_limits<double>::infinity();
  for (size_t i = 0; i < sums.size(); ++i) {
    const double l = static_cast<double>(logits[i]);
    if (std::isfinite(l)) largest = std::max(largest, l);
  }
  double sum = 0;
  for (size_t i = 0; i < sums.size(); ++i) {
    const double l = static_cast<double>(logits[i]);
    if (std::isfinite(l)) sum += std::exp(l - largest);
    sums[i] = sum;
  }
  return sum;
}

// How many samples pass until the kernel looks whether anyone waits for them.
constexpr int64_t kSamplesBetweenLooks = 4096;

// One thread draws all rows from one stream: rows begin in the middle of blocks.
template <typename T, typename Out>
void DrawClasses(const MultinomialDraw& d, const T* logits, const Philox& stream, Out* out) {
  PhiloxNumbers numbers(stream);
  std::vector<double> sums(static_cast<size_t>(d.classes));
  for (int64_t row = 0; row < d.rows; ++row) {
    const double total = CumulativeWeights(logits + row * d.classes, sums);
    for (int64_t s = 0; s < d.samples; ++s) {
      if (s % kSamplesBetweenLooks == 0 && RunningStep::IsOver()) return;
      const uint32_t upper = numbers.Next();
      const double at = UniformDouble(upper, numbers.Next()) * total;
      *out++ = static_cast<Out>(std::upper_bound(sums.begin(), sums.end(), at) - sums.begin());
    }
  }
}

Status Run(KernelContext& ctx, const MultinomialDraw& d, const Philox& stream) {
  const Tensor& logits = ctx.input(0);
  WB_ASSIGN_OR_RETURN(Shape shape, Shape::Make({d.rows, d.samples}));
  WB_ASSIGN_OR_RETURN(Tensor * y, ctx.Allocate(0, shape));
  // No rows may have any number of classes.
  if (y->num_elements() == 0) return OkStatus();
  return DispatchTypes(FloatTypeList{}, logits.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    return DispatchIndex(y->dtype(), [&](auto out) -> Status {
      DrawClasses(d, logits.data<T>(), stream, y->data<typename decltype(out)::type>());
      return OkStatus();
    });
  });
}

class MultinomialKernel final : public RandomKernel<MultinomialKernel> {
 public:
  using RandomKernel::RandomKernel;
  Status Compute(KernelContext& ctx) override {
    WB_ASSIGN_OR_RETURN(MultinomialDraw d, MultinomialDraw::Read(ctx));
    return Run(ctx, d, stream().ReserveForElements(d.reserved()));
  }
};

Status RunStateless(KernelContext& ctx) {
  WB_ASSIGN_OR_RETURN(MultinomialDraw d, MultinomialDraw::Read(ctx));
  WB_ASSIGN_OR_RETURN(Philox stream, StreamFromSeed(ctx.input(2)));
  return Run(ctx, d, stream);
}

Status MultinomialShape(ShapeContext& c) {
  WB_ASSIGN_OR_RETURN(PartialShape logits, c.WithRank(0, 2));
  WB_RETURN_IF_ERROR(c.WithRank(1, 0).status());
  if (c.num_inputs() == 3) WB_RETURN_IF_ERROR(CheckVector(c, 2, 2));
  const std::optional<int64_t> samples = c.ConstantScalar(1);
  if (samples && *samples < 0) {
    return InvalidArgument("num_samples must not be negative: ", *samples);
  }
  c.set_output(0, PartialShape({logits.dim(0), samples.value_or(-1)}));
  return OkStatus();
}

constexpr char kLogitTypes[] =
    "T: {float, double, int32, uint8, int16, int8, int64, bfloat16, uint16, half, uint32, uint64}";

WB_OP("Multinomial")
    .Input("logits: T")
    .Input("num_samples: int32")
    .Output("output: output_dtype")
    .Attr("seed: int = 0")
    .Attr("seed2: int = 0")
    .Attr(kLogitTypes)
    .Attr("output_dtype: {int32, int64} = DT_INT64")
    .Stateful()
    .Shape(MultinomialShape);
WB_KERNEL("Multinomial", MultinomialKernel)
    .Cpu({{"T", kFloatingTypes}, {"output_dtype", kIndexTypes}})
    .Gpu({{"T", TypeSet{DType::kHalf, DType::kFloat, DType::kDouble}},
          {"output_dtype", kIndexTypes}})
    .HostMemory({"num_samples"});
WB_NO_GRADIENT("Multinomial");

WB_OP("StatelessMultinomial")
    .Input("logits: T")
    .Input("num_samples: int32")
    .Input("seed: Tseed")
    .Output("output: output_dtype")
    .Attr(kLogitTypes)
    .Attr("Tseed: {int32, int64} = DT_INT64")
    .Attr("output_dtype: {int32, int64} = DT_INT64")
    .Shape(MultinomialShape);
WB_KERNEL("StatelessMultinomial", FunctionKernel<RunStateless>)
    .Cpu({{"T", kFloatingTypes}, {"output_dtype", kIndexTypes}})
    .Gpu({{"T", TypeSet{DType::kHalf, DType::kFloat, DType::kDouble}},
          {"output_dtype", kIndexTypes}})
    .HostMemory({"num_samples", "seed"});
WB_NO_GRADIENT("StatelessMultinomial");

}  // namespace
}  // namespace warpbeam
