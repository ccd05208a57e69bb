#include "frontend/contrib/layers.h"

#include <cmath>

#include "absl/strings/ascii.h"
#include "frontend/array.h"
#include "frontend/build.h"
#include "frontend/collections.h"
#include "frontend/graph_state.h"
#include "frontend/layers/convolution.h"
#include "frontend/layers/dense.h"
#include "frontend/layers/dropout.h"
#include "frontend/layers/pooling.h"
#include "graph/types/errors.h"

namespace warpbeam {
namespace frontend {
namespace contrib {
namespace layers {
namespace {

namespace core = ::warpbeam::frontend::layers;

core::LayerNames NamesOf(const char* layer) {
  core::LayerNames names;
  names.layer = layer;
  names.kernel = "weights";
  names.bias = "biases";
  names.collections = {GraphKeys::kGlobalVariables, GraphKeys::kModelVariables};
  return names;
}

// The names of layers in arg scopes.
constexpr char kFullyConnected[] = "contrib.layers.fully_connected";
constexpr char kConv2D[] = "contrib.layers.conv2d";
constexpr char kBatchNorm[] = "contrib.layers.batch_norm";

// What the scope says of the layer, and over that what its options do.
template <typename Options>
Options InScope(const Scope& scope, const char* layer, const Options& given) {
  const auto found = scope.context().defaults.find(layer);
  if (found == scope.context().defaults.end()) return given;
  return static_cast<const Options*>(found->second.get())->With(given);
}

template <typename Options>
Scope WithOptions(const Scope& scope, const char* layer, const Options& options) {
  return scope.WithDefaults(layer, std::make_shared<const Options>(InScope(scope, layer, options)));
}

// `inner` where it has been said.
template <typename T>
void TakeOver(const std::optional<T>& inner, std::optional<T>* outer) {
  if (inner.has_value()) *outer = inner;
}

// contrib's options as those of the layer of frontend/layers.
template <typename Options>
Options AsCore(const LayerOptions& given, const char* layer) {
  Options options;
  const Activation normalizer = given.normalizer.value_or(nullptr);
  const Activation activation = given.activation.value_or(nn::Relu);
  const Initializer biases = given.initializer_of_biases.value_or(ZerosInitializer());
  options.naming(NamesOf(layer))
      .use_bias(biases.has_value() && !normalizer)
      .kernel_initializer(given.initializer_of_weights.value_or(XavierInitializer()))
      .bias_initializer(biases)
      .kernel_regularizer(given.regularizer_of_weights.value_or(Regularizer()))
      .bias_regularizer(given.regularizer_of_biases.value_or(Regularizer()))
      .trainable(given.is_trainable.value_or(true));
  if (given.is_reused.has_value()) options.reuse(*given.is_reused);
  options.activation([normalizer, activation](const Scope& scope, const Output& x) {
    const Output y = normalizer ? normalizer(scope, x) : x;
    return activation && y.valid() ? activation(scope, y) : y;
  });
  return options;
}

// "channels_last" for "NHWC"; what is neither is the layer's to refuse.
std::string LayoutOf(const std::string& format) {
  return format == "NHWC" ? "channels_last" : format == "NCHW" ? "channels_first" : format;
}

core::PoolOptions PoolOptionsOf(const std::string& padding, const std::string& format) {
  return core::PoolOptions().padding(absl::AsciiStrToLower(padding)).data_format(LayoutOf(format));
}

// The scope under `fallback` where the program named none.
Scope NamedOr(const Scope& scope, const char* fallback) {
  return scope.Named(scope.OpNameOr(fallback));
}

}  // namespace

Initializer VarianceScalingInitializer(double factor, FanMode mode, bool uniform,
                                       std::optional<int64_t> seed) {
  return Initializer([=](const Scope& scope, const Shape& shape, DType dtype) {
    const Fans fans = ComputeFans(shape);
    const double fan = mode == FanMode::kIn    ? fans.in
                       : mode == FanMode::kOut ? fans.out
                                               : (fans.in + fans.out) / 2;
    if (!(factor > 0) || !(fan > 0)) {
      scope.Fail(InvalidArgument("an initializer that scales the variance needs a factor and ",
                                 "weights: the factor is ", factor, ", the shape ",
                                 shape.ToString()));
      return Output();
    }
    if (uniform) {
      const double limit = std::sqrt(3 * factor / fan);
      return RandomUniformInitializer(-limit, limit, seed)(scope, shape, dtype);
    }
    // Without the values beyond two deviations the deviation would be smaller.
    const double stddev = std::sqrt(1.3 * factor / fan);
    return TruncatedNormalInitializer(0, stddev, seed)(scope, shape, dtype);
  });
}

Initializer XavierInitializer(bool uniform, std::optional<int64_t> seed) {
  return VarianceScalingInitializer(1, FanMode::kAverage, uniform, seed);
}

LayerOptions LayerOptions::With(const LayerOptions& inner) const {
  LayerOptions both = *this;
  TakeOver(inner.activation, &both.activation);
  TakeOver(inner.normalizer, &both.normalizer);
  TakeOver(inner.initializer_of_weights, &both.initializer_of_weights);
  TakeOver(inner.initializer_of_biases, &both.initializer_of_biases);
  TakeOver(inner.regularizer_of_weights, &both.regularizer_of_weights);
  TakeOver(inner.regularizer_of_biases, &both.regularizer_of_biases);
  TakeOver(inner.is_trainable, &both.is_trainable);
  TakeOver(inner.is_reused, &both.is_reused);
  TakeOver(inner.strides, &both.strides);
  TakeOver(inner.rates, &both.rates);
  TakeOver(inner.padding_name, &both.padding_name);
  TakeOver(inner.format, &both.format);
  return both;
}

BatchNormOptions BatchNormOptions::With(const BatchNormOptions& inner) const {
  BatchNormOptions both = *this;
  TakeOver(inner.moving_decay, &both.moving_decay);
  TakeOver(inner.has_beta, &both.has_beta);
  TakeOver(inner.has_gamma, &both.has_gamma);
  TakeOver(inner.epsilon_value, &both.epsilon_value);
  TakeOver(inner.activation, &both.activation);
  TakeOver(inner.is_trainable, &both.is_trainable);
  TakeOver(inner.is_reused, &both.is_reused);
  TakeOver(inner.format, &both.format);
  TakeOver(inner.trains, &both.trains);
  TakeOver(inner.outputs_wait, &both.outputs_wait);
  return both;
}

Scope ArgScope(const Scope& scope, const std::vector<Layer>& layers, const LayerOptions& options) {
  Scope inside = scope;
  for (const Layer layer : layers) {
    inside = WithOptions(inside, layer == Layer::kConv2D ? kConv2D : kFullyConnected, options);
  }
  return inside;
}

Scope ArgScope(const Scope& scope, const BatchNormOptions& options) {
  return WithOptions(scope, kBatchNorm, options);
}

Output FullyConnected(ScopeRef scope_ref, const Input& inputs, int64_t num_outputs,
                      const LayerOptions& options) {
  const Scope scope = scope_ref.scope();
  const LayerOptions all = InScope(scope, kFullyConnected, options);
  return core::Dense(scope, inputs, num_outputs,
                     AsCore<core::DenseOptions>(all, "fully_connected"));
}

Output Conv2D(ScopeRef scope_ref, const Input& inputs, int64_t num_outputs,
              const SpatialSize& kernel_size, const LayerOptions& options) {
  const Scope scope = scope_ref.scope();
  const LayerOptions all = InScope(scope, kConv2D, options);
  auto convolution = AsCore<core::ConvOptions>(all, "Conv");
  convolution.strides(all.strides.value_or(1))
      .dilation_rate(all.rates.value_or(1))
      .padding(absl::AsciiStrToLower(all.padding_name.value_or("SAME")))
      .data_format(LayoutOf(all.format.value_or("NHWC")));
  return core::Conv2D(scope, inputs, num_outputs, kernel_size, convolution);
}

Output MaxPool2D(ScopeRef scope, const Input& inputs, const SpatialSize& kernel_size,
                 const SpatialSize& stride, const std::string& padding,
                 const std::string& data_format) {
  return core::MaxPooling2D(NamedOr(scope.scope(), "MaxPool2D"), inputs, kernel_size, stride,
                            PoolOptionsOf(padding, data_format));
}

Output AvgPool2D(ScopeRef scope, const Input& inputs, const SpatialSize& kernel_size,
                 const SpatialSize& stride, const std::string& padding,
                 const std::string& data_format) {
  return core::AveragePooling2D(NamedOr(scope.scope(), "AvgPool2D"), inputs, kernel_size, stride,
                                PoolOptionsOf(padding, data_format));
}

Output Flatten(ScopeRef scope_ref, const Input& inputs) {
  const Scope scope = scope_ref.scope();
  const Output flat = core::Flatten(scope.OpenScope("Flatten").Named("flatten"), inputs);
  return flat.valid() ? scope(flat) : flat;
}

Output Dropout(ScopeRef scope_ref, const Input& inputs, double keep_prob,
               const Training& is_training, const nn::DropoutOptions& options) {
  const Scope scope = scope_ref.scope();
  if (!(keep_prob > 0 && keep_prob <= 1)) {
    scope.Fail(InvalidArgument("dropout keeps elements with a probability above 0 and up to 1, ",
                               "got ", keep_prob));
    return Output();
  }
  return core::Dropout(NamedOr(scope, "Dropout"), inputs, 1 - keep_prob, is_training, options);
}

Output BatchNorm(ScopeRef scope_ref, const Input& inputs,
                 const std::optional<Training>& is_training, const BatchNormOptions& options) {
  const Scope scope = scope_ref.scope();
  const BatchNormOptions all = InScope(scope, kBatchNorm, options);
  core::BatchNormalizationOptions core_options;
  core_options.naming(NamesOf("BatchNorm"))
      .axis(all.format.value_or("NHWC") == "NCHW" ? 1 : -1)
      .momentum(all.moving_decay.value_or(0.999))
      .center(all.has_beta.value_or(true))
      .scale(all.has_gamma.value_or(false))
      .epsilon(all.epsilon_value.value_or(0.001))
      .trainable(all.is_trainable.value_or(true))
      .activation(all.activation.value_or(nullptr))
      .moves_with_outputs(all.outputs_wait.value_or(false))
      .fuses_rows(true);
  if (all.is_reused.has_value()) core_options.reuse(*all.is_reused);
  const Training trains = is_training.value_or(all.trains.value_or(true));
  return core::BatchNormalization(scope, inputs, trains, core_options);
}

}  // namespace layers
}  // namespace contrib
}  // namespace frontend
}  // namespace warpbeam
