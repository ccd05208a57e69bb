#include "ops/array/range_size.h"

#include <cmath>
#include <limits>
#include <type_traits>

#include "ops/launch/dispatch.h"

namespace warpbeam {
namespace {

// How many elements start, start + delta, … lie before the limit.
template <typename T>
StatusOr<int64_t> SizeOf(T start, T limit, T delta) {
  if (delta == T(0)) return InvalidArgument("requires delta != 0");
  const bool up = T(0) < delta;
  if (up ? limit < start : start < limit) {
    return InvalidArgument("requires start ", up ? "<=" : ">=", " limit when delta ",
                           up ? ">" : "<", " 0");
  }
  if constexpr (std::is_integral_v<T>) {
    using U = std::make_unsigned_t<std::common_type_t<T, int64_t>>;
    const U distance = up ? static_cast<U>(limit) - static_cast<U>(start)
                          : static_cast<U>(start) - static_cast<U>(limit);
    const U step = up ? static_cast<U>(delta) : U{0} - static_cast<U>(delta);
    const U size = distance / step + (distance % step != 0 ? 1 : 0);
    if (size > static_cast<U>(std::numeric_limits<int64_t>::max())) {
      return InvalidArgument("the range has too many elements");
    }
    return static_cast<int64_t>(size);
  } else {
    const double size = std::ceil(std::abs(
        (static_cast<double>(limit) - static_cast<double>(start)) / static_cast<double>(delta)));
    if (!(size < 9.2e18)) return InvalidArgument("the range has too many elements: ", size);
    return static_cast<int64_t>(size);
  }
}

Status CheckScalar(const Tensor& t, absl::string_view name) {
  if (t.num_elements() == 1 && t.rank() <= 1) return OkStatus();
  return InvalidArgument("'", name, "' must be a scalar, not of shape ", t.shape().ToString());
}

}  // namespace

StatusOr<int64_t> RangeSize(const Tensor& start, const Tensor& limit, const Tensor& delta) {
  int64_t size = 0;
  WB_RETURN_IF_ERROR(DispatchTypes(RangeTypes{}, start.dtype(), [&](auto tag) -> Status {
    using T = typename decltype(tag)::type;
    WB_ASSIGN_OR_RETURN(size, SizeOf(start.scalar<T>(), limit.scalar<T>(), delta.scalar<T>()));
    return OkStatus();
  }));
  return size;
}

StatusOr<int64_t> RangeSize(const KernelContext& ctx) {
  WB_RETURN_IF_ERROR(CheckScalar(ctx.input(0), "start"));
  WB_RETURN_IF_ERROR(CheckScalar(ctx.input(1), "limit"));
  WB_RETURN_IF_ERROR(CheckScalar(ctx.input(2), "delta"));
  return RangeSize(ctx.input(0), ctx.input(1), ctx.input(2));
}

}  // namespace warpbeam
