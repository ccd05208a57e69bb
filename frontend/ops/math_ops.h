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

// (arr: int32, size: int32, weights: T) -> (bins: T)
Output Bincount(ScopeRef scope, const Input& arr, const Input& size, const Input& weights);

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

// (x: T) -> (y: T)
Output Cos(ScopeRef scope, const Input& x);

// (x: T) -> (y: T)
Output Cosh(ScopeRef scope, const Input& x);

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

// (x: T, y: T) -> (z: T)
Output Maximum(ScopeRef scope, const Input& x, const Input& y);

// (x: T, y: T) -> (z: T)
Output Minimum(ScopeRef scope, const Input& x, const Input& y);

// (x: T, y: T) -> (z: T)
Output Mod(ScopeRef scope, const Input& x, const Input& y);

// (x: T, y: T) -> (z: T)
Output Mul(ScopeRef scope, const Input& x, const Input& y);

// (x: T, y: T) -> (z: T)
Output MulNoNan(ScopeRef scope, const Input& x, const Input& y);

// (x: T) -> (y: T)
Output Neg(ScopeRef scope, const Input& x);

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

// (x: T, y: T) -> (z: T)
Output Pow(ScopeRef scope, const Input& x, const Input& y);

// (start: Tidx, limit: Tidx, delta: Tidx) -> (output: Tidx)
Output Range(ScopeRef scope, const Input& start, const Input& limit, const Input& delta);

// (x: T, y: T) -> (z: T)
Output RealDiv(ScopeRef scope, const Input& x, const Input& y);

// (x: T) -> (y: T)
Output Reciprocal(ScopeRef scope, const Input& x);

// (y: T, dy: T) -> (z: T)
Output ReciprocalGrad(ScopeRef scope, const Input& y, const Input& dy);

// (x: T) -> (y: T)
Output Rint(ScopeRef scope, const Input& x);

// (x: T) -> (y: T)
Output Round(ScopeRef scope, const Input& x);

// (x: T) -> (y: T)
Output Rsqrt(ScopeRef scope, const Input& x);

// (y: T, dy: T) -> (z: T)
Output RsqrtGrad(ScopeRef scope, const Input& y, const Input& dy);

// (condition: bool, t: T, e: T) -> (output: T)
Output Select(ScopeRef scope, const Input& condition, const Input& t, const Input& e);

// (condition: bool, t: T, e: T) -> (output: T)
Output SelectV2(ScopeRef scope, const Input& condition, const Input& t, const Input& e);

// (x: T) -> (y: T)
Output Sigmoid(ScopeRef scope, const Input& x);

// (y: T, dy: T) -> (z: T)
Output SigmoidGrad(ScopeRef scope, const Input& y, const Input& dy);

// (x: T) -> (y: T)
Output Sign(ScopeRef scope, const Input& x);

// (x: T) -> (y: T)
Output Sin(ScopeRef scope, const Input& x);

// (x: T) -> (y: T)
Output Sinh(ScopeRef scope, const Input& x);

// (x: T) -> (y: T)
Output Sqrt(ScopeRef scope, const Input& x);

// (y: T, dy: T) -> (z: T)
Output SqrtGrad(ScopeRef scope, const Input& y, const Input& dy);

// (x: T) -> (y: T)
Output Square(ScopeRef scope, const Input& x);

// (x: T, y: T) -> (z: T)
Output SquaredDifference(ScopeRef scope, const Input& x, const Input& y);

// (x: T, y: T) -> (z: T)
Output Sub(ScopeRef scope, const Input& x, const Input& y);

// (x: T) -> (y: T)
Output Tan(ScopeRef scope, const Input& x);

// (x: T) -> (y: T)
Output Tanh(ScopeRef scope, const Input& x);

// (y: T, dy: T) -> (z: T)
Output TanhGrad(ScopeRef scope, const Input& y, const Input& dy);

// (x: T, y: T) -> (z: T)
Output TruncateDiv(ScopeRef scope, const Input& x, const Input& y);

// (x: T, y: T) -> (z: T)
Output TruncateMod(ScopeRef scope, const Input& x, const Input& y);

// (x: T, y: T) -> (z: T)
Output Xdivy(ScopeRef scope, const Input& x, const Input& y);

// (x: T, y: T) -> (z: T)
Output Xlog1py(ScopeRef scope, const Input& x, const Input& y);

// (x: T, y: T) -> (z: T)
Output Xlogy(ScopeRef scope, const Input& x, const Input& y);

}  // namespace ops
}  // namespace frontend
}  // namespace warpbeam

#endif  // WARPBEAM_FRONTEND_OPS_MATH_OPS_H_
