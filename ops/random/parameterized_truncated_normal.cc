// ParameterizedTruncatedNormal: normal values cut to an interval, with parameters for each batch.
#include <vector>

#include "graph/gradients/gradient_registry.h"
#include "graph/op/op_registry.h"
#include "ops/array/index_argument.h"
#include "ops/launch/dispatch.h"
#include "ops/random/random_shapes.h"
#include "ops/random/random_stream.h"
#include "ops/random/truncated_sampler.h"
#include "runtime/kernel/kernel_registry.h"

namespace warpbeam {
namespace {

// The parameters of one batch: each input has one value for all or one for each.
template <typename T>
absl::StatusOr<std::vector<TruncatedSampler>> Samplers(KernelContext& ctx, int64_t batches) {
  const auto value = [&](int input, int64_t batch) {
    const Tensor& t = ctx.input(input);
    return static_cast<double>(t.data<T>()[t.num_elements() == 1 ? 0 : batch]);
  };
  std::vector<TruncatedSampler> samplers;
  for (int64_t b = 0; b < batches; ++b) {
    WB_ASSIGN_OR_RETURN(TruncatedSampler s,
                        TruncatedSampler::Make(value(1, b), value(2, b), value(3, b), value(4, b)));
    samplers.push_back(s);
  }
  return samplers;
}

class ParameterizedTruncatedNormalKernel final
    : public RandomKernel<ParameterizedTruncatedNormalKernel> {
 public:
  using RandomKernel::RandomKernel;
  absl::Status Compute(KernelContext& ctx) override {
    WB_ASSIGN_OR_RETURN(Shape shape, ReadShape(ctx.input(0), "shape"));
    if (shape.rank() == 0) return InvalidArgument("'shape' must not be empty");
    bool alike = true;
    for (int i = 1; i < 5; ++i) {
      const Tensor& t = ctx.input(i);
      if (t.rank() > 1 || (t.num_elements() != 1 && t.num_elements() != shape.dim(0))) {
        return InvalidArgument("input ", i, " must have one value or one for each of ",
                               shape.dim(0), " batches, not the shape ", t.shape().ToString());
      }
      alike = alike && t.num_elements() == 1;
    }
    WB_ASSIGN_OR_RETURN(Tensor * y, ctx.Allocate(0, shape));
    const int64_t count = shape.num_elements();
    if (count == 0) return absl::OkStatus();
    const int64_t batches = alike ? 1 : shape.dim(0);
    const int64_t per_batch = count / batches;
    const Philox base = stream().ReserveForElements(count);
    using Types = TypeList<Half, float, double>;
    return DispatchTypes(Types{}, y->dtype(), [&](auto tag) -> absl::Status {
      using T = typename decltype(tag)::type;
      WB_ASSIGN_OR_RETURN(std::vector<TruncatedSampler> samplers, Samplers<T>(ctx, batches));
      T* out = y->data<T>();
      ctx.ParallelFor(count, 120, [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i) {
          const Philox own = base.After(static_cast<uint64_t>(i) * kBlocksPerElement);
          out[i] = static_cast<T>(samplers[static_cast<size_t>(i / per_batch)].Sample(own));
        }
      });
      return absl::OkStatus();
    });
  }
};

constexpr TypeSet kTypes = {DType::kHalf, DType::kFloat, DType::kDouble};
WB_OP("ParameterizedTruncatedNormal")
    .Input("shape: T")
    .Input("means: dtype")
    .Input("stdevs: dtype")
    .Input("minvals: dtype")
    .Input("maxvals: dtype")
    .Output("output: dtype")
    .Attr("seed: int = 0")
    .Attr("seed2: int = 0")
    .Attr("dtype: {half, bfloat16, float, double}")
    .Attr("T: {int32, int64}")
    .Stateful()
    .Shape(RandomShape);
WB_KERNEL("ParameterizedTruncatedNormal", ParameterizedTruncatedNormalKernel)
    .Cpu({{"dtype", kTypes}})
    .Gpu({{"dtype", kTypes}})
    .HostMemory({"shape"});
WB_NO_GRADIENT("ParameterizedTruncatedNormal");

}  // namespace
}  // namespace warpbeam
