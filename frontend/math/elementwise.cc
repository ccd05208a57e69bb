#include "frontend/math/elementwise.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "frontend/array.h"
#include "frontend/build.h"
#include "frontend/math.h"

namespace warpbeam {
namespace frontend {
namespace {

Output CastAs(ScopeRef scope_ref, const char* name, const Input& x, DType dtype) {
  const Scope scope = scope_ref.scope();
  return Cast(scope.Named(scope.OpNameOr(name)), x, dtype);
}

// In a name scope of its own, as what TensorFlow wrote later does it.
Output InOwnScope(ScopeRef scope_ref, const char* name, const char* op,
                  const std::vector<ArgumentInput>& inputs) {
  const Scope scope = scope_ref.scope();
  return scope(BuildOutput(scope.OpenScope(name), op, inputs));
}

Output Named(ScopeRef scope_ref, const char* name, const char* op,
             const std::vector<ArgumentInput>& inputs) {
  const Scope scope = scope_ref.scope();
  return BuildOutput(scope.Named(scope.OpNameOr(name)), op, inputs);
}

// The part of a complex number's type that is real.
DType RealTypeOf(DType dtype) {
  return dtype == DType::kComplex128 ? DType::kDouble : DType::kFloat;
}

DType TypeOfBoth(const Input& a, const Input& b) { return a.adapts() ? b.dtype() : a.dtype(); }

Output WithTout(ScopeRef scope, const char* op, const Input& x) {
  return BuildOutput(scope.scope(), op, {x}, OpAttrs().Set("Tout", RealTypeOf(x.dtype())));
}

// What a type holds. A long double has all 64 bits of the largest integers.
struct Limits {
  long double least = -std::numeric_limits<long double>::infinity();
  long double greatest = std::numeric_limits<long double>::infinity();
};

template <typename T>
Limits LimitsOfType() {
  return {std::numeric_limits<T>::lowest(), std::numeric_limits<T>::max()};
}

Limits LimitsOf(DType dtype) {
  switch (dtype) {
    case DType::kInt8:
      return LimitsOfType<int8_t>();
    case DType::kUInt8:
      return LimitsOfType<uint8_t>();
    case DType::kInt16:
      return LimitsOfType<int16_t>();
    case DType::kUInt16:
      return LimitsOfType<uint16_t>();
    case DType::kInt32:
      return LimitsOfType<int32_t>();
    case DType::kUInt32:
      return LimitsOfType<uint32_t>();
    case DType::kInt64:
      return LimitsOfType<int64_t>();
    case DType::kUInt64:
      return LimitsOfType<uint64_t>();
    case DType::kHalf:
      return {-65504, 65504};
    case DType::kFloat:
    case DType::kBFloat16:
      return LimitsOfType<float>();
    case DType::kDouble:
      return LimitsOfType<double>();
    default:
      return Limits();
  }
}

// `limit` as a number of the type, towards 0 where the type lies between: it must not be passed.
Output Bound(const Scope& scope, long double limit, DType dtype) {
  if (IsInteger(dtype)) return Constant(scope, static_cast<int64_t>(limit), dtype);
  double number = static_cast<double>(limit);
  if (dtype == DType::kDouble) {
    if (std::abs(static_cast<long double>(number)) > std::abs(limit)) {
      number = std::nextafter(number, 0.0);
    }
    return Constant(scope, number, dtype);
  }
  float rounded = static_cast<float>(number);
  if (std::abs(static_cast<double>(rounded)) > std::abs(number)) {
    rounded = std::nextafter(rounded, 0.0f);
  }
  return Constant(scope, rounded, dtype);
}

}  // namespace

#define WB_UNARY(Name, op) \
  Output Name(ScopeRef scope, const Input& x) { return BuildOutput(scope.scope(), op, {x}); }
WB_UNARY(Acos, "Acos")
WB_UNARY(Acosh, "Acosh")
WB_UNARY(Asin, "Asin")
WB_UNARY(Asinh, "Asinh")
WB_UNARY(Atan, "Atan")
WB_UNARY(Atanh, "Atanh")
WB_UNARY(Ceil, "Ceil")
WB_UNARY(Cos, "Cos")
WB_UNARY(Cosh, "Cosh")
WB_UNARY(Digamma, "Digamma")
WB_UNARY(Erf, "Erf")
WB_UNARY(Erfc, "Erfc")
WB_UNARY(Expm1, "Expm1")
WB_UNARY(IsFinite, "IsFinite")
WB_UNARY(IsInf, "IsInf")
WB_UNARY(IsNan, "IsNan")
WB_UNARY(Lgamma, "Lgamma")
WB_UNARY(Log1p, "Log1p")
WB_UNARY(LogicalNot, "LogicalNot")
WB_UNARY(Reciprocal, "Reciprocal")
WB_UNARY(Rint, "Rint")
WB_UNARY(Rsqrt, "Rsqrt")
WB_UNARY(Sigmoid, "Sigmoid")
WB_UNARY(Sign, "Sign")
WB_UNARY(Sin, "Sin")
WB_UNARY(Sinh, "Sinh")
WB_UNARY(Sqrt, "Sqrt")
WB_UNARY(Tan, "Tan")
WB_UNARY(Tanh, "Tanh")
#undef WB_UNARY

#define WB_BINARY(Name, op)                                     \
  Output Name(ScopeRef scope, const Input& a, const Input& b) { \
    return BuildOutput(scope.scope(), op, {a, b});              \
  }
WB_BINARY(Atan2, "Atan2")
WB_BINARY(SquaredDifference, "SquaredDifference")
WB_BINARY(Mod, "FloorMod")
WB_BINARY(TruncateDiv, "TruncateDiv")
WB_BINARY(TruncateMod, "TruncateMod")
WB_BINARY(LogicalAnd, "LogicalAnd")
WB_BINARY(LogicalOr, "LogicalOr")
WB_BINARY(Polygamma, "Polygamma")
WB_BINARY(Zeta, "Zeta")
WB_BINARY(Igamma, "Igamma")
WB_BINARY(Igammac, "Igammac")
#undef WB_BINARY

Output Abs(ScopeRef scope_ref, const Input& x) {
  const Scope scope = scope_ref.scope();
  if (!IsComplex(x.dtype())) return BuildOutput(scope, "Abs", {x});
  return BuildOutput(scope.Named(scope.OpNameOr("Abs")), "ComplexAbs", {x},
                     OpAttrs().Set("Tout", RealTypeOf(x.dtype())));
}

Output LogSigmoid(ScopeRef scope_ref, const Input& x) {
  const Scope scope = scope_ref.scope();
  const Scope inside = scope.OpenScope("LogSigmoid");
  const Output softplus = BuildOutput(inside, "Softplus", {BuildOutput(inside, "Neg", {x})});
  return scope(BuildOutput(inside.Named(inside.name_scope()), "Neg", {softplus}));
}

Output Round(ScopeRef scope_ref, const Input& x) {
  const Scope scope = scope_ref.scope();
  if (IsInteger(x.dtype())) return AsOutput(scope, x);
  return BuildOutput(scope, "Round", {x});
}

Output ScalarMul(ScopeRef scope_ref, const Input& scalar, const Input& x) {
  const Scope scope = scope_ref.scope();
  const Output factor =
      scalar.is_value() ? Constant(scope.Named("scalar"), scalar, x.dtype()) : scalar.output();
  return Multiply(scope, factor, x);
}

Output Div(ScopeRef scope, const Input& a, const Input& b) {
  return Named(scope, "div", IsInteger(TypeOfBoth(a, b)) ? "FloorDiv" : "RealDiv", {a, b});
}

Output DivNoNan(ScopeRef scope, const Input& a, const Input& b) {
  return Named(scope, "div_no_nan", "DivNoNan", {a, b});
}

Output RealDiv(ScopeRef scope, const Input& a, const Input& b) {
  return BuildOutput(scope.scope(), "RealDiv", {a, b});
}

Output LogicalXor(ScopeRef scope_ref, const Input& a, const Input& b) {
  const Scope scope = scope_ref.scope();
  const Scope unnamed = scope.Named("");
  const Output either = LogicalOr(unnamed, a, b);
  const Output not_both = LogicalNot(unnamed, LogicalAnd(unnamed, a, b));
  return LogicalAnd(scope.Named(scope.OpNameOr("LogicalXor")), either, not_both);
}

Output CheckNumerics(ScopeRef scope, const Input& x, const std::string& message) {
  return BuildOutput(scope.scope(), "CheckNumerics", {x}, OpAttrs().Set("message", message));
}

Output VerifyTensorAllFinite(ScopeRef scope_ref, const Input& x, const std::string& message) {
  const Scope scope = scope_ref.scope();
  const Scope inside = scope.OpenScope("VerifyFinite");
  const Output number = AsOutput(inside.Named("t"), x);
  if (!scope.ok()) return Output();
  const Scope beside = inside.ColocateWith(number);
  const Output checked = CheckNumerics(beside, number, message);
  if (!checked.valid()) return Output();
  return scope(Identity(beside.ControlDependencies({checked}).Named("control_dependency"), number));
}

Output Complex(ScopeRef scope, const Input& real, const Input& imag) {
  const DType part = TypeOfBoth(real, imag);
  const DType whole = part == DType::kDouble ? DType::kComplex128 : DType::kComplex64;
  return BuildOutput(scope.scope(), "Complex", {real, imag}, OpAttrs().Set("Tout", whole));
}

Output Real(ScopeRef scope_ref, const Input& x) {
  const Scope scope = scope_ref.scope();
  return IsComplex(x.dtype()) ? WithTout(scope, "Real", x) : AsOutput(scope, x);
}

Output Imag(ScopeRef scope_ref, const Input& x) {
  const Scope scope = scope_ref.scope();
  return IsComplex(x.dtype()) ? WithTout(scope, "Imag", x) : ZerosLike(scope, x);
}

Output Angle(ScopeRef scope_ref, const Input& x) {
  const Scope scope = scope_ref.scope();
  if (IsComplex(x.dtype())) return WithTout(scope, "Angle", x);
  // Half a turn for negative numbers, as TensorFlow's.
  const Output number = AsOutput(scope, x);
  const Output half_turn = Multiply(scope, OnesLike(scope, number), 3.14159265358979323846);
  return BuildOutput(scope, "SelectV2",
                     {Less(scope, number, 0), half_turn, ZerosLike(scope, number)});
}

Output Conj(ScopeRef scope_ref, const Input& x) {
  const Scope scope = scope_ref.scope();
  if (!IsComplex(x.dtype()) && x.dtype() != DType::kVariant) return AsOutput(scope, x);
  return BuildOutput(scope, "Conj", {x});
}

Output SaturateCast(ScopeRef scope_ref, const Input& x, DType dtype) {
  const Scope scope = scope_ref.scope();
  if (!scope.ok()) return Output();
  const Scope inside = scope.OpenScope("saturate_cast");
  const Limits in = LimitsOf(x.dtype()), out = LimitsOf(dtype);
  const Output value = AsOutput(inside.Named("value"), x);
  if (in.least >= out.least && in.greatest <= out.greatest) {
    return scope(Cast(inside.Named(inside.name_scope()), value, dtype));
  }
  const Output least = Bound(inside, std::max(in.least, out.least), x.dtype());
  const Output greatest = Bound(inside, std::min(in.greatest, out.greatest), x.dtype());
  const Output clamped =
      BuildOutput(inside.Named("clamp"), "ClipByValue", {value, least, greatest});
  return scope(Cast(inside.Named(inside.name_scope()), clamped, dtype));
}

Output ToFloat(ScopeRef scope, const Input& x) {
  return CastAs(scope, "ToFloat", x, DType::kFloat);
}
Output ToDouble(ScopeRef scope, const Input& x) {
  return CastAs(scope, "ToDouble", x, DType::kDouble);
}
Output ToInt32(ScopeRef scope, const Input& x) {
  return CastAs(scope, "ToInt32", x, DType::kInt32);
}
Output ToInt64(ScopeRef scope, const Input& x) {
  return CastAs(scope, "ToInt64", x, DType::kInt64);
}
Output ToBFloat16(ScopeRef scope, const Input& x) {
  return CastAs(scope, "ToBFloat16", x, DType::kBFloat16);
}
Output ToComplex64(ScopeRef scope, const Input& x) {
  return CastAs(scope, "ToComplex64", x, DType::kComplex64);
}
Output ToComplex128(ScopeRef scope, const Input& x) {
  return CastAs(scope, "ToComplex128", x, DType::kComplex128);
}

Output Betainc(ScopeRef scope, const Input& a, const Input& b, const Input& x) {
  return BuildOutput(scope.scope(), "Betainc", {a, b, x});
}

Output Lbeta(ScopeRef scope_ref, const Input& x) {
  const Scope scope = scope_ref.scope();
  const Scope inside = scope.OpenScope("lbeta");
  const std::vector<int32_t> last = {-1};
  const Output of_each = ReduceSum(inside, Lgamma(inside, x), last);
  const Output of_sum = Lgamma(inside, ReduceSum(inside, x, last));
  return scope(BuildOutput(inside.Named("sub"), "Sub", {of_each, of_sum}));
}

namespace math {

#define WB_OWN_SCOPE(Name, name, op) \
  Output Name(ScopeRef scope, const Input& x) { return InOwnScope(scope, name, op, {x}); }
WB_OWN_SCOPE(BesselI0, "bessel_i0", "BesselI0")
WB_OWN_SCOPE(BesselI0e, "bessel_i0e", "BesselI0e")
WB_OWN_SCOPE(BesselI1, "bessel_i1", "BesselI1")
WB_OWN_SCOPE(BesselI1e, "bessel_i1e", "BesselI1e")
WB_OWN_SCOPE(Erfinv, "erfinv", "Erfinv")
WB_OWN_SCOPE(Ndtri, "ndtri", "Ndtri")
#undef WB_OWN_SCOPE

Output Erfcinv(ScopeRef scope_ref, const Input& x) {
  const Scope scope = scope_ref.scope();
  const Scope inside = scope.OpenScope("erfcinv");
  const Output half = Multiply(inside.Named("mul"), 0.5, x);
  const Output quantile = Negative(inside, Ndtri(inside, half));
  return scope(Multiply(inside.Named("mul"), quantile, 0.70710678118654752440));
}

Output NextAfter(ScopeRef scope, const Input& a, const Input& b) {
  return BuildOutput(scope.scope(), "NextAfter", {a, b});
}

Output MultiplyNoNan(ScopeRef scope, const Input& a, const Input& b) {
  return Named(scope, "multiply_no_nan", "MulNoNan", {a, b});
}

Output ReciprocalNoNan(ScopeRef scope_ref, const Input& x) {
  const Scope scope = scope_ref.scope();
  const Scope inside = scope.OpenScope("reciprocal_no_nan");
  const Output one = Constant(inside.Named("one"), 1, x.dtype());
  return scope(BuildOutput(inside.Named(inside.name_scope()), "DivNoNan", {one, x}));
}

Output Xdivy(ScopeRef scope, const Input& x, const Input& y) {
  return InOwnScope(scope, "xdivy", "Xdivy", {x, y});
}

Output Xlogy(ScopeRef scope, const Input& x, const Input& y) {
  return BuildOutput(scope.scope(), "Xlogy", {x, y});
}

Output Xlog1py(ScopeRef scope, const Input& x, const Input& y) {
  return InOwnScope(scope, "xlog1py", "Xlog1py", {x, y});
}

Output Polyval(ScopeRef scope_ref, const InputList& coefficients, const Output& x) {
  const Scope scope = scope_ref.scope();
  const Scope inside = scope.OpenScope("polyval");
  if (!scope.ok()) return Output();
  if (coefficients.size() == 0) return scope(ZerosOfShapeOf(inside, x));
  Output sum = AsOutput(inside, coefficients.items()[0], x.dtype());
  for (size_t i = 1; i < coefficients.size(); ++i) {
    sum = BuildOutput(inside.Named("add"), "AddV2",
                      {coefficients.items()[i], Multiply(inside.Named("mul"), sum, x)});
  }
  return scope(sum);
}

}  // namespace math
}  // namespace frontend
}  // namespace warpbeam
