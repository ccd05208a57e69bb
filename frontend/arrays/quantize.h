// Numbers of few bits (tf.quantize, tf.dequantize, tf.fake_quant_with_min_max_args…).
//
//   Quantized small = Quantize(scope, x, -6.0f, 6.0f, DType::kQUInt8);
//   Output back = Dequantize(scope, small.output, small.output_min, small.output_max);
//   Output trained = FakeQuantWithMinMaxArgs(scope, x, FakeQuantOptions().min(-1).max(1));
//
// A range of floats is laid onto the numbers of a type. The fake functions give floats that such
// numbers could stand for, and have gradients.
//
// Ownership: none. Thread safety: that of the Scope. Errors: kept in the scope.
#ifndef WARPBEAM_FRONTEND_ARRAYS_QUANTIZE_H_
#define WARPBEAM_FRONTEND_ARRAYS_QUANTIZE_H_

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "frontend/input.h"
#include "frontend/scope.h"

namespace warpbeam {
namespace frontend {

struct Quantized {
  Output output;
  Output output_min;
  Output output_max;
};

struct QuantizeOptions {
  // "MIN_COMBINED", "MIN_FIRST" or "SCALED".
  QuantizeOptions& mode(std::string value) { return quantize_mode = std::move(value), *this; }
  // "HALF_AWAY_FROM_ZERO" or, with SCALED, "HALF_TO_EVEN".
  QuantizeOptions& round_mode(std::string value) { return rounding = std::move(value), *this; }
  QuantizeOptions& narrow_range(bool value) { return is_narrow = value, *this; }
  // The dimension whose slices have ranges of their own.
  QuantizeOptions& axis(int64_t value) { return range_axis = value, *this; }
  QuantizeOptions& ensure_minimum_range(float value) { return least_range = value, *this; }

  std::string quantize_mode = "MIN_COMBINED";
  std::string rounding = "HALF_AWAY_FROM_ZERO";
  bool is_narrow = false;
  int64_t range_axis = -1;
  float least_range = 0.01f;
};
// Also tf.quantize_v2.
Quantized Quantize(ScopeRef scope, const Input& x, const Input& min_range, const Input& max_range,
                   DType dtype, const QuantizeOptions& options = QuantizeOptions());
Output Dequantize(ScopeRef scope, const Input& x, const Input& min_range, const Input& max_range,
                  const QuantizeOptions& options = QuantizeOptions());
Quantized QuantizedConcat(ScopeRef scope, const Input& axis, const InputList& values,
                          const InputList& input_mins, const InputList& input_maxes);

struct FakeQuantOptions {
  // Only of the functions ...Args, whose range is fixed.
  FakeQuantOptions& min(float value) { return least = value, *this; }
  FakeQuantOptions& max(float value) { return greatest = value, *this; }
  // From 2 to 16.
  FakeQuantOptions& num_bits(int64_t value) { return bits = value, *this; }
  FakeQuantOptions& narrow_range(bool value) { return is_narrow = value, *this; }

  float least = -6, greatest = 6;
  int64_t bits = 8;
  bool is_narrow = false;
};
struct FakeQuantGradients {
  Output input;
  Output min;
  Output max;
};
Output FakeQuantWithMinMaxArgs(ScopeRef scope, const Input& x,
                               const FakeQuantOptions& options = FakeQuantOptions());
Output FakeQuantWithMinMaxArgsGradient(ScopeRef scope, const Input& gradients, const Input& x,
                                       const FakeQuantOptions& options = FakeQuantOptions());
Output FakeQuantWithMinMaxVars(ScopeRef scope, const Input& x, const Input& min, const Input& max,
                               const FakeQuantOptions& options = FakeQuantOptions());
FakeQuantGradients FakeQuantWithMinMaxVarsGradient(
    ScopeRef scope, const Input& gradients, const Input& x, const Input& min, const Input& max,
    const FakeQuantOptions& options = FakeQuantOptions());
// With a range for each element of the last dimension.
Output FakeQuantWithMinMaxVarsPerChannel(ScopeRef scope, const Input& x, const Input& min,
                                         const Input& max,
                                         const FakeQuantOptions& options = FakeQuantOptions());
FakeQuantGradients FakeQuantWithMinMaxVarsPerChannelGradient(
    ScopeRef scope, const Input& gradients, const Input& x, const Input& min, const Input& max,
    const FakeQuantOptions& options = FakeQuantOptions());

namespace nn {

// Of quantized images [batch, height, width, channels]; the range stays.
Quantized QuantizedAvgPool(ScopeRef scope, const Input& x, const Input& min_input,
                           const Input& max_input, const std::vector<int64_t>& ksize,
                           const std::vector<int64_t>& strides, const std::string& padding);
Quantized QuantizedMaxPool(ScopeRef scope, const Input& x, const Input& min_input,
                           const Input& max_input, const std::vector<int64_t>& ksize,
                           const std::vector<int64_t>& strides, const std::string& padding);
// The range of the result is as wide as the sums may be.
Quantized QuantizedConv2D(ScopeRef scope, const Input& x, const Input& filter,
                          const Input& min_input, const Input& max_input, const Input& min_filter,
                          const Input& max_filter, const std::vector<int64_t>& strides,
                          const std::string& padding, DType out_type = DType::kQInt32,
                          const std::vector<int64_t>& dilations = {1, 1, 1, 1});

}  // namespace nn
}  // namespace frontend
}  // namespace warpbeam

#endif  // WARPBEAM_FRONTEND_ARRAYS_QUANTIZE_H_
