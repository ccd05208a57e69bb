#include "frontend/layers/layer_scope.h"

#include "absl/strings/str_cat.h"
#include "frontend/array.h"
#include "frontend/build.h"
#include "frontend/collections.h"
#include "frontend/math.h"
#include "graph/types/errors.h"

namespace warpbeam {
namespace frontend {
namespace layers {

Scope OpenLayer(const Scope& scope, const std::string& base_name, Reuse reuse) {
  const std::string given = scope.OpNameOr("");
  VariableScopeOptions options;
  options.reuse_mode = reuse;
  if (!given.empty()) return scope.VariableScope(given, options);
  // Reused weights are those of the first layer of the kind.
  if (reuse == Reuse::kTrue) return scope.VariableScope(base_name, options);
  return scope.DefaultVariableScope(base_name);
}

Scope OpenLayer(const Scope& scope, const char* base_name, const LayerNames& names, Reuse reuse) {
  return OpenLayer(scope, names.layer.empty() ? base_name : names.layer, reuse);
}

std::string Describe(const Scope& layer, const Output& inputs) {
  return absl::StrCat("the layer '", layer.variable_scope(), "' (on '", inputs.name(), "' of ",
                      inputs.shape().ToString(), ")");
}

bool CheckRank(const Scope& layer, const Output& inputs, int rank, const char* layout) {
  if (!layer.ok()) return false;
  if (inputs.shape().rank() == rank) return true;
  layer.Fail(InvalidArgument(Describe(layer, inputs), " takes ", rank, " dimensions: ", layout));
  return false;
}

int64_t CheckedExtent(const Scope& layer, const Output& inputs, int axis) {
  if (!layer.ok()) return -1;
  const PartialShape shape = inputs.shape();
  const int index = axis < 0 ? axis + shape.rank() : axis;
  if (!shape.has_rank() || index < 0 || index >= shape.rank()) {
    layer.Fail(InvalidArgument(Describe(layer, inputs), " needs the extent of dimension ", axis,
                               ", which the inputs do not have"));
    return -1;
  }
  if (shape.dim(index) < 0) {
    layer.Fail(InvalidArgument(Describe(layer, inputs), " needs to know dimension ", axis,
                               " to make its weights; give the inputs a shape (set_shape)"));
    return -1;
  }
  return shape.dim(index);
}

void AddActivityLoss(const Scope& layer, const Output& y, const Regularizer& regularizer) {
  if (!regularizer.has_value() || !y.valid()) return;
  const Scope inside = layer.NameScope("ActivityRegularizer");
  const Output loss = regularizer(inside, y);
  if (!loss.valid()) return;
  const Output examples = Cast(inside, DimensionAt(inside, ShapeOf(inside, y), 0), loss.dtype());
  const Output mean = BuildOutput(inside.Named("truediv"), "RealDiv", {loss, examples});
  if (mean.valid()) AddToCollection(layer, GraphKeys::kRegularizationLosses, mean);
}

Output DimensionAt(const Scope& scope, const Output& shape, int index) {
  const Scope slice = scope.NameScope("strided_slice");
  const Output begin = Constant(slice.Named("stack"), std::vector<int32_t>{index});
  const Output end = Constant(slice.Named("stack_1"), std::vector<int32_t>{index + 1});
  const Output step = Constant(slice.Named("stack_2"), std::vector<int32_t>{1});
  return scope(BuildOutput(slice.Named(slice.name_scope()), "StridedSlice",
                           {shape, begin, end, step}, OpAttrs().Set("shrink_axis_mask", 1)));
}

Output PackShape(const Scope& scope, const std::string& name, const std::vector<int64_t>& known,
                 const std::vector<Output>& computed) {
  const Scope pack = scope.NameScope(name);
  std::vector<Output> items;
  size_t next = 0;
  for (size_t i = 0; i < known.size(); ++i) {
    const bool is_known = known[i] >= 0 || next >= computed.size();
    items.push_back(is_known ? Constant(pack.Named(absl::StrCat(i)), static_cast<int>(known[i]))
                             : computed[next++]);
  }
  return scope(BuildOutput(pack.Named(pack.name_scope()), "Pack", {InputList(items)}));
}

}  // namespace layers
}  // namespace frontend
}  // namespace warpbeam
