#include "frontend/gradients.h"

#include "frontend/device/device_functions.h"
#include "frontend/graph_state.h"
#include "graph/gradients/gradients.h"

namespace warpbeam {
namespace frontend {
namespace {

OutputRef RefOf(const Output& output) {
  return output.valid() ? OutputRef{output.node(), output.index()} : OutputRef();
}

GradientValue ValueOf(const Gradient& gradient) {
  if (gradient.is_slices()) {
    const IndexedSlices& slices = gradient.slices();
    return GradientValue::Slices(RefOf(slices.values), RefOf(slices.indices),
                                 RefOf(slices.dense_shape));
  }
  return gradient.has_value() ? GradientValue::Dense(RefOf(gradient.dense()))
                              : GradientValue::None();
}

Output OutputOf(const Scope& scope, OutputRef ref) {
  if (ref.node == kNoNode) return Output();
  return scope(Output(&scope.state(), ref.node, ref.index));
}

StatusOr<std::vector<OutputRef>> RefsOf(const Scope& scope, const char* what,
                                        const InputList& list) {
  std::vector<OutputRef> refs;
  for (const Input& item : list.items()) {
    const Output& output = item.reference().valid() ? item.reference() : item.output();
    if (item.is_value() || output.graph() != &scope.state()) {
      return InvalidArgument(
          "gradients: ", what, "[", refs.size(), "] is ",
          item.is_value() ? "a constant value" : "no output of this scope's graph");
    }
    refs.push_back(RefOf(output));
  }
  return refs;
}

// What a gradient of RegisterGradient builds, for the walk.
Status CallNamed(const Scope& scope, const std::string& name, const OpGradient& gradient,
                 GradContext& context, const GradientPlace& place) {
  auto there = std::make_shared<ScopeContext>();
  there->name_scope = place.prefix.substr(0, place.prefix.size() - 1);
  there->device = place.device;
  there->attrs = place.attrs;
  there->variables = scope.context().variables;
  const Scope inside(scope.shared_state(), there, scope.location());
  const Operation op(&scope.state(), context.node().id());
  std::vector<Output> dy;
  for (int i = 0; i < context.num_outputs(); ++i) dy.push_back(OutputOf(inside, context.dy(i)));
  WB_RETURN_IF_ERROR(context.status());
  const std::vector<Output> dx = gradient(inside, op, dy);
  WB_RETURN_IF_ERROR(scope.status());
  if (static_cast<int>(dx.size()) != context.num_inputs()) {
    return InvalidArgument("the gradient '", name, "' must give one for each of the ",
                           context.num_inputs(), " inputs, and gave ", dx.size());
  }
  for (int i = 0; i < context.num_inputs(); ++i) {
    const Output& part = dx[static_cast<size_t>(i)];
    if (part.valid() && part.graph() != &scope.state()) {
      return InvalidArgument("the gradient '", name, "' gave '", part.name(),
                             "', which is in another graph");
    }
    if (part.valid()) context.set_dx(i, RefOf(part));
  }
  return OkStatus();
}

StatusOr<std::vector<Gradient>> Build(const Scope& scope, const InputList& ys, const InputList& xs,
                                      const GradientsOptions& options) {
  WB_ASSIGN_OR_RETURN(const std::vector<OutputRef> from, RefsOf(scope, "ys", ys));
  WB_ASSIGN_OR_RETURN(const std::vector<OutputRef> to, RefsOf(scope, "xs", xs));
  GradientOptions graph_options;
  for (const Gradient& gradient : options.grad_ys) {
    graph_options.grad_ys.push_back(ValueOf(gradient));
  }
  for (const Output& stop : options.stop_gradients) {
    graph_options.stop_gradients.push_back(RefOf(stop));
  }
  const Scope inside = scope.OpenScope("gradients");
  WB_RETURN_IF_ERROR(scope.state().CheckGrows(inside.context().name_scope, "gradient nodes"));
  graph_options.name = inside.context().name_scope;
  graph_options.gate = options.gate_gradients;
  graph_options.colocate = options.colocate_with_ops;
  graph_options.device = scope.device();
  // A gradient may register others; those are for the next time.
  const std::map<std::string, OpGradient> named = scope.state().gradients();
  for (const auto& [name, gradient] : named) {
    graph_options.named[name] = [&scope, &name = name, &gradient = gradient](
                                    GradContext& context, const GradientPlace& place) {
      return CallNamed(scope, name, gradient, context, place);
    };
  }
  const int first_new = scope.graph()->num_nodes();
  graph_options.zeros_for_unconnected = options.zeros_for_unconnected;
  WB_ASSIGN_OR_RETURN(const std::vector<GradientValue> values,
                      AddGradients(*scope.graph(), from, to, graph_options));
  WB_RETURN_IF_ERROR(AskDeviceFunctionsForNew(scope, first_new));
  std::vector<Gradient> gradients;
  for (const GradientValue& value : values) {
    if (value.is_slices()) {
      gradients.push_back(IndexedSlices{OutputOf(scope, value.values),
                                        OutputOf(scope, value.indices),
                                        OutputOf(scope, value.dense_shape)});
    } else {
      gradients.push_back(OutputOf(scope, value.dense));
    }
  }
  return gradients;
}

}  // namespace

Output Gradient::dense() const {
  if (!is_slices()) return dense_;
  GraphState* state = slices_.values.graph();
  if (!state->status().ok()) return Output();
  state->Fail(state->CheckGrows(slices_.values.name(), "made dense"));
  if (!state->status().ok()) return Output();
  const StatusOr<OutputRef> dense = ToDense(*state->graph(), ValueOf(*this));
  if (!dense.ok()) {
    state->Fail(dense.status());
    return Output();
  }
  return Output(state, dense->node, dense->index, slices_.values.used_in());
}

HandleList<Gradient> Gradients(ScopeRef scope_ref, const InputList& ys, const InputList& xs,
                               const GradientsOptions& options) {
  const Scope scope = scope_ref.scope();
  if (!scope.ok()) return std::vector<Gradient>(xs.size());
  StatusOr<std::vector<Gradient>> gradients = Build(scope, ys, xs, options);
  if (gradients.ok()) return *std::move(gradients);
  scope.Fail(gradients.status());
  return std::vector<Gradient>(xs.size());
}

}  // namespace frontend
}  // namespace warpbeam
