#include "frontend/array.h"

#include "frontend/arrays/indexing.h"
#include "frontend/graph_state.h"

namespace warpbeam {
namespace frontend {
namespace {

Output Filled(const Scope& scope, const char* name, const Shape& shape, DType dtype, int value) {
  constexpr int64_t kLargestConstant = 1000;
  const Scope named = scope.Named(scope.OpNameOr(name));
  if (shape.num_elements() < kLargestConstant) {
    if (dtype == DType::kBool)
      return Constant(named, Tensor::Scalar<bool>(value != 0), dtype, shape);
    if (dtype == DType::kString) return Constant(named, "", dtype, shape);
    return Constant(named, value, dtype, shape);
  }
  const Scope inside = scope.OpenScope(name);
  const Output dims = Constant(inside.Named("shape_as_tensor"),
                               std::vector<int32_t>(shape.dims().begin(), shape.dims().end()));
  const Output one = Filled(inside.Named("Const"), "Const", Shape(), dtype, value);
  return scope(BuildOutput(inside.Named(inside.name_scope()), "Fill", {dims, one}));
}

}  // namespace

Output Placeholder(ScopeRef scope, DType dtype, const PartialShape& shape) {
  return BuildOutput(scope.scope(), "Placeholder", {},
                     OpAttrs().Set("dtype", dtype).Set("shape", shape));
}

Output Identity(ScopeRef scope, const Input& x) {
  return BuildOutput(scope.scope(), "Identity", {x});
}

Output Reshape(ScopeRef scope, const Input& x, const Input& shape) {
  return BuildOutput(scope.scope(), "Reshape", {x, shape});
}

Output ExpandDims(ScopeRef scope, const Input& x, int axis) {
  return BuildOutput(scope.scope(), "ExpandDims", {x, axis});
}

Output Concat(ScopeRef scope_ref, const InputList& values, int axis) {
  const Scope scope = scope_ref.scope();
  if (values.size() == 1) {
    const Scope inside = scope.OpenScope("concat");
    Constant(inside.Named("concat_dim"), axis);
    return scope(Identity(inside.Named("concat"), values.items()[0]));
  }
  return BuildOutput(scope.Named(scope.OpNameOr("concat")), "ConcatV2", {values, axis});
}

Output Stack(ScopeRef scope_ref, const InputList& values, int axis) {
  const Scope scope = scope_ref.scope();
  return BuildOutput(scope.Named(scope.OpNameOr("stack")), "Pack", {values},
                     OpAttrs().Set("axis", axis));
}

OutputList Split(ScopeRef scope_ref, const Input& x, int count, int axis) {
  const Scope scope = scope_ref.scope();
  return BuildOutputs(scope.Named(scope.OpNameOr("split")), "Split", {axis, x},
                      OpAttrs().Set("num_split", count), count);
}

Output Transpose(ScopeRef scope_ref, const Input& x) {
  const Scope scope = scope_ref.scope();
  const int rank = x.rank();
  if (rank >= 0) {
    std::vector<int32_t> order;
    for (int i = rank - 1; i >= 0; --i) order.push_back(i);
    return Transpose(scope, x, order);
  }
  const Scope inside = scope.OpenScope("transpose");
  const Output last = BuildOutput(inside.Named("sub"), "Sub", {RankOf(inside, x), 1});
  const Output range = BuildOutput(inside, "Range", {0, RankOf(inside, x), 1});
  const Output order = BuildOutput(inside.Named("sub"), "Sub", {last, range});
  return scope(BuildOutput(inside.Named(inside.name_scope()), "Transpose", {x, order}));
}

Output Transpose(ScopeRef scope_ref, const Input& x, const std::vector<int32_t>& order) {
  const Scope scope = scope_ref.scope();
  return BuildOutput(scope.Named(scope.OpNameOr("transpose")), "Transpose", {x, order});
}

Output Zeros(ScopeRef scope, const Shape& shape, DType dtype) {
  return Filled(scope.scope(), "zeros", shape, dtype, 0);
}

Output Ones(ScopeRef scope, const Shape& shape, DType dtype) {
  return Filled(scope.scope(), "ones", shape, dtype, 1);
}

Output ZerosLike(ScopeRef scope_ref, const Input& x) {
  const Scope scope = scope_ref.scope();
  return BuildOutput(scope.Named(scope.OpNameOr("zeros_like")), "ZerosLike", {x});
}

Output OnesLike(ScopeRef scope_ref, const Output& x) {
  const Scope scope = scope_ref.scope();
  const Scope inside = scope.NameScope(scope.OpNameOr("ones_like"));
  if (!scope.ok()) return Output();
  const PartialShape shape = x.shape();
  const Output dims = shape.IsFullyDefined()
                          ? Constant(inside.Named("Shape/shape_as_tensor"),
                                     std::vector<int32_t>(shape.dims().begin(), shape.dims().end()))
                          : BuildOutput(inside, "Shape", {x});
  const Output one = Constant(inside, 1, x.dtype());
  return BuildOutput(inside.Named(inside.name_scope()), "Fill", {dims, one});
}

Output ZerosOfShapeOf(ScopeRef scope_ref, const Output& x) {
  const Scope scope = scope_ref.scope();
  const StatusOr<Shape> shape = x.shape().AsShape();
  return shape.ok() ? Zeros(scope.Named("zeros_like"), *shape, x.dtype()) : ZerosLike(scope, x);
}

Output ShapeOf(ScopeRef scope_ref, const Input& x) {
  const Scope scope = scope_ref.scope();
  const PartialShape known = x.is_value()
                                 ? PartialShape(x.ValueAs(x.dtype()).value_or(Tensor()).shape())
                                 : x.output().shape();
  if (!known.IsFullyDefined()) return BuildOutput(scope, "Shape", {x});
  return Constant(scope.Named(scope.OpNameOr("Shape")),
                  std::vector<int32_t>(known.dims().begin(), known.dims().end()));
}

Output RankOf(ScopeRef scope_ref, const Input& x) {
  const Scope scope = scope_ref.scope();
  const int rank = x.rank();
  if (rank < 0) return BuildOutput(scope, "Rank", {x});
  return Constant(scope.Named(scope.OpNameOr("Rank")), rank);
}

Output ElementAt(ScopeRef scope, const Input& x, int index) {
  return ElementsOf(scope.scope(), AsOutput(scope.scope().Named(""), x), {index});
}

Output ElementsFrom(ScopeRef scope, const Input& x, int begin) {
  return ElementsOf(scope.scope(), AsOutput(scope.scope().Named(""), x), {Slice(begin, None)});
}

Output OneHot(ScopeRef scope_ref, const Input& indices, int depth, DType dtype) {
  const Scope scope = scope_ref.scope();
  const Scope inside = scope.OpenScope("one_hot");
  const Output on = Constant(inside.Named("on_value"), 1, dtype);
  const Output off = Constant(inside.Named("off_value"), 0, dtype);
  return scope(BuildOutput(inside.Named(inside.name_scope()), "OneHot", {indices, depth, on, off}));
}

}  // namespace frontend
}  // namespace warpbeam
