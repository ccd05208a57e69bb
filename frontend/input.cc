#include "frontend/input.h"

#include <cmath>
#include <limits>

namespace warpbeam {
namespace frontend {
namespace {

template <typename T>
Tensor ScalarOrVector(std::vector<T> values, bool scalar) {
  return scalar ? Tensor::Scalar<T>(values[0]) : Tensor::Vector<T>(absl::MakeConstSpan(values));
}

template <typename From, typename To>
bool Holds(From value) {
  if constexpr (std::is_integral<To>::value && std::is_integral<From>::value) {
    return value >= static_cast<From>(std::numeric_limits<To>::min()) &&
           (sizeof(To) >= sizeof(From) ||
            value <= static_cast<From>(std::numeric_limits<To>::max())) &&
           (std::is_signed<To>::value || value >= 0);
  }
  return true;
}

template <typename From, typename To>
StatusOr<Tensor> Convert(const Tensor& from, DType dtype) {
  WB_ASSIGN_OR_RETURN(Tensor to, Tensor::Allocate(dtype, from.shape()));
  const From* in = from.data<From>();
  To* out = to.data<To>();
  for (int64_t i = 0; i < from.num_elements(); ++i) {
    if (!Holds<From, To>(in[i])) {
      return InvalidArgument("the number ", in[i], " does not fit ", DTypeName(dtype));
    }
    out[i] = static_cast<To>(in[i]);
  }
  return to;
}

template <typename From>
StatusOr<Tensor> ConvertToFraction(const Tensor& from, DType dtype) {
  switch (dtype) {
    case DType::kFloat:
      return Convert<From, float>(from, dtype);
    case DType::kDouble:
      return Convert<From, double>(from, dtype);
    case DType::kHalf:
      return Convert<From, Half>(from, dtype);
    case DType::kBFloat16:
      return Convert<From, BFloat16>(from, dtype);
    case DType::kComplex64:
      return Convert<From, std::complex<float>>(from, dtype);
    case DType::kComplex128:
      return Convert<From, std::complex<double>>(from, dtype);
    default:
      return InvalidArgument("a number cannot become ", DTypeName(dtype));
  }
}

StatusOr<Tensor> ConvertWhole(const Tensor& from, DType dtype) {
  switch (dtype) {
    case DType::kInt8:
      return Convert<int64_t, int8_t>(from, dtype);
    case DType::kInt16:
      return Convert<int64_t, int16_t>(from, dtype);
    case DType::kInt32:
      return Convert<int64_t, int32_t>(from, dtype);
    case DType::kInt64:
      return from;
    case DType::kUInt8:
      return Convert<int64_t, uint8_t>(from, dtype);
    case DType::kUInt16:
      return Convert<int64_t, uint16_t>(from, dtype);
    case DType::kUInt32:
      return Convert<int64_t, uint32_t>(from, dtype);
    case DType::kUInt64:
      return Convert<int64_t, uint64_t>(from, dtype);
    default:
      return ConvertToFraction<int64_t>(from, dtype);
  }
}

}  // namespace

Input::Input(const std::vector<std::string>& values)
    : value_(Tensor::Vector<std::string>(absl::MakeConstSpan(values))) {}

Input::Number Input::Whole(std::vector<int64_t> values, DType natural, bool scalar) {
  return {ScalarOrVector(std::move(values), scalar), natural};
}

Input::Number Input::Fractions(std::vector<double> values, bool scalar) {
  return {ScalarOrVector(std::move(values), scalar), DType::kFloat};
}

DType Input::dtype() const {
  if (!is_value()) return output_.dtype();
  return adapts() ? natural_ : value_.dtype();
}

int Input::rank() const {
  if (is_value()) return value_.rank();
  const PartialShape shape = output_.shape();
  return shape.rank();
}

StatusOr<Tensor> Input::ValueAs(DType dtype) const {
  dtype = BaseType(dtype);
  if (!is_value()) return Internal("not a value");
  if (value_.dtype() == dtype) return value_;
  if (!adapts()) {
    return InvalidArgument("a ", DTypeName(value_.dtype()), " tensor where ", DTypeName(dtype),
                           " is needed; use Cast");
  }
  if (value_.dtype() == DType::kInt64) return ConvertWhole(value_, dtype);
  if (IsInteger(dtype)) {
    return InvalidArgument("a number with a fraction part where ", DTypeName(dtype),
                           " is needed: ", value_.ToString());
  }
  return ConvertToFraction<double>(value_, dtype);
}

}  // namespace frontend
}  // namespace warpbeam
