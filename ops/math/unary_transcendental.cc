// Exponential, logarithmic, trigonometric and hyperbolic functions of one argument, the sigmoid and
// the error functions, with the gradients' own ops.

#include "ops/math/functors/unary_transcendental.h"

#include "ops/launch/elementwise_table.h"

namespace warpbeam::WB_PASS {

using FloatComplex = ConcatTypes<FloatTypeList, ComplexTypeList>;

#define WB_FLOAT "{bfloat16, half, float, double}"
#define WB_FLOAT_COMPLEX "{bfloat16, half, float, double, complex64, complex128}"

WB_UNARY_OP("Exp", ExpFn, WB_FLOAT_COMPLEX, FloatComplex, FloatComplex);
WB_UNARY_OP("Expm1", Expm1Fn, WB_FLOAT_COMPLEX, FloatComplex, FloatTypeList);
WB_UNARY_OP("Log", LogFn, WB_FLOAT_COMPLEX, FloatComplex, FloatTypeList);
WB_UNARY_OP("Log1p", Log1pFn, WB_FLOAT_COMPLEX, FloatComplex, FloatTypeList);
WB_UNARY_OP("Sin", SinFn, WB_FLOAT_COMPLEX, FloatComplex, FloatComplex);
WB_UNARY_OP("Cos", CosFn, WB_FLOAT_COMPLEX, FloatComplex, FloatComplex);
WB_UNARY_OP("Tan", TanFn, WB_FLOAT_COMPLEX, FloatComplex, FloatComplex);
WB_UNARY_OP("Asin", AsinFn, WB_FLOAT_COMPLEX, FloatComplex, FloatTypeList);
WB_UNARY_OP("Acos", AcosFn, WB_FLOAT_COMPLEX, FloatComplex, FloatTypeList);
WB_UNARY_OP("Atan", AtanFn, WB_FLOAT_COMPLEX, FloatComplex, FloatTypeList);
WB_UNARY_OP("Sinh", SinhFn, WB_FLOAT_COMPLEX, FloatComplex, FloatComplex);
WB_UNARY_OP("Cosh", CoshFn, WB_FLOAT_COMPLEX, FloatComplex, FloatComplex);
WB_UNARY_OP("Tanh", TanhFn, WB_FLOAT_COMPLEX, FloatComplex, FloatTypeList);
WB_UNARY_OP("Asinh", AsinhFn, WB_FLOAT_COMPLEX, FloatComplex, FloatTypeList);
WB_UNARY_OP("Acosh", AcoshFn, WB_FLOAT_COMPLEX, FloatComplex, FloatTypeList);
WB_UNARY_OP("Atanh", AtanhFn, WB_FLOAT_COMPLEX, FloatComplex, FloatTypeList);
WB_UNARY_OP("Erf", ErfFn, WB_FLOAT, FloatTypeList, FloatTypeList);
WB_UNARY_OP("Erfc", ErfcFn, WB_FLOAT, FloatTypeList, FloatTypeList);
WB_UNARY_OP("Sigmoid", SigmoidFn, WB_FLOAT_COMPLEX, FloatComplex, FloatTypeList);
WB_RESULT_GRAD_OP("SigmoidGrad", SigmoidGradFn, WB_FLOAT_COMPLEX, FloatComplex, FloatTypeList);
WB_RESULT_GRAD_OP("TanhGrad", TanhGradFn, WB_FLOAT_COMPLEX, FloatComplex, FloatTypeList);

#if WB_HOST_PASS

namespace {

// dx = dy * conj(slope): how all but the functions with an op of their own go on.
Status Scale(GradContext& c, OutputRef slope) {
  c.set_dx(0, c.Mul(c.dy(0), slope));
  return OkStatus();
}
OutputRef X(GradContext& c) { return c.Conj(c.x(0)); }
OutputRef Y(GradContext& c) { return c.Conj(c.y(0)); }
OutputRef Unary(GradContext& c, const char* op, OutputRef x) { return c.Emit(op, {x}); }
// 1 - x^2 and its reciprocal.
OutputRef OneMinusSquare(GradContext& c, OutputRef x) {
  return c.Sub(c.ScalarLike(x, 1), Unary(c, "Square", x));
}

Status ExpGradient(GradContext& c) { return Scale(c, Y(c)); }
Status Expm1Gradient(GradContext& c) { return Scale(c, Unary(c, "Exp", X(c))); }
Status LogGradient(GradContext& c) { return Scale(c, Unary(c, "Reciprocal", X(c))); }
Status Log1pGradient(GradContext& c) {
  const OutputRef x = X(c);
  return Scale(c, Unary(c, "Reciprocal", c.Add(c.ScalarLike(x, 1), x)));
}
Status SinGradient(GradContext& c) { return Scale(c, Unary(c, "Cos", X(c))); }
Status CosGradient(GradContext& c) {
  c.set_dx(0, c.Mul(c.Neg(c.dy(0)), Unary(c, "Sin", X(c))));
  return OkStatus();
}
Status TanGradient(GradContext& c) {
  return Scale(c, Unary(c, "Square", Unary(c, "Reciprocal", Unary(c, "Cos", X(c)))));
}
OutputRef AsinSlope(GradContext& c) {
  return Unary(c, "Reciprocal", Unary(c, "Sqrt", OneMinusSquare(c, X(c))));
}
Status AsinGradient(GradContext& c) { return Scale(c, AsinSlope(c)); }
Status AcosGradient(GradContext& c) {
  c.set_dx(0, c.Mul(c.Neg(c.dy(0)), AsinSlope(c)));
  return OkStatus();
}
Status AtanGradient(GradContext& c) {
  const OutputRef x = X(c);
  return Scale(c, Unary(c, "Reciprocal", c.Add(c.ScalarLike(x, 1), Unary(c, "Square", x))));
}
Status SinhGradient(GradContext& c) { return Scale(c, Unary(c, "Cosh", X(c))); }
Status CoshGradient(GradContext& c) { return Scale(c, Unary(c, "Sinh", X(c))); }
Status AsinhGradient(GradContext& c) {
  c.set_dx(0, c.Div(c.dy(0), Unary(c, "Cosh", Y(c))));
  return OkStatus();
}
Status AcoshGradient(GradContext& c) {
  c.set_dx(0, c.Div(c.dy(0), Unary(c, "Sinh", Y(c))));
  return OkStatus();
}
Status AtanhGradient(GradContext& c) {
  return Scale(c, Unary(c, "Reciprocal", OneMinusSquare(c, X(c))));
}
Status TanhGradient(GradContext& c) {
  c.set_dx(0, c.Emit("TanhGrad", {Y(c), c.dy(0)}));
  return OkStatus();
}
Status TanhGradGradient(GradContext& c) {
  const OutputRef y = X(c), dy = c.Conj(c.x(1)), g = c.dy(0);
  c.set_dx(0, c.Mul(c.Mul(c.Mul(g, c.ScalarLike(g, -2)), dy), y));
  c.set_dx(1, c.Emit("TanhGrad", {y, g}));
  return OkStatus();
}
Status SigmoidGradient(GradContext& c) {
  c.set_dx(0, c.Emit("SigmoidGrad", {Y(c), c.dy(0)}));
  return OkStatus();
}
Status SigmoidGradGradient(GradContext& c) {
  const OutputRef y = X(c), g = c.dy(0), gb = c.Mul(g, c.Conj(c.x(1)));
  c.set_dx(0, c.Sub(gb, c.Mul(c.Mul(c.ScalarLike(gb, 2), gb), y)));
  c.set_dx(1, c.Emit("SigmoidGrad", {y, g}));
  return OkStatus();
}
// 2 / sqrt(pi) exp(-x^2)
OutputRef ErfSlope(GradContext& c, double sign) {
  const OutputRef x = c.x(0);
  return c.Mul(c.ScalarLike(x, sign * 1.1283791670955126),
               Unary(c, "Exp", c.Neg(Unary(c, "Square", x))));
}
Status ErfGradient(GradContext& c) { return Scale(c, ErfSlope(c, 1)); }
Status ErfcGradient(GradContext& c) { return Scale(c, ErfSlope(c, -1)); }

}  // namespace

WB_GRADIENT("Exp", ExpGradient);
WB_GRADIENT("Expm1", Expm1Gradient);
WB_GRADIENT("Log", LogGradient);
WB_GRADIENT("Log1p", Log1pGradient);
WB_GRADIENT("Sin", SinGradient);
WB_GRADIENT("Cos", CosGradient);
WB_GRADIENT("Tan", TanGradient);
WB_GRADIENT("Asin", AsinGradient);
WB_GRADIENT("Acos", AcosGradient);
WB_GRADIENT("Atan", AtanGradient);
WB_GRADIENT("Sinh", SinhGradient);
WB_GRADIENT("Cosh", CoshGradient);
WB_GRADIENT("Tanh", TanhGradient);
WB_GRADIENT("Asinh", AsinhGradient);
WB_GRADIENT("Acosh", AcoshGradient);
WB_GRADIENT("Atanh", AtanhGradient);
WB_GRADIENT("Erf", ErfGradient);
WB_GRADIENT("Erfc", ErfcGradient);
WB_GRADIENT("TanhGrad", TanhGradGradient);
WB_GRADIENT("Sigmoid", SigmoidGradient);
WB_GRADIENT("SigmoidGrad", SigmoidGradGradient);

#endif  // WB_HOST_PASS

}  // namespace warpbeam::WB_PASS
