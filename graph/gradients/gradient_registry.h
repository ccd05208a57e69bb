// How an op says what its gradient is: WB_GRADIENT, and the context that gradient functions work
// in.
//
// A gradient function stands in the op's own file. It emits the nodes of the backward pass by op
// name and says for each input which output is its gradient:
//
//   Status TanhGradient(GradContext& c) {
//     c.set_dx(0, c.Emit("TanhGrad", {c.y(0), c.dy(0)}));
//     return OkStatus();
//   }
//   WB_GRADIENT("Tanh", TanhGradient);
//
//   Status MulGradient(GradContext& c) {                  // broadcasts
//     c.set_dx_broadcast(c.Emit("Mul", {c.dy(0), c.x(1)}), c.Emit("Mul", {c.x(0), c.dy(0)}));
//     return OkStatus();
//   }
//   WB_GRADIENT("Mul", MulGradient);
//   WB_NO_GRADIENT("Shape");            // the gradient is zero: nothing flows back
//   WB_NOT_DIFFERENTIABLE("Foo", "its result is a summary");    // asking for it is an error
//
// Emit keeps the first error and returns an empty OutputRef from then on, so that functions need no
// checks of their own; the walk reports it with op and node. Names are given by op type below
// "gradients/<node>_grad/", made unique.
//
// Ownership: a context lives for one call. Thread safety: one call, one thread; the registry is
// read-only once looked at. Errors: a function returns a status for what it cannot differentiate
// (UNIMPLEMENTED, saying what would help).
#ifndef WARPBEAM_GRAPH_GRADIENTS_GRADIENT_REGISTRY_H_
#define WARPBEAM_GRAPH_GRADIENTS_GRADIENT_REGISTRY_H_

#include <initializer_list>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "graph/build/node_builder.h"
#include "graph/graph.h"

namespace warpbeam {

// A gradient: nothing (zero), a dense tensor, or slices of one: row `indices[i]` of a tensor of
// `dense_shape` has the sum of the rows `values[i]`.
struct GradientValue {
  OutputRef dense;
  OutputRef values;
  OutputRef indices;
  OutputRef dense_shape;

  static GradientValue None() { return {}; }
  static GradientValue Dense(OutputRef ref) {
    GradientValue v;
    v.dense = ref;
    return v;
  }
  static GradientValue Slices(OutputRef values, OutputRef indices, OutputRef dense_shape) {
    GradientValue v;
    v.values = values;
    v.indices = indices;
    v.dense_shape = dense_shape;
    return v;
  }
  bool is_none() const { return !is_dense() && !is_slices(); }
  bool is_dense() const { return dense.node != kNoNode; }
  bool is_slices() const { return values.node != kNoNode; }
  // What carries the numbers: the tensor, or the values of the slices.
  OutputRef& part() { return is_dense() ? dense : values; }
  const OutputRef& part() const { return is_dense() ? dense : values; }
};

class GradContext {
 public:
  using Attrs = std::initializer_list<std::pair<const char*, AttrValue>>;
  using Inputs = std::initializer_list<NodeInput>;

  // Made by the walk. `prefix` ends in '/'; `out` are the gradients of the node's outputs.
  GradContext(Graph* graph, NodeId node, std::string prefix, std::vector<GradientValue> out,
              AttrMap extra_attrs, std::string device);

  // The forward node.
  const Graph& graph() const { return *graph_; }
  Graph* mutable_graph() { return graph_; }
  const Node& node() const { return graph_->node(node_); }
  template <typename T>
  StatusOr<T> attr(absl::string_view name) const {
    return node().attrs().Get<T>(StdView(name));
  }
  template <typename T>
  T attr_or(absl::string_view name, T fallback) const {
    return node().attrs().GetOr<T>(StdView(name), std::move(fallback));
  }
  int num_inputs() const { return node().num_inputs(); }
  int num_outputs() const { return node().num_outputs(); }
  OutputRef x(int i) const { return node().input(i); }
  OutputRef y(int i) const { return {node_, i}; }
  std::vector<OutputRef> xs(int begin, int end) const;
  std::vector<OutputRef> ys(int begin, int end) const;
  DType type(OutputRef ref) const;  // the base type; kInvalid for an empty ref
  const PartialShape& shape(OutputRef ref) const;
  std::optional<Tensor> constant(OutputRef ref) const { return graph_->ConstantValue(ref); }

  // The gradient of output i: dense, zeros when nothing flows into that output.
  OutputRef dy(int i);
  // The same as it came, perhaps slices or nothing.
  const GradientValue& dy_value(int i) const { return dy_[i]; }
  bool has_dy(int i) const { return !dy_[i].is_none(); }

  // The results: what flows into input i; an input that is never set gets nothing.
  void set_dx(int i, OutputRef gradient);
  void set_dx(int i, GradientValue gradient) { dx_[i] = gradient; }
  // For binary ops that broadcast: each gradient is summed over the dimensions along which its
  // input was spread, and given the input's shape.
  void set_dx_broadcast(OutputRef dx0, OutputRef dx1);

  // Adds a node below the prefix and returns its first output, or an empty ref after an error.
  OutputRef Emit(absl::string_view op, Inputs inputs, Attrs attrs = {});
  // The same for lists made at run time, with all outputs.
  std::vector<OutputRef> EmitAll(absl::string_view op, const std::vector<NodeInput>& inputs,
                                 const AttrMap& attrs = {});
  // Control inputs of the nodes emitted from now on.
  void set_control_inputs(std::vector<NodeId> nodes) { control_inputs_ = std::move(nodes); }

  // Constants. Scalar(like, v) has the type of `like`.
  OutputRef Constant(Tensor value);
  template <typename T>
  OutputRef Scalar(T value) {
    return Constant(Tensor::Scalar<T>(value));
  }
  OutputRef ScalarOf(DType type, double value);
  OutputRef ScalarLike(OutputRef like, double value) { return ScalarOf(type(like), value); }
  OutputRef Ints(std::initializer_list<int32_t> values);
  // `a` as a constant where shape arithmetic knows its value, else `a` itself.
  OutputRef Folded(OutputRef a);

  // The ops that gradient functions need most.
  OutputRef Add(OutputRef a, OutputRef b) { return Emit("AddV2", {a, b}); }
  OutputRef Sub(OutputRef a, OutputRef b) { return Emit("Sub", {a, b}); }
  OutputRef Mul(OutputRef a, OutputRef b) { return Emit("Mul", {a, b}); }
  OutputRef Div(OutputRef a, OutputRef b) { return Emit("RealDiv", {a, b}); }
  OutputRef Neg(OutputRef a) { return Emit("Neg", {a}); }
  OutputRef Conj(OutputRef a);  // `a` itself unless it is complex
  OutputRef Identity(OutputRef a) { return Emit("Identity", {a}); }
  OutputRef ZerosLike(OutputRef a) { return Emit("ZerosLike", {a}); }
  OutputRef Cast(OutputRef a, DType to);  // `a` itself when it is of that type
  OutputRef Reshape(OutputRef a, OutputRef shape) { return Emit("Reshape", {a, shape}); }
  // The shape of a tensor as an int32 (or int64) vector: a constant where it is fully known.
  OutputRef ShapeOf(OutputRef a, DType out_type = DType::kInt32);
  OutputRef ReshapeLike(OutputRef a, OutputRef like) { return Reshape(a, ShapeOf(like)); }
  OutputRef SizeOf(OutputRef a, DType out_type = DType::kInt32);
  OutputRef RankOf(OutputRef a);

  // Gradient values as dense tensors; slices are summed into zeros.
  OutputRef ToDense(const GradientValue& value);

  const Status& status() const { return status_; }
  void set_status(Status status) {
    if (status_.ok()) status_ = std::move(status);
  }
  const std::vector<GradientValue>& dx() const { return dx_; }

 private:
  OutputRef SumToShape(OutputRef gradient, OutputRef axes, OutputRef shape);

  Graph* graph_;
  NodeId node_;
  std::string prefix_;
  std::vector<GradientValue> dy_;
  AttrMap extra_attrs_;  // colocation
  std::string device_;
  std::vector<NodeId> control_inputs_;
  std::vector<GradientValue> dx_;
  Status status_;
};

using GradientFn = Status (*)(GradContext&);

// What is known of an op's gradient.
struct GradientEntry {
  GradientFn function = nullptr;  // null: nothing flows back, or an error
  bool not_differentiable = false;
  std::string reason;  // why not
};

class GradientRegistry {
 public:
  static GradientRegistry& Global();

  // ALREADY_EXISTS when the op has an entry.
  Status Register(absl::string_view op, GradientEntry entry);
  const GradientEntry* Find(absl::string_view op) const;
  // First fault of the linked-in registrations.
  static Status GlobalStatus();
  // Names of all ops with an entry, sorted.
  std::vector<std::string> Ops() const;

 private:
  absl::flat_hash_map<std::string, GradientEntry> entries_;
};

struct GradientRegistration {
  GradientRegistration(const char* op, GradientFn function);
  // Without a function: zero gradient, or with `reason` an error.
  GradientRegistration(const char* op, const char* reason);
};

}  // namespace warpbeam

#define WB_GRADIENT(op, function)                                                     \
  static const ::warpbeam::GradientRegistration WB_CONCAT(wb_gradient_, __COUNTER__)( \
      op, static_cast<::warpbeam::GradientFn>(function))
#define WB_NO_GRADIENT(op)                                                            \
  static const ::warpbeam::GradientRegistration WB_CONCAT(wb_gradient_, __COUNTER__)( \
      op, static_cast<const char*>(nullptr))
#define WB_NOT_DIFFERENTIABLE(op, reason) \
  static const ::warpbeam::GradientRegistration WB_CONCAT(wb_gradient_, __COUNTER__)(op, reason)

#endif  // WARPBEAM_GRAPH_GRADIENTS_GRADIENT_REGISTRY_H_
