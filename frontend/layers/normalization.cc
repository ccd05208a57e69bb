#include "frontend/layers/normalization.h"

#include <algorithm>
#include <cmath>

#include "frontend/array.h"
#include "frontend/build.h"
#include "frontend/collections.h"
#include "frontend/control_flow/cond.h"
#include "frontend/graph_state.h"
#include "frontend/layers/layer_scope.h"
#include "frontend/math.h"
#include "frontend/nn.h"
#include "graph/types/errors.h"

namespace warpbeam {
namespace frontend {
namespace layers {
namespace {

// What normalizes in one step: by the batch or by the moving averages.
struct Normalized {
  Output y, mean, variance;
};

class BatchNormalizer {
 public:
  BatchNormalizer(const Scope& layer, const Output& x, int axis,
                  const BatchNormalizationOptions& options)
      : layer_(layer), x_(x), axis_(axis), rank_(x.shape().rank()), options_(options) {}

  Output Build(const Training& training);

 private:
  void MakeVariables();
  Variable MovingAverage(const char* name, const Initializer& initial, DType dtype);
  bool IsFused() const;
  Normalized Fused(const Scope& scope, bool training) const;
  Normalized Composed(const Scope& scope, bool training) const;
  Normalized Either(const Scope& scope, const Training& training) const;
  Output Broadcast(const Scope& scope, const Output& v) const;
  std::vector<int32_t> ReductionAxes() const;
  Output Moved(const Variable& average, const Output& value, const Input& decay) const;

  const Scope layer_;
  const Output x_;
  const int axis_;
  const int rank_;
  const BatchNormalizationOptions& options_;
  Variable beta_, gamma_, moving_mean_, moving_variance_;
};

Variable BatchNormalizer::MovingAverage(const char* name, const Initializer& initial, DType dtype) {
  // What operations move is one variable, whatever the scope's partitioner says.
  const Scope whole = layer_.SameVariableScope(VariableScopeOptions());
  whole.context().variables->partitioner = nullptr;
  return GetVariable(whole, name, {x_.shape().dim(axis_)},
                     GetVariableOptions()
                         .dtype(dtype)
                         .initializer(initial)
                         .collections(options_.names.collections)
                         .trainable(false));
}

void BatchNormalizer::MakeVariables() {
  const bool narrow = IsHalfPrecision(x_.dtype());
  const DType dtype = narrow ? DType::kFloat : x_.dtype();
  const auto weights = [&](const char* name, const Initializer& given, const Initializer& otherwise,
                           const Regularizer& regularizer) {
    return GetVariable(layer_, name, {x_.shape().dim(axis_)},
                       GetVariableOptions()
                           .dtype(dtype)
                           .initializer(given.has_value() ? given : otherwise)
                           .regularizer(regularizer)
                           .collections(options_.names.collections)
                           .trainable(options_.is_trainable));
  };
  if (options_.has_gamma) {
    gamma_ = weights("gamma", options_.initializer_of_gamma, OnesInitializer(),
                     options_.regularizer_of_gamma);
  }
  if (options_.has_beta) {
    beta_ = weights("beta", options_.initializer_of_beta, ZerosInitializer(),
                    options_.regularizer_of_beta);
  }
  moving_mean_ = MovingAverage("moving_mean", ZerosInitializer(), dtype);
  moving_variance_ = MovingAverage("moving_variance", OnesInitializer(), dtype);
}

bool BatchNormalizer::IsFused() const {
  const bool possible = rank_ == 4 && (axis_ == 1 || axis_ == 3) && x_.dtype() != DType::kDouble;
  return possible && options_.is_fused.value_or(true);
}

std::vector<int32_t> BatchNormalizer::ReductionAxes() const {
  std::vector<int32_t> axes;
  for (int i = 0; i < rank_; ++i) {
    if (i != axis_) axes.push_back(i);
  }
  return axes;
}

Normalized BatchNormalizer::Fused(const Scope& scope, bool training) const {
  const Shape channels({x_.shape().dim(axis_)});
  const Output gamma =
      options_.has_gamma ? scope(gamma_.read()) : Constant(scope, 1.0f, DType::kFloat, channels);
  const Output beta =
      options_.has_beta ? scope(beta_.read()) : Constant(scope, 0.0f, DType::kFloat, channels);
  const Output mean = training ? Constant(scope, std::vector<float>()) : scope(moving_mean_.read());
  const Output variance =
      training ? Constant(scope, std::vector<float>()) : scope(moving_variance_.read());
  // What cuDNN asks for at least.
  const double epsilon = std::max(options_.epsilon_value, 1.001e-5);
  const std::vector<Output> outputs =
      BuildOutputs(scope, "FusedBatchNormV3", {x_, gamma, beta, mean, variance},
                   OpAttrs()
                       .Set("epsilon", static_cast<float>(epsilon))
                       .Set("data_format", axis_ == 1 ? "NCHW" : "NHWC")
                       .Set("is_training", training),
                   3);
  if (!training) return {outputs[0], moving_mean_, moving_variance_};
  return {outputs[0], outputs[1], outputs[2]};
}

// Gives `v` the shape that goes with the inputs where channels are not the last dimension.
Output BatchNormalizer::Broadcast(const Scope& scope, const Output& v) const {
  if (!v.valid() || axis_ == rank_ - 1) return v;
  std::vector<int32_t> shape(rank_, 1);
  shape[axis_] = static_cast<int32_t>(x_.shape().dim(axis_));
  return Reshape(scope, v, shape);
}

Normalized BatchNormalizer::Composed(const Scope& scope, bool training) const {
  // Narrow inputs are normalized in the type of the weights.
  const Output x = Cast(scope, x_, moving_mean_.dtype());
  nn::MeanAndVariance moments{moving_mean_, moving_variance_};
  if (training) moments = nn::Moments(scope, x, ReductionAxes());
  const Output offset = options_.has_beta ? Broadcast(scope, beta_.read()) : Output();
  const Output gamma = options_.has_gamma ? Broadcast(scope, gamma_.read()) : Output();
  if (!scope.ok()) return Normalized();
  const Output wide = nn::BatchNormalization(scope, x, Broadcast(scope, moments.mean),
                                             Broadcast(scope, moments.variance), offset, gamma,
                                             options_.epsilon_value);
  if (!scope.ok()) return Normalized();
  const Output y = Cast(scope, wide, x_.dtype());
  return {y, moments.mean, moments.variance};
}

Normalized BatchNormalizer::Either(const Scope& scope, const Training& training) const {
  const auto one = [&](const Scope& inside, bool is_training) {
    return IsFused() ? Fused(inside, is_training) : Composed(inside, is_training);
  };
  if (training.is_known()) return one(scope, training.value());
  const auto branch = [&](bool is_training) {
    return [&, is_training](const Scope& inside) {
      const Normalized built = one(inside, is_training);
      return std::vector<Output>{built.y, built.mean, built.variance};
    };
  };
  const std::vector<Output> taken = Cond(scope, training.tensor(), branch(true), branch(false));
  if (taken.size() != 3) return Normalized();
  return {taken[0], taken[1], taken[2]};
}

// average -= (average - value) * decay.
Output BatchNormalizer::Moved(const Variable& average, const Output& value,
                              const Input& decay) const {
  const Scope inside = layer_.NameScope("AssignMovingAvg");
  const Scope beside = inside.ColocateWith(average.op());
  const Output rate =
      decay.is_value() ? Constant(beside.Named("decay"), decay, average.dtype()) : decay.output();
  const Output delta =
      Multiply(beside.Named("mul"), Subtract(beside.Named("sub"), average, value), rate);
  return BuildOutput(inside.Named(inside.name_scope()), "AssignSub", {average, delta});
}

Output BatchNormalizer::Build(const Training& training) {
  MakeVariables();
  if (!layer_.ok()) return Output();
  Normalized normalized = Either(layer_, training);
  if (!layer_.ok()) return Output();
  const bool never = training.is_known() && !training.value();
  if (!never) {
    const double decay = 1 - options_.moving_momentum;
    Input rate = decay;
    if (!training.is_known()) {
      // Outside of training nothing moves.
      const Output moves = Cast(layer_, training.tensor(), moving_mean_.dtype());
      rate = Multiply(layer_.Named("decay"), moves, decay);
    }
    const Output mean = Moved(moving_mean_, normalized.mean, rate);
    const Output variance = Moved(moving_variance_, normalized.variance, rate);
    if (options_.outputs_wait) {
      const Scope after = layer_.ControlDependencies({mean.op(), variance.op()});
      normalized.y = Identity(after, normalized.y);
    } else {
      AddToCollection(layer_, GraphKeys::kUpdateOps, mean);
      AddToCollection(layer_, GraphKeys::kUpdateOps, variance);
    }
  }
  if (normalized.y.valid()) normalized.y.set_shape(x_.shape());
  return normalized.y;
}

}  // namespace

Output BatchNormalization(ScopeRef scope_ref, const Input& inputs, const Training& training,
                          const BatchNormalizationOptions& options) {
  const Scope scope = scope_ref.scope();
  const Scope layer = OpenLayer(scope, "batch_normalization", options.names, options.reuse_mode);
  const Output x = AsOutput(layer.Named("inputs"), inputs);
  if (CheckedExtent(layer, x, options.channel_axis) < 0) return Output();
  const int rank = x.shape().rank();
  const int axis = options.channel_axis < 0 ? options.channel_axis + rank : options.channel_axis;
  if (rank < 2 || axis < 1 || !IsFloating(x.dtype())) {
    scope.Fail(InvalidArgument(
        Describe(layer, x), " takes a batch (two or more dimensions) of a float type, and its ",
        "axis is not the first; got ", DTypeName(x.dtype()), ", axis ", options.channel_axis));
    return Output();
  }
  Output y;
  if (options.rows_are_fused && rank == 2 && x.dtype() != DType::kDouble) {
    const int32_t channels = static_cast<int32_t>(x.shape().dim(1));
    const Output pixels =
        Reshape(layer, x, Constant(layer, std::vector<int32_t>{-1, 1, 1, channels}));
    y = BatchNormalizer(layer, pixels, 3, options).Build(training);
    if (!y.valid()) return y;
    y = Reshape(layer, y, BuildOutput(layer, "Shape", {x}));
    if (y.valid()) y.set_shape(x.shape());
  } else {
    y = BatchNormalizer(layer, x, axis, options).Build(training);
  }
  if (options.activation_function && y.valid()) y = options.activation_function(layer, y);
  return y.valid() ? scope(y) : y;
}

HandleList<Operation> UpdateOps(const Scope& scope, const std::string& filter) {
  std::vector<Operation> operations;
  for (const CollectionItem& item : GetCollectionItems(scope, GraphKeys::kUpdateOps, filter)) {
    if (const Operation* op = item.get<Operation>()) operations.push_back(*op);
    if (const Output* output = item.get<Output>()) operations.push_back(output->op());
  }
  return operations;
}

Output LayerNorm(ScopeRef scope_ref, const Input& inputs, const LayerNormOptions& options) {
  const Scope scope = scope_ref.scope();
  const Scope layer = OpenLayer(scope, "LayerNorm", options.reuse_mode);
  const Output x = AsOutput(layer.Named("inputs"), inputs);
  if (CheckedExtent(layer, x, options.params_axis) < 0) return Output();
  const int rank = x.shape().rank();
  const int norm = options.norm_axis < 0 ? options.norm_axis + rank : options.norm_axis;
  const int params = options.params_axis < 0 ? options.params_axis + rank : options.params_axis;
  const PartialShape of_x = x.shape();
  const std::vector<int64_t> dims(of_x.dims().begin() + params, of_x.dims().end());
  const StatusOr<Shape> shape = Shape::Make(dims);
  if (norm < 0 || norm >= rank || !shape.ok()) {
    scope.Fail(InvalidArgument(Describe(layer, x), " needs to know the dimensions from ",
                               options.params_axis, " on, and normalizes from dimension ",
                               options.norm_axis, " on"));
    return Output();
  }
  const auto weights = [&](const char* name, const Initializer& initializer) {
    return GetVariable(layer, name, *shape,
                       GetVariableOptions()
                           .dtype(x.dtype())
                           .initializer(initializer)
                           .trainable(options.is_trainable)
                           .collections({GraphKeys::kGlobalVariables, GraphKeys::kModelVariables}));
  };
  Output beta, gamma;
  if (options.has_beta) beta = weights("beta", ZerosInitializer());
  if (options.has_gamma) gamma = weights("gamma", OnesInitializer());
  if (!scope.ok()) return Output();
  std::vector<int32_t> axes;
  for (int i = norm; i < rank; ++i) axes.push_back(i);
  const nn::MeanAndVariance moments = nn::Moments(layer, x, axes, /*keep_dims=*/true);
  const double epsilon = x.dtype() == DType::kHalf ? 1e-3 : 1e-12;
  Output y = nn::BatchNormalization(layer, x, moments.mean, moments.variance, beta, gamma, epsilon);
  if (!y.valid()) return Output();
  y.set_shape(x.shape());
  return scope(options.activation_function ? options.activation_function(layer, y) : y);
}

}  // namespace layers
}  // namespace frontend
}  // namespace warpbeam
