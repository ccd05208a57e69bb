#include "frontend/host_tensor/literal.h"

#include <complex>

#include "graph/types/errors.h"

namespace warpbeam {
namespace frontend {
namespace {

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

template <typename From, typename To>
Tensor Filled(const Shape& shape, const std::vector<From>& values) {
  const std::vector<To> converted(values.begin(), values.end());
  return Tensor::FromValues<To>(shape, MakeConstSpan(converted));
}

Tensor FilledWithBools(const Shape& shape, const std::vector<int64_t>& values) {
  StatusOr<Tensor> made = Tensor::Allocate(DType::kBool, shape);
  if (!made.ok()) return Tensor();
  for (size_t i = 0; i < values.size(); ++i) made->data<bool>()[i] = values[i] != 0;
  return *std::move(made);
}

}  // namespace

StatusOr<Tensor> ConvertNumbers(const Tensor& value, DType dtype) {
  if (value.dtype() == DType::kInt64) return ConvertWhole(value, dtype);
  if (IsInteger(dtype)) {
    return InvalidArgument("a number with a fraction part where ", DTypeName(dtype),
                           " is needed: ", value.ToString());
  }
  return ConvertToFraction<double>(value, dtype);
}

Literal::Literal(std::string value) : dtype_(DType::kString), strings_{std::move(value)} {}

Literal::Literal(std::initializer_list<Literal> items)
    : Literal(FromItems(std::vector<Literal>(items))) {}

void Literal::SetBool(bool value) {
  dtype_ = DType::kBool;
  whole_ = {value ? 1 : 0};
}

void Literal::SetWhole(int64_t value, DType dtype) {
  dtype_ = dtype;
  whole_ = {value};
}

void Literal::SetFraction(double value) {
  dtype_ = DType::kFloat;
  fractions_ = {value};
}

Literal Literal::FromItems(const std::vector<Literal>& items) {
  if (items.empty()) return Literal();
  Literal list = items[0];
  for (size_t i = 1; i < items.size(); ++i) {
    if (items[i].dims_ != items[0].dims_) list.problem_ = "lists of different lengths";
    list.Append(items[i]);
  }
  list.dims_.insert(list.dims_.begin(), static_cast<int64_t>(items.size()));
  return list;
}

void Literal::Append(const Literal& item) {
  if (problem_ == nullptr) problem_ = item.problem_;
  if (item.adapts() != adapts() || (!adapts() && item.dtype_ != dtype_)) {
    problem_ = "values of different kinds";
    return;
  }
  if (fractions_.empty() != item.fractions_.empty() && adapts()) {
    // One fraction makes all of them fractions.
    for (const int64_t number : whole_) fractions_.push_back(static_cast<double>(number));
    whole_.clear();
    for (const int64_t number : item.whole_) fractions_.push_back(static_cast<double>(number));
  } else {
    whole_.insert(whole_.end(), item.whole_.begin(), item.whole_.end());
  }
  fractions_.insert(fractions_.end(), item.fractions_.begin(), item.fractions_.end());
  strings_.insert(strings_.end(), item.strings_.begin(), item.strings_.end());
  if (!fractions_.empty()) {
    dtype_ = DType::kFloat;
  } else if (item.dtype_ == DType::kInt64 || (!whole_.empty() && dtype_ == DType::kFloat)) {
    dtype_ = item.dtype_;
  }
}

StatusOr<Tensor> Literal::As(DType dtype) const {
  if (problem_ != nullptr) return InvalidArgument("a list of values holds ", problem_);
  WB_ASSIGN_OR_RETURN(const Shape shape, PartialShape(dims_).AsShape());
  if (!adapts()) {
    if (BaseType(dtype) != dtype_) {
      return InvalidArgument("a value of ", DTypeName(dtype_), " where ", DTypeName(dtype),
                             " is needed");
    }
    return dtype_ == DType::kBool ? FilledWithBools(shape, whole_)
                                  : Filled<std::string, std::string>(shape, strings_);
  }
  return ConvertNumbers(fractions_.empty() ? Filled<int64_t, int64_t>(shape, whole_)
                                           : Filled<double, double>(shape, fractions_),
                        BaseType(dtype));
}

}  // namespace frontend
}  // namespace warpbeam
