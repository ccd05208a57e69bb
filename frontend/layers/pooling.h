// Pooling layers (tf.layers.max_pooling1d … average_pooling3d): the largest or the mean value of
// each window.
//
//   Output smaller = layers::MaxPooling2D(scope, features, 2, 2);
//   Output same = layers::AveragePooling2D(scope, features, 3, 1,
//                                          layers::PoolOptions().padding("same"));
//
// Inputs are [batch, spatial dimensions…, channels], or with data_format("channels_first") [batch,
// channels, spatial dimensions…].
//
// Ownership: none. Thread safety: that of the Scope. Errors: kept in the scope; a shape that does
// not fit names the layer and the shape.
#ifndef WARPBEAM_FRONTEND_LAYERS_POOLING_H_
#define WARPBEAM_FRONTEND_LAYERS_POOLING_H_

#include <string>

#include "frontend/input.h"
#include "frontend/layers/layer_options.h"
#include "frontend/scope.h"

namespace warpbeam {
namespace frontend {
namespace layers {

struct PoolOptions {
  PoolOptions& padding(std::string value) {
    padding_name = std::move(value);
    return *this;
  }
  PoolOptions& data_format(std::string value) {
    data_format_name = std::move(value);
    return *this;
  }

  std::string padding_name = "valid";
  std::string data_format_name = "channels_last";
};

Output MaxPooling1D(ScopeRef scope, const Input& inputs, const SpatialSize& pool_size,
                    const SpatialSize& strides, const PoolOptions& options = PoolOptions());
Output MaxPooling2D(ScopeRef scope, const Input& inputs, const SpatialSize& pool_size,
                    const SpatialSize& strides, const PoolOptions& options = PoolOptions());
Output MaxPooling3D(ScopeRef scope, const Input& inputs, const SpatialSize& pool_size,
                    const SpatialSize& strides, const PoolOptions& options = PoolOptions());
Output AveragePooling1D(ScopeRef scope, const Input& inputs, const SpatialSize& pool_size,
                        const SpatialSize& strides, const PoolOptions& options = PoolOptions());
Output AveragePooling2D(ScopeRef scope, const Input& inputs, const SpatialSize& pool_size,
                        const SpatialSize& strides, const PoolOptions& options = PoolOptions());
Output AveragePooling3D(ScopeRef scope, const Input& inputs, const SpatialSize& pool_size,
                        const SpatialSize& strides, const PoolOptions& options = PoolOptions());

}  // namespace layers
}  // namespace frontend
}  // namespace warpbeam

#endif  // WARPBEAM_FRONTEND_LAYERS_POOLING_H_
