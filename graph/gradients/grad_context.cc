// GradContext of gradient_registry.h.
#include <algorithm>

#include "graph/gradients/gradient_registry.h"

namespace warpbeam {
namespace {

template <typename T>
StatusOr<Tensor> ScalarTensor(DType type, double value) {
  WB_ASSIGN_OR_RETURN(Tensor t, Tensor::Allocate(type, Shape()));
  *t.data<T>() = T(static_cast<float>(value));
  return t;
}
template <>
StatusOr<Tensor> ScalarTensor<double>(DType, double value) {
  return Tensor::Scalar<double>(value);
}

StatusOr<Tensor> MakeScalar(DType type, double value) {
  switch (type) {
    case DType::kFloat:
      return ScalarTensor<float>(type, value);
    case DType::kDouble:
      return ScalarTensor<double>(type, value);
    case DType::kHalf:
      return ScalarTensor<Half>(type, value);
    case DType::kBFloat16:
      return ScalarTensor<BFloat16>(type, value);
    case DType::kComplex64:
      return ScalarTensor<std::complex<float>>(type, value);
    case DType::kComplex128:
      return Tensor::Scalar<std::complex<double>>(value);
    case DType::kInt32:
      return Tensor::Scalar<int32_t>(static_cast<int32_t>(value));
    case DType::kInt64:
      return Tensor::Scalar<int64_t>(static_cast<int64_t>(value));
    default:
      return InvalidArgument("there is no scalar ", value, " of type ", DTypeName(type));
  }
}

// Whether an input of shape `a` cannot have been spread when it met one of shape `b`.
bool NeverSpread(const PartialShape& a, const PartialShape& b) {
  if (!a.has_rank() || !b.has_rank() || a.rank() < b.rank()) return false;
  const int skip = a.rank() - b.rank();
  for (int i = 0; i < b.rank(); ++i) {
    const int64_t x = a.dim(i + skip);
    if (b.dim(i) != 1 && x != 0 && x <= 1) return false;
  }
  return true;
}

// The dimensions of the broadcast along which an input of shape `a` was spread, or may have been
// where it has extent 1 (a sum along such a dimension changes nothing if it was not).
std::vector<int32_t> SpreadAxes(const PartialShape& a, const PartialShape& b) {
  const int rank = std::max(a.rank(), b.rank());
  std::vector<int32_t> axes;
  for (int i = 0; i < rank; ++i) {
    const int in_a = i - (rank - a.rank());
    const int in_b = i - (rank - b.rank());
    const int64_t extent_b = in_b < 0 ? 1 : b.dim(in_b);
    if (in_a < 0 || (a.dim(in_a) == 1 && extent_b != 1)) axes.push_back(i);
  }
  return axes;
}

}  // namespace

GradContext::GradContext(Graph* graph, NodeId node, std::string prefix,
                         std::vector<GradientValue> out, AttrMap extra_attrs, std::string device)
    : graph_(graph),
      node_(node),
      prefix_(std::move(prefix)),
      dy_(std::move(out)),
      extra_attrs_(std::move(extra_attrs)),
      device_(std::move(device)),
      dx_(graph->node(node).num_inputs()) {}

std::vector<OutputRef> GradContext::xs(int begin, int end) const {
  return std::vector<OutputRef>(node().inputs().begin() + begin, node().inputs().begin() + end);
}

std::vector<OutputRef> GradContext::ys(int begin, int end) const {
  std::vector<OutputRef> refs;
  for (int i = begin; i < end; ++i) refs.push_back(y(i));
  return refs;
}

DType GradContext::type(OutputRef ref) const {
  if (ref.node == kNoNode) return DType::kInvalid;
  return BaseType(graph_->node(ref.node).output_type(ref.index));
}

const PartialShape& GradContext::shape(OutputRef ref) const {
  static const PartialShape kUnknown;
  return ref.node == kNoNode ? kUnknown : graph_->node(ref.node).output_shape(ref.index);
}

OutputRef GradContext::dy(int i) {
  if (dy_[i].is_dense()) return dy_[i].dense;
  // What is made here is kept: a second call finds it.
  dy_[i] = GradientValue::Dense(dy_[i].is_slices() ? ToDense(dy_[i]) : ZerosLike(y(i)));
  return dy_[i].dense;
}

void GradContext::set_dx(int i, OutputRef gradient) {
  dx_[i] = gradient.node == kNoNode ? GradientValue::None() : GradientValue::Dense(gradient);
}

std::vector<OutputRef> GradContext::EmitAll(absl::string_view op,
                                            const std::vector<NodeInput>& inputs,
                                            const AttrMap& attrs) {
  if (!status_.ok()) return {};
  NodeBuilder builder(graph_, op);
  builder.Name(absl::StrCat(prefix_, op)).Device(device_).ControlInputs(control_inputs_);
  for (const AttrMap::Entry& entry : extra_attrs_) builder.Attr(entry.first, entry.second);
  for (const AttrMap::Entry& entry : attrs) builder.Attr(entry.first, entry.second);
  for (const NodeInput& input : inputs) builder.Input(input);
  builder.Location(node().location());
  StatusOr<Node*> made = builder.Build();
  if (!made.ok()) {
    set_status(made.status());
    return {};
  }
  std::vector<OutputRef> outputs;
  for (int i = 0; i < (*made)->num_outputs(); ++i) outputs.push_back({(*made)->id(), i});
  return outputs;
}

OutputRef GradContext::Emit(absl::string_view op, Inputs inputs, Attrs attrs) {
  AttrMap map;
  for (const auto& entry : attrs) map.Set(entry.first, entry.second);
  std::vector<OutputRef> outputs = EmitAll(op, std::vector<NodeInput>(inputs), map);
  return outputs.empty() ? OutputRef() : outputs[0];
}

OutputRef GradContext::Constant(Tensor value) {
  const DType dtype = value.dtype();
  return Emit("Const", {}, {{"dtype", dtype}, {"value", std::move(value)}});
}

OutputRef GradContext::ScalarOf(DType type, double value) {
  StatusOr<Tensor> tensor = MakeScalar(BaseType(type), value);
  if (tensor.ok()) return Constant(*std::move(tensor));
  set_status(tensor.status());
  return OutputRef();
}

OutputRef GradContext::Ints(std::initializer_list<int32_t> values) {
  return Constant(Tensor::Vector<int32_t>(values));
}

OutputRef GradContext::Folded(OutputRef a) {
  if (a.node == kNoNode) return a;
  std::optional<Tensor> value = constant(a);
  return value ? Constant(*std::move(value)) : a;
}

OutputRef GradContext::Conj(OutputRef a) { return IsComplex(type(a)) ? Emit("Conj", {a}) : a; }

OutputRef GradContext::Cast(OutputRef a, DType to) {
  return type(a) == BaseType(to) ? a : Emit("Cast", {a}, {{"DstT", BaseType(to)}});
}

OutputRef GradContext::ShapeOf(OutputRef a, DType out_type) {
  StatusOr<Shape> known = shape(a).AsShape();
  if (!known.ok()) return Emit("Shape", {a}, {{"out_type", out_type}});
  if (out_type == DType::kInt64) return Constant(Tensor::Vector<int64_t>(known->dims()));
  const std::vector<int32_t> dims(known->dims().begin(), known->dims().end());
  return Constant(Tensor::Vector<int32_t>(dims));
}

OutputRef GradContext::SizeOf(OutputRef a, DType out_type) {
  const int64_t size = shape(a).num_elements();
  if (size < 0) return Emit("Size", {a}, {{"out_type", out_type}});
  return ScalarOf(out_type, static_cast<double>(size));
}

OutputRef GradContext::RankOf(OutputRef a) {
  if (!shape(a).has_rank()) return Emit("Rank", {a});
  return Scalar<int32_t>(shape(a).rank());
}

OutputRef GradContext::ToDense(const GradientValue& value) {
  if (!value.is_slices()) return value.dense;
  const OutputRef rows = Emit("StridedSlice", {value.dense_shape, Ints({0}), Ints({1}), Ints({1})},
                              {{"shrink_axis_mask", 1}});
  return Emit("UnsortedSegmentSum", {value.values, value.indices, rows});
}

OutputRef GradContext::SumToShape(OutputRef gradient, OutputRef axes, OutputRef shape) {
  return Reshape(Emit("Sum", {gradient, axes}), shape);
}

void GradContext::set_dx_broadcast(OutputRef dx0, OutputRef dx1) {
  OutputRef dx[2] = {dx0, dx1};
  bool open[2] = {false, false};  // whether input i needs a look at the shapes at run time
  for (int i = 0; i < 2; ++i) {
    const PartialShape own = shape(x(i));
    const PartialShape other = shape(x(1 - i));
    if (dx[i].node == kNoNode || NeverSpread(own, other)) continue;
    if (!own.IsFullyDefined() || !other.has_rank()) {
      open[i] = true;
      continue;
    }
    const std::vector<int32_t> axes = SpreadAxes(own, other);
    if (!axes.empty()) {
      dx[i] = SumToShape(dx[i], Constant(Tensor::Vector<int32_t>(axes)), ShapeOf(x(i)));
    }
  }
  if (open[0] || open[1]) {
    const OutputRef shapes[2] = {ShapeOf(x(0)), ShapeOf(x(1))};
    const std::vector<OutputRef> axes = EmitAll("BroadcastGradientArgs", {shapes[0], shapes[1]});
    for (int i = 0; i < 2 && axes.size() == 2; ++i) {
      if (open[i]) dx[i] = SumToShape(dx[i], axes[i], shapes[i]);
    }
  }
  set_dx(0, dx[0]);
  set_dx(1, dx[1]);
}

}  // namespace warpbeam
