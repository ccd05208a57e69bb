#include "frontend/layers/sampled_losses.h"

#include <vector>

#include "frontend/array.h"
#include "frontend/build.h"
#include "frontend/math.h"
#include "frontend/nn.h"
#include "graph/types/errors.h"

namespace warpbeam {
namespace frontend {
namespace nn {
namespace {

// Logits and labels of the right classes, then of the sampled ones.
struct SampledLogits {
  Output logits;
  Output labels;
};

class SampledLogitsBuilder {
 public:
  SampledLogitsBuilder(const Scope& inside, const SampledLossOptions& options, int64_t num_sampled,
                       int64_t num_classes, bool removes_hits)
      : s_(inside),
        options_(options),
        num_sampled_(num_sampled),
        num_classes_(num_classes),
        removes_hits_(options.removes_hits.value_or(removes_hits)) {}

  SampledLogits Build(const InputList& weights, const InputList& biases, const Input& labels,
                      const Input& inputs) {
    if (s_.ok() && (options_.true_classes < 1 || num_sampled_ < 1 || num_classes_ < 1)) {
      s_.Fail(InvalidArgument("the loss '", s_.name_scope(), "' needs one class or more of each ",
                              "kind, got num_true=", options_.true_classes,
                              ", num_sampled=", num_sampled_, ", num_classes=", num_classes_));
    }
    labels_ = AsOutput(s_.Named("labels"), labels, DType::kInt64);
    inputs_ = AsOutput(s_.Named("inputs"), inputs);
    if (!s_.ok()) return {};
    if (labels_.dtype() != DType::kInt64) labels_ = Cast(s_, labels_, DType::kInt64);
    const SampledClasses sampled =
        Stopped(options_.sampled.has_value() ? *options_.sampled : Draw());
    if (!s_.ok()) return {};
    LookUp(weights, biases, sampled.classes);
    if (!s_.ok()) return {};
    Output right = Add(s_, DotsWithRight(), Reshape(s_, right_biases_, {-1, num_true()}));
    Output wrong = Add(s_, MatMul(s_, inputs_, wrong_weights_, false, true), wrong_biases_);
    if (removes_hits_) wrong = Add(s_, wrong, Hits(sampled.classes));
    // What a class gains by being drawn often.
    right = Subtract(s_, right, Log(s_, sampled.true_expected_count));
    wrong = Subtract(s_, wrong, Log(s_, sampled.sampled_expected_count));
    if (!s_.ok()) return {};
    SampledLogits made;
    made.logits = Concat(s_, {right, wrong}, 1);
    const Output share =
        Divide(s_, OnesLike(s_, right), static_cast<double>(options_.true_classes));
    made.labels = Concat(s_, {share, ZerosLike(s_, wrong)}, 1);
    return made;
  }

 private:
  int num_true() const { return static_cast<int>(options_.true_classes); }

  SampledClasses Draw() const {
    return LogUniformCandidateSampler(s_, labels_, options_.true_classes, num_sampled_,
                                      /*unique=*/true, num_classes_, options_.op_seed);
  }

  SampledClasses Stopped(const SampledClasses& drawn) const {
    const auto stop = [&](const Output& x) { return BuildOutput(s_, "StopGradient", {x}); };
    return {stop(drawn.classes), stop(drawn.true_expected_count),
            stop(drawn.sampled_expected_count)};
  }

  Output Slice(const Output& x, const Input& begin, const Input& size) const {
    return BuildOutput(s_, "Slice", {x, begin, size});
  }

  // Weights and biases of the right and of the sampled classes, each table read once.
  void LookUp(const InputList& weights, const InputList& biases, const Output& sampled) {
    const Output right = Reshape(s_, labels_, {-1});
    const Output all = Concat(s_, {right, sampled}, 0);
    const Output all_weights = EmbeddingLookup(s_, weights, all, options_.strategy);
    const Output all_biases = EmbeddingLookup(s_, biases, all, options_.strategy);
    const Output count = ShapeOf(s_, right);  // [batch * num_true]
    const Output rows = Concat(s_, {Input(count), Input(std::vector<int32_t>{-1})}, 0);
    const Output after = Concat(s_, {Input(count), Input(std::vector<int32_t>{0})}, 0);
    right_weights_ = Slice(all_weights, std::vector<int32_t>{0, 0}, rows);
    wrong_weights_ = Slice(all_weights, after, std::vector<int32_t>{-1, -1});
    right_biases_ = Slice(all_biases, std::vector<int32_t>{0}, count);
    wrong_biases_ = Slice(all_biases, count, std::vector<int32_t>{-1});
  }

  // The product of each example with each of its right classes.
  Output DotsWithRight() const {
    const Output shape = ShapeOf(s_, inputs_);
    const Output dim =
        BuildOutput(s_, "Slice", {shape, std::vector<int32_t>{1}, std::vector<int32_t>{1}});
    const Output by_example =
        Concat(s_, {Input(std::vector<int32_t>{-1, num_true()}), Input(dim)}, 0);
    const Output products =
        Multiply(s_, ExpandDims(s_, inputs_, 1), Reshape(s_, right_weights_, by_example));
    return ReduceSum(s_, products, 2);
  }

  // Next to minus infinity where a sampled class is a right one of the example.
  Output Hits(const Output& sampled) const {
    const AccidentalHits hits = ComputeAccidentalHits(s_, labels_, sampled, options_.true_classes);
    if (!s_.ok()) return Output();
    const auto column = [&](const Output& x) { return Reshape(s_, x, {-1, 1}); };
    const Output places =
        Concat(s_, {column(hits.indices), column(Cast(s_, hits.ids, DType::kInt32))}, 1);
    const Output examples = BuildOutput(
        s_, "Slice", {ShapeOf(s_, labels_), std::vector<int32_t>{0}, std::vector<int32_t>{1}});
    const Output shape = Concat(
        s_, {Input(examples), Input(std::vector<int32_t>{static_cast<int32_t>(num_sampled_)})}, 0);
    return BuildOutput(s_, "SparseToDense", {places, shape, hits.weights, 0.0f},
                       OpAttrs().Set("validate_indices", false));
  }

  const Scope s_;
  const SampledLossOptions& options_;
  const int64_t num_sampled_, num_classes_;
  const bool removes_hits_;
  Output labels_, inputs_;
  Output right_weights_, wrong_weights_, right_biases_, wrong_biases_;
};

}  // namespace

Output NceLoss(ScopeRef scope_ref, const InputList& weights, const InputList& biases,
               const Input& labels, const Input& inputs, int64_t num_sampled, int64_t num_classes,
               const SampledLossOptions& options) {
  const Scope scope = scope_ref.scope();
  const Scope inside = scope.OpenScope("nce_loss");
  const SampledLogits made = SampledLogitsBuilder(inside, options, num_sampled, num_classes, false)
                                 .Build(weights, biases, labels, inputs);
  if (!scope.ok()) return Output();
  const Output losses = SigmoidCrossEntropyWithLogits(inside, made.labels, made.logits);
  return scope(ReduceSum(inside, losses, 1));
}

Output SampledSoftmaxLoss(ScopeRef scope_ref, const InputList& weights, const InputList& biases,
                          const Input& labels, const Input& inputs, int64_t num_sampled,
                          int64_t num_classes, const SampledLossOptions& options) {
  const Scope scope = scope_ref.scope();
  const Scope inside = scope.OpenScope("sampled_softmax_loss");
  const SampledLogits made = SampledLogitsBuilder(inside, options, num_sampled, num_classes, true)
                                 .Build(weights, biases, labels, inputs);
  if (!scope.ok()) return Output();
  return scope(SoftmaxCrossEntropyWithLogits(inside, made.labels, made.logits));
}

}  // namespace nn
}  // namespace frontend
}  // namespace warpbeam
