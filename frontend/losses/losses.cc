#include "frontend/losses/losses.h"

#include "absl/strings/str_cat.h"
#include "frontend/array.h"
#include "frontend/build.h"
#include "frontend/losses/weights_broadcast.h"
#include "frontend/math.h"
#include "frontend/nn.h"
#include "graph/types/errors.h"

namespace warpbeam {
namespace frontend {
namespace losses {
namespace {

// What a loss is of: two tensors of floats of one shape.
struct Pair {
  Output labels, predictions;
};

bool Compatible(const Scope& inside, const Output& labels, const Output& predictions) {
  if (labels.shape().IsCompatibleWith(predictions.shape())) return true;
  inside.Fail(InvalidArgument("the loss '", inside.name_scope(), "': labels '", labels.name(),
                              "' of ", labels.shape().ToString(), " do not fit predictions '",
                              predictions.name(), "' of ", predictions.shape().ToString()));
  return false;
}

Pair PairOf(const Scope& inside, const Input& labels, const Input& predictions,
            DType dtype = DType::kFloat) {
  Pair pair;
  pair.predictions = AsOutput(inside.Named("predictions"), predictions);
  pair.labels = AsOutput(inside.Named("labels"), labels);
  if (!inside.ok()) return Pair();
  pair.predictions = Cast(inside, pair.predictions, dtype);
  pair.labels = Cast(inside, pair.labels, dtype);
  if (!inside.ok() || !Compatible(inside, pair.labels, pair.predictions)) return Pair();
  return pair;
}

// The sum of what is one number already, by name as TensorFlow has it.
Output SumOfScalar(const Scope& inside, const Output& x) {
  const Output rank = RankOf(inside, x);
  const Output axes = BuildOutput(inside.Named("range"), "Range", {0, rank, 1});
  return ReduceSum(inside, x, axes);
}

// 1 for each of the losses whose weight is not 0.
Output PresentElements(const Scope& inside, const Output& losses, const Output& weights) {
  const Output absent = Equal(inside, weights, 0.0f);
  const Output zeros = ZerosOfShapeOf(inside, weights);
  const Output ones = OnesLike(inside, weights);
  const Output present = BuildOutput(inside, "Select", {absent, zeros, ones});
  return BroadcastWeights(inside, present, losses);
}

Output NumberPresent(const Scope& outer, const Output& losses, const Output& weights) {
  const Scope inside = outer.NameScope("num_present");
  const Output each = PresentElements(inside, losses, weights);
  return ReduceSum(inside.Named(inside.name_scope()), each, [&]() -> Input {
    std::vector<int32_t> all;
    for (int i = 0; i < losses.shape().rank(); ++i) all.push_back(i);
    if (losses.shape().has_rank()) return Constant(inside, all);
    return BuildOutput(inside.Named("range"), "Range", {0, RankOf(inside, each), 1});
  }());
}

Output NumberOfElements(const Scope& outer, const Output& losses) {
  const Scope inside = outer.NameScope("num_elements");
  const Output size = BuildOutput(inside.Named(inside.name_scope()), "Size", {losses});
  return Cast(inside, size, DType::kFloat);
}

Output Reduced(const Scope& inside, const Output& losses, const Output& weights,
               Reduction reduction) {
  const Output weighted = Multiply(inside, losses, weights);
  if (reduction == Reduction::kNone || !inside.ok()) return weighted;
  const Output sum = ReduceSum(inside, weighted);
  if (reduction == Reduction::kSum || !inside.ok()) return sum;
  Output count;
  if (reduction == Reduction::kMean) {
    const Output all = Multiply(inside.Named("mul"), OnesLike(inside, losses), weights);
    count = ReduceSum(inside, all);
  } else if (reduction == Reduction::kSumOverBatchSize) {
    count = NumberOfElements(inside, losses);
  } else {
    count = NumberPresent(inside, losses, weights);
  }
  return BuildOutput(inside.Named("value"), "DivNoNan", {SumOfScalar(inside, sum), count});
}

// `inside` is the name scope of the loss.
Output Weighted(const Scope& scope, const Scope& inside, const Output& losses,
                const LossOptions& options) {
  if (!inside.ok()) return Output();
  const Operation fits = AssertBroadcastable(inside, options.loss_weights, losses);
  const Scope after = inside.ControlDependencies({fits});
  const DType dtype = losses.dtype();
  const Output precise = Cast(after, losses, DType::kFloat);
  const Output weights = Cast(after, options.loss_weights, DType::kFloat);
  const Output reduced = Reduced(after, precise, weights, options.loss_reduction);
  if (!inside.ok()) return Output();
  const Output loss = Cast(after, reduced, dtype);
  AddLoss(scope, loss, options.collection);
  return scope(loss);
}

Output Smoothed(const Scope& inside, const Output& labels, double kept, const Input& added) {
  return Add(inside.Named("add"), Multiply(inside.Named("mul"), labels, kept), added);
}

}  // namespace

Output ComputeWeightedLoss(ScopeRef scope_ref, const Input& losses, const LossOptions& options) {
  const Scope scope = scope_ref.scope();
  const Scope inside = scope.OpenScope("weighted_loss");
  return Weighted(scope, inside, AsOutput(inside.Named("losses"), losses), options);
}

Output AbsoluteDifference(ScopeRef scope_ref, const Input& labels, const Input& predictions,
                          const LossOptions& options) {
  const Scope scope = scope_ref.scope();
  const Scope inside = scope.OpenScope("absolute_difference");
  const Pair pair = PairOf(inside, labels, predictions);
  if (!inside.ok()) return Output();
  const Output difference = Subtract(inside, pair.predictions, pair.labels);
  return Weighted(scope, inside, BuildOutput(inside, "Abs", {difference}), options);
}

Output MeanSquaredError(ScopeRef scope_ref, const Input& labels, const Input& predictions,
                        const LossOptions& options) {
  const Scope scope = scope_ref.scope();
  const Scope inside = scope.OpenScope("mean_squared_error");
  const Pair pair = PairOf(inside, labels, predictions);
  if (!inside.ok()) return Output();
  const Output squares = BuildOutput(inside, "SquaredDifference", {pair.predictions, pair.labels});
  return Weighted(scope, inside, squares, options);
}

Output MeanPairwiseSquaredError(ScopeRef scope_ref, const Input& labels, const Input& predictions,
                                const Input& weights, const std::string& loss_collection) {
  const Scope scope = scope_ref.scope();
  const Scope inside = scope.OpenScope("mean_pairwise_squared_error");
  const Output factors = Cast(inside, weights, DType::kFloat);
  const Pair pair = PairOf(inside, labels, predictions);
  if (!inside.ok()) return Output();
  const int rank = pair.predictions.shape().rank();
  if (rank < 1) {
    scope.Fail(InvalidArgument("the loss '", inside.name_scope(),
                               "' must know how many dimensions ",
                               "its predictions have, one or more; '", pair.predictions.name(),
                               "' is ", pair.predictions.shape().ToString()));
    return Output();
  }
  const Operation fits = AssertBroadcastable(inside, factors, pair.labels);
  const Scope after = inside.ControlDependencies({fits});
  std::vector<int32_t> axes;
  for (int i = 1; i < rank; ++i) axes.push_back(i);
  const auto sum = [&](const Output& x) { return ReduceSum(after, x, axes, /*keep_dims=*/true); };
  const auto over = [&](const Output& x, const Output& count) {
    const Output share =
        BuildOutput(after.Named("value"), "DivNoNan", {x, Maximum(after, count, 0.0f)});
    return Multiply(after, 2.0f, share);
  };
  const Output differences = Subtract(after, pair.predictions, pair.labels);
  const Output count = sum(PresentElements(after.NameScope("num_present"), differences, factors));
  const Output others = Subtract(after, count, 1.0f);
  const Output of_squares = over(sum(Square(after, differences)), others);
  const Output of_sums = over(Square(after, sum(differences)), Multiply(after, count, others));
  const Output total =
      ReduceSum(after, Multiply(after, Subtract(after, of_squares, of_sums), factors));
  const Output any = Greater(after, ReduceSum(after, count), 0.0f);
  if (!inside.ok()) return Output();
  const Output loss =
      BuildOutput(after.Named("value"), "Select", {any, total, ZerosOfShapeOf(after, total)});
  AddLoss(scope, loss, loss_collection);
  return scope(loss);
}

Output SoftmaxCrossEntropy(ScopeRef scope_ref, const Input& onehot_labels, const Input& logits,
                           const LossOptions& options, double label_smoothing) {
  const Scope scope = scope_ref.scope();
  const Scope inside = scope.OpenScope("softmax_cross_entropy_loss");
  const Output of_logits = AsOutput(inside.Named("logits"), logits);
  if (!inside.ok()) return Output();
  const Pair pair = PairOf(inside, onehot_labels, of_logits, of_logits.dtype());
  if (!inside.ok()) return Output();
  Output labels = pair.labels;
  if (label_smoothing > 0) {
    const Output shape = BuildOutput(inside, "Shape", {labels});
    const Scope slice = inside.NameScope("strided_slice");
    const int last = labels.shape().has_rank() ? labels.shape().rank() - 1 : -1;
    const auto bound = [&](const char* name, int value) {
      return Constant(slice.Named(name), std::vector<int32_t>{value});
    };
    const Output begin = bound("stack", last), end = bound("stack_1", last + 1);
    const Output count =
        BuildOutput(slice.Named(slice.name_scope()), "StridedSlice",
                    {shape, begin, end, bound("stack_2", 1)}, OpAttrs().Set("shrink_axis_mask", 1));
    const Output classes = Cast(inside, count, of_logits.dtype());
    const Output share = Divide(inside, label_smoothing, classes);
    labels = Smoothed(inside, labels, 1 - label_smoothing, share);
  }
  const Output constant =
      BuildOutput(inside.Named("labels_stop_gradient"), "StopGradient", {labels});
  if (!inside.ok()) return Output();
  return Weighted(
      scope, inside,
      nn::SoftmaxCrossEntropyWithLogitsV2(inside.Named("xentropy"), constant, of_logits), options);
}

Output SparseSoftmaxCrossEntropy(ScopeRef scope_ref, const Input& labels, const Input& logits,
                                 const LossOptions& options) {
  const Scope scope = scope_ref.scope();
  const Scope inside = scope.OpenScope("sparse_softmax_cross_entropy_loss");
  Output of_logits = AsOutput(inside.Named("logits"), logits);
  Output classes = AsOutput(inside.Named("labels"), labels);
  Output weights = AsOutput(inside, options.loss_weights, DType::kFloat);
  if (!inside.ok()) return Output();
  RemoveSqueezableDimensions(inside, &classes, &of_logits, 1);
  // Weights of one dimension more than the labels, too.
  if (weights.shape().rank() == classes.shape().rank() + 1 && classes.shape().has_rank()) {
    RemoveSqueezableDimensions(inside, &classes, &weights);
  }
  if (!inside.ok()) return Output();
  if (classes.shape().has_rank() && of_logits.shape().has_rank() &&
      of_logits.shape().rank() != classes.shape().rank() + 1) {
    scope.Fail(InvalidArgument("the loss '", inside.name_scope(), "': logits '", of_logits.name(),
                               "' of ", of_logits.shape().ToString(),
                               " need one dimension more than labels '", classes.name(), "' of ",
                               classes.shape().ToString()));
    return Output();
  }
  const Output losses =
      nn::SparseSoftmaxCrossEntropyWithLogits(inside.Named("xentropy"), classes, of_logits);
  LossOptions weighted = options;
  weighted.weights(weights);
  return Weighted(scope, inside, losses, weighted);
}

Output SigmoidCrossEntropy(ScopeRef scope_ref, const Input& multi_class_labels, const Input& logits,
                           const LossOptions& options, double label_smoothing) {
  const Scope scope = scope_ref.scope();
  const Scope inside = scope.OpenScope("sigmoid_cross_entropy_loss");
  const Output of_logits = AsOutput(inside.Named("logits"), logits);
  if (!inside.ok()) return Output();
  const Pair pair = PairOf(inside, multi_class_labels, of_logits, of_logits.dtype());
  if (!inside.ok()) return Output();
  const Output labels = label_smoothing > 0 ? Smoothed(inside, pair.labels, 1 - label_smoothing,
                                                       0.5 * label_smoothing)
                                            : pair.labels;
  return Weighted(scope, inside,
                  nn::SigmoidCrossEntropyWithLogits(inside.Named("xentropy"), labels, of_logits),
                  options);
}

Output HingeLoss(ScopeRef scope_ref, const Input& labels, const Input& logits,
                 const LossOptions& options) {
  const Scope scope = scope_ref.scope();
  const Scope inside = scope.OpenScope("hinge_loss");
  const Pair pair = PairOf(inside, labels, logits);
  if (!inside.ok()) return Output();
  const Output ones = OnesLike(inside, pair.labels);
  const Output doubled = Multiply(inside.Named("mul"), 2.0f, pair.labels);
  const Output signs = Subtract(inside, doubled, ones);
  const Output margin = Multiply(inside, signs, pair.predictions);
  return Weighted(scope, inside, nn::Relu(inside, Subtract(inside, ones, margin)), options);
}

Output HuberLoss(ScopeRef scope_ref, const Input& labels, const Input& predictions,
                 const LossOptions& options, double delta) {
  const Scope scope = scope_ref.scope();
  const Scope inside = scope.OpenScope("huber_loss");
  const Pair pair = PairOf(inside, labels, predictions);
  if (!inside.ok()) return Output();
  const Output error =
      BuildOutput(inside, "Abs", {Subtract(inside, pair.predictions, pair.labels)});
  const Output quadratic = Minimum(inside, error, delta);
  const Output linear = Subtract(inside, error, quadratic);
  const Output half = Constant(inside, 0.5f);
  const Output square = Multiply(inside, quadratic, quadratic);
  const Output near = Multiply(inside, half, square);
  const Output far = Multiply(inside, delta, linear);
  return Weighted(scope, inside, Add(inside, near, far), options);
}

Output LogLoss(ScopeRef scope_ref, const Input& labels, const Input& predictions,
               const LossOptions& options, double epsilon) {
  const Scope scope = scope_ref.scope();
  const Scope inside = scope.OpenScope("log_loss");
  const Pair pair = PairOf(inside, labels, predictions);
  if (!inside.ok()) return Output();
  const auto log = [&](const Output& x) {
    return Log(inside, Add(inside.Named("add"), x, epsilon));
  };
  const auto complement = [&](const Output& x) { return Subtract(inside.Named("sub"), 1, x); };
  const Output present = Negative(inside, Multiply(inside, pair.labels, log(pair.predictions)));
  const Output absence = complement(pair.labels);
  const Output absent = Multiply(inside, absence, log(complement(pair.predictions)));
  return Weighted(scope, inside, Subtract(inside.Named("sub"), present, absent), options);
}

Output CosineDistance(ScopeRef scope_ref, const Input& labels, const Input& predictions, int axis,
                      const LossOptions& options) {
  const Scope scope = scope_ref.scope();
  const Scope inside = scope.OpenScope("cosine_distance_loss");
  const Pair pair = PairOf(inside, labels, predictions);
  if (!inside.ok()) return Output();
  const Output products = Multiply(inside, pair.predictions, pair.labels);
  const Output sum = ReduceSum(inside, products, std::vector<int32_t>{axis}, /*keep_dims=*/true);
  return Weighted(scope, inside, Subtract(inside.Named("sub"), 1, sum), options);
}

void AddLoss(const Scope& scope, const Output& loss, const std::string& collection) {
  if (!collection.empty()) AddToCollection(scope, collection, loss);
}

OutputList GetLosses(const Scope& scope, const std::string& filter, const std::string& collection) {
  return GetCollection(scope, collection, filter);
}

OutputList GetRegularizationLosses(const Scope& scope, const std::string& filter) {
  return GetCollection(scope, GraphKeys::kRegularizationLosses, filter);
}

Output GetRegularizationLoss(ScopeRef scope_ref, const std::string& filter) {
  const Scope scope = scope_ref.scope();
  const std::vector<Output> losses = GetRegularizationLosses(scope, filter);
  if (losses.empty()) return Constant(scope, 0.0f);
  return AddN(scope.Named(scope.OpNameOr("total_regularization_loss")), losses);
}

Output GetTotalLoss(ScopeRef scope_ref, bool add_regularization_losses, const std::string& filter) {
  const Scope scope = scope_ref.scope();
  std::vector<Output> losses = GetLosses(scope, filter);
  if (add_regularization_losses) {
    const std::vector<Output> more = GetRegularizationLosses(scope, filter);
    losses.insert(losses.end(), more.begin(), more.end());
  }
  return AddN(scope.Named(scope.OpNameOr("total_loss")), losses);
}

}  // namespace losses

namespace nn {

Output ComputeAverageLoss(ScopeRef scope_ref, const Input& per_example_loss,
                          const std::optional<Input>& sample_weight,
                          const std::optional<Input>& global_batch_size) {
  const Scope scope = scope_ref.scope();
  Output losses = AsOutput(scope.Named("per_example_loss"), per_example_loss);
  if (!scope.ok()) return Output();
  if (losses.shape().rank() == 0) {
    scope.Fail(
        InvalidArgument("ComputeAverageLoss takes the loss of each example, not one number"));
    return Output();
  }
  const Scope unnamed = scope.Named("");
  if (sample_weight.has_value()) {
    Output weights = AsOutput(unnamed, *sample_weight, losses.dtype());
    if (!scope.ok()) return Output();
    weights = Cast(unnamed, weights, losses.dtype());
    if (weights.shape().rank() > 0) RemoveSqueezableDimensions(unnamed, &weights, &losses);
    losses = Multiply(unnamed, losses, weights);
  }
  if (!scope.ok()) return Output();
  const Input count = global_batch_size.has_value()
                          ? *global_batch_size
                          : ElementAt(unnamed, ShapeOf(unnamed, losses), 0);
  const Output sum = ReduceSum(unnamed, losses);
  return BuildOutput(scope.Named(scope.OpNameOr("div_no_nan")), "DivNoNan",
                     {sum, Cast(unnamed, count, losses.dtype())});
}

Output ScaleRegularizationLoss(ScopeRef scope_ref, const Input& regularization_loss,
                               int num_replicas) {
  const Scope scope = scope_ref.scope();
  if (num_replicas < 1) {
    scope.Fail(
        InvalidArgument("ScaleRegularizationLoss needs a replica or more, got ", num_replicas));
    return Output();
  }
  return Divide(scope, ReduceSum(scope.Named(""), regularization_loss), num_replicas);
}

}  // namespace nn
}  // namespace frontend
}  // namespace warpbeam
