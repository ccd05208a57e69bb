// HistogramFixedWidth: how many values lie in each of `nbins` intervals of equal width. Values
// outside of the range count for the first and the last interval.

#include <algorithm>

#include "graph/op/op_registry.h"
#include "graph/op/shape_context.h"
#include "ops/launch/dispatch.h"
#include "runtime/kernel/kernel_context.h"
#include "runtime/kernel/kernel_registry.h"

namespace warpbeam {
namespace {

// high - low for low <= high, which for integers may need one bit more than they have.
template <class T>
double Distance(T low, T high) {
  if constexpr (std::is_integral_v<T>) {
    using U = std::make_unsigned_t<T>;
    return static_cast<double>(static_cast<U>(static_cast<U>(high) - static_cast<U>(low)));
  } else {
    return static_cast<double>(high - low);
  }
}

template <class T, class Count>
Status CountValues(const Tensor& values, const Tensor& range, int64_t bins, Count* counts) {
  const T low = range.data<T>()[0], high = range.data<T>()[1];
  if (!(low < high)) {
    return InvalidArgument("the first element of 'value_range', ", low,
                           ", must be less than the second, ", high);
  }
  const double width = Distance(low, high) / static_cast<double>(bins);
  const double last = static_cast<double>(bins - 1);
  for (const T value : values.flat<T>()) {
    if (value != value) return InvalidArgument("'values' must not hold NaN");
    const double bin = value <= low ? 0 : Distance(low, value) / width;
    // Infinity divided by infinity is not a bin either.
    ++counts[bin < last ? static_cast<int64_t>(bin) : bin >= last ? bins - 1 : 0];
  }
  return OkStatus();
}

class HistogramKernel final : public Kernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit&) {
    return std::make_unique<HistogramKernel>();
  }
  Status Compute(KernelContext& ctx) override {
    const Tensor &values = ctx.input(0), &range = ctx.input(1), &nbins = ctx.input(2);
    if (range.shape() != Shape({2})) {
      return InvalidArgument("'value_range' must be a vector of two elements, but has shape ",
                             range.shape().ToString());
    }
    if (nbins.rank() != 0) {
      return InvalidArgument("'nbins' must be a scalar, but has shape ", nbins.shape().ToString());
    }
    const int64_t bins = nbins.scalar<int32_t>();
    if (bins <= 0) return InvalidArgument("'nbins' must be positive, but is ", bins);
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
}  // namespace warpbeam
