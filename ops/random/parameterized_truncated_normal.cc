// ParameterizedTruncatedNormal: normal values cut to an interval, with parameters for each batch.
//
// On a CPU one stream goes through all batches, as in TensorFlow with one thread; a GPU has a
// stretch of it for each element (ops/random/gpu/parameterized_truncated_normal.cc), and draws
// other values.
#include <algorithm>

#include "graph/gradients/gradient_registry.h"
#include "graph/op/op_registry.h"
#include "ops/launch/dispatch.h"
#include "ops/random/random_shapes.h"
#include "ops/random/random_stream.h"
#include "ops/random/truncated_batches.h"
#include "ops/random/truncated_sampler.h"
#include "runtime/kernel/kernel_registry.h"

namespace warpbeam {
namespace {

class ParameterizedTruncatedNormalKernel final
    : public RandomKernel<ParameterizedTruncatedNormalKernel> {
 public:
  using RandomKernel::RandomKernel;
  Status Compute(KernelContext& ctx) override {
    WB_ASSIGN_OR_RETURN(const TruncatedBatches cut, TruncatedBatches::Of(ctx));
    WB_ASSIGN_OR_RETURN(Tensor * y, ctx.Allocate(0, cut.shape));
    const int64_t count = y->num_elements(), per_batch = cut.per_batch;
    if (count == 0) return OkStatus();
    const int64_t batches = (count + per_batch - 1) / per_batch;
    // Each try takes two numbers.
    const int64_t tries = TruncatedSampler<float>::kMostTries;
    const int64_t blocks = batches * 2 * tries * (per_batch + 3) / Philox::kBlockNumbers;
    Philox own = stream().Reserve(static_cast<uint64_t>(blocks));
    return DispatchTypes<Half, float, double>(y->dtype(), [&](auto tag) {
      return Fill<typename decltype(tag)::type>(ctx, per_batch, own, y);
    });
  }

 private:
  template <typename T>
  static Status Fill(const KernelContext& ctx, int64_t per_batch, Philox& own, Tensor* y) {
    const auto value = [&](int input, int64_t batch) {
      const Tensor& t = ctx.input(input);
      return t.data<T>()[t.num_elements() == 1 ? 0 : batch];
    };
    const int64_t count = y->num_elements();
    for (int64_t b = 0, at = 0; at < count; ++b, at += per_batch) {
      if (ctx.IsCancelled()) return Cancelled("the step has been cancelled");
      WB_ASSIGN_OR_RETURN(
          TruncatedSampler<T> sampler,
          TruncatedSampler<T>::Make(value(1, b), value(2, b), value(3, b), value(4, b)));
      WB_RETURN_IF_ERROR(
          sampler.Fill(own, y->data<T>() + at, std::min(per_batch, count - at), /*stride=*/1));
    }
    return OkStatus();
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
