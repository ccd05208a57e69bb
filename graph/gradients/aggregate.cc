#include "graph/gradients/aggregate.h"

#include <cstring>
#include <set>

#include "absl/strings/match.h"
#include "graph/gradients/gradients.h"

namespace warpbeam {

StatusOr<OutputRef> EmitNode(Graph& graph, const AggregateScope& scope, absl::string_view op,
                             const std::vector<NodeInput>& inputs, const AttrMap& attrs) {
  NodeBuilder builder(&graph, op);
  builder.Name(absl::StrCat(scope.prefix, op)).Device(scope.device).Location(scope.location);
  for (const AttrMap::Entry& entry : scope.attrs) builder.Attr(entry.first, entry.second);
  for (const AttrMap::Entry& entry : attrs) builder.Attr(entry.first, entry.second);
  for (const NodeInput& input : inputs) builder.Input(input);
  return builder.BuildOutput();
}

StatusOr<OutputRef> EmitConst(Graph& graph, const AggregateScope& scope, Tensor value) {
  AttrMap attrs;
  attrs.Set("dtype", value.dtype());
  attrs.Set("value", std::move(value));
  return EmitNode(graph, scope, "Const", {}, attrs);
}

StatusOr<Tensor> ZeroOf(DType type) {
  if (!IsFloating(BaseType(type)) && !IsComplex(BaseType(type))) {
    return InvalidArgument("there is no gradient of type ", DTypeName(type));
  }
  WB_ASSIGN_OR_RETURN(Tensor zero, Tensor::Allocate(BaseType(type), Shape()));
  std::memset(zero.raw_data(), 0, zero.bytes());
  return zero;
}

StatusOr<OutputRef> EmitKnownZeros(Graph& graph, DType type, const Shape& shape,
                                   const AggregateScope& scope) {
  WB_ASSIGN_OR_RETURN(Tensor zero, ZeroOf(type));
  WB_ASSIGN_OR_RETURN(OutputRef value, EmitConst(graph, scope, std::move(zero)));
  if (shape.rank() == 0) return value;
  WB_ASSIGN_OR_RETURN(OutputRef dims,
                      EmitConst(graph, scope, Tensor::Vector<int64_t>(shape.dims())));
  return EmitNode(graph, scope, "Fill", {dims, value});
}

namespace {

StatusOr<Tensor> OneOf(DType type) {
  switch (BaseType(type)) {
    case DType::kFloat:
      return Tensor::Scalar<float>(1);
    case DType::kDouble:
      return Tensor::Scalar<double>(1);
    case DType::kHalf:
      return Tensor::Scalar<Half>(Half(1.0f));
    case DType::kBFloat16:
      return Tensor::Scalar<BFloat16>(BFloat16(1.0f));
    default:
      return InvalidArgument("there is no gradient of type ", DTypeName(type));
  }
}

}  // namespace

StatusOr<OutputRef> Densify(Graph& graph, const GradientValue& value, const AggregateScope& scope) {
  if (value.is_dense()) return value.dense;
  const Tensor zero = Tensor::Vector<int32_t>({0});
  const Tensor one = Tensor::Vector<int32_t>({1});
  WB_ASSIGN_OR_RETURN(OutputRef begin, EmitConst(graph, scope, zero));
  WB_ASSIGN_OR_RETURN(OutputRef end, EmitConst(graph, scope, one));
  AttrMap shrink;
  shrink.Set("shrink_axis_mask", 1);
  WB_ASSIGN_OR_RETURN(OutputRef rows, EmitNode(graph, scope, "StridedSlice",
                                               {value.dense_shape, begin, end, end}, shrink));
  return EmitNode(graph, scope, "UnsortedSegmentSum", {value.values, value.indices, rows});
}

namespace {

StatusOr<GradientValue> ConcatSlices(Graph& graph, const std::vector<GradientValue>& parts,
                                     const AggregateScope& scope) {
  std::vector<OutputRef> values, indices;
  bool any_int64 = false;
  for (const GradientValue& part : parts) {
    values.push_back(part.values);
    indices.push_back(part.indices);
    const OutputRef i = part.indices;
    any_int64 |= graph.node(i.node).output_type(i.index) == DType::kInt64;
  }
  if (any_int64) {
    AttrMap to_int64;
    to_int64.Set("DstT", DType::kInt64);
    for (OutputRef& i : indices) {
      if (graph.node(i.node).output_type(i.index) == DType::kInt64) continue;
      WB_ASSIGN_OR_RETURN(i, EmitNode(graph, scope, "Cast", {i}, to_int64));
    }
  }
  WB_ASSIGN_OR_RETURN(OutputRef axis, EmitConst(graph, scope, Tensor::Scalar<int32_t>(0)));
  WB_ASSIGN_OR_RETURN(OutputRef all_values,
                      EmitNode(graph, scope, "ConcatV2", {NodeInput(values), axis}));
  WB_ASSIGN_OR_RETURN(OutputRef all_indices,
                      EmitNode(graph, scope, "ConcatV2", {NodeInput(indices), axis}));
  return GradientValue::Slices(all_values, all_indices, parts[0].dense_shape);
}

}  // namespace

StatusOr<GradientValue> SumGradients(Graph& graph, const std::vector<GradientValue>& parts,
                                     const AggregateScope& scope) {
  if (parts.size() == 1) return parts[0];
  bool all_slices = true;
  for (const GradientValue& part : parts) all_slices = all_slices && part.is_slices();
  if (all_slices) return ConcatSlices(graph, parts, scope);
  std::vector<OutputRef> dense;
  for (const GradientValue& part : parts) {
    WB_ASSIGN_OR_RETURN(OutputRef ref, Densify(graph, part, scope));
    dense.push_back(ref);
  }
  WB_ASSIGN_OR_RETURN(OutputRef sum, EmitNode(graph, scope, "AddN", {NodeInput(dense)}));
  return GradientValue::Dense(sum);
}

Status GateGradients(Graph& graph, const std::vector<GradientValue*>& values,
                     const AggregateScope& scope) {
  if (values.size() < 2) return OkStatus();
  std::set<NodeId> computed;
  std::set<std::string> devices;
  for (GradientValue* value : values) {
    computed.insert(value->part().node);
    devices.insert(graph.node(value->part().node).device());
  }
  NodeBuilder gate(&graph, "NoOp");
  gate.Name(absl::StrCat(scope.prefix, "tuple/group_deps")).Location(scope.location);
  gate.ControlInputs({computed.begin(), computed.end()});
  if (devices.size() == 1) gate.Device(*devices.begin());
  WB_ASSIGN_OR_RETURN(const Node* waits, gate.Build());
  for (GradientValue* value : values) {
    OutputRef& part = value->part();
    const Node& node = graph.node(part.node);
    NodeBuilder passes(&graph, "Identity");
    passes.Name(absl::StrCat(scope.prefix, "tuple/control_dependency")).Location(scope.location);
    passes.Input(part).ControlInput(waits->id()).Device(node.device());
    // Beside what it passes on; a group has the name of its first member.
    auto groups = node.attrs().GetOr<std::vector<std::string>>("_class", {});
    if (groups.empty()) groups = {absl::StrCat("loc:@", node.name())};
    passes.Attr("_class", std::move(groups));
    WB_ASSIGN_OR_RETURN(part, passes.BuildOutput());
  }
  return OkStatus();
}

StatusOr<OutputRef> EmitOnes(Graph& graph, OutputRef like, const AggregateScope& scope) {
  const Node& node = graph.node(like.node);
  StatusOr<Shape> shape = node.output_shape(like.index).AsShape();
  if (!shape.ok()) return EmitNode(graph, scope, "OnesLike", {like});
  // Made from constants where the shape is known: a step that fetches only gradients then need not
  // compute the y.
  WB_ASSIGN_OR_RETURN(Tensor one, OneOf(node.output_type(like.index)));
  WB_ASSIGN_OR_RETURN(OutputRef value, EmitConst(graph, scope, std::move(one)));
  if (shape->rank() == 0) return value;
  WB_ASSIGN_OR_RETURN(OutputRef dims,
                      EmitConst(graph, scope, Tensor::Vector<int64_t>(shape->dims())));
  return EmitNode(graph, scope, "Fill", {dims, value});
}

StatusOr<OutputRef> EmitZeros(Graph& graph, OutputRef like, const AggregateScope& scope) {
  return EmitNode(graph, scope, "ZerosLike", {like});
}

std::string UniqueScope(Graph& graph, absl::string_view name) {
  const auto taken = [&](const std::string& prefix) {
    for (const Node& node : graph.nodes()) {
      if (absl::StartsWith(node.name(), prefix)) return true;
    }
    return false;
  };
  std::string prefix = absl::StrCat(name, "/");
  for (int i = 1; taken(prefix); ++i) prefix = absl::StrCat(name, "_", i, "/");
  return prefix;
}

StatusOr<OutputRef> ToDense(Graph& graph, const GradientValue& value, absl::string_view name) {
  if (value.is_none()) return InvalidArgument("there is no gradient to make dense");
  if (value.is_dense()) return value.dense;
  AggregateScope scope;
  scope.prefix = absl::StrCat(name, "/");
  return Densify(graph, value, scope);
}

}  // namespace warpbeam
