#include "frontend/layers/dense.h"

#include <numeric>

#include "frontend/array.h"
#include "frontend/build.h"
#include "frontend/layers/layer_scope.h"
#include "frontend/math.h"
#include "frontend/nn.h"
#include "graph/types/errors.h"

namespace warpbeam {
namespace frontend {
namespace layers {
namespace {

// The matrix product over the last dimension of inputs whose shape is only known in the step.
Output DynamicTensordot(const Scope& inside, const Output& x, const Output& kernel) {
  const int rank = x.shape().rank();
  std::vector<int32_t> leading(rank - 1);
  std::iota(leading.begin(), leading.end(), 0);
  const Output axes = Constant(inside.Named("axes"), std::vector<int32_t>{rank - 1});
  const Output free = Constant(inside.Named("free"), leading);
  const Output shape = BuildOutput(inside, "Shape", {x});
  const Output free_dims = BuildOutput(inside, "GatherV2", {shape, free, 0});
  const Output axis_dims = BuildOutput(inside, "GatherV2", {shape, axes, 0});
  const auto product = [&](const Output& dims) {
    return ReduceProd(inside, dims, Constant(inside, std::vector<int32_t>{0}));
  };
  const Output rows = product(free_dims);
  const Output columns = product(axis_dims);
  const Output order = Concat(inside, {free, axes}, 0);
  const Output matrix_shape = Stack(inside, {rows, columns});
  const Output ordered = BuildOutput(inside.Named("transpose"), "Transpose", {x, order});
  const Output product_rows = MatMul(inside, Reshape(inside, ordered, matrix_shape), kernel);
  const int units = static_cast<int>(kernel.shape().dim(1));
  const Output unit_dims = Constant(inside, std::vector<int32_t>{units});
  const Output result_shape = Concat(inside, {free_dims, unit_dims}, 0);
  return Reshape(inside.Named(inside.name_scope()), product_rows, result_shape);
}

Output StaticTensordot(const Scope& inside, const Output& x, const Output& kernel) {
  const PartialShape shape = x.shape();
  std::vector<int32_t> result(shape.dims().begin(), shape.dims().end());
  const int32_t last = result.back();
  result.pop_back();
  const int32_t rows = std::accumulate(result.begin(), result.end(), 1, std::multiplies<int32_t>());
  const Output product = MatMul(inside, Reshape(inside, x, {rows, last}), kernel);
  result.push_back(static_cast<int32_t>(kernel.shape().dim(1)));
  return Reshape(inside.Named(inside.name_scope()), product, result);
}

Output Tensordot(const Scope& layer, const Output& x, const Output& kernel) {
  const Scope inside = layer.NameScope("Tensordot");
  return layer(x.shape().IsFullyDefined() ? StaticTensordot(inside, x, kernel)
                                          : DynamicTensordot(inside, x, kernel));
}

}  // namespace

Output Dense(ScopeRef scope_ref, const Input& inputs, int64_t units, const DenseOptions& options) {
  const Scope scope = scope_ref.scope();
  const Scope layer = OpenLayer(scope, "dense", options.names, options.reuse_mode);
  const Output x = AsOutput(layer.Named("inputs"), inputs);
  const int64_t channels = CheckedExtent(layer, x, -1);
  if (channels < 0) return Output();
  if (x.shape().rank() < 2 || units < 1 || !IsFloating(x.dtype())) {
    scope.Fail(InvalidArgument(
        Describe(layer, x), " takes two or more dimensions of a float type, ",
        "and makes one unit or more; got ", DTypeName(x.dtype()), " and ", units, " units"));
    return Output();
  }
  const Variable kernel =
      KernelVariable(layer, options.names.kernel, {channels, units}, x.dtype(), options);
  const Variable bias =
      options.has_bias ? BiasVariable(layer, units, x.dtype(), options) : Variable();
  if (!scope.ok()) return Output();
  Output y;
  if (x.shape().rank() == 2) {
    y = MatMul(layer, x, kernel);
  } else {
    y = Tensordot(layer, x, kernel.read());
    PartialShape shape = x.shape();
    shape.set_dim(shape.rank() - 1, units);
    if (y.valid()) y.set_shape(shape);
  }
  if (options.has_bias) y = nn::BiasAdd(layer, y, bias);
  if (options.activation_function && y.valid()) y = options.activation_function(layer, y);
  AddActivityLoss(layer, y, options.regularizer_of_activity);
  return scope(y);
}

Output Flatten(ScopeRef scope_ref, const Input& inputs) {
  const Scope scope = scope_ref.scope();
  // There are no variables: only the name is a layer's.
  const Scope layer = OpenLayer(scope, "flatten", Reuse::kInherit);
  const Output x = AsOutput(layer.Named("inputs"), inputs);
  if (!layer.ok()) return Output();
  const PartialShape shape = x.shape();
  if (shape.rank() < 1) {
    scope.Fail(InvalidArgument(Describe(layer, x), " takes one or more dimensions"));
    return Output();
  }
  int64_t joined = 1;
  for (int i = 1; i < shape.rank(); ++i) {
    joined = shape.dim(i) < 0 || joined < 0 ? -1 : joined * shape.dim(i);
  }
  if (joined > 0) {
    const Output target = Constant(layer, std::vector<int32_t>{-1, static_cast<int32_t>(joined)});
    return scope(Reshape(layer, x, target));
  }
  const Output batch = DimensionAt(layer, BuildOutput(layer, "Shape", {x}), 0);
  const Scope reshape = layer.NameScope("Reshape");
  const Scope pack = reshape.NameScope("shape");
  const Output target = BuildOutput(pack.Named(pack.name_scope()), "Pack",
                                    {InputList({batch, Constant(pack.Named("1"), -1)})});
  return scope(Reshape(reshape.Named(reshape.name_scope()), x, target));
}

}  // namespace layers
}  // namespace frontend
}  // namespace warpbeam
