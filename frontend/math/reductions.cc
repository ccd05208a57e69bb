#include "frontend/math/reductions.h"

#include <limits>
#include <optional>

#include "frontend/array.h"
#include "frontend/build.h"
#include "frontend/math.h"

namespace warpbeam {
namespace frontend {
namespace {

// The axes that a reduction goes over; none: all.
using Axes = std::optional<Input>;

// The argument of a reduction over all axes.
Output AllAxes(const Scope& scope, const Input& x) {
  const Scope unnamed = scope.Named("");
  const int rank = x.rank();
  if (rank < 0) return BuildOutput(unnamed.Named("range"), "Range", {0, RankOf(unnamed, x), 1});
  std::vector<int32_t> all;
  for (int i = 0; i < rank; ++i) all.push_back(i);
  return Constant(unnamed, all);
}

Output Reduce(const Scope& scope, const char* op, const Input& x, const Axes& axes,
              bool keep_dims = false) {
  if (!scope.ok()) return Output();
  const OpAttrs attrs = OpAttrs().Set("keep_dims", keep_dims);
  if (axes.has_value()) return BuildOutput(scope, op, {x, *axes}, attrs);
  return BuildOutput(scope, op, {x, AllAxes(scope, x)}, attrs);
}

Output LogSumExp(const Scope& scope, const Input& x, const Axes& axes, bool keep_dims) {
  const Scope inside = scope.OpenScope("ReduceLogSumExp");
  const Output value = AsOutput(inside, x);
  if (!scope.ok()) return Output();
  const Output greatest = Reduce(inside, "Max", value, axes, /*keep_dims=*/true);
  const Output finite = BuildOutput(inside, "IsFinite", {greatest});
  const Output shift =
      BuildOutput(inside, "StopGradient", {BuildOutput(inside, "SelectV2", {finite, greatest, 0})});
  const Output shifted = BuildOutput(inside.Named("Sub"), "Sub", {value, shift});
  const Output sum = Reduce(inside, "Sum", Exp(inside, shifted), axes, keep_dims);
  const Output logarithm = Log(inside, sum);
  Output back = shift;
  if (!keep_dims) {
    back = Reshape(inside, shift, BuildOutput(inside, "Shape", {logarithm}));
  }
  return scope(Add(inside.Named(inside.name_scope()), logarithm, back));
}

Output NonzeroCount(const Scope& scope, const Output& x, const Axes& axes, bool keep_dims,
                    DType dtype) {
  const Scope inside = scope.OpenScope("count_nonzero");
  if (!scope.ok()) return Output();
  const Output zero = x.dtype() == DType::kString ? Constant(inside.Named("zeros"), "")
                                                  : Zeros(inside, Shape(), x.dtype());
  const Output nonzero = Cast(inside, NotEqual(inside, x, zero), DType::kInt64);
  return scope(Cast(inside, Reduce(inside, "Sum", nonzero, axes, keep_dims), dtype));
}

Output Variance(const Scope& scope, const Input& x, const Axes& axes, bool keep_dims) {
  const Scope inside = scope.OpenScope("reduce_variance");
  const Output mean = Reduce(inside, "Mean", x, axes, /*keep_dims=*/true);
  const Output apart = BuildOutput(inside.Named("sub"), "Sub", {x, mean});
  return scope(Reduce(inside, "Mean", Square(inside, apart), axes, keep_dims));
}

Output Deviation(const Scope& scope, const Input& x, const Axes& axes, bool keep_dims) {
  const Scope inside = scope.OpenScope("reduce_std");
  return scope(BuildOutput(inside, "Sqrt", {Variance(inside, x, axes, keep_dims)}));
}

Output Cumulative(ScopeRef scope, const char* op, const Input& x, const Input& axis,
                  const CumulativeOptions& options) {
  return BuildOutput(
      scope.scope(), op, {x, axis},
      OpAttrs().Set("exclusive", options.is_exclusive).Set("reverse", options.is_reverse));
}

}  // namespace

#define WB_REDUCTION(Name, reduce)                                                     \
  Output Name(ScopeRef scope_ref, const Input& x) {                                    \
    const Scope scope = scope_ref.scope();                                             \
    const bool keep_dims = false;                                                      \
    const Axes axes;                                                                   \
    return reduce;                                                                     \
  }                                                                                    \
  Output Name(ScopeRef scope_ref, const Input& x, const Input& axis, bool keep_dims) { \
    const Scope scope = scope_ref.scope();                                             \
    const Axes axes = axis;                                                            \
    return reduce;                                                                     \
  }
WB_REDUCTION(ReduceAll, Reduce(scope, "All", x, axes, keep_dims))
WB_REDUCTION(ReduceAny, Reduce(scope, "Any", x, axes, keep_dims))
WB_REDUCTION(ReduceLogSumExp, LogSumExp(scope, x, axes, keep_dims))

Output CountNonzero(ScopeRef scope, const Output& x, DType dtype) {
  return NonzeroCount(scope.scope(), x, std::nullopt, /*keep_dims=*/false, dtype);
}

Output CountNonzero(ScopeRef scope, const Output& x, const Input& axis, bool keep_dims,
                    DType dtype) {
  return NonzeroCount(scope.scope(), x, axis, keep_dims, dtype);
}

Output AccumulateN(ScopeRef scope, const InputList& values) { return AddN(scope.scope(), values); }

Output ArgMin(ScopeRef scope, const Input& x, int axis, DType output_type) {
  return BuildOutput(scope.scope(), "ArgMin", {x, axis}, OpAttrs().Set("output_type", output_type));
}

Output Cumsum(ScopeRef scope, const Input& x, const Input& axis, const CumulativeOptions& options) {
  return Cumulative(scope, "Cumsum", x, axis, options);
}

Output Cumprod(ScopeRef scope, const Input& x, const Input& axis,
               const CumulativeOptions& options) {
  return Cumulative(scope, "Cumprod", x, axis, options);
}

namespace math {

Output CumulativeLogsumexp(ScopeRef scope, const Input& x, const Input& axis,
                           const CumulativeOptions& options) {
  return Cumulative(scope, "CumulativeLogsumexp", x, axis, options);
}

WB_REDUCTION(ReduceEuclideanNorm, Reduce(scope, "EuclideanNorm", x, axes, keep_dims))
WB_REDUCTION(ReduceVariance, Variance(scope, x, axes, keep_dims))
WB_REDUCTION(ReduceStd, Deviation(scope, x, axes, keep_dims))
#undef WB_REDUCTION

}  // namespace math
}  // namespace frontend
}  // namespace warpbeam
