// Pooling beside MaxPool and AvgPool: along 1, 2 or 3 spatial dimensions, with the places of the
// largest values, dilated, and with windows of random sizes (tf.nn.pool, max_pool3d,
// max_pool_with_argmax, fractional_max_pool…).
//
//   Output y = nn::MaxPool3D(scope, volumes, {2}, {2}, "VALID");
//   Output z = nn::Pool(scope, x, {2, 2}, nn::PoolingType::kAvg, "SAME");
//   auto [largest, places] = nn::MaxPoolWithArgmax(scope, x, {2}, {2}, "SAME");
//
// Sizes of windows and strides are one number, one for each spatial dimension, or one for each
// dimension. A data format that begins with "NC" has the channels first.
//
// Nodes and names are those that TensorFlow's functions of the same name make.
//
// Ownership: none. Thread safety: that of the Scope. Errors: kept in the scope; sizes that do not
// fit, an unknown padding or data format are INVALID_ARGUMENT.
#ifndef WARPBEAM_FRONTEND_NN_POOLING_H_
#define WARPBEAM_FRONTEND_NN_POOLING_H_

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "frontend/input.h"
#include "frontend/scope.h"

namespace warpbeam {
namespace frontend {
namespace nn {

// [batch, width, channels].
Output MaxPool1D(ScopeRef scope, const Input& input, int64_t ksize, int64_t strides,
                 const std::string& padding, const std::string& data_format = "NWC");
Output AvgPool1D(ScopeRef scope, const Input& input, int64_t ksize, int64_t strides,
                 const std::string& padding, const std::string& data_format = "NWC");
// As MaxPool and AvgPool, under the name of the dimensions.
Output MaxPool2D(ScopeRef scope, const Input& input, const std::vector<int64_t>& ksize,
                 const std::vector<int64_t>& strides, const std::string& padding,
                 const std::string& data_format = "NHWC");
Output AvgPool2D(ScopeRef scope, const Input& input, const std::vector<int64_t>& ksize,
                 const std::vector<int64_t>& strides, const std::string& padding,
                 const std::string& data_format = "NHWC");
// [batch, depth, height, width, channels].
Output MaxPool3D(ScopeRef scope, const Input& input, const std::vector<int64_t>& ksize,
                 const std::vector<int64_t>& strides, const std::string& padding,
                 const std::string& data_format = "NDHWC");
Output AvgPool3D(ScopeRef scope, const Input& input, const std::vector<int64_t>& ksize,
                 const std::vector<int64_t>& strides, const std::string& padding,
                 const std::string& data_format = "NDHWC");
// Along as many dimensions as the input has, which must be known. "" has the channels last.
Output MaxPoolV2(ScopeRef scope, const Input& input, const std::vector<int64_t>& ksize,
                 const std::vector<int64_t>& strides, const std::string& padding,
                 const std::string& data_format = "");
Output AvgPoolV2(ScopeRef scope, const Input& input, const std::vector<int64_t>& ksize,
                 const std::vector<int64_t>& strides, const std::string& padding,
                 const std::string& data_format = "");

enum class PoolingType { kMax, kAvg };

struct PoolingOptions {
  PoolingOptions& strides(std::vector<int64_t> value) {
    stride_list = std::move(value);
    return *this;
  }
  // With "VALID" alone, and not together with strides above one.
  PoolingOptions& dilation_rate(std::vector<int64_t> value) {
    dilation_list = std::move(value);
    return *this;
  }
  // "" has the channels last.
  PoolingOptions& data_format(std::string value) {
    format = std::move(value);
    return *this;
  }

  std::vector<int64_t> stride_list;  // empty: 1
  std::vector<int64_t> dilation_list;
  std::string format;
};

// Along as many dimensions as `window_shape` has numbers.
Output Pool(ScopeRef scope, const Input& input, const std::vector<int64_t>& window_shape,
            PoolingType type, const std::string& padding,
            const PoolingOptions& options = PoolingOptions());

struct ValuesAndPlaces {
  Output output;
  // In the image as if it were a list, or in the batch.
  Output argmax;
};
ValuesAndPlaces MaxPoolWithArgmax(ScopeRef scope, const Input& input,
                                  const std::vector<int64_t>& ksize,
                                  const std::vector<int64_t>& strides, const std::string& padding,
                                  DType targmax = DType::kInt64,
                                  bool include_batch_in_index = false);

struct FractionalPoolOptions {
  FractionalPoolOptions& pseudo_random(bool value) {
    is_pseudo_random = value;
    return *this;
  }
  // Values at a border belong to both windows.
  FractionalPoolOptions& overlapping(bool value) {
    is_overlapping = value;
    return *this;
  }
  // Every step draws the same windows.
  FractionalPoolOptions& deterministic(bool value) {
    is_deterministic = value;
    return *this;
  }
  FractionalPoolOptions& seed(int64_t value) {
    first_seed = value;
    return *this;
  }
  FractionalPoolOptions& seed2(int64_t value) {
    second_seed = value;
    return *this;
  }

  bool is_pseudo_random = false;
  bool is_overlapping = false;
  bool is_deterministic = false;
  int64_t first_seed = 0;
  int64_t second_seed = 0;
};

struct FractionalPoolResult {
  Output output;
  // Where the windows begin.
  Output row_pooling_sequence;
  Output col_pooling_sequence;
};
// Windows whose sizes are drawn so that the result is smaller by `pooling_ratio` (at least 1; 1 for
// batch and channels). B. Graham, arXiv:1412.6071.
FractionalPoolResult FractionalMaxPool(
    ScopeRef scope, const Input& value, const std::vector<float>& pooling_ratio,
    const FractionalPoolOptions& options = FractionalPoolOptions());
FractionalPoolResult FractionalAvgPool(
    ScopeRef scope, const Input& value, const std::vector<float>& pooling_ratio,
    const FractionalPoolOptions& options = FractionalPoolOptions());

}  // namespace nn
}  // namespace frontend
}  // namespace warpbeam

#endif  // WARPBEAM_FRONTEND_NN_POOLING_H_
