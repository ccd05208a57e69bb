// clang-format off
// Written by //frontend/gen:generate from the ops' schemas; do not edit.
//
// One function for each op: it adds the op to the scope's graph.
//
// Ownership: the graph owns the nodes. Thread safety: that of the Scope. Errors: kept in the
// scope; results are then not valid.
#ifndef WARPBEAM_FRONTEND_OPS_MATH_OPS_H_
#define WARPBEAM_FRONTEND_OPS_MATH_OPS_H_

#include <string>
#include <vector>

#include "frontend/build.h"

namespace warpbeam {
namespace frontend {
namespace ops {

// (x: T) -> (y: T)
Output Abs(ScopeRef scope, const Input& x);

// (inputs: N * T) -> (sum: T)
Output AccumulateNV2(ScopeRef scope, const InputList& inputs, const PartialShape& shape);

// (x: T) -> (y: T)
Output Acos(ScopeRef scope, const Input& x);

// (x: T) -> (y: T)
Output Acosh(ScopeRef scope, const Input& x);

// (x: T, y: T) -> (z: T)
Output Add(ScopeRef scope, const Input& x, const Input& y);

// (inputs: N * T) -> (sum: T)
Output AddN(ScopeRef scope, const InputList& inputs);

// (x: T, y: T) -> (z: T)
Output AddV2(ScopeRef scope, const Input& x, const Input& y);

class AllAttrs : public OpAttrs {
 public:
  AllAttrs& keep_dims(bool value) {
    Set("keep_dims", value);
    return *this;
  }
};
// (input: bool, reduction_indices: Tidx) -> (output: bool)
Output All(ScopeRef scope, const Input& input, const Input& reduction_indices,
    const AllAttrs& attrs = AllAttrs());

class AngleAttrs : public OpAttrs {
 public:
  AngleAttrs& Tout(DType value) {
    Set("Tout", value);
    return *this;
  }
};
// (input: T) -> (output: Tout)
Output Angle(ScopeRef scope, const Input& input, const AngleAttrs& attrs = AngleAttrs());

class AnyAttrs : public OpAttrs {
 public:
  AnyAttrs& keep_dims(bool value) {
    Set("keep_dims", value);
    return *this;
  }
};
// (input: bool, reduction_indices: Tidx) -> (output: bool)
Output Any(ScopeRef scope, const Input& input, const Input& reduction_indices,
    const AnyAttrs& attrs = AnyAttrs());

class ApproximateEqualAttrs : public OpAttrs {
 public:
  ApproximateEqualAttrs& tolerance(float value) {
    Set("tolerance", value);
    return *this;
  }
};
// (x: T, y: T) -> (z: bool)
Output ApproximateEqual(ScopeRef scope, const Input& x, const Input& y,
    const ApproximateEqualAttrs& attrs = ApproximateEqualAttrs());

class ArgMaxAttrs : public OpAttrs {
 public:
  ArgMaxAttrs& output_type(DType value) {
    Set("output_type", value);
    return *this;
  }
};
// (input: T, dimension: Tidx) -> (output: output_type)
Output ArgMax(ScopeRef scope, const Input& input, const Input& dimension,
    const ArgMaxAttrs& attrs = ArgMaxAttrs());

class ArgMinAttrs : public OpAttrs {
 public:
  ArgMinAttrs& output_type(DType value) {
    Set("output_type", value);
    return *this;
  }
};
// (input: T, dimension: Tidx) -> (output: output_type)
Output ArgMin(ScopeRef scope, const Input& input, const Input& dimension,
    const ArgMinAttrs& attrs = ArgMinAttrs());

// (x: T) -> (y: T)
Output Asin(ScopeRef scope, const Input& x);

// (x: T) -> (y: T)
Output Asinh(ScopeRef scope, const Input& x);

// (x: T) -> (y: T)
Output Atan(ScopeRef scope, const Input& x);

// (y: T, x: T) -> (z: T)
Output Atan2(ScopeRef scope, const Input& y, const Input& x);

// (x: T) -> (y: T)
Output Atanh(ScopeRef scope, const Input& x);

class BatchMatMulAttrs : public OpAttrs {
 public:
  BatchMatMulAttrs& adj_x(bool value) {
    Set("adj_x", value);
    return *this;
  }
  BatchMatMulAttrs& adj_y(bool value) {
    Set("adj_y", value);
    return *this;
  }
  BatchMatMulAttrs& grad_x(bool value) {
    Set("grad_x", value);
    return *this;
  }
  BatchMatMulAttrs& grad_y(bool value) {
    Set("grad_y", value);
    return *this;
  }
};
// (x: T, y: T) -> (output: T)
Output BatchMatMul(ScopeRef scope, const Input& x, const Input& y,
    const BatchMatMulAttrs& attrs = BatchMatMulAttrs());

class BatchMatMulV2Attrs : public OpAttrs {
 public:
  BatchMatMulV2Attrs& adj_x(bool value) {
    Set("adj_x", value);
    return *this;
  }
  BatchMatMulV2Attrs& adj_y(bool value) {
    Set("adj_y", value);
    return *this;
  }
  BatchMatMulV2Attrs& grad_x(bool value) {
    Set("grad_x", value);
    return *this;
  }
  BatchMatMulV2Attrs& grad_y(bool value) {
    Set("grad_y", value);
    return *this;
  }
};
// (x: T, y: T) -> (output: T)
Output BatchMatMulV2(ScopeRef scope, const Input& x, const Input& y,
    const BatchMatMulV2Attrs& attrs = BatchMatMulV2Attrs());

class BatchMatMulV3Attrs : public OpAttrs {
 public:
  BatchMatMulV3Attrs& adj_x(bool value) {
    Set("adj_x", value);
    return *this;
  }
  BatchMatMulV3Attrs& adj_y(bool value) {
    Set("adj_y", value);
    return *this;
  }
  BatchMatMulV3Attrs& grad_x(bool value) {
    Set("grad_x", value);
    return *this;
  }
  BatchMatMulV3Attrs& grad_y(bool value) {
    Set("grad_y", value);
    return *this;
  }
};
// (x: Ta, y: Tb) -> (output: Tout)
Output BatchMatMulV3(ScopeRef scope, const Input& x, const Input& y, DType Tout,
    const BatchMatMulV3Attrs& attrs = BatchMatMulV3Attrs());

// (a: T, b: T, x: T) -> (z: T)
Output Betainc(ScopeRef scope, const Input& a, const Input& b, const Input& x);

// (arr: int32, size: int32, weights: T) -> (bins: T)
Output Bincount(ScopeRef scope, const Input& arr, const Input& size, const Input& weights);

// (input: T) -> (output: int32)
Output Bucketize(ScopeRef scope, const Input& input, const std::vector<float>& boundaries);

class CastAttrs : public OpAttrs {
 public:
  CastAttrs& Truncate(bool value) {
    Set("Truncate", value);
    return *this;
  }
};
// (x: SrcT) -> (y: DstT)
Output Cast(ScopeRef scope, const Input& x, DType DstT, const CastAttrs& attrs = CastAttrs());

// (x: T) -> (y: T)
Output Ceil(ScopeRef scope, const Input& x);

// (t: T, clip_value_min: T, clip_value_max: T) -> (output: T)
Output ClipByValue(ScopeRef scope, const Input& t, const Input& clip_value_min,
    const Input& clip_value_max);

class ComplexAttrs : public OpAttrs {
 public:
  ComplexAttrs& Tout(DType value) {
    Set("Tout", value);
    return *this;
  }
};
// (real: T, imag: T) -> (out: Tout)
Output Complex(ScopeRef scope, const Input& real, const Input& imag,
    const ComplexAttrs& attrs = ComplexAttrs());

class ComplexAbsAttrs : public OpAttrs {
 public:
  ComplexAbsAttrs& Tout(DType value) {
    Set("Tout", value);
    return *this;
  }
};
// (x: T) -> (y: Tout)
Output ComplexAbs(ScopeRef scope, const Input& x, const ComplexAbsAttrs& attrs = ComplexAbsAttrs());

// (input: T) -> (output: T)
Output Conj(ScopeRef scope, const Input& input);

// (x: T) -> (y: T)
Output Cos(ScopeRef scope, const Input& x);

// (x: T) -> (y: T)
Output Cosh(ScopeRef scope, const Input& x);

// (a: T, b: T) -> (product: T)
Output Cross(ScopeRef scope, const Input& a, const Input& b);

class CumprodAttrs : public OpAttrs {
 public:
  CumprodAttrs& exclusive(bool value) {
    Set("exclusive", value);
    return *this;
  }
  CumprodAttrs& reverse(bool value) {
    Set("reverse", value);
    return *this;
  }
};
// (x: T, axis: Tidx) -> (out: T)
Output Cumprod(ScopeRef scope, const Input& x, const Input& axis,
    const CumprodAttrs& attrs = CumprodAttrs());

class CumsumAttrs : public OpAttrs {
 public:
  CumsumAttrs& exclusive(bool value) {
    Set("exclusive", value);
    return *this;
  }
  CumsumAttrs& reverse(bool value) {
    Set("reverse", value);
    return *this;
  }
};
// (x: T, axis: Tidx) -> (out: T)
Output Cumsum(ScopeRef scope, const Input& x, const Input& axis,
    const CumsumAttrs& attrs = CumsumAttrs());

class CumulativeLogsumexpAttrs : public OpAttrs {
 public:
  CumulativeLogsumexpAttrs& exclusive(bool value) {
    Set("exclusive", value);
    return *this;
  }
  CumulativeLogsumexpAttrs& reverse(bool value) {
    Set("reverse", value);
    return *this;
  }
};
// (x: T, axis: Tidx) -> (out: T)
Output CumulativeLogsumexp(ScopeRef scope, const Input& x, const Input& axis,
    const CumulativeLogsumexpAttrs& attrs = CumulativeLogsumexpAttrs());

class DenseBincountAttrs : public OpAttrs {
 public:
  DenseBincountAttrs& binary_output(bool value) {
    Set("binary_output", value);
    return *this;
  }
};
// (input: Tidx, size: Tidx, weights: T) -> (output: T)
Output DenseBincount(ScopeRef scope, const Input& input, const Input& size, const Input& weights,
    const DenseBincountAttrs& attrs = DenseBincountAttrs());

// (x: T) -> (y: T)
Output Digamma(ScopeRef scope, const Input& x);

// (x: T, y: T) -> (z: T)
Output Div(ScopeRef scope, const Input& x, const Input& y);

// (x: T, y: T) -> (z: T)
Output DivNoNan(ScopeRef scope, const Input& x, const Input& y);

class EqualAttrs : public OpAttrs {
 public:
  EqualAttrs& incompatible_shape_error(bool value) {
    Set("incompatible_shape_error", value);
    return *this;
  }
};
// (x: T, y: T) -> (z: bool)
Output Equal(ScopeRef scope, const Input& x, const Input& y, const EqualAttrs& attrs = EqualAttrs());

// (x: T) -> (y: T)
Output Erf(ScopeRef scope, const Input& x);

// (x: T) -> (y: T)
Output Erfc(ScopeRef scope, const Input& x);

// (x: T) -> (y: T)
Output Erfinv(ScopeRef scope, const Input& x);

class EuclideanNormAttrs : public OpAttrs {
 public:
  EuclideanNormAttrs& keep_dims(bool value) {
    Set("keep_dims", value);
    return *this;
  }
};
// (input: T, reduction_indices: Tidx) -> (output: T)
Output EuclideanNorm(ScopeRef scope, const Input& input, const Input& reduction_indices,
    const EuclideanNormAttrs& attrs = EuclideanNormAttrs());

// (x: T) -> (y: T)
Output Exp(ScopeRef scope, const Input& x);

// (x: T) -> (y: T)
Output Expm1(ScopeRef scope, const Input& x);

// (x: T) -> (y: T)
Output Floor(ScopeRef scope, const Input& x);

// (x: T, y: T) -> (z: T)
Output FloorDiv(ScopeRef scope, const Input& x, const Input& y);

// (x: T, y: T) -> (z: T)
Output FloorMod(ScopeRef scope, const Input& x, const Input& y);

// (x: T, y: T) -> (z: bool)
Output Greater(ScopeRef scope, const Input& x, const Input& y);

// (x: T, y: T) -> (z: bool)
Output GreaterEqual(ScopeRef scope, const Input& x, const Input& y);

class HistogramFixedWidthAttrs : public OpAttrs {
 public:
  HistogramFixedWidthAttrs& dtype(DType value) {
    Set("dtype", value);
    return *this;
  }
};
// (values: T, value_range: T, nbins: int32) -> (out: dtype)
Output HistogramFixedWidth(ScopeRef scope, const Input& values, const Input& value_range,
    const Input& nbins, const HistogramFixedWidthAttrs& attrs = HistogramFixedWidthAttrs());

// (a: T, x: T) -> (z: T)
Output Igamma(ScopeRef scope, const Input& a, const Input& x);

// (a: T, x: T) -> (z: T)
Output IgammaGradA(ScopeRef scope, const Input& a, const Input& x);

// (a: T, x: T) -> (z: T)
Output Igammac(ScopeRef scope, const Input& a, const Input& x);

class ImagAttrs : public OpAttrs {
 public:
  ImagAttrs& Tout(DType value) {
    Set("Tout", value);
    return *this;
  }
};
// (input: T) -> (output: Tout)
Output Imag(ScopeRef scope, const Input& input, const ImagAttrs& attrs = ImagAttrs());

// (x: T) -> (y: T)
Output Inv(ScopeRef scope, const Input& x);

// (y: T, dy: T) -> (z: T)
Output InvGrad(ScopeRef scope, const Input& y, const Input& dy);

// (x: T) -> (y: bool)
Output IsFinite(ScopeRef scope, const Input& x);

// (x: T) -> (y: bool)
Output IsInf(ScopeRef scope, const Input& x);

// (x: T) -> (y: bool)
Output IsNan(ScopeRef scope, const Input& x);

// (x: T, y: T) -> (z: bool)
Output Less(ScopeRef scope, const Input& x, const Input& y);

// (x: T, y: T) -> (z: bool)
Output LessEqual(ScopeRef scope, const Input& x, const Input& y);

// (x: T) -> (y: T)
Output Lgamma(ScopeRef scope, const Input& x);

// (start: T, stop: T, num: Tidx) -> (output: T)
Output LinSpace(ScopeRef scope, const Input& start, const Input& stop, const Input& num);

// (x: T) -> (y: T)
Output Log(ScopeRef scope, const Input& x);

// (x: T) -> (y: T)
Output Log1p(ScopeRef scope, const Input& x);

// (x: bool, y: bool) -> (z: bool)
Output LogicalAnd(ScopeRef scope, const Input& x, const Input& y);

// (x: bool) -> (y: bool)
Output LogicalNot(ScopeRef scope, const Input& x);

// (x: bool, y: bool) -> (z: bool)
Output LogicalOr(ScopeRef scope, const Input& x, const Input& y);

class MatMulAttrs : public OpAttrs {
 public:
  MatMulAttrs& transpose_a(bool value) {
    Set("transpose_a", value);
    return *this;
  }
  MatMulAttrs& transpose_b(bool value) {
    Set("transpose_b", value);
    return *this;
  }
  MatMulAttrs& grad_a(bool value) {
    Set("grad_a", value);
    return *this;
  }
  MatMulAttrs& grad_b(bool value) {
    Set("grad_b", value);
    return *this;
  }
};
// (a: T, b: T) -> (product: T)
Output MatMul(ScopeRef scope, const Input& a, const Input& b,
    const MatMulAttrs& attrs = MatMulAttrs());

class MaxAttrs : public OpAttrs {
 public:
  MaxAttrs& keep_dims(bool value) {
    Set("keep_dims", value);
    return *this;
  }
};
// (input: T, reduction_indices: Tidx) -> (output: T)
Output Max(ScopeRef scope, const Input& input, const Input& reduction_indices,
    const MaxAttrs& attrs = MaxAttrs());

// (x: T, y: T) -> (z: T)
Output Maximum(ScopeRef scope, const Input& x, const Input& y);

class MeanAttrs : public OpAttrs {
 public:
  MeanAttrs& keep_dims(bool value) {
    Set("keep_dims", value);
    return *this;
  }
};
// (input: T, reduction_indices: Tidx) -> (output: T)
Output Mean(ScopeRef scope, const Input& input, const Input& reduction_indices,
    const MeanAttrs& attrs = MeanAttrs());

class MinAttrs : public OpAttrs {
 public:
  MinAttrs& keep_dims(bool value) {
    Set("keep_dims", value);
    return *this;
  }
};
// (input: T, reduction_indices: Tidx) -> (output: T)
Output Min(ScopeRef scope, const Input& input, const Input& reduction_indices,
    const MinAttrs& attrs = MinAttrs());

// (x: T, y: T) -> (z: T)
Output Minimum(ScopeRef scope, const Input& x, const Input& y);

// (x: T, y: T) -> (z: T)
Output Mod(ScopeRef scope, const Input& x, const Input& y);

// (x: T, y: T) -> (z: T)
Output Mul(ScopeRef scope, const Input& x, const Input& y);

// (x: T, y: T) -> (z: T)
Output MulNoNan(ScopeRef scope, const Input& x, const Input& y);

// (x: T) -> (y: T)
Output Ndtri(ScopeRef scope, const Input& x);

// (x: T) -> (y: T)
Output Neg(ScopeRef scope, const Input& x);

// (x1: T, x2: T) -> (output: T)
Output NextAfter(ScopeRef scope, const Input& x1, const Input& x2);

class NotEqualAttrs : public OpAttrs {
 public:
  NotEqualAttrs& incompatible_shape_error(bool value) {
    Set("incompatible_shape_error", value);
    return *this;
  }
};
// (x: T, y: T) -> (z: bool)
Output NotEqual(ScopeRef scope, const Input& x, const Input& y,
    const NotEqualAttrs& attrs = NotEqualAttrs());

// (a: T, x: T) -> (z: T)
Output Polygamma(ScopeRef scope, const Input& a, const Input& x);

// (x: T, y: T) -> (z: T)
Output Pow(ScopeRef scope, const Input& x, const Input& y);

class ProdAttrs : public OpAttrs {
 public:
  ProdAttrs& keep_dims(bool value) {
    Set("keep_dims", value);
    return *this;
  }
};
// (input: T, reduction_indices: Tidx) -> (output: T)
Output Prod(ScopeRef scope, const Input& input, const Input& reduction_indices,
    const ProdAttrs& attrs = ProdAttrs());

struct QuantizeDownAndShrinkRangeOutputs {
  Output output;
  Output output_min;
  Output output_max;
  Operation op;
};
// (input: Tinput, input_min: float, input_max: float) -> (output: out_type, output_min: float,
//     output_max: float)
QuantizeDownAndShrinkRangeOutputs QuantizeDownAndShrinkRange(ScopeRef scope, const Input& input,
    const Input& input_min, const Input& input_max, DType out_type);

}  // namespace ops
}  // namespace frontend
}  // namespace warpbeam

#endif  // WARPBEAM_FRONTEND_OPS_MATH_OPS_H_
