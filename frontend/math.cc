#include "frontend/math.h"

#include "frontend/array.h"
#include "frontend/graph_state.h"

namespace warpbeam {
namespace frontend {
namespace {

Output ReduceAll(const Scope& scope, const char* op, const Input& x) {
  if (!scope.ok()) return Output();
  const int rank = x.rank();
  const Scope unnamed = scope.Named("");
  Output axes;
  if (rank >= 0) {
    std::vector<int32_t> all;
    for (int i = 0; i < rank; ++i) all.push_back(i);
    axes = Constant(unnamed, all);
  } else {
    const Output count = RankOf(unnamed, x);
    axes = BuildOutput(unnamed.Named("range"), "Range", {0, count, 1});
  }
  return BuildOutput(scope, op, {x, axes}, OpAttrs().Set("keep_dims", false));
}

Output ReduceOver(ScopeRef scope, const char* op, const Input& x, const Input& axis,
                  bool keep_dims) {
  return BuildOutput(scope.scope(), op, {x, axis}, OpAttrs().Set("keep_dims", keep_dims));
}

}  // namespace

#define WB_BINARY(Name, op, default_name)                                      \
  Output Name(ScopeRef scope_ref, const Input& a, const Input& b) {            \
    const Scope scope = scope_ref.scope();                                     \
    return BuildOutput(scope.Named(scope.OpNameOr(default_name)), op, {a, b}); \
  }
WB_BINARY(Add, "AddV2", "Add")
WB_BINARY(Subtract, "Sub", "Sub")
WB_BINARY(Multiply, "Mul", "Mul")
WB_BINARY(FloorDivide, "FloorDiv", "floordiv")
WB_BINARY(Pow, "Pow", "Pow")
WB_BINARY(Maximum, "Maximum", "Maximum")
WB_BINARY(Minimum, "Minimum", "Minimum")
WB_BINARY(Equal, "Equal", "Equal")
WB_BINARY(NotEqual, "NotEqual", "NotEqual")
WB_BINARY(Less, "Less", "Less")
WB_BINARY(LessEqual, "LessEqual", "LessEqual")
WB_BINARY(Greater, "Greater", "Greater")
WB_BINARY(GreaterEqual, "GreaterEqual", "GreaterEqual")
#undef WB_BINARY

#define WB_UNARY(Name, op) \
  Output Name(ScopeRef scope, const Input& x) { return BuildOutput(scope.scope(), op, {x}); }
WB_UNARY(Negative, "Neg")
WB_UNARY(Square, "Square")
WB_UNARY(Floor, "Floor")
WB_UNARY(Log, "Log")
WB_UNARY(Exp, "Exp")
#undef WB_UNARY

Output Divide(ScopeRef scope_ref, const Input& a, const Input& b) {
  const Scope scope = scope_ref.scope();
  const DType dtype = a.adapts() ? b.dtype() : a.dtype();
  if (!IsInteger(dtype)) {
    return BuildOutput(scope.Named(scope.OpNameOr("truediv")), "RealDiv", {a, b});
  }
  // Small integers fit float exactly; the others need double.
  const DType fraction = DTypeSize(dtype) < 4 ? DType::kFloat : DType::kDouble;
  const Scope inside = scope.OpenScope("truediv");
  const Output x = AsOutput(inside.Named("x"), a, a.is_value() ? dtype : DType::kInvalid);
  const Output y = AsOutput(inside.Named("y"), b, b.is_value() ? dtype : DType::kInvalid);
  const Output fx = Cast(inside, x, fraction);
  const Output fy = Cast(inside, y, fraction);
  return scope(BuildOutput(inside.Named(inside.name_scope()), "RealDiv", {fx, fy}));
}

Output MatMul(ScopeRef scope_ref, const Input& a, const Input& b, bool transpose_a,
              bool transpose_b, bool adjoint_a, bool adjoint_b) {
  const Scope scope = scope_ref.scope();
  if ((transpose_a && adjoint_a) || (transpose_b && adjoint_b)) {
    scope.Fail(
        InvalidArgument("a matrix of MatMul is transposed or its adjoint is taken, not both"));
    return Output();
  }
  if (!scope.ok()) return Output();
  const auto conjugated = [&](const Input& x, bool needed) {
    return needed && IsComplex(x.dtype()) ? Input(BuildOutput(scope.Named(""), "Conj", {x})) : x;
  };
  const auto is_matrix = [](const Input& x) { return x.rank() >= 0 && x.rank() <= 2; };
  if (is_matrix(a) && is_matrix(b)) {
    return BuildOutput(scope, "MatMul", {conjugated(a, adjoint_a), conjugated(b, adjoint_b)},
                       OpAttrs()
                           .Set("transpose_a", transpose_a || adjoint_a)
                           .Set("transpose_b", transpose_b || adjoint_b));
  }
  return BuildOutput(
      scope.Named(scope.OpNameOr("MatMul")), "BatchMatMulV2",
      {conjugated(a, transpose_a), conjugated(b, transpose_b)},
      OpAttrs().Set("adj_x", transpose_a || adjoint_a).Set("adj_y", transpose_b || adjoint_b));
}

Output AddN(ScopeRef scope_ref, const InputList& values) {
  const Scope scope = scope_ref.scope();
  if (values.size() == 0) {
    scope.Fail(
        InvalidArgument("AddN of no tensors", "; is the collection empty, or the filter wrong?"));
    return Output();
  }
  if (values.size() > 1) return BuildOutput(scope, "AddN", {values});
  const Output only = AsOutput(scope, values.items()[0]);
  return scope.OpNameOr("").empty() ? only : Identity(scope, only);
}

Output Cast(ScopeRef scope_ref, const Input& x, DType dtype) {
  const Scope scope = scope_ref.scope();
  if (x.is_value() && (x.adapts() || x.dtype() == dtype)) {
    const Scope inside = scope.OpenScope("Cast");
    return scope(Constant(inside.Named("x"), x, dtype));
  }
  if (x.dtype() == dtype) return scope(x.output());
  return BuildOutput(scope, "Cast", {x}, OpAttrs().Set("DstT", dtype));
}

Output ArgMax(ScopeRef scope, const Input& x, int axis) {
  return BuildOutput(scope.scope(), "ArgMax", {x, axis});
}

#define WB_REDUCTION(Name, op)                                                            \
  Output Name(ScopeRef scope, const Input& x) { return ReduceAll(scope.scope(), op, x); } \
  Output Name(ScopeRef scope, const Input& x, const Input& axis, bool keep_dims) {        \
    return ReduceOver(scope, op, x, axis, keep_dims);                                     \
  }
WB_REDUCTION(ReduceSum, "Sum")
WB_REDUCTION(ReduceMean, "Mean")
WB_REDUCTION(ReduceMax, "Max")
WB_REDUCTION(ReduceMin, "Min")
WB_REDUCTION(ReduceProd, "Prod")
#undef WB_REDUCTION

}  // namespace frontend
}  // namespace warpbeam
