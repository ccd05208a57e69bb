#include "frontend/metrics/label_pair.h"

#include "frontend/build.h"
#include "frontend/losses/weights_broadcast.h"
#include "frontend/math.h"
#include "graph/types/errors.h"

namespace warpbeam {
namespace frontend {
namespace metrics {

LabelPair MakeLabelPair(const Scope& scope, const Input& labels, const Input& predictions,
                        DType dtype) {
  LabelPair pair;
  pair.predictions = AsOutput(scope.Named("predictions"), predictions);
  pair.labels = AsOutput(scope.Named("labels"), labels);
  if (!scope.ok()) return LabelPair();
  const DType wanted = dtype == DType::kInvalid ? pair.predictions.dtype() : dtype;
  const Scope unnamed = scope.Named("");
  pair.predictions = Cast(unnamed, pair.predictions, wanted);
  if (dtype != DType::kInvalid) pair.labels = Cast(unnamed, pair.labels, wanted);
  RemoveSqueezableDimensions(unnamed, &pair.labels, &pair.predictions);
  if (!scope.ok()) return LabelPair();
  if (!pair.labels.shape().IsCompatibleWith(pair.predictions.shape())) {
    scope.Fail(InvalidArgument("metric: labels '", pair.labels.name(), "' of ",
                               pair.labels.shape().ToString(), " do not fit predictions '",
                               pair.predictions.name(), "' of ",
                               pair.predictions.shape().ToString()));
    return LabelPair();
  }
  if (dtype == DType::kInvalid && pair.labels.dtype() != wanted) {
    pair.predictions = Cast(unnamed, pair.predictions, pair.labels.dtype());
  }
  return pair;
}

}  // namespace metrics
}  // namespace frontend
}  // namespace warpbeam
