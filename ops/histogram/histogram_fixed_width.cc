// HistogramFixedWidth: how many values lie in each of `nbins` intervals of equal width. Values
// outside of the range count for the first and the last interval.
#include "ops/histogram/histogram_fixed_width.h"

#include <algorithm>

#include "graph/op/op_registry.h"
#include "graph/op/shape_context.h"
#include "ops/launch/dispatch.h"
#include "runtime/kernel/kernel_context.h"
#include "runtime/kernel/kernel_registry.h"

namespace warpbeam::host_pass {

StatusOr<int64_t> HistogramBins(const KernelContext& ctx) {
  const Tensor &range = ctx.input(1), &nbins = ctx.input(2);
  if (range.shape() != Shape({2})) {
    return InvalidArgument("'value_range' must be a vector of two elements, but has shape ",
                           range.shape().ToString());
  }
  if (nbins.rank() != 0) {
    return InvalidArgument("'nbins' must be a scalar, but has shape ", nbins.shape().ToString());
  }
  const int64_t bins = nbins.scalar<int32_t>();
  if (bins <= 0) return InvalidArgument("'nbins' must be positive, but is ", bins);
  return bins;
}

namespace {

template <class T, class Count>
Status CountValues(const Tensor& values, const Tensor& range, int64_t bins, Count* counts) {
  WB_ASSIGN_OR_RETURN(const auto spread, HistogramRange<T>::Make(range, bins));
  for (const T value : values.flat<T>()) {
    if (value != value) return InvalidArgument("'values' must not hold NaN");
    ++counts[spread.BinOf(value)];
  }
  return OkStatus();
}

class HistogramKernel final : public Kernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit&) {
    return std::make_unique<HistogramKernel>();
  }
  Status Compute(KernelContext& ctx) override {
    const Tensor &values = ctx.input(0), &range = ctx.input(1);
    WB_ASSIGN_OR_RETURN(const int64_t bins, HistogramBins(ctx));
    WB_ASSIGN_OR_RETURN(Tensor * counts, ctx.Allocate(0, Shape({bins})));
    return DispatchIndex(counts->dtype(), [&](auto count_tag) {
      using Count = typename decltype(count_tag)::type;
      std::fill_n(counts->data<Count>(), bins, Count(0));
      return DispatchTypes<int32_t, int64_t, float, double>(values.dtype(), [&](auto tag) {
        using T = typename decltype(tag)::type;
        return CountValues<T>(values, range, bins, counts->data<Count>());
      });
    });
  }
};

Status HistogramShape(ShapeContext& c) {
  WB_ASSIGN_OR_RETURN(const PartialShape range, c.WithRank(1, 1));
  if (range.dim(0) >= 0 && range.dim(0) != 2) {
    return InvalidArgument("'value_range' must have two elements, not ", range.dim(0));
  }
  WB_RETURN_IF_ERROR(c.WithRank(2, 0).status());
  const std::optional<int64_t> bins = c.ConstantScalar(2);
  if (bins && *bins <= 0) return InvalidArgument("'nbins' must be positive, but is ", *bins);
  c.set_output(0, PartialShape({bins.value_or(-1)}));
  return OkStatus();
}

WB_OP("HistogramFixedWidth")
    .Input("values: T")
    .Input("value_range: T")
    .Input("nbins: int32")
    .Output("out: dtype")
    .Attr("T: {int32, int64, float, double}")
    .Attr("dtype: {int32, int64} = int32")
    .Shape(HistogramShape);
WB_KERNEL("HistogramFixedWidth", HistogramKernel)
    .Cpu({{"T", kRealTypes}, {"dtype", kIndexTypes}})
    .Gpu({{"T", kFloatingTypes}, {"dtype", {DType::kInt32}}})
    .HostMemory({"nbins", "value_range"});

}  // namespace
}  // namespace warpbeam::host_pass
