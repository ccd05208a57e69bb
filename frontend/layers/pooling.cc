#include "frontend/layers/pooling.h"

#include "frontend/array.h"
#include "frontend/build.h"
#include "frontend/layers/layer_scope.h"
#include "frontend/layers/window.h"
#include "graph/types/errors.h"

namespace warpbeam {
namespace frontend {
namespace layers {
namespace {

// A pooling of one spatial dimension is one of two, the second of them one wide.
Output PoolOfRow(const Scope& layer, const char* op, const Output& x, Window window) {
  const int width = window.first_spatial() + 1;
  window.dims = 2;
  window.size.push_back(1);
  window.strides.push_back(1);
  const Output image = ExpandDims(layer, x, width);
  const Output pooled = BuildOutput(layer, op, {image},
                                    OpAttrs()
                                        .Set("ksize", window.OfAll(window.size))
                                        .Set("strides", window.all_strides())
                                        .Set("padding", window.padding)
                                        .Set("data_format", window.format));
  return BuildOutput(layer, "Squeeze", {pooled},
                     OpAttrs().Set("squeeze_dims", std::vector<int64_t>{width}));
}

Output Pool(const Scope& scope, const char* base_name, const char* op, int dims,
            const Input& inputs, const SpatialSize& size, const SpatialSize& strides,
            const PoolOptions& options) {
  const Scope layer = OpenLayer(scope, base_name, Reuse::kInherit);
  const Output x = AsOutput(layer.Named("inputs"), inputs);
  if (!layer.ok()) return Output();
  const StatusOr<Window> window =
      Window::Make(dims, size, strides, 1, options.padding_name, options.data_format_name);
  if (!window.ok()) {
    scope.Fail(Annotate(window.status(), Describe(layer, x)));
    return Output();
  }
  if (!CheckRank(layer, x, dims + 2, "batch, channels and those that are pooled")) return Output();
  if (const Status fits = window->CheckFits(x.shape()); !fits.ok()) {
    scope.Fail(Annotate(fits, Describe(layer, x)));
    return Output();
  }
  if (dims == 1) return scope(PoolOfRow(layer, op, x, *window));
  return scope(BuildOutput(layer, op, {x},
                           OpAttrs()
                               .Set("ksize", window->OfAll(window->size))
                               .Set("strides", window->all_strides())
                               .Set("padding", window->padding)
                               .Set("data_format", window->format)));
}

}  // namespace

#define WB_POOLING(Name, base_name, op, dims)                                             \
  Output Name(ScopeRef scope, const Input& inputs, const SpatialSize& pool_size,          \
              const SpatialSize& strides, const PoolOptions& options) {                   \
    return Pool(scope.scope(), base_name, op, dims, inputs, pool_size, strides, options); \
  }
WB_POOLING(MaxPooling1D, "max_pooling1d", "MaxPool", 1)
WB_POOLING(MaxPooling2D, "max_pooling2d", "MaxPool", 2)
WB_POOLING(MaxPooling3D, "max_pooling3d", "MaxPool3D", 3)
WB_POOLING(AveragePooling1D, "average_pooling1d", "AvgPool", 1)
WB_POOLING(AveragePooling2D, "average_pooling2d", "AvgPool", 2)
WB_POOLING(AveragePooling3D, "average_pooling3d", "AvgPool3D", 3)
#undef WB_POOLING

}  // namespace layers
}  // namespace frontend
}  // namespace warpbeam
