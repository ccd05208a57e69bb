// Functions of each element (tf.abs, tf.math.erf, tf.logical_and…), beside those of
// frontend/math.h.
//
//   Output length = Sqrt(scope, Add(scope, Square(scope, x), Square(scope, y)));
//   Output safe = DivNoNan(scope, hits, tries);          // 0 where nothing was tried
//   Output bounded = SaturateCast(scope, pixels, DType::kUInt8);
//
// Two arguments broadcast. Nodes and names are those that TensorFlow's functions of the same name
// make. What TensorFlow has in tf.math only is in `math`; the rest is named there, too.
//
// Ownership: none. Thread safety: that of the Scope. Errors: kept in the scope; types that an op
// does not have and shapes that do not broadcast are INVALID_ARGUMENT.
#ifndef WARPBEAM_FRONTEND_MATH_ELEMENTWISE_H_
#define WARPBEAM_FRONTEND_MATH_ELEMENTWISE_H_

#include <string>

#include "frontend/input.h"
#include "frontend/scope.h"

namespace warpbeam {
namespace frontend {

// The magnitude of complex numbers.
Output Abs(ScopeRef scope, const Input& x);
Output Acos(ScopeRef scope, const Input& x);
Output Acosh(ScopeRef scope, const Input& x);
Output Asin(ScopeRef scope, const Input& x);
Output Asinh(ScopeRef scope, const Input& x);
Output Atan(ScopeRef scope, const Input& x);
Output Atan2(ScopeRef scope, const Input& y, const Input& x);
Output Atanh(ScopeRef scope, const Input& x);
Output Ceil(ScopeRef scope, const Input& x);
Output Cos(ScopeRef scope, const Input& x);
Output Cosh(ScopeRef scope, const Input& x);
Output Expm1(ScopeRef scope, const Input& x);
Output Log1p(ScopeRef scope, const Input& x);
Output LogSigmoid(ScopeRef scope, const Input& x);
Output Reciprocal(ScopeRef scope, const Input& x);
// To the nearest whole number, halves to the even one; integers are themselves.
Output Rint(ScopeRef scope, const Input& x);
Output Round(ScopeRef scope, const Input& x);
Output Rsqrt(ScopeRef scope, const Input& x);
Output Sigmoid(ScopeRef scope, const Input& x);
Output Sign(ScopeRef scope, const Input& x);
Output Sin(ScopeRef scope, const Input& x);
Output Sinh(ScopeRef scope, const Input& x);
Output Sqrt(ScopeRef scope, const Input& x);
Output Tan(ScopeRef scope, const Input& x);
Output Tanh(ScopeRef scope, const Input& x);

Output SquaredDifference(ScopeRef scope, const Input& a, const Input& b);
Output ScalarMul(ScopeRef scope, const Input& scalar, const Input& x);
// As Python 2's `/`: whole numbers are divided with rounding down.
Output Div(ScopeRef scope, const Input& a, const Input& b);
// 0 where b is 0.
Output DivNoNan(ScopeRef scope, const Input& a, const Input& b);
Output RealDiv(ScopeRef scope, const Input& a, const Input& b);
// The remainder of FloorDivide, with the sign of b; TensorFlow also calls it floormod.
Output Mod(ScopeRef scope, const Input& a, const Input& b);
// Rounded towards 0, and the remainder of that.
Output TruncateDiv(ScopeRef scope, const Input& a, const Input& b);
Output TruncateMod(ScopeRef scope, const Input& a, const Input& b);

Output LogicalAnd(ScopeRef scope, const Input& a, const Input& b);
Output LogicalOr(ScopeRef scope, const Input& a, const Input& b);
Output LogicalXor(ScopeRef scope, const Input& a, const Input& b);
Output LogicalNot(ScopeRef scope, const Input& x);

Output IsFinite(ScopeRef scope, const Input& x);
Output IsInf(ScopeRef scope, const Input& x);
Output IsNan(ScopeRef scope, const Input& x);
// x; the step fails where it is infinite or no number.
Output CheckNumerics(ScopeRef scope, const Input& x, const std::string& message);
Output VerifyTensorAllFinite(ScopeRef scope, const Input& x, const std::string& message);

// Complex numbers and their parts; a real number is its own real part and conjugate.
Output Complex(ScopeRef scope, const Input& real, const Input& imag);
Output Real(ScopeRef scope, const Input& x);
Output Imag(ScopeRef scope, const Input& x);
Output Angle(ScopeRef scope, const Input& x);
Output Conj(ScopeRef scope, const Input& x);

// Numbers beyond what `dtype` holds become its least or greatest one.
Output SaturateCast(ScopeRef scope, const Input& x, DType dtype);
Output ToFloat(ScopeRef scope, const Input& x);
Output ToDouble(ScopeRef scope, const Input& x);
Output ToInt32(ScopeRef scope, const Input& x);
Output ToInt64(ScopeRef scope, const Input& x);
Output ToBFloat16(ScopeRef scope, const Input& x);
Output ToComplex64(ScopeRef scope, const Input& x);
Output ToComplex128(ScopeRef scope, const Input& x);

// Special functions: the logarithm of the gamma function and its derivatives, error functions,
// incomplete integrals.
Output Lgamma(ScopeRef scope, const Input& x);
Output Digamma(ScopeRef scope, const Input& x);
Output Polygamma(ScopeRef scope, const Input& a, const Input& x);
Output Zeta(ScopeRef scope, const Input& x, const Input& q);
Output Igamma(ScopeRef scope, const Input& a, const Input& x);
Output Igammac(ScopeRef scope, const Input& a, const Input& x);
Output Betainc(ScopeRef scope, const Input& a, const Input& b, const Input& x);
// The logarithm of the beta function over the last dimension.
Output Lbeta(ScopeRef scope, const Input& x);
Output Erf(ScopeRef scope, const Input& x);
Output Erfc(ScopeRef scope, const Input& x);

namespace math {

Output BesselI0(ScopeRef scope, const Input& x);
Output BesselI0e(ScopeRef scope, const Input& x);
Output BesselI1(ScopeRef scope, const Input& x);
Output BesselI1e(ScopeRef scope, const Input& x);
Output Erfinv(ScopeRef scope, const Input& x);
Output Erfcinv(ScopeRef scope, const Input& x);
Output Ndtri(ScopeRef scope, const Input& x);
// The next number of the type from a towards b.
Output NextAfter(ScopeRef scope, const Input& a, const Input& b);
// 0 where the second argument is 0, whatever the first.
Output MultiplyNoNan(ScopeRef scope, const Input& a, const Input& b);
Output ReciprocalNoNan(ScopeRef scope, const Input& x);
// x / y, x * log(y) and x * log1p(y); 0 where x is 0.
Output Xdivy(ScopeRef scope, const Input& x, const Input& y);
Output Xlogy(ScopeRef scope, const Input& x, const Input& y);
Output Xlog1py(ScopeRef scope, const Input& x, const Input& y);
// The polynomial with the coefficients, highest power first, at x; zeros for no coefficients.
Output Polyval(ScopeRef scope, const InputList& coefficients, const Output& x);

}  // namespace math
}  // namespace frontend
}  // namespace warpbeam

#endif  // WARPBEAM_FRONTEND_MATH_ELEMENTWISE_H_
