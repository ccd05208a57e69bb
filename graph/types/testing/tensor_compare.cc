#include "graph/types/testing/tensor_compare.h"

#include <algorithm>
#include <cmath>

#include "absl/strings/escaping.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "graph/types/errors.h"

namespace warpbeam {
namespace {

// The number types as the types in which they are compared.
std::complex<double> Wide(std::complex<float> v) { return v; }
std::complex<double> Wide(std::complex<double> v) { return v; }
double Wide(Half v) { return static_cast<float>(v); }
double Wide(BFloat16 v) { return static_cast<float>(v); }
template <typename T>
double Wide(T v) {
  return static_cast<double>(v);
}

bool IsNan(double v) { return std::isnan(v); }
bool IsNan(std::complex<double> v) { return std::isnan(v.real()) || std::isnan(v.imag()); }

// Nine digits tell floats apart, seventeen doubles.
template <typename T>
std::string Print(T v) {
  if constexpr (std::is_integral_v<T>) {
    return absl::StrCat(v);
  } else {
    return absl::StrFormat(std::is_same_v<T, double> ? "%.17g" : "%.9g", Wide(v));
  }
}
std::string Print(bool v) { return v ? "true" : "false"; }
std::string Print(const std::string& v) {
  constexpr size_t kShown = 200;
  return absl::StrCat("\"", absl::CEscape(v.substr(0, kShown)), v.size() > kShown ? "\"…" : "\"");
}
template <typename T>
std::string Print(std::complex<T> v) {
  return absl::StrCat(Print(v.real()), "+", Print(v.imag()), "j");
}

template <typename T>
bool Agree(const T& got, const T& want, Tolerance tolerance) {
  if constexpr (std::is_same_v<T, std::string> || std::is_same_v<T, bool>) {
    return got == want;
  } else {
    if (got == want) return true;  // also infinities, and integers beyond a double's precision
    const auto g = Wide(got);
    const auto w = Wide(want);
    if (IsNan(g) || IsNan(w)) return IsNan(g) && IsNan(w);
    const double allowed = tolerance.absolute + tolerance.relative * std::abs(w);
    return allowed > 0 && std::isfinite(std::abs(w)) && std::abs(g - w) <= allowed;
  }
}

std::string IndexString(int64_t flat, const Shape& shape) {
  std::vector<int64_t> index(static_cast<size_t>(shape.rank()));
  for (int d = shape.rank() - 1; d >= 0; --d) {
    index[static_cast<size_t>(d)] = flat % shape.dim(d);
    flat /= shape.dim(d);
  }
  return absl::StrCat("[", absl::StrJoin(index, ","), "]");
}

template <typename T>
Status CompareValues(const Tensor& got, const Tensor& want, Tolerance tolerance) {
  const int64_t count = want.num_elements();
  int64_t first = -1;
  int64_t differing = 0;
  for (int64_t i = 0; i < count; ++i) {
    if (Agree<T>(got.data<T>()[i], want.data<T>()[i], tolerance)) continue;
    if (first < 0) first = i;
    ++differing;
  }
  if (first < 0) return OkStatus();
  return InvalidArgument("element ", IndexString(first, want.shape()), ": got ",
                         Print(got.data<T>()[first]), ", expected ", Print(want.data<T>()[first]),
                         count > 1 ? absl::StrCat(" (", differing, " of ", count, " differ)") : "");
}

Status CompareBits(const Tensor& got, const Tensor& want) {
  switch (DTypeSize(want.dtype())) {
    case 1:
      return CompareValues<uint8_t>(got, want, Tolerance());
    case 2:
      return CompareValues<uint16_t>(got, want, Tolerance());
    default:
      return CompareValues<uint32_t>(got, want, Tolerance());
  }
}

// All numbers of a real tensor.
StatusOr<std::vector<double>> Numbers(const Tensor& t) {
  std::vector<double> numbers(static_cast<size_t>(t.num_elements()));
  const auto copy = [&](auto zero) {
    using T = decltype(zero);
    std::transform(t.data<T>(), t.data<T>() + t.num_elements(), numbers.begin(),
                   [](T v) { return Wide(v); });
  };
  switch (t.dtype()) {
    case DType::kFloat:
      copy(float());
      break;
    case DType::kDouble:
      copy(double());
      break;
    case DType::kHalf:
      copy(Half(0.0f));
      break;
    case DType::kBFloat16:
      copy(BFloat16(0.0f));
      break;
    case DType::kInt32:
      copy(int32_t());
      break;
    case DType::kInt64:
      copy(int64_t());
      break;
    case DType::kUInt32:
      copy(uint32_t());
      break;
    case DType::kUInt64:
      copy(uint64_t());
      break;
    default:
      return Unimplemented("no statistics of ", DTypeName(t.dtype()), " tensors");
  }
  return numbers;
}

Status CheckNear(const char* what, double got, double want, double tolerance) {
  if (std::abs(got - want) <= tolerance) return OkStatus();
  return InvalidArgument(what, ": got ", got, ", expected ", want, " ± ", tolerance);
}

}  // namespace

Status CompareForm(const Tensor& got, const Tensor& want) {
  if (got.dtype() != want.dtype()) {
    return InvalidArgument("type: got ", DTypeName(got.dtype()), ", expected ",
                           DTypeName(want.dtype()));
  }
  if (got.shape() != want.shape()) {
    return InvalidArgument("shape: got ", got.shape().ToString(), ", expected ",
                           want.shape().ToString());
  }
  return OkStatus();
}

Status CompareTensors(const Tensor& got, const Tensor& want, Tolerance tolerance) {
  WB_RETURN_IF_ERROR(CompareForm(got, want));
  switch (want.dtype()) {
#define WB_CASE(Enum, T) \
  case DType::Enum:      \
    return CompareValues<T>(got, want, tolerance);
    WB_CASE(kFloat, float)
    WB_CASE(kDouble, double)
    WB_CASE(kHalf, Half)
    WB_CASE(kBFloat16, BFloat16)
    WB_CASE(kInt8, int8_t)
    WB_CASE(kInt16, int16_t)
    WB_CASE(kInt32, int32_t)
    WB_CASE(kInt64, int64_t)
    WB_CASE(kUInt8, uint8_t)
    WB_CASE(kUInt16, uint16_t)
    WB_CASE(kUInt32, uint32_t)
    WB_CASE(kUInt64, uint64_t)
    WB_CASE(kBool, bool)
    WB_CASE(kString, std::string)
    WB_CASE(kComplex64, std::complex<float>)
    WB_CASE(kComplex128, std::complex<double>)
#undef WB_CASE
    default:
      if (IsPlainData(want.dtype())) return CompareBits(got, want);
      return Unimplemented(DTypeName(want.dtype()), " tensors cannot be compared");
  }
}

Status CompareStatistics(const Tensor& got, const ExpectedStatistics& want) {
  WB_ASSIGN_OR_RETURN(std::vector<double> numbers, Numbers(got));
  if (numbers.empty()) return InvalidArgument("an empty tensor has no statistics");
  double sum = 0;
  for (double v : numbers) sum += v;
  const auto count = static_cast<double>(numbers.size());
  const double mean = sum / count;
  double squares = 0;
  for (double v : numbers) squares += (v - mean) * (v - mean);
  WB_RETURN_IF_ERROR(CheckNear("mean", mean, want.mean, want.mean_tolerance));
  WB_RETURN_IF_ERROR(CheckNear("standard deviation", std::sqrt(squares / count), want.stddev,
                               want.stddev_tolerance));
  const auto [min, max] = std::minmax_element(numbers.begin(), numbers.end());
  if (*min < want.min || *max > want.max) {
    return InvalidArgument("values lie within [", *min, ", ", *max, "], expected within [",
                           want.min, ", ", want.max, "]");
  }
  return OkStatus();
}

}  // namespace warpbeam
