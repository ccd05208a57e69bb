// IntRange: the range that random integers are drawn from, read and checked.
//
//   WB_ASSIGN_OR_RETURN(const IntRange<int64_t> range, IntRange<int64_t>::Read(low, high, *y));
//
// Thread safety: values. Errors: INVALID_ARGUMENT for bounds that are no scalars, and for an empty
// range of a result that is not empty.
#ifndef WARPBEAM_OPS_RANDOM_INT_RANGE_H_
#define WARPBEAM_OPS_RANDOM_INT_RANGE_H_

#include <type_traits>

#include "graph/types/errors.h"
#include "graph/types/tensor.h"

namespace warpbeam {

template <typename T>
struct IntRange {
  using Unsigned = std::make_unsigned_t<T>;
  T low = 0;
  Unsigned width = 1;

  static StatusOr<IntRange> Read(const Tensor& minval, const Tensor& maxval, const Tensor& result) {
    for (const Tensor* bound : {&minval, &maxval}) {
      if (bound->rank() != 0) {
        return InvalidArgument("minval and maxval must be scalars, not of shape ",
                               bound->shape().ToString());
      }
    }
    if (result.num_elements() == 0) return IntRange();
    const T low = minval.scalar<T>(), high = maxval.scalar<T>();
    if (low >= high) return InvalidArgument("Need minval < maxval, got ", low, " >= ", high);
    IntRange range;
    range.low = low;
    range.width = static_cast<Unsigned>(static_cast<Unsigned>(high) - static_cast<Unsigned>(low));
    return range;
  }
};

}  // namespace warpbeam

#endif  // WARPBEAM_OPS_RANDOM_INT_RANGE_H_
