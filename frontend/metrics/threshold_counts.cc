#include "frontend/metrics/threshold_counts.h"

#include "frontend/array.h"
#include "frontend/build.h"
#include "frontend/losses/weights_broadcast.h"
#include "frontend/math.h"
#include "frontend/metrics/label_pair.h"

namespace warpbeam {
namespace frontend {
namespace metrics {
namespace {

Operation AssertProbabilities(const Scope& inside, const Output& x) {
  const Output above = GreaterEqual(inside, x, 0.0f);
  const Output below = LessEqual(inside, x, 1.0f);
  const Output within = ReduceProd(
      inside, Cast(inside, BuildOutput(inside, "LogicalAnd", {above, below}), DType::kInt32));
  return BuildOp(
      inside, "Assert",
      {Equal(inside, within, 1), InputList({Input("predictions must be in [0, 1]: "), Input(x)})});
}

Output RowOf(const Scope& inside, const Output& x) { return Reshape(inside, x, {1, -1}); }

}  // namespace

ThresholdCounts::ThresholdCounts(const Scope& inside, const Input& labels, const Input& predictions,
                                 const std::vector<float>& thresholds, const MetricOptions& options)
    : inside_(inside), num_thresholds_(static_cast<int>(thresholds.size())) {
  const Output given = AsOutput(inside.Named("predictions"), predictions);
  const Output truths = Cast(inside, labels, DType::kBool);
  const LabelPair pair = MakeLabelPair(inside, truths, given, DType::kFloat);
  if (!inside.ok()) return;
  const Operation fits = AssertProbabilities(inside, pair.predictions);
  const Scope after = inside.ControlDependencies({fits});
  const Output scores = RowOf(after, Identity(after, pair.predictions));
  truth_ = RowOf(inside, Cast(inside, pair.labels, DType::kBool));
  const Output columns = Constant(inside, thresholds, DType::kFloat, Shape({num_thresholds_, 1}));
  positive_ = Greater(inside, scores, columns);
  negative_ = BuildOutput(inside, "LogicalNot", {positive_});
  untruth_ = BuildOutput(inside, "LogicalNot", {truth_});
  if (!options.metric_weights.has_value()) return;
  const Output w = AsOutput(inside.Named("weights"), *options.metric_weights, DType::kFloat);
  weights_ = BroadcastWeights(inside, Cast(inside, w, DType::kFloat), pair.predictions);
  weights_ = RowOf(inside, weights_);
}

Variable ThresholdCounts::MakeVariable(const char* name) const {
  return MetricVariable(inside_, name, {num_thresholds_});
}

Output ThresholdCounts::Update(const Variable& variable, bool truth, bool decided) const {
  const Output& a = truth ? truth_ : untruth_;
  const Output& b = decided ? positive_ : negative_;
  Output hits = Cast(inside_, BuildOutput(inside_, "LogicalAnd", {a, b}), DType::kFloat);
  if (weights_.valid()) hits = Multiply(inside_, hits, weights_);
  return BuildOutput(inside_, "AssignAdd", {variable, ReduceSum(inside_, hits, 1)});
}

}  // namespace metrics
}  // namespace frontend
}  // namespace warpbeam
