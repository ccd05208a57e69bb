#include <algorithm>
#include <cmath>

#include "frontend/array.h"
#include "frontend/build.h"
#include "frontend/image.h"
#include "frontend/math.h"

namespace warpbeam {
namespace frontend {
namespace image {
namespace {

bool IsUnsigned(DType dtype) {
  return dtype == DType::kUInt8 || dtype == DType::kUInt16 || dtype == DType::kUInt32 ||
         dtype == DType::kUInt64;
}

double LargestOf(DType dtype) {
  const int bits = static_cast<int>(DTypeSize(dtype)) * 8 - (IsUnsigned(dtype) ? 0 : 1);
  return std::ldexp(1.0, bits) - 1;
}

double LeastOf(DType dtype) { return IsUnsigned(dtype) ? 0 : -LargestOf(dtype) - 1; }

// What both types have: the nearest value of `dtype` for each that it does not have.
Output Saturated(const Scope& scope, const Output& images, DType dtype) {
  const DType from = images.dtype();
  double low = LeastOf(dtype), high = LargestOf(dtype);
  if (IsInteger(from)) {
    low = std::max(low, LeastOf(from));
    high = std::min(high, LargestOf(from));
  }
  const auto number = [&](double value) {
    return IsInteger(from) ? Input(static_cast<int64_t>(value)) : Input(value);
  };
  const Output lowest = Constant(scope.Named("Const"), number(low), from);
  const Output highest = Constant(scope.Named("Const"), number(high), from);
  return BuildOutput(scope.Named("clamp"), "ClipByValue", {images, lowest, highest});
}

// Between two integer types: by a factor of their ranges.
Output ConvertIntegers(const Scope& inside, const Output& images, DType dtype, bool saturate) {
  const Scope whole = inside.Named(inside.name_scope());
  const double from = LargestOf(images.dtype()) + 1, to = LargestOf(dtype) + 1;
  if (from > to) {
    const Output scaled = BuildOutput(inside.Named("floordiv"), "FloorDiv",
                                      {images, static_cast<int64_t>(from / to)});
    return Cast(whole, saturate ? Saturated(inside, scaled, dtype) : scaled, dtype);
  }
  Output cast;
  if (saturate) {
    const Scope saturating = inside.NameScope("saturate_cast");
    cast = Cast(inside.Named(saturating.name_scope()), Saturated(saturating, images, dtype), dtype);
  } else {
    cast = Cast(inside, images, dtype);
  }
  return Multiply(whole, cast, static_cast<int64_t>(to / from));
}

}  // namespace

Output ConvertImageDtype(ScopeRef scope_ref, const Output& images, DType dtype, bool saturate) {
  const Scope scope = scope_ref.scope();
  if (!scope.ok()) return Output();
  if (images.dtype() == dtype) return Identity(scope, images);
  const Scope inside = scope.OpenScope("convert_image");
  const Scope whole = inside.Named(inside.name_scope());
  const bool from_integer = IsInteger(images.dtype()), to_integer = IsInteger(dtype);
  if (from_integer && to_integer) {
    return scope(ConvertIntegers(inside, images, dtype, saturate));
  }
  if (!from_integer && !to_integer) return scope(Cast(whole, images, dtype));
  if (from_integer) {
    return scope(Multiply(whole, Cast(inside, images, dtype), 1 / LargestOf(images.dtype())));
  }
  // Half a step more, so that each integer gets an equal share of the interval.
  const Output scaled = Multiply(inside, images, LargestOf(dtype) + 0.5);
  return scope(Cast(whole, saturate ? Saturated(inside, scaled, dtype) : scaled, dtype));
}

Output DecodeImage(ScopeRef scope_ref, const Input& contents, int64_t channels, DType dtype,
                   bool expand_animations) {
  const Scope scope = scope_ref.scope();
  const Scope inside = scope.OpenScope("decode_image");
  return scope(BuildOutput(inside, "DecodeImage", {contents},
                           OpAttrs()
                               .Set("channels", channels)
                               .Set("dtype", dtype)
                               .Set("expand_animations", expand_animations)));
}

}  // namespace image
}  // namespace frontend
}  // namespace warpbeam
