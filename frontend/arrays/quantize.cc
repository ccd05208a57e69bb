#include "frontend/arrays/quantize.h"

#include "frontend/build.h"

namespace warpbeam {
namespace frontend {
namespace {

OpAttrs BitsOf(const FakeQuantOptions& options) {
  return OpAttrs().Set("num_bits", options.bits).Set("narrow_range", options.is_narrow);
}

OpAttrs FixedRangeOf(const FakeQuantOptions& options) {
  return BitsOf(options).Set("min", options.least).Set("max", options.greatest);
}

}  // namespace

Quantized Quantize(ScopeRef scope_ref, const Input& x, const Input& min_range,
                   const Input& max_range, DType dtype, const QuantizeOptions& options) {
  const Scope scope = scope_ref.scope();
  const auto out =
      BuildOutputs(scope.Named(scope.OpNameOr("quantize")), "QuantizeV2", {x, min_range, max_range},
                   OpAttrs()
                       .Set("T", dtype)
                       .Set("mode", options.quantize_mode)
                       .Set("round_mode", options.rounding)
                       .Set("narrow_range", options.is_narrow)
                       .Set("axis", options.range_axis)
                       .Set("ensure_minimum_range", options.least_range),
                   3);
  return {out[0], out[1], out[2]};
}

Output Dequantize(ScopeRef scope_ref, const Input& x, const Input& min_range,
                  const Input& max_range, const QuantizeOptions& options) {
  const Scope scope = scope_ref.scope();
  return BuildOutput(scope.Named(scope.OpNameOr("dequantize")), "Dequantize",
                     {x, min_range, max_range},
                     OpAttrs()
                         .Set("mode", options.quantize_mode)
                         .Set("narrow_range", options.is_narrow)
                         .Set("axis", options.range_axis));
}

Quantized QuantizedConcat(ScopeRef scope, const Input& axis, const InputList& values,
                          const InputList& input_mins, const InputList& input_maxes) {
  const auto out = BuildOutputs(scope.scope(), "QuantizedConcat",
                                {axis, values, input_mins, input_maxes}, OpAttrs(), 3);
  return {out[0], out[1], out[2]};
}

Output FakeQuantWithMinMaxArgs(ScopeRef scope, const Input& x, const FakeQuantOptions& options) {
  return BuildOutput(scope.scope(), "FakeQuantWithMinMaxArgs", {x}, FixedRangeOf(options));
}

Output FakeQuantWithMinMaxArgsGradient(ScopeRef scope, const Input& gradients, const Input& x,
                                       const FakeQuantOptions& options) {
  return BuildOutput(scope.scope(), "FakeQuantWithMinMaxArgsGradient", {gradients, x},
                     FixedRangeOf(options));
}

Output FakeQuantWithMinMaxVars(ScopeRef scope, const Input& x, const Input& min, const Input& max,
                               const FakeQuantOptions& options) {
  return BuildOutput(scope.scope(), "FakeQuantWithMinMaxVars", {x, min, max}, BitsOf(options));
}

FakeQuantGradients FakeQuantWithMinMaxVarsGradient(ScopeRef scope, const Input& gradients,
                                                   const Input& x, const Input& min,
                                                   const Input& max,
                                                   const FakeQuantOptions& options) {
  const auto out = BuildOutputs(scope.scope(), "FakeQuantWithMinMaxVarsGradient",
                                {gradients, x, min, max}, BitsOf(options), 3);
  return {out[0], out[1], out[2]};
}

Output FakeQuantWithMinMaxVarsPerChannel(ScopeRef scope, const Input& x, const Input& min,
                                         const Input& max, const FakeQuantOptions& options) {
  return BuildOutput(scope.scope(), "FakeQuantWithMinMaxVarsPerChannel", {x, min, max},
                     BitsOf(options));
}

FakeQuantGradients FakeQuantWithMinMaxVarsPerChannelGradient(ScopeRef scope, const Input& gradients,
                                                             const Input& x, const Input& min,
                                                             const Input& max,
                                                             const FakeQuantOptions& options) {
  const auto out = BuildOutputs(scope.scope(), "FakeQuantWithMinMaxVarsPerChannelGradient",
                                {gradients, x, min, max}, BitsOf(options), 3);
  return {out[0], out[1], out[2]};
}

namespace nn {
namespace {

Quantized Pool(const Scope& scope, const char* op, const Input& x, const Input& min_input,
               const Input& max_input, const std::vector<int64_t>& ksize,
               const std::vector<int64_t>& strides, const std::string& padding) {
  const auto out = BuildOutputs(
      scope, op, {x, min_input, max_input},
      OpAttrs().Set("ksize", ksize).Set("strides", strides).Set("padding", padding), 3);
  return {out[0], out[1], out[2]};
}

}  // namespace

Quantized QuantizedAvgPool(ScopeRef scope, const Input& x, const Input& min_input,
                           const Input& max_input, const std::vector<int64_t>& ksize,
                           const std::vector<int64_t>& strides, const std::string& padding) {
  return Pool(scope.scope(), "QuantizedAvgPool", x, min_input, max_input, ksize, strides, padding);
}

Quantized QuantizedMaxPool(ScopeRef scope, const Input& x, const Input& min_input,
                           const Input& max_input, const std::vector<int64_t>& ksize,
                           const std::vector<int64_t>& strides, const std::string& padding) {
  return Pool(scope.scope(), "QuantizedMaxPool", x, min_input, max_input, ksize, strides, padding);
}

Quantized QuantizedConv2D(ScopeRef scope, const Input& x, const Input& filter,
                          const Input& min_input, const Input& max_input, const Input& min_filter,
                          const Input& max_filter, const std::vector<int64_t>& strides,
                          const std::string& padding, DType out_type,
                          const std::vector<int64_t>& dilations) {
  const auto out = BuildOutputs(scope.scope(), "QuantizedConv2D",
                                {x, filter, min_input, max_input, min_filter, max_filter},
                                OpAttrs()
                                    .Set("strides", strides)
                                    .Set("padding", padding)
                                    .Set("out_type", out_type)
                                    .Set("dilations", dilations),
                                3);
  return {out[0], out[1], out[2]};
}

}  // namespace nn
}  // namespace frontend
}  // namespace warpbeam
