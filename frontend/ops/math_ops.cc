// clang-format off
// Written by //frontend/gen:generate from the ops' schemas; do not edit.
#include "frontend/ops/math_ops.h"

namespace warpbeam {
namespace frontend {
namespace ops {

Output Abs(ScopeRef scope, const Input& x) {
  return BuildOutput(
      scope.scope(), "Abs", {x},
      OpAttrs());
}

Output AccumulateNV2(ScopeRef scope, const InputList& inputs, const PartialShape& shape) {
  return BuildOutput(
      scope.scope(), "AccumulateNV2", {inputs},
      OpAttrs()
          .Set("shape", shape));
}

Output Acos(ScopeRef scope, const Input& x) {
  return BuildOutput(
      scope.scope(), "Acos", {x},
      OpAttrs());
}

Output Acosh(ScopeRef scope, const Input& x) {
  return BuildOutput(
      scope.scope(), "Acosh", {x},
      OpAttrs());
}

Output Add(ScopeRef scope, const Input& x, const Input& y) {
  return BuildOutput(
      scope.scope(), "Add", {x, y},
      OpAttrs());
}

Output AddN(ScopeRef scope, const InputList& inputs) {
  return BuildOutput(
      scope.scope(), "AddN", {inputs},
      OpAttrs());
}

Output AddV2(ScopeRef scope, const Input& x, const Input& y) {
  return BuildOutput(
      scope.scope(), "AddV2", {x, y},
      OpAttrs());
}

Output ApproximateEqual(ScopeRef scope, const Input& x, const Input& y,
    const ApproximateEqualAttrs& attrs) {
  return BuildOutput(
      scope.scope(), "ApproximateEqual", {x, y},
      attrs);
}

Output Asin(ScopeRef scope, const Input& x) {
  return BuildOutput(
      scope.scope(), "Asin", {x},
      OpAttrs());
}

Output Asinh(ScopeRef scope, const Input& x) {
  return BuildOutput(
      scope.scope(), "Asinh", {x},
      OpAttrs());
}

Output Atan(ScopeRef scope, const Input& x) {
  return BuildOutput(
      scope.scope(), "Atan", {x},
      OpAttrs());
}

Output Atan2(ScopeRef scope, const Input& y, const Input& x) {
  return BuildOutput(
      scope.scope(), "Atan2", {y, x},
      OpAttrs());
}

Output Atanh(ScopeRef scope, const Input& x) {
  return BuildOutput(
      scope.scope(), "Atanh", {x},
      OpAttrs());
}

Output BatchMatMul(ScopeRef scope, const Input& x, const Input& y, const BatchMatMulAttrs& attrs) {
  return BuildOutput(
      scope.scope(), "BatchMatMul", {x, y},
      attrs);
}

Output BatchMatMulV2(ScopeRef scope, const Input& x, const Input& y, const BatchMatMulV2Attrs& attrs) {
  return BuildOutput(
      scope.scope(), "BatchMatMulV2", {x, y},
      attrs);
}

Output BatchMatMulV3(ScopeRef scope, const Input& x, const Input& y, DType Tout,
    const BatchMatMulV3Attrs& attrs) {
  return BuildOutput(
      scope.scope(), "BatchMatMulV3", {x, y},
      OpAttrs(attrs)
          .Set("Tout", Tout));
}

Output Bincount(ScopeRef scope, const Input& arr, const Input& size, const Input& weights) {
  return BuildOutput(
      scope.scope(), "Bincount", {arr, size, weights},
      OpAttrs());
}

Output Cast(ScopeRef scope, const Input& x, DType DstT, const CastAttrs& attrs) {
  return BuildOutput(
      scope.scope(), "Cast", {x},
      OpAttrs(attrs)
          .Set("DstT", DstT));
}

Output Ceil(ScopeRef scope, const Input& x) {
  return BuildOutput(
      scope.scope(), "Ceil", {x},
      OpAttrs());
}

Output Cos(ScopeRef scope, const Input& x) {
  return BuildOutput(
      scope.scope(), "Cos", {x},
      OpAttrs());
}

Output Cosh(ScopeRef scope, const Input& x) {
  return BuildOutput(
      scope.scope(), "Cosh", {x},
      OpAttrs());
}

Output Div(ScopeRef scope, const Input& x, const Input& y) {
  return BuildOutput(
      scope.scope(), "Div", {x, y},
      OpAttrs());
}

Output DivNoNan(ScopeRef scope, const Input& x, const Input& y) {
  return BuildOutput(
      scope.scope(), "DivNoNan", {x, y},
      OpAttrs());
}

Output Equal(ScopeRef scope, const Input& x, const Input& y, const EqualAttrs& attrs) {
  return BuildOutput(
      scope.scope(), "Equal", {x, y},
      attrs);
}

Output Erf(ScopeRef scope, const Input& x) {
  return BuildOutput(
      scope.scope(), "Erf", {x},
      OpAttrs());
}

Output Erfc(ScopeRef scope, const Input& x) {
  return BuildOutput(
      scope.scope(), "Erfc", {x},
      OpAttrs());
}

Output Exp(ScopeRef scope, const Input& x) {
  return BuildOutput(
      scope.scope(), "Exp", {x},
      OpAttrs());
}

Output Expm1(ScopeRef scope, const Input& x) {
  return BuildOutput(
      scope.scope(), "Expm1", {x},
      OpAttrs());
}

Output Floor(ScopeRef scope, const Input& x) {
  return BuildOutput(
      scope.scope(), "Floor", {x},
      OpAttrs());
}

Output FloorDiv(ScopeRef scope, const Input& x, const Input& y) {
  return BuildOutput(
      scope.scope(), "FloorDiv", {x, y},
      OpAttrs());
}

Output FloorMod(ScopeRef scope, const Input& x, const Input& y) {
  return BuildOutput(
      scope.scope(), "FloorMod", {x, y},
      OpAttrs());
}

Output Greater(ScopeRef scope, const Input& x, const Input& y) {
  return BuildOutput(
      scope.scope(), "Greater", {x, y},
      OpAttrs());
}

Output GreaterEqual(ScopeRef scope, const Input& x, const Input& y) {
  return BuildOutput(
      scope.scope(), "GreaterEqual", {x, y},
      OpAttrs());
}

Output Inv(ScopeRef scope, const Input& x) {
  return BuildOutput(
      scope.scope(), "Inv", {x},
      OpAttrs());
}

Output InvGrad(ScopeRef scope, const Input& y, const Input& dy) {
  return BuildOutput(
      scope.scope(), "InvGrad", {y, dy},
      OpAttrs());
}

Output IsFinite(ScopeRef scope, const Input& x) {
  return BuildOutput(
      scope.scope(), "IsFinite", {x},
      OpAttrs());
}

Output IsInf(ScopeRef scope, const Input& x) {
  return BuildOutput(
      scope.scope(), "IsInf", {x},
      OpAttrs());
}

Output IsNan(ScopeRef scope, const Input& x) {
  return BuildOutput(
      scope.scope(), "IsNan", {x},
      OpAttrs());
}

Output Less(ScopeRef scope, const Input& x, const Input& y) {
  return BuildOutput(
      scope.scope(), "Less", {x, y},
      OpAttrs());
}

Output LessEqual(ScopeRef scope, const Input& x, const Input& y) {
  return BuildOutput(
      scope.scope(), "LessEqual", {x, y},
      OpAttrs());
}

Output LinSpace(ScopeRef scope, const Input& start, const Input& stop, const Input& num) {
  return BuildOutput(
      scope.scope(), "LinSpace", {start, stop, num},
      OpAttrs());
}

Output Log(ScopeRef scope, const Input& x) {
  return BuildOutput(
      scope.scope(), "Log", {x},
      OpAttrs());
}

Output Log1p(ScopeRef scope, const Input& x) {
  return BuildOutput(
      scope.scope(), "Log1p", {x},
      OpAttrs());
}

Output LogicalAnd(ScopeRef scope, const Input& x, const Input& y) {
  return BuildOutput(
      scope.scope(), "LogicalAnd", {x, y},
      OpAttrs());
}

Output LogicalNot(ScopeRef scope, const Input& x) {
  return BuildOutput(
      scope.scope(), "LogicalNot", {x},
      OpAttrs());
}

Output LogicalOr(ScopeRef scope, const Input& x, const Input& y) {
  return BuildOutput(
      scope.scope(), "LogicalOr", {x, y},
      OpAttrs());
}

Output MatMul(ScopeRef scope, const Input& a, const Input& b, const MatMulAttrs& attrs) {
  return BuildOutput(
      scope.scope(), "MatMul", {a, b},
      attrs);
}

Output Maximum(ScopeRef scope, const Input& x, const Input& y) {
  return BuildOutput(
      scope.scope(), "Maximum", {x, y},
      OpAttrs());
}

Output Minimum(ScopeRef scope, const Input& x, const Input& y) {
  return BuildOutput(
      scope.scope(), "Minimum", {x, y},
      OpAttrs());
}

Output Mod(ScopeRef scope, const Input& x, const Input& y) {
  return BuildOutput(
      scope.scope(), "Mod", {x, y},
      OpAttrs());
}

Output Mul(ScopeRef scope, const Input& x, const Input& y) {
  return BuildOutput(
      scope.scope(), "Mul", {x, y},
      OpAttrs());
}

Output MulNoNan(ScopeRef scope, const Input& x, const Input& y) {
  return BuildOutput(
      scope.scope(), "MulNoNan", {x, y},
      OpAttrs());
}

Output Neg(ScopeRef scope, const Input& x) {
  return BuildOutput(
      scope.scope(), "Neg", {x},
      OpAttrs());
}

Output NotEqual(ScopeRef scope, const Input& x, const Input& y, const NotEqualAttrs& attrs) {
  return BuildOutput(
      scope.scope(), "NotEqual", {x, y},
      attrs);
}

Output Pow(ScopeRef scope, const Input& x, const Input& y) {
  return BuildOutput(
      scope.scope(), "Pow", {x, y},
      OpAttrs());
}

Output Range(ScopeRef scope, const Input& start, const Input& limit, const Input& delta) {
  return BuildOutput(
      scope.scope(), "Range", {start, limit, delta},
      OpAttrs());
}

Output RealDiv(ScopeRef scope, const Input& x, const Input& y) {
  return BuildOutput(
      scope.scope(), "RealDiv", {x, y},
      OpAttrs());
}

Output Reciprocal(ScopeRef scope, const Input& x) {
  return BuildOutput(
      scope.scope(), "Reciprocal", {x},
      OpAttrs());
}

Output ReciprocalGrad(ScopeRef scope, const Input& y, const Input& dy) {
  return BuildOutput(
      scope.scope(), "ReciprocalGrad", {y, dy},
      OpAttrs());
}

Output Rint(ScopeRef scope, const Input& x) {
  return BuildOutput(
      scope.scope(), "Rint", {x},
      OpAttrs());
}

Output Round(ScopeRef scope, const Input& x) {
  return BuildOutput(
      scope.scope(), "Round", {x},
      OpAttrs());
}

Output Rsqrt(ScopeRef scope, const Input& x) {
  return BuildOutput(
      scope.scope(), "Rsqrt", {x},
      OpAttrs());
}

Output RsqrtGrad(ScopeRef scope, const Input& y, const Input& dy) {
  return BuildOutput(
      scope.scope(), "RsqrtGrad", {y, dy},
      OpAttrs());
}

Output Select(ScopeRef scope, const Input& condition, const Input& t, const Input& e) {
  return BuildOutput(
      scope.scope(), "Select", {condition, t, e},
      OpAttrs());
}

Output SelectV2(ScopeRef scope, const Input& condition, const Input& t, const Input& e) {
  return BuildOutput(
      scope.scope(), "SelectV2", {condition, t, e},
      OpAttrs());
}

Output Sigmoid(ScopeRef scope, const Input& x) {
  return BuildOutput(
      scope.scope(), "Sigmoid", {x},
      OpAttrs());
}

Output SigmoidGrad(ScopeRef scope, const Input& y, const Input& dy) {
  return BuildOutput(
      scope.scope(), "SigmoidGrad", {y, dy},
      OpAttrs());
}

Output Sign(ScopeRef scope, const Input& x) {
  return BuildOutput(
      scope.scope(), "Sign", {x},
      OpAttrs());
}

Output Sin(ScopeRef scope, const Input& x) {
  return BuildOutput(
      scope.scope(), "Sin", {x},
      OpAttrs());
}

Output Sinh(ScopeRef scope, const Input& x) {
  return BuildOutput(
      scope.scope(), "Sinh", {x},
      OpAttrs());
}

Output Sqrt(ScopeRef scope, const Input& x) {
  return BuildOutput(
      scope.scope(), "Sqrt", {x},
      OpAttrs());
}

Output SqrtGrad(ScopeRef scope, const Input& y, const Input& dy) {
  return BuildOutput(
      scope.scope(), "SqrtGrad", {y, dy},
      OpAttrs());
}

Output Square(ScopeRef scope, const Input& x) {
  return BuildOutput(
      scope.scope(), "Square", {x},
      OpAttrs());
}

Output SquaredDifference(ScopeRef scope, const Input& x, const Input& y) {
  return BuildOutput(
      scope.scope(), "SquaredDifference", {x, y},
      OpAttrs());
}

Output Sub(ScopeRef scope, const Input& x, const Input& y) {
  return BuildOutput(
      scope.scope(), "Sub", {x, y},
      OpAttrs());
}

Output Tan(ScopeRef scope, const Input& x) {
  return BuildOutput(
      scope.scope(), "Tan", {x},
      OpAttrs());
}

Output Tanh(ScopeRef scope, const Input& x) {
  return BuildOutput(
      scope.scope(), "Tanh", {x},
      OpAttrs());
}

Output TanhGrad(ScopeRef scope, const Input& y, const Input& dy) {
  return BuildOutput(
      scope.scope(), "TanhGrad", {y, dy},
      OpAttrs());
}

Output TruncateDiv(ScopeRef scope, const Input& x, const Input& y) {
  return BuildOutput(
      scope.scope(), "TruncateDiv", {x, y},
      OpAttrs());
}

Output TruncateMod(ScopeRef scope, const Input& x, const Input& y) {
  return BuildOutput(
      scope.scope(), "TruncateMod", {x, y},
      OpAttrs());
}

Output Xdivy(ScopeRef scope, const Input& x, const Input& y) {
  return BuildOutput(
      scope.scope(), "Xdivy", {x, y},
      OpAttrs());
}

Output Xlog1py(ScopeRef scope, const Input& x, const Input& y) {
  return BuildOutput(
      scope.scope(), "Xlog1py", {x, y},
      OpAttrs());
}

Output Xlogy(ScopeRef scope, const Input& x, const Input& y) {
  return BuildOutput(
      scope.scope(), "Xlogy", {x, y},
      OpAttrs());
}

}  // namespace ops
}  // namespace frontend
}  // namespace warpbeam
