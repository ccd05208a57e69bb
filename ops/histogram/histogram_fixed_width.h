// Intervals of equal width, and what the kernels of HistogramFixedWidth have in common, whatever
// device they are on; in both passes.
//
//   WB_ASSIGN_OR_RETURN(const int64_t bins, HistogramBins(ctx));
//   WB_ASSIGN_OR_RETURN(const auto spread, HistogramRange<float>::Make(ctx.input(1), bins));
//   const int64_t bin = spread.BinOf(0.5f);
//
// Thread safety: values. Errors: INVALID_ARGUMENT for a range or a number of bins that is none.
#ifndef WARPBEAM_OPS_HISTOGRAM_HISTOGRAM_FIXED_WIDTH_H_
#define WARPBEAM_OPS_HISTOGRAM_HISTOGRAM_FIXED_WIDTH_H_

#include <cstdint>
#include <type_traits>

#include "ops/launch/pass.h"
#if WB_HOST_PASS
#include "graph/types/errors.h"
#include "graph/types/tensor.h"
#include "runtime/kernel/kernel_context.h"
#endif

namespace warpbeam::WB_PASS {

// high - low for low <= high, which for integers may need one bit more than they have.
template <class T>
WB_HD double Distance(T low, T high) {
  if constexpr (std::is_integral_v<T>) {
    using U = std::make_unsigned_t<T>;
    return static_cast<double>(static_cast<U>(static_cast<U>(high) - static_cast<U>(low)));
  } else {
    return static_cast<double>(high - low);
  }
}

template <class T>
struct HistogramRange {
  T low;
  double width;  // of an interval
  int64_t bins;

  // Of a value that is a number.
  WB_HD int64_t BinOf(T value) const {
    const double bin = value <= low ? 0 : Distance(low, value) / width;
    const double last = static_cast<double>(bins - 1);
    // Infinity divided by infinity is not a bin either.
    return bin < last ? static_cast<int64_t>(bin) : bin >= last ? bins - 1 : 0;
  }

#if WB_HOST_PASS
  // `range`: two values, in host memory.
  static StatusOr<HistogramRange> Make(const Tensor& range, int64_t bins) {
    const T low = range.data<T>()[0], high = range.data<T>()[1];
    if (!(low < high)) {
      return InvalidArgument("the first element of 'value_range', ", low,
                             ", must be less than the second, ", high);
    }
    return HistogramRange{low, Distance(low, high) / static_cast<double>(bins), bins};
  }
#endif
};

#if WB_HOST_PASS
// By inputs 1 and 2, in host memory.
StatusOr<int64_t> HistogramBins(const KernelContext& ctx);
#endif

}  // namespace warpbeam::WB_PASS

#endif  // WARPBEAM_OPS_HISTOGRAM_HISTOGRAM_FIXED_WIDTH_H_
