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

Output All(ScopeRef scope, const Input& input, const Input& reduction_indices, const AllAttrs& attrs) {
  return BuildOutput(
      scope.scope(), "All", {input, reduction_indices},
      attrs);
}

Output Angle(ScopeRef scope, const Input& input, const AngleAttrs& attrs) {
  return BuildOutput(
      scope.scope(), "Angle", {input},
      attrs);
}

Output Any(ScopeRef scope, const Input& input, const Input& reduction_indices, const AnyAttrs& attrs) {
  return BuildOutput(
      scope.scope(), "Any", {input, reduction_indices},
      attrs);
}

Output ApproximateEqual(ScopeRef scope, const Input& x, const Input& y,
    const ApproximateEqualAttrs& attrs) {
  return BuildOutput(
      scope.scope(), "ApproximateEqual", {x, y},
      attrs);
}

Output ArgMax(ScopeRef scope, const Input& input, const Input& dimension, const ArgMaxAttrs& attrs) {
  return BuildOutput(
      scope.scope(), "ArgMax", {input, dimension},
      attrs);
}

Output ArgMin(ScopeRef scope, const Input& input, const Input& dimension, const ArgMinAttrs& attrs) {
  return BuildOutput(
      scope.scope(), "ArgMin", {input, dimension},
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

Output Betainc(ScopeRef scope, const Input& a, const Input& b, const Input& x) {
  return BuildOutput(
      scope.scope(), "Betainc", {a, b, x},
      OpAttrs());
}

Output Bincount(ScopeRef scope, const Input& arr, const Input& size, const Input& weights) {
  return BuildOutput(
      scope.scope(), "Bincount", {arr, size, weights},
      OpAttrs());
}

Output Bucketize(ScopeRef scope, const Input& input, const std::vector<float>& boundaries) {
  return BuildOutput(
      scope.scope(), "Bucketize", {input},
      OpAttrs()
          .Set("boundaries", boundaries));
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

Output ClipByValue(ScopeRef scope, const Input& t, const Input& clip_value_min,
    const Input& clip_value_max) {
  return BuildOutput(
      scope.scope(), "ClipByValue", {t, clip_value_min, clip_value_max},
      OpAttrs());
}

Output Complex(ScopeRef scope, const Input& real, const Input& imag, const ComplexAttrs& attrs) {
  return BuildOutput(
      scope.scope(), "Complex", {real, imag},
      attrs);
}

Output ComplexAbs(ScopeRef scope, const Input& x, const ComplexAbsAttrs& attrs) {
  return BuildOutput(
      scope.scope(), "ComplexAbs", {x},
      attrs);
}

Output Conj(ScopeRef scope, const Input& input) {
  return BuildOutput(
      scope.scope(), "Conj", {input},
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

Output Cross(ScopeRef scope, const Input& a, const Input& b) {
  return BuildOutput(
      scope.scope(), "Cross", {a, b},
      OpAttrs());
}

Output Cumprod(ScopeRef scope, const Input& x, const Input& axis, const CumprodAttrs& attrs) {
  return BuildOutput(
      scope.scope(), "Cumprod", {x, axis},
      attrs);
}

Output Cumsum(ScopeRef scope, const Input& x, const Input& axis, const CumsumAttrs& attrs) {
  return BuildOutput(
      scope.scope(), "Cumsum", {x, axis},
      attrs);
}

Output CumulativeLogsumexp(ScopeRef scope, const Input& x, const Input& axis,
    const CumulativeLogsumexpAttrs& attrs) {
  return BuildOutput(
      scope.scope(), "CumulativeLogsumexp", {x, axis},
      attrs);
}

Output DenseBincount(ScopeRef scope, const Input& input, const Input& size, const Input& weights,
    const DenseBincountAttrs& attrs) {
  return BuildOutput(
      scope.scope(), "DenseBincount", {input, size, weights},
      attrs);
}

Output Digamma(ScopeRef scope, const Input& x) {
  return BuildOutput(
      scope.scope(), "Digamma", {x},
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

Output Erfinv(ScopeRef scope, const Input& x) {
  return BuildOutput(
      scope.scope(), "Erfinv", {x},
      OpAttrs());
}

Output EuclideanNorm(ScopeRef scope, const Input& input, const Input& reduction_indices,
    const EuclideanNormAttrs& attrs) {
  return BuildOutput(
      scope.scope(), "EuclideanNorm", {input, reduction_indices},
      attrs);
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

Output HistogramFixedWidth(ScopeRef scope, const Input& values, const Input& value_range,
    const Input& nbins, const HistogramFixedWidthAttrs& attrs) {
  return BuildOutput(
      scope.scope(), "HistogramFixedWidth", {values, value_range, nbins},
      attrs);
}

Output Igamma(ScopeRef scope, const Input& a, const Input& x) {
  return BuildOutput(
      scope.scope(), "Igamma", {a, x},
      OpAttrs());
}

Output IgammaGradA(ScopeRef scope, const Input& a, const Input& x) {
  return BuildOutput(
      scope.scope(), "IgammaGradA", {a, x},
      OpAttrs());
}

Output Igammac(ScopeRef scope, const Input& a, const Input& x) {
  return BuildOutput(
      scope.scope(), "Igammac", {a, x},
      OpAttrs());
}

Output Imag(ScopeRef scope, const Input& input, const ImagAttrs& attrs) {
  return BuildOutput(
      scope.scope(), "Imag", {input},
      attrs);
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

Output Lgamma(ScopeRef scope, const Input& x) {
  return BuildOutput(
      scope.scope(), "Lgamma", {x},
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

Output Max(ScopeRef scope, const Input& input, const Input& reduction_indices, const MaxAttrs& attrs) {
  return BuildOutput(
      scope.scope(), "Max", {input, reduction_indices},
      attrs);
}

Output Maximum(ScopeRef scope, const Input& x, const Input& y) {
  return BuildOutput(
      scope.scope(), "Maximum", {x, y},
      OpAttrs());
}

Output Mean(ScopeRef scope, const Input& input, const Input& reduction_indices,
    const MeanAttrs& attrs) {
  return BuildOutput(
      scope.scope(), "Mean", {input, reduction_indices},
      attrs);
}

Output Min(ScopeRef scope, const Input& input, const Input& reduction_indices, const MinAttrs& attrs) {
  return BuildOutput(
      scope.scope(), "Min", {input, reduction_indices},
      attrs);
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

Output Ndtri(ScopeRef scope, const Input& x) {
  return BuildOutput(
      scope.scope(), "Ndtri", {x},
      OpAttrs());
}

Output Neg(ScopeRef scope, const Input& x) {
  return BuildOutput(
      scope.scope(), "Neg", {x},
      OpAttrs());
}

Output NextAfter(ScopeRef scope, const Input& x1, const Input& x2) {
  return BuildOutput(
      scope.scope(), "NextAfter", {x1, x2},
      OpAttrs());
}

Output NotEqual(ScopeRef scope, const Input& x, const Input& y, const NotEqualAttrs& attrs) {
  return BuildOutput(
      scope.scope(), "NotEqual", {x, y},
      attrs);
}

Output Polygamma(ScopeRef scope, const Input& a, const Input& x) {
  return BuildOutput(
      scope.scope(), "Polygamma", {a, x},
      OpAttrs());
}

Output Pow(ScopeRef scope, const Input& x, const Input& y) {
  return BuildOutput(
      scope.scope(), "Pow", {x, y},
      OpAttrs());
}

Output Prod(ScopeRef scope, const Input& input, const Input& reduction_indices,
    const ProdAttrs& attrs) {
  return BuildOutput(
      scope.scope(), "Prod", {input, reduction_indices},
      attrs);
}

QuantizeDownAndShrinkRangeOutputs QuantizeDownAndShrinkRange(ScopeRef scope, const Input& input,
    const Input& input_min, const Input& input_max, DType out_type) {
  const Scope here = scope.scope();
  const Operation built = BuildOp(
      scope.scope(), "QuantizeDownAndShrinkRange", {input, input_min, input_max},
      OpAttrs()
          .Set("out_type", out_type));
  QuantizeDownAndShrinkRangeOutputs outputs;
  outputs.output = OutputOf(here, built, "output");
  outputs.output_min = OutputOf(here, built, "output_min");
  outputs.output_max = OutputOf(here, built, "output_max");
  outputs.op = built;
  return outputs;
}

}  // namespace ops
}  // namespace frontend
}  // namespace warpbeam
