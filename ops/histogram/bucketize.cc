// Bucketize: the number of the interval, between sorted boundaries, that each element lies in. An
// element that equals a boundary belongs to the interval above it; NaN to the last one.
#include "ops/histogram/bucketize.h"

#include <algorithm>

#include "graph/op/op_registry.h"
#include "graph/op/shape_context.h"
#include "ops/launch/dispatch.h"
#include "runtime/kernel/kernel_context.h"
#include "runtime/kernel/kernel_registry.h"

namespace warpbeam {

StatusOr<std::vector<float>> ReadBoundaries(const KernelInit& init) {
  WB_ASSIGN_OR_RETURN(std::vector<float> boundaries, init.attr<std::vector<float>>("boundaries"));
  if (!std::is_sorted(boundaries.begin(), boundaries.end())) {
    return InvalidArgument("Expected sorted boundaries, lowest first");
  }
  return boundaries;
}

namespace {

class BucketizeKernel final : public Kernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) {
    WB_ASSIGN_OR_RETURN(std::vector<float> boundaries, ReadBoundaries(init));
    return std::make_unique<BucketizeKernel>(std::move(boundaries));
  }
  explicit BucketizeKernel(std::vector<float> boundaries) : boundaries_(std::move(boundaries)) {}

  Status Compute(KernelContext& ctx) override {
    const Tensor& x = ctx.input(0);
    WB_ASSIGN_OR_RETURN(Tensor * buckets, ctx.Allocate(0, x.shape()));
    return DispatchTypes<int32_t, int64_t, float, double>(x.dtype(), [&](auto tag) {
      using T = typename decltype(tag)::type;
      ctx.ParallelFor(x.num_elements(), 20, [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i) {
          const auto above =
              std::upper_bound(boundaries_.begin(), boundaries_.end(), x.data<T>()[i],
                               [](T value, float boundary) { return value < boundary; });
          buckets->data<int32_t>()[i] = static_cast<int32_t>(above - boundaries_.begin());
        }
      });
      return OkStatus();
    });
  }

 private:
  const std::vector<float> boundaries_;
};

constexpr TypeSet kBucketized = kIndexTypes | TypeSet{DType::kFloat, DType::kDouble};

WB_OP("Bucketize")
    .Input("input: T")
    .Output("output: int32")
    .Attr("T: {int32, int64, float, double}")
    .Attr("boundaries: list(float)")
    .Shape(shapes::Unchanged);
WB_KERNEL("Bucketize", BucketizeKernel).Cpu({{"T", kBucketized}}).Gpu({{"T", kBucketized}});

}  // namespace
}  // namespace warpbeam
