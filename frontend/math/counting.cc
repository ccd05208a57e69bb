#include "frontend/math/counting.h"

#include "frontend/array.h"
#include "frontend/build.h"
#include "frontend/check/assertions.h"
#include "frontend/math.h"
#include "frontend/math/reductions.h"
#include "graph/types/errors.h"

namespace warpbeam {
namespace frontend {
namespace {

Output Behind(const Scope& inside, const std::vector<Operation>& checks, const Output& x) {
  return Identity(inside.ControlDependencies(checks).Named("control_dependency"), x);
}

Output CountedNumber(const Scope& inside, const char* name, const Input& value, DType dtype) {
  if (value.is_value()) return Constant(inside.Named(name), value, dtype);
  return value.output();
}

}  // namespace

Output Bincount(ScopeRef scope_ref, const Output& array, const BincountOptions& options) {
  const Scope scope = scope_ref.scope();
  const Scope inside = scope.OpenScope("bincount");
  if (!scope.ok()) return Output();
  // The size as a constant where it is known.
  const StatusOr<Shape> shape = array.shape().AsShape();
  const Output size = shape.ok()
                          ? Constant(inside.Named("Size"), static_cast<int>(shape->num_elements()))
                          : BuildOutput(inside, "Size", {array});
  const Output some = Cast(inside, Greater(inside, size, 0), DType::kInt32);
  const Output length = Add(inside.Named("add"), ReduceMax(inside, array), 1);
  Output bins = Multiply(inside.Named("mul"), some, length);
  if (options.least.has_value()) {
    const Output least = CountedNumber(inside, "minlength", *options.least, DType::kInt32);
    bins = Maximum(inside, least, bins);
  }
  if (options.most.has_value()) {
    const Output most = CountedNumber(inside, "maxlength", *options.most, DType::kInt32);
    bins = Minimum(inside, most, bins);
  }
  Output weights;
  if (options.weight_of_each.valid()) {
    weights = Reshape(inside, options.weight_of_each, {-1});
  } else {
    weights = BuildOutput(inside, "Const", {},
                          OpAttrs()
                              .Set("dtype", options.count_type)
                              .Set("value", *Tensor::Allocate(options.count_type, Shape({0}))));
  }
  const Output list = Reshape(inside, array, {-1});
  return scope(BuildOutput(inside, "DenseBincount", {list, bins, weights}));
}

Output ConfusionMatrix(ScopeRef scope_ref, const Input& labels, const Input& predictions,
                       const ConfusionMatrixOptions& options) {
  const Scope scope = scope_ref.scope();
  const Scope inside = scope.OpenScope("confusion_matrix");
  Output prediction = Cast(inside, AsOutput(inside, predictions), DType::kInt64);
  Output label = Cast(inside, AsOutput(inside, labels), DType::kInt64);
  const Operation label_check =
      AssertNonNegative(inside, label, "`labels` contains negative values");
  label = Behind(inside, {label_check}, label);
  const Operation prediction_check =
      AssertNonNegative(inside, prediction, "`predictions` contains negative values");
  prediction = Behind(inside, {prediction_check}, prediction);
  if (!scope.ok()) return Output();
  Output classes;
  if (!options.classes.has_value()) {
    const Output greatest =
        Maximum(inside, ReduceMax(inside, prediction), ReduceMax(inside, label));
    classes = Add(inside.Named("add"), greatest, 1);
  } else {
    classes = Cast(inside, AsOutput(inside, *options.classes), DType::kInt64);
    const Operation fits = AssertLess(inside, label, classes, "`labels` out of bound");
    label = Behind(inside, {fits}, label);
    const Operation predictions_fit =
        AssertLess(inside, prediction, classes, "`predictions` out of bound");
    prediction = Behind(inside, {predictions_fit}, prediction);
  }
  const Output shape = Stack(inside, {classes, classes});
  const Output places = Stack(inside, {label, prediction}, 1);
  const Output values = options.weight_of_each.has_value()
                            ? Cast(inside, *options.weight_of_each, options.count_type)
                            : Cast(inside, OnesLike(inside, prediction), options.count_type);
  return scope(BuildOutput(inside, "ScatterNd", {places, values, shape}));
}

Output HistogramFixedWidth(ScopeRef scope_ref, const Input& values, const Input& value_range,
                           const Input& bins, DType dtype) {
  const Scope scope = scope_ref.scope();
  const Scope inside = scope.OpenScope("histogram_fixed_width");
  return scope(BuildOutput(inside.Named(inside.name_scope()), "HistogramFixedWidth",
                           {values, value_range, bins}, OpAttrs().Set("dtype", dtype)));
}

Output HistogramFixedWidthBins(ScopeRef scope_ref, const Output& values, const Input& value_range,
                               int bins, DType dtype) {
  const Scope scope = scope_ref.scope();
  const Scope inside = scope.OpenScope("histogram_fixed_width_bins");
  if (!scope.ok()) return Output();
  if (bins < 1) {
    scope.Fail(InvalidArgument("a histogram needs at least one bin, not ", bins));
    return Output();
  }
  const Output shape = BuildOutput(inside, "Shape", {values});
  const Output list = Reshape(inside, values, {-1});
  const Output range = value_range.is_value()
                           ? Constant(inside.Named("value_range"), value_range, values.dtype())
                           : value_range.output();
  const Output width = BuildOutput(inside.Named("sub"), "Sub",
                                   {ElementAt(inside, range, 1), ElementAt(inside, range, 0)});
  const Output above = BuildOutput(inside.Named("sub"), "Sub", {list, ElementAt(inside, range, 0)});
  const Output scaled = Divide(inside.Named("scaled_values"), above, width);
  const Output number = Floor(inside.Named("indices"), Multiply(inside, scaled, bins));
  const Output bounded = Maximum(inside, Minimum(inside, number, bins - 1), 0);
  return scope(Reshape(inside, Cast(inside, bounded, dtype), shape));
}

UniqueValues Unique(ScopeRef scope, const Input& x, DType index_type) {
  const auto out =
      BuildOutputs(scope.scope(), "Unique", {x}, OpAttrs().Set("out_idx", index_type), 2);
  return {out[0], out[1]};
}

UniqueValuesWithCounts UniqueWithCounts(ScopeRef scope, const Input& x, DType index_type) {
  const auto out =
      BuildOutputs(scope.scope(), "UniqueWithCounts", {x}, OpAttrs().Set("out_idx", index_type), 3);
  return {out[0], out[1], out[2]};
}

ListDifference Setdiff1D(ScopeRef scope, const Input& x, const Input& y, DType index_type) {
  const auto out =
      BuildOutputs(scope.scope(), "ListDiff", {x, y}, OpAttrs().Set("out_idx", index_type), 2);
  return {out[0], out[1]};
}

Output InvertPermutation(ScopeRef scope, const Input& x) {
  return BuildOutput(scope.scope(), "InvertPermutation", {x});
}

}  // namespace frontend
}  // namespace warpbeam
