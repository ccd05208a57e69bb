#include "frontend/contrib/layers.h"

#include <cmath>

#include "absl/strings/ascii.h"
#include "frontend/array.h"
#include "frontend/build.h"
#include "frontend/collections.h"
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

// contrib's options as those of the layer of frontend/layers.
template <typename Options>
Options AsCore(const LayerOptions& given, const char* layer) {
  Options options;
  options.naming(NamesOf(layer))
      .use_bias(given.initializer_of_biases.has_value() && !given.normalizer)
      .kernel_initializer(given.initializer_of_weights)
      .bias_initializer(given.initializer_of_biases)
      .kernel_regularizer(given.regularizer_of_weights)
      .bias_regularizer(given.regularizer_of_biases)
      .trainable(given.is_trainable);
  if (given.is_reused.has_value()) options.reuse(*given.is_reused);
  options.activation([normalizer = given.normalizer, activation = given.activation](
                         const Scope& scope, const Output& x) {
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

Output FullyConnected(ScopeRef scope, const Input& inputs, int64_t num_outputs,
                      const LayerOptions& options) {
  return core::Dense(scope.scope(), inputs, num_outputs,
                     AsCore<core::DenseOptions>(options, "fully_connected"));
}

Output Conv2D(ScopeRef scope, const Input& inputs, int64_t num_outputs,
              const SpatialSize& kernel_size, const LayerOptions& options) {
  auto convolution = AsCore<core::ConvOptions>(options, "Conv");
  convolution.strides(options.strides)
      .dilation_rate(options.rates)
      .padding(absl::AsciiStrToLower(options.padding_name))
      .data_format(LayoutOf(options.format));
  return core::Conv2D(scope.scope(), inputs, num_outputs, kernel_size, convolution);
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

Output BatchNorm(ScopeRef scope_ref, const Input& inputs, const Training& is_training,
                 const BatchNormOptions& options) {
  core::BatchNormalizationOptions core_options;
  core_options.naming(NamesOf("BatchNorm"))
      .axis(options.format == "NCHW" ? 1 : -1)
      .momentum(options.moving_decay)
      .center(options.has_beta)
      .scale(options.has_gamma)
      .epsilon(options.epsilon_value)
      .trainable(options.is_trainable)
      .activation(options.activation)
      .fuses_rows(true);
  if (options.is_reused.has_value()) core_options.reuse(*options.is_reused);
  return core::BatchNormalization(scope_ref.scope(), inputs, is_training, core_options);
}

}  // namespace layers
}  // namespace contrib
}  // namespace frontend
}  // namespace warpbeam
