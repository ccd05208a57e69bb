#include "frontend/nn/moments.h"

#include <set>

#include "frontend/array.h"
#include "frontend/build.h"
#include "frontend/math.h"
#include "graph/types/errors.h"

namespace warpbeam {
namespace frontend {
namespace nn {
namespace {

// How many numbers lie along `axes`, in the type of x.
Output CountAlong(const Scope& inside, const Output& x, const std::vector<int32_t>& axes) {
  const PartialShape shape = x.shape();
  int64_t count = 1;
  for (const int32_t axis : axes) {
    const int index = axis < 0 && shape.has_rank() ? axis + shape.rank() : axis;
    if (!shape.has_rank() || index < 0 || index >= shape.rank() || shape.dim(index) < 0) {
      count = -1;
      break;
    }
    count *= shape.dim(index);
  }
  if (count >= 0) return Constant(inside.Named("Const"), static_cast<double>(count), x.dtype());
  const Output rank = RankOf(inside, x);
  std::vector<Input> places;
  for (const int32_t axis : axes) {
    places.push_back(axis < 0 ? Input(Add(inside.Named("add"), rank, axis)) : Input(axis));
  }
  const Output extents = Cast(inside, BuildOutput(inside, "Shape", {x}), x.dtype());
  const Output along =
      BuildOutput(inside, "GatherV2", {extents, Stack(inside, InputList(places)), 0});
  return ReduceProd(inside.Named("count"), along);
}

Output Squeezed(const Scope& inside, const Output& x, const std::vector<int32_t>& axes) {
  return BuildOutput(inside, "Squeeze", {x},
                     OpAttrs().Set("squeeze_dims", std::vector<int64_t>(axes.begin(), axes.end())));
}

}  // namespace

SufficientStatisticsResult SufficientStatistics(ScopeRef scope_ref, const Input& x,
                                                const std::vector<int32_t>& axes,
                                                const Output& shift, bool keep_dims) {
  const Scope scope = scope_ref.scope();
  const Scope inside = scope.OpenScope("sufficient_statistics");
  const Output tensor = AsOutput(inside.Named("x"), x);
  if (!scope.ok()) return {};
  const std::set<int32_t> sorted(axes.begin(), axes.end());
  const std::vector<int32_t> each(sorted.begin(), sorted.end());
  SufficientStatisticsResult result;
  result.shift = shift;
  result.count = scope(CountAlong(inside, tensor, each));
  Output values = tensor, squares;
  if (shift.valid()) {
    values = BuildOutput(inside, "Sub", {tensor, shift});
    squares = BuildOutput(inside, "SquaredDifference", {tensor, shift});
  } else {
    squares = Square(inside, tensor);
  }
  result.mean_ss = scope(ReduceSum(inside.Named("mean_ss"), values, each, keep_dims));
  result.variance_ss = scope(ReduceSum(inside.Named("var_ss"), squares, each, keep_dims));
  return result;
}

MeanAndVariance NormalizeMoments(ScopeRef scope_ref, const Input& counts, const Input& mean_ss,
                                 const Input& variance_ss, const Output& shift) {
  const Scope scope = scope_ref.scope();
  const Scope inside = scope.OpenScope("normalize");
  const Output divisor = BuildOutput(inside.Named("divisor"), "Reciprocal", {counts});
  const Output shifted =
      Multiply(inside.Named(shift.valid() ? "shifted_mean" : "mean"), mean_ss, divisor);
  const Output mean = shift.valid() ? Add(inside.Named("mean"), shifted, shift) : shifted;
  const Output of_squares = Multiply(inside, variance_ss, divisor);
  const Output variance = Subtract(inside.Named("variance"), of_squares, Square(inside, shifted));
  return {scope(mean), scope(variance)};
}

MeanAndVariance WeightedMoments(ScopeRef scope_ref, const Input& x,
                                const std::vector<int32_t>& axes, const Input& frequency_weights,
                                bool keep_dims) {
  const Scope scope = scope_ref.scope();
  const Scope inside = scope.OpenScope("weighted_moments");
  Output tensor = AsOutput(inside.Named("x"), x);
  Output weights = AsOutput(inside.Named("frequency_weights"), frequency_weights);
  if (!scope.ok()) return {};
  const bool narrow = tensor.dtype() == DType::kHalf;
  if (narrow) tensor = Cast(inside, tensor, DType::kFloat);
  weights = Cast(inside, weights, tensor.dtype());
  const auto times = [&](const Output& a, const Output& b) {
    return BuildOutput(inside.Named("mul"), "Mul", {a, b});
  };
  const auto sum = [&](const char* name, const Output& values) {
    return ReduceSum(inside.Named(name), values, axes, /*keep_dims=*/true);
  };
  const auto over = [&](const Output& a, const Output& b) {
    return BuildOutput(inside.Named("div_no_nan"), "DivNoNan", {a, b});
  };
  const Output weighted = sum("weighted_input_sum", times(weights, tensor));
  const Output each =
      BuildOutput(inside.Named("add"), "AddV2", {weights, ZerosOfShapeOf(inside, tensor)});
  const Output total = sum("sum_of_weights", each);
  Output mean = over(weighted, total);
  const Output squares = BuildOutput(inside, "SquaredDifference", {tensor, mean});
  Output variance = over(sum("weighted_distsq", times(weights, squares)), total);
  if (!keep_dims) {
    mean = Squeezed(inside, mean, axes);
    variance = Squeezed(inside, variance, axes);
  }
  if (narrow) {
    mean = Cast(inside, mean, DType::kHalf);
    variance = Cast(inside, variance, DType::kHalf);
  }
  return {scope(mean), scope(variance)};
}

FusedBatchNormResult FusedBatchNorm(ScopeRef scope_ref, const Input& x, const Input& scale,
                                    const Input& offset, const FusedBatchNormOptions& options) {
  const Scope scope = scope_ref.scope();
  const bool given = options.given_mean.valid() && options.given_variance.valid();
  if (scope.ok() && !given && (!options.training || options.average_factor != 1)) {
    scope.Fail(InvalidArgument("FusedBatchNorm needs a mean and a variance where it is not ",
                               "training, or averages"));
  }
  if (!scope.ok()) return {};
  const auto or_empty = [&](const Output& value) {
    return value.valid() ? value
                         : Constant(scope.Named("Const"), std::vector<float>{}, DType::kFloat);
  };
  const Output mean = or_empty(options.given_mean), variance = or_empty(options.given_variance);
  const std::vector<Output> results =
      BuildOutputs(scope, "FusedBatchNormV3", {x, scale, offset, mean, variance},
                   OpAttrs()
                       .Set("epsilon", static_cast<float>(options.epsilon_value))
                       .Set("exponential_avg_factor", static_cast<float>(options.average_factor))
                       .Set("data_format", options.format)
                       .Set("is_training", options.training),
                   6);
  return {results[0], results[1], results[2]};
}

Output BatchNormWithGlobalNormalization(ScopeRef scope, const Input& t, const Input& m,
                                        const Input& v, const Output& beta, const Output& gamma,
                                        double variance_epsilon, bool scale_after_normalization) {
  return BatchNormalization(scope, t, m, v, beta, scale_after_normalization ? gamma : Output(),
                            variance_epsilon);
}

}  // namespace nn
}  // namespace frontend
}  // namespace warpbeam
