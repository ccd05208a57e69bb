// ParameterizedTruncatedNormal: normal values cut to an interval, with parameters for each batch.
//
// One stream goes through all batches, as in TensorFlow with one thread.
#include <algorithm>

#include "graph/gradients/gradient_registry.h"
#include "graph/op/op_registry.h"
#include "ops/array/index/index_argument.h"
#include "ops/launch/dispatch.h"
#include "ops/random/random_shapes.h"
#include "ops/random/random_stream.h"
#include "ops/random/truncated_sampler.h"
#include "runtime/kernel/kernel_registry.h"

namespace warpbeam {
namespace {

// Where all batches have the same parameters they are cut into batches of this size.
constexpr int64_t kSamplesPerBatch = 100;

class ParameterizedTruncatedNormalKernel final
    : public RandomKernel<ParameterizedTruncatedNormalKernel> {
 public:
  using RandomKernel::RandomKernel;
  Status Compute(KernelContext& ctx) override {
    WB_ASSIGN_OR_RETURN(Shape shape, ReadShape(ctx.input(0), "shape"));
    if (shape.rank() == 0) return InvalidArgument("'shape' must not be empty");
    for (int i = 1; i < 5; ++i) {
      const Tensor& t = ctx.input(i);
      if (t.rank() > 1 || (t.num_elements() != 1 && t.num_elements() != shape.dim(0))) {
        return InvalidArgument("input ", i, " must have one value or one for each of ",
                               shape.dim(0), " batches, not the shape ", t.shape().ToString());
      }
    }
    WB_ASSIGN_OR_RETURN(Tensor * y, ctx.Allocate(0, shape));
    const int64_t count = shape.num_elements();
    if (count == 0) return OkStatus();
    // Bounds that are vectors have a batch for each row, even where they have one element.
    const bool alike = ctx.input(1).num_elements() == 1 && ctx.input(2).num_elements() == 1 &&
                       ctx.input(3).rank() == 0 && ctx.input(4).rank() == 0;
    const int64_t per_batch = alike ? kSamplesPerBatch : count / shape.dim(0);
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
