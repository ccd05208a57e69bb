#include "frontend/nn.h"

#include "frontend/array.h"
#include "frontend/build.h"
#include "frontend/control_flow/cond.h"
#include "frontend/graph_state.h"
#include "frontend/math.h"
#include "frontend/nn/per_dimension.h"
#include "frontend/random.h"

namespace warpbeam {
namespace frontend {
namespace nn {
namespace {

// The losses of a batch as the op takes it: labels of one dimension, logits of two.
Output LossesOfRows(const Scope& scope, const Output& labels, const Output& logits) {
  return BuildOutput(scope, "SparseSoftmaxCrossEntropyWithLogits", {logits, labels});
}

Output LossesOfAnyRank(const Scope& scope, const Scope& rows_scope, const Output& labels,
                       const Output& logits, const Output& labels_shape) {
  const PartialShape known = logits.shape();
  Output classes;
  if (known.has_rank() && known.dim(known.rank() - 1) >= 0) {
    classes =
        Constant(scope, std::vector<int32_t>{-1, static_cast<int>(known.dim(known.rank() - 1))});
  } else {
    const Output last = BuildOutput(scope, "Sub", {RankOf(scope, logits), 1});
    const Output count = BuildOutput(scope, "GatherV2", {ShapeOf(scope, logits), last, 0});
    classes = Stack(scope, {Constant(scope, -1), count});
  }
  const Output rows = Reshape(scope, logits, classes);
  const Output flat = Reshape(scope, labels, {-1});
  return Reshape(scope, LossesOfRows(rows_scope, flat, rows), labels_shape);
}

Output Pool(const Scope& scope, const char* op, const Input& x, const std::vector<int64_t>& ksize,
            const std::vector<int64_t>& strides, const std::string& padding,
            const std::string& data_format) {
  const auto first = ChannelsFirst(data_format, 2);
  const auto window = PerDimension("the sizes of a window", ksize, 2, first.value_or(false));
  const auto steps = PerDimension("strides", strides, 2, first.value_or(false));
  Status status = CheckPadding(padding, false);
  if (status.ok()) status = first.status();
  if (status.ok()) status = window.status();
  if (status.ok()) status = steps.status();
  if (!status.ok()) {
    scope.Fail(Annotate(status, op));
    return Output();
  }
  return BuildOutput(scope, op, {x},
                     OpAttrs()
                         .Set("ksize", *window)
                         .Set("strides", *steps)
                         .Set("padding", padding)
                         .Set("data_format", data_format));
}

// The number that a value is; none for outputs and lists.
std::optional<double> NumberOf(const Input& input) {
  if (!input.is_value()) return std::nullopt;
  const StatusOr<Tensor> value = input.ValueAs(DType::kDouble);
  if (!value.ok() || value->rank() != 0) return std::nullopt;
  return value->scalar<double>();
}

// x / keep_prob where what is drawn is at least `rate`, which is 1 - keep_prob.
Output KeepSome(const Scope& inside, const Output& x, const Input& rate,
                const DropoutOptions& options) {
  Output scaled;
  if (const auto number = NumberOf(rate)) {
    const Output factor = Constant(inside.Named("Const"), 1 / (1 - *number), x.dtype());
    scaled = Multiply(inside, x, factor);
  } else {
    const Output one = Constant(inside.Named("Const"), 1, x.dtype());
    const Output keep_prob = Subtract(inside, one, rate);
    scaled = BuildOutput(inside.Named("RealDiv"), "RealDiv", {x, keep_prob});
  }
  const Input shape = options.noise.has_value() ? Input(*options.noise) : ShapeOf(inside, x);
  const Output drawn = RandomUniform(inside, shape, 0, 1, x.dtype(), options.op_seed);
  const Output kept = GreaterEqual(inside, drawn, rate);
  const Output zero = Constant(inside.Named("Const"), 0, x.dtype());
  return BuildOutput(inside, "SelectV2", {kept, scaled, zero});
}

// The rows of all outer dimensions together, as a matrix of two dimensions.
Output FlattenOuter(const Scope& inside, const Output& x) {
  const Output rank = RankOf(inside, x);
  const Output shape = ShapeOf(inside, x);
  const Output last = BuildOutput(inside.Named("Sub"), "Sub", {rank, 1});
  const Scope slice = inside.NameScope("Slice");
  const Output begin = Stack(slice.Named("begin"), {last});
  const Output size =
      BuildOutput(slice.Named(slice.name_scope()), "Slice", {shape, begin, std::vector<int>{1}});
  return Reshape(inside, x, Concat(inside, {Input(std::vector<int>{-1}), size}, 0));
}

Output SoftmaxLosses(const Scope& inside, const Output& labels, const Output& logits) {
  const DType dtype = logits.dtype();
  const Output precise = IsHalfPrecision(dtype) ? Cast(inside, logits, DType::kFloat) : logits;
  const Output precise_labels = Cast(inside, labels, precise.dtype());
  const Output rank = RankOf(inside, precise);
  const Output shape = ShapeOf(inside, logits);
  const Output rows = FlattenOuter(inside, precise);
  const Output label_rows = FlattenOuter(inside, precise_labels);
  const Output losses = BuildOutput(inside.Named(inside.name_scope()),
                                    "SoftmaxCrossEntropyWithLogits", {rows, label_rows});
  const Output last = BuildOutput(inside.Named("Sub"), "Sub", {rank, 1});
  const Scope slice = inside.NameScope("Slice");
  const Output begin = Constant(slice.Named("begin"), std::vector<int>{0});
  const Output size = Stack(slice.Named("size"), {last});
  const Output outer = BuildOutput(slice.Named(slice.name_scope()), "Slice", {shape, begin, size});
  const Output result = Reshape(inside, losses, outer);
  if (!inside.ok()) return Output();
  const PartialShape known = logits.shape();
  if (known.has_rank() && known.rank() > 0) {
    result.set_shape(
        PartialShape(std::vector<int64_t>(known.dims().begin(), known.dims().end() - 1)));
  }
  return IsHalfPrecision(dtype) ? Cast(inside, result, dtype) : result;
}

Output CountNonzero(const Scope& scope, const Output& x, DType dtype) {
  const Scope inside = scope.NameScope("count_nonzero");
  const Output zero = Zeros(inside, Shape(), x.dtype());
  const Output nonzero = NotEqual(inside, x, zero);
  return ReduceSum(inside.Named("nonzero_count"), Cast(inside, nonzero, dtype));
}

}  // namespace

Output Conv2D(ScopeRef scope_ref, const Input& x, const Input& filter,
              const std::vector<int64_t>& strides, const std::string& padding,
              const Conv2DOptions& options) {
  const Scope scope = scope_ref.scope();
  const auto first = ChannelsFirst(options.format, 2);
  const auto steps = PerDimension("strides", strides, 2, first.value_or(false));
  const auto dilations = PerDimension("dilations", options.dilation_list, 2, first.value_or(false));
  Status status = CheckPadding(padding, true);
  if (status.ok()) status = first.status();
  if (status.ok()) status = steps.status();
  if (status.ok()) status = dilations.status();
  if (!status.ok()) {
    scope.Fail(Annotate(status, "Conv2D"));
    return Output();
  }
  return BuildOutput(scope, "Conv2D", {x, filter},
                     OpAttrs()
                         .Set("strides", *steps)
                         .Set("padding", padding)
                         .Set("explicit_paddings", options.paddings)
                         .Set("data_format", options.format)
                         .Set("dilations", *dilations));
}

Output MaxPool(ScopeRef scope, const Input& x, const std::vector<int64_t>& ksize,
               const std::vector<int64_t>& strides, const std::string& padding,
               const std::string& data_format) {
  return Pool(scope.scope(), "MaxPool", x, ksize, strides, padding, data_format);
}

Output AvgPool(ScopeRef scope, const Input& x, const std::vector<int64_t>& ksize,
               const std::vector<int64_t>& strides, const std::string& padding,
               const std::string& data_format) {
  return Pool(scope.scope(), "AvgPool", x, ksize, strides, padding, data_format);
}

Output LocalResponseNormalization(ScopeRef scope, const Input& x, int64_t depth_radius, double bias,
                                  double alpha, double beta) {
  return BuildOutput(scope.scope(), "LRN", {x},
                     OpAttrs()
                         .Set("depth_radius", depth_radius)
                         .Set("bias", static_cast<float>(bias))
                         .Set("alpha", static_cast<float>(alpha))
                         .Set("beta", static_cast<float>(beta)));
}

#define WB_ACTIVATION(Name) \
  Output Name(ScopeRef scope, const Input& x) { return BuildOutput(scope.scope(), #Name, {x}); }
WB_ACTIVATION(Relu)
WB_ACTIVATION(Relu6)
WB_ACTIVATION(Elu)
WB_ACTIVATION(Selu)
WB_ACTIVATION(Sigmoid)
WB_ACTIVATION(Tanh)
WB_ACTIVATION(Softplus)
WB_ACTIVATION(Softsign)
#undef WB_ACTIVATION

Output SoftmaxFunction::operator()(ScopeRef scope_ref, const Input& logits, int axis) const {
  const Scope scope = scope_ref.scope();
  if (axis == -1) return BuildOutput(scope, op, {logits});
  const int rank = logits.rank();
  if (axis == rank - 1) return BuildOutput(scope, op, {logits});
  if (rank < 0 || axis < -rank || axis >= rank) {
    scope.Fail(
        InvalidArgument(op, " over the dimension ", axis, " of a tensor of ",
                        rank < 0 ? "an unknown rank" : std::to_string(rank) + " dimensions"));
    return Output();
  }
  std::vector<int32_t> swapped(static_cast<size_t>(rank));
  for (int i = 0; i < rank; ++i) swapped[i] = i;
  std::swap(swapped[axis < 0 ? axis + rank : axis], swapped.back());
  const Scope inside = scope.OpenScope(op);
  const Output last = BuildOutput(inside, op, {Transpose(inside, logits, swapped)});
  return scope(Transpose(inside, last, swapped));
}

Output LeakyReluFunction::operator()(ScopeRef scope, const Input& x, double alpha) const {
  return BuildOutput(scope.scope(), "LeakyRelu", {x},
                     OpAttrs().Set("alpha", static_cast<float>(alpha)));
}

Output SwishFunction::operator()(ScopeRef scope_ref, const Input& x, const Input& beta) const {
  const Scope scope = scope_ref.scope();
  const Output features = AsOutput(scope.Named("features"), x);
  if (!scope.ok()) return Output();
  const Scope unnamed = scope.Named("");
  const Output factor = Cast(unnamed, AsOutput(scope.Named("beta"), beta), features.dtype());
  const auto times = [&](const Output& a, const Output& b) {
    return BuildOutput(unnamed.Named("mul"), "Mul", {a, b});
  };
  return times(features, nn::Sigmoid(unnamed, times(factor, features)));
}

Output Silu(ScopeRef scope, const Input& x) { return Swish(scope, x); }

Output CreluFunction::operator()(ScopeRef scope_ref, const Input& x, int axis) const {
  const Scope scope = scope_ref.scope();
  const Scope inside = scope.OpenScope("CRelu");
  const Output negative = Negative(inside, x);
  const Output both = Concat(inside.Named(inside.name_scope()), {x, negative}, axis);
  return scope(Relu(inside, both));
}

Output BiasAdd(ScopeRef scope, const Input& x, const Input& bias) {
  return BuildOutput(scope.scope(), "BiasAdd", {x, bias});
}

Output XwPlusB(ScopeRef scope_ref, const Input& x, const Input& weights, const Input& biases) {
  const Scope scope = scope_ref.scope();
  const Scope inside = scope.OpenScope("xw_plus_b");
  return scope(BiasAdd(inside.Named(inside.name_scope()), MatMul(inside, x, weights), biases));
}

Output ReluLayer(ScopeRef scope_ref, const Input& x, const Input& weights, const Input& biases) {
  const Scope scope = scope_ref.scope();
  const Scope inside = scope.OpenScope("relu_layer");
  const Output sum = BiasAdd(inside, MatMul(inside, x, weights), biases);
  return scope(Relu(inside.Named(inside.name_scope()), sum));
}

Output L2Loss(ScopeRef scope, const Input& x) { return BuildOutput(scope.scope(), "L2Loss", {x}); }

Output L2Normalize(ScopeRef scope_ref, const Input& x, const Input& axis, double epsilon) {
  const Scope scope = scope_ref.scope();
  const Scope inside = scope.OpenScope("l2_normalize");
  const Output tensor = AsOutput(inside.Named("x"), x);
  const Output sum = ReduceSum(inside, Square(inside, tensor), axis, /*keep_dims=*/true);
  const Output inverse = BuildOutput(inside, "Rsqrt", {Maximum(inside, sum, epsilon)});
  return scope(Multiply(inside.Named(inside.name_scope()), tensor, inverse));
}

Output ZeroFraction(ScopeRef scope_ref, const Input& x) {
  const Scope scope = scope_ref.scope();
  const Scope inside = scope.OpenScope("zero_fraction");
  const Output value = AsOutput(inside.Named("value"), x);
  if (!scope.ok()) return Output();
  const PartialShape known = value.shape();
  const Output size =
      known.IsFullyDefined()
          ? Constant(inside.Named("Size"), known.num_elements(), DType::kInt64)
          : BuildOutput(inside, "Size", {value}, OpAttrs().Set("out_type", DType::kInt64));
  // Counting in 32 bits is faster.
  const Output fits = LessEqual(inside, size, int64_t{0x7fffffff});
  const std::vector<Output> nonzero = Cond(
      inside, fits,
      [&](const Scope& s) -> std::vector<Output> {
        return {Cast(s, CountNonzero(s, value, DType::kInt32), DType::kInt64)};
      },
      [&](const Scope& s) -> std::vector<Output> {
        return {CountNonzero(s, value, DType::kInt64)};
      });
  if (!scope.ok()) return Output();
  const Scope fraction = inside.NameScope("counts_to_fraction");
  const Output zeros = BuildOutput(fraction.Named("sub"), "Sub", {size, nonzero[0]});
  const Output part = Cast(fraction, zeros, DType::kFloat);
  const Output whole = Cast(fraction, size, DType::kFloat);
  return scope(Identity(inside.Named("fraction"), Divide(fraction, part, whole)));
}

Output Dropout(ScopeRef scope_ref, const Input& x, const Input& keep_prob,
               const DropoutOptions& options) {
  const Scope scope = scope_ref.scope();
  const auto number = NumberOf(keep_prob);
  if (number.has_value() && !(*number > 0 && *number <= 1)) {
    scope.Fail(InvalidArgument("Dropout: keep_prob must be in (0, 1], got ", *number));
    return Output();
  }
  const Scope unnamed = scope.Named("");
  return DropoutByRate(scope, x,
                       number.has_value()
                           ? Input(1 - *number)
                           : BuildOutput(unnamed.Named("sub"), "Sub", {1, keep_prob}),
                       options);
}

Output DropoutByRate(ScopeRef scope_ref, const Input& x, const Input& rate,
                     const DropoutOptions& options) {
  const Scope scope = scope_ref.scope();
  const Scope inside = scope.OpenScope("dropout");
  const Output tensor = AsOutput(inside.Named("x"), x);
  if (!scope.ok()) return Output();
  const auto number = NumberOf(rate);
  if (number.has_value() && !(*number >= 0 && *number < 1)) {
    scope.Fail(InvalidArgument("Dropout: the rate must be in [0, 1), got ", *number));
    return Output();
  }
  if (IsInteger(tensor.dtype())) {
    scope.Fail(InvalidArgument("Dropout scales what it keeps, so '", tensor.name(),
                               "' must be a floating-point tensor, not ",
                               DTypeName(tensor.dtype())));
    return Output();
  }
  if (number == 0.0) return scope(tensor);
  return scope(KeepSome(inside, tensor, rate, options));
}

Output InTopK(ScopeRef scope_ref, const Input& predictions, const Input& targets, int64_t k) {
  const Scope scope = scope_ref.scope();
  const Scope inside = scope.OpenScope("in_top_k");
  return scope(
      BuildOutput(inside.Named(scope.OpNameOr("InTopKV2")), "InTopKV2", {predictions, targets, k}));
}

MeanAndVariance Moments(ScopeRef scope_ref, const Input& x, const std::vector<int32_t>& axes,
                        bool keep_dims) {
  const Scope scope = scope_ref.scope();
  const Scope inside = scope.OpenScope("moments");
  const Output tensor = AsOutput(inside.Named("x"), x);
  if (!scope.ok()) return MeanAndVariance();
  const bool narrow = tensor.dtype() == DType::kHalf;
  const Output precise = narrow ? Cast(inside, tensor, DType::kFloat) : tensor;
  Output mean = ReduceMean(inside.Named("mean"), precise, axes, /*keep_dims=*/true);
  const Output fixed = BuildOutput(inside, "StopGradient", {mean});
  const Output squares = BuildOutput(inside, "SquaredDifference", {precise, fixed});
  Output variance = ReduceMean(inside.Named("variance"), squares, axes, /*keep_dims=*/true);
  if (!keep_dims) {
    const OpAttrs dims =
        OpAttrs().Set("squeeze_dims", std::vector<int64_t>(axes.begin(), axes.end()));
    mean = BuildOutput(inside, "Squeeze", {mean}, dims);
    variance = BuildOutput(inside, "Squeeze", {variance}, dims);
  }
  if (narrow) {
    mean = Cast(inside, mean, DType::kHalf);
    variance = Cast(inside, variance, DType::kHalf);
  }
  return {scope(mean), scope(variance)};
}

Output BatchNormalization(ScopeRef scope_ref, const Input& x, const Input& mean,
                          const Input& variance, const Output& offset, const Output& scale,
                          double variance_epsilon) {
  const Scope scope = scope_ref.scope();
  const Scope inside = scope.OpenScope("batchnorm");
  const auto times = [&](const Input& a, const Input& b) {
    return BuildOutput(inside.Named("mul"), "Mul", {a, b});
  };
  const Output safe = BuildOutput(inside.Named("add"), "AddV2", {variance, variance_epsilon});
  Output inverse = BuildOutput(inside, "Rsqrt", {safe});
  if (scale.valid()) inverse = times(inverse, scale);
  const Output scaled = times(x, inverse);
  const Output shift = offset.valid()
                           ? BuildOutput(inside.Named("sub"), "Sub", {offset, times(mean, inverse)})
                           : times(Negative(inside, mean), inverse);
  return scope(BuildOutput(inside.Named("add"), "AddV2", {scaled, shift}));
}

Output SparseSoftmaxCrossEntropyWithLogits(ScopeRef scope_ref, const Input& labels,
                                           const Input& logits) {
  const Scope scope = scope_ref.scope();
  constexpr char kName[] = "SparseSoftmaxCrossEntropyWithLogits";
  const Scope inside = scope.OpenScope(kName);
  // A name that was given is both the name scope's and the operation's.
  const Scope rows = inside.Named(scope.OpNameOr(kName));
  const Output label_tensor = AsOutput(inside.Named("labels"), labels);
  const Output logit_tensor = AsOutput(inside.Named("logits"), logits);
  if (!scope.ok()) return Output();
  const DType dtype = logit_tensor.dtype();
  const bool narrow = IsHalfPrecision(dtype);
  const Output precise = narrow ? Cast(inside, logit_tensor, DType::kFloat) : logit_tensor;
  const Output shape = ShapeOf(inside, label_tensor);
  const Output losses = precise.shape().rank() == 2
                            ? LossesOfRows(rows, label_tensor, precise)
                            : LossesOfAnyRank(inside, rows, label_tensor, precise, shape);
  return scope(narrow ? Cast(inside, losses, dtype) : losses);
}

Output SoftmaxCrossEntropyWithLogits(ScopeRef scope_ref, const Input& labels, const Input& logits) {
  const Scope scope = scope_ref.scope();
  const Scope inside = scope.OpenScope("softmax_cross_entropy_with_logits_sg");
  const Output fixed = BuildOutput(inside.Named("labels_stop_gradient"), "StopGradient", {labels});
  const Output logit_tensor = AsOutput(inside.Named("logits"), logits);
  return scope.ok() ? scope(SoftmaxLosses(inside, fixed, logit_tensor)) : Output();
}

Output SoftmaxCrossEntropyWithLogitsV2(ScopeRef scope_ref, const Input& labels,
                                       const Input& logits) {
  const Scope scope = scope_ref.scope();
  const Scope inside = scope.OpenScope("softmax_cross_entropy_with_logits");
  const Output logit_tensor = AsOutput(inside.Named("logits"), logits);
  const Output label_tensor = AsOutput(inside.Named("labels"), labels);
  return scope.ok() ? scope(SoftmaxLosses(inside, label_tensor, logit_tensor)) : Output();
}

Output SigmoidCrossEntropyWithLogits(ScopeRef scope_ref, const Input& labels, const Input& logits) {
  const Scope scope = scope_ref.scope();
  const Scope inside = scope.OpenScope("logistic_loss");
  const Output x = AsOutput(inside.Named("logits"), logits);
  const Output z = AsOutput(inside.Named("labels"), labels);
  if (!scope.ok()) return Output();
  // max(x, 0) - x * z + log(1 + exp(-|x|)), with gradients that are right at 0 too.
  const Output zeros = ZerosOfShapeOf(inside, x);
  const Output positive = GreaterEqual(inside, x, zeros);
  const Output largest = BuildOutput(inside, "Select", {positive, x, zeros});
  const Output smallest = BuildOutput(inside, "Select", {positive, Negative(inside, x), x});
  const Output linear = BuildOutput(inside.Named("sub"), "Sub",
                                    {largest, BuildOutput(inside.Named("mul"), "Mul", {x, z})});
  const Output log = BuildOutput(inside, "Log1p", {Exp(inside, smallest)});
  return scope(Add(inside.Named(inside.name_scope()), linear, log));
}

Output WeightedCrossEntropyWithLogits(ScopeRef scope_ref, const Input& labels, const Input& logits,
                                      const Input& pos_weight) {
  const Scope scope = scope_ref.scope();
  const Scope inside = scope.OpenScope("logistic_loss");
  const Output x = AsOutput(inside.Named("logits"), logits);
  const Output z = AsOutput(inside.Named("labels"), labels);
  if (!scope.ok()) return Output();
  const auto number = NumberOf(pos_weight);
  const Input extra = number.has_value() ? Input(*number - 1)
                                         : BuildOutput(inside.Named("sub"), "Sub", {pos_weight, 1});
  const Output weighted = BuildOutput(inside.Named("mul"), "Mul", {extra, z});
  const Output weight = BuildOutput(inside.Named("add"), "AddV2", {1, weighted});
  const Output negative = BuildOutput(inside.Named("sub"), "Sub", {1, z});
  const Output linear = BuildOutput(inside.Named("mul"), "Mul", {negative, x});
  const Output smallest = Negative(inside, BuildOutput(inside, "Abs", {x}));
  const Output log = BuildOutput(inside, "Log1p", {Exp(inside, smallest)});
  const Output largest = Relu(inside, Negative(inside, x));
  const Output softplus = BuildOutput(inside.Named("add"), "AddV2", {log, largest});
  const Output loss = BuildOutput(inside.Named("mul"), "Mul", {weight, softplus});
  return scope(Add(inside.Named(inside.name_scope()), linear, loss));
}

Output LogPoissonLoss(ScopeRef scope_ref, const Input& targets, const Input& log_input,
                      bool compute_full_loss) {
  const Scope scope = scope_ref.scope();
  const Scope inside = scope.OpenScope("log_poisson_loss");
  const Output x = AsOutput(inside.Named("log_input"), log_input);
  const Output z = AsOutput(inside.Named("targets"), targets);
  if (!scope.ok()) return Output();
  if (!x.shape().IsCompatibleWith(z.shape())) {
    scope.Fail(InvalidArgument("LogPoissonLoss: targets '", z.name(), "' of ", z.shape().ToString(),
                               " do not fit log_input '", x.name(), "' of ", x.shape().ToString()));
    return Output();
  }
  const auto op = [&](const char* name, const char* type, const Input& a, const Input& b) {
    return BuildOutput(inside.Named(name), type, {a, b});
  };
  const Output loss = op("sub", "Sub", Exp(inside, x), op("mul", "Mul", x, z));
  if (!compute_full_loss) return scope(loss);
  constexpr double kTwoPi = 6.283185307179586;
  const Output half = Constant(inside, 0.5, z.dtype());
  const Output circle = Constant(inside, kTwoPi, z.dtype());
  const Output product = op("sub", "Sub", op("mul", "Mul", z, Log(inside, z)), z);
  const Output root = op("mul", "Mul", half, Log(inside, op("mul", "Mul", circle, z)));
  const Output stirling = op("add", "AddV2", product, root);
  const Output zeros = ZerosOfShapeOf(inside, z), ones = OnesLike(inside, z);
  const Output small =
      op("LogicalAnd", "LogicalAnd", GreaterEqual(inside, z, zeros), LessEqual(inside, z, ones));
  const Output more = BuildOutput(inside, "Select", {small, zeros, stirling});
  return scope(op("add", "AddV2", loss, more));
}

}  // namespace nn
}  // namespace frontend
}  // namespace warpbeam
