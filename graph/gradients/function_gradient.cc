#include "graph/gradients/function_gradient.h"

#include <set>
#include <utility>

#include "graph/gradients/differentiated_body.h"
#include "graph/gradients/widen_node.h"

namespace warpbeam {
namespace {

// A gradient that the library names for the function: it takes the arguments and the gradients of
// all results, and returns those of all arguments.
Status CallGivenGradient(GradContext& c, const FunctionRef& gradient, absl::string_view call) {
  std::vector<OutputRef> args = c.xs(0, c.num_inputs());
  AttrMap attrs;
  std::vector<DType> in, out;
  for (OutputRef arg : args) out.push_back(c.type(arg));
  for (int i = 0; i < c.num_outputs(); ++i) args.push_back(c.dy(i));
  for (OutputRef arg : args) in.push_back(c.type(arg));
  attrs.Set("Tin", std::move(in));
  attrs.Set("Tout", out);
  attrs.Set("f", gradient);
  const std::vector<OutputRef> made = c.EmitAll(call, {NodeInput(std::move(args))}, attrs);
  for (size_t i = 0; i < made.size(); ++i) {
    if (IsDifferentiable(out[i])) c.set_dx(static_cast<int>(i), made[i]);
  }
  return c.status();
}

// A further output of the node: a tensor of its type from every function, where it has one.
struct Slot {
  DType type = DType::kInvalid;
  std::vector<OutputRef> tensors;  // by function
};

class CallDifferentiator {
 public:
  CallDifferentiator(GradContext& c, std::vector<FunctionRef> functions, int first_input)
      : c_(c), graph_(*c.mutable_graph()), functions_(std::move(functions)), first_(first_input) {}

  Status Run(absl::string_view call, void (*set_functions)(std::vector<FunctionRef>, AttrMap*)) {
    WB_RETURN_IF_ERROR(Differentiate());
    if (args_.empty()) return OkStatus();
    LayOut();
    if (!slots_.empty()) WB_RETURN_IF_ERROR(Widen(set_functions));
    return EmitCall(call, set_functions);
  }

 private:
  using Body = DifferentiatedBody;

  Status Differentiate() {
    num_results_ = c_.num_outputs();
    BodyGradientOptions options;
    options.handles = InputHandles(c_, first_);
    options.can_widen = c_.node().attrs().Find("Tout") != nullptr;
    for (int i = 0; i < num_results_; ++i) options.has_dy.push_back(c_.has_dy(i));
    for (const FunctionRef& f : functions_) {
      WB_ASSIGN_OR_RETURN(std::unique_ptr<Body> body, Body::Make(graph_, f, options));
      if (body->num_args() != c_.num_inputs() - first_ || body->num_results() != num_results_) {
        return InvalidArgument("the function '", f.name, "' takes ", body->num_args(),
                               " values and returns ", body->num_results(), ", the node passes ",
                               c_.num_inputs() - first_, " and takes ", num_results_);
      }
      for (int arg = 0; arg < body->num_args(); ++arg) {
        if (body->HasGradient(arg)) args_.insert(arg);
      }
      bodies_.push_back(std::move(body));
    }
    for (const auto& body : bodies_) {
      WB_RETURN_IF_ERROR(body->Finish({args_.begin(), args_.end()}));
    }
    return OkStatus();
  }

  // Which of the arguments and results the gradient takes, and what the node has to give besides.
  void LayOut() {
    for (size_t b = 0; b < bodies_.size(); ++b) {
      std::vector<bool> taken;
      for (const OutputRef tensor : bodies_[b]->needed()) {
        if (const int arg = bodies_[b]->ArgOf(tensor); arg >= 0) {
          read_args_.insert(arg);
        } else if (const int result = bodies_[b]->ResultOf(tensor); result >= 0) {
          read_results_.insert(result);
        } else {
          TakeSlot(b, tensor, &taken);
        }
      }
    }
  }

  // The first slot of the tensor's type that the function has no other tensor for.
  void TakeSlot(size_t b, OutputRef tensor, std::vector<bool>* taken) {
    const DType type = bodies_[b]->TypeOf(tensor);
    taken->resize(slots_.size());
    size_t at = 0;
    while (at < slots_.size() && ((*taken)[at] || slots_[at].type != type)) ++at;
    if (at == slots_.size()) {
      slots_.push_back({type, std::vector<OutputRef>(bodies_.size())});
      taken->push_back(false);
    }
    (*taken)[at] = true;
    slots_[at].tensors[b] = tensor;
  }

  // The function with the tensors of the slots behind its results.
  StatusOr<std::string> WiderFunction(size_t b) {
    const Body& body = *bodies_[b];
    Graph graph(graph_.ops());
    WB_ASSIGN_OR_RETURN(const std::vector<OutputRef> kept, body.CopyForward(&graph));
    BodyWriter writer(&graph, body.num_args(), num_results_);
    for (const Slot& slot : slots_) {
      OutputRef value;
      for (size_t k = 0; k < kept.size(); ++k) {
        if (body.needed()[k] == slot.tensors[b]) value = kept[k];
      }
      if (value.node == kNoNode) {
        WB_ASSIGN_OR_RETURN(value, NodeBuilder(&graph, "FakeParam")
                                       .Attr("dtype", slot.type)
                                       .Attr("shape", PartialShape(Shape({0})))
                                       .BuildOutput());
      }
      WB_RETURN_IF_ERROR(writer.Result(value));
    }
    return AddFunction(graph_, graph, absl::StrCat(functions_[b].name, "_keep"));
  }

  Status Widen(void (*set_functions)(std::vector<FunctionRef>, AttrMap*)) {
    WiderNode wider;
    std::vector<FunctionRef> functions;
    for (size_t b = 0; b < bodies_.size(); ++b) {
      WB_ASSIGN_OR_RETURN(std::string name, WiderFunction(b));
      functions.push_back({std::move(name), {}});
    }
    set_functions(std::move(functions), &wider.functions);
    WB_ASSIGN_OR_RETURN(std::vector<DType> types, c_.attr<std::vector<DType>>("Tout"));
    for (const Slot& slot : slots_) types.push_back(slot.type);
    wider.types.Set("Tout", std::move(types));
    auto shapes = c_.attr_or<std::vector<PartialShape>>("output_shapes", {});
    if (!shapes.empty()) {
      shapes.resize(shapes.size() + slots_.size());
      wider.types.Set("output_shapes", std::move(shapes));
    }
    return WidenNode(graph_, c_.node().id(), wider);
  }

  // The arguments of the gradient function are those of the node that it reads, its results, the
  // slots, and the gradients of the results.
  StatusOr<std::string> GradientFunction(size_t b, std::vector<DType>* types) {
    const Body& body = *bodies_[b];
    Graph graph(graph_.ops());
    BodyWriter writer(&graph, 0, 0);
    std::vector<OutputRef> needed(body.needed().size());
    const auto take = [&](DType type, const auto& is_it) -> Status {
      WB_ASSIGN_OR_RETURN(const OutputRef value, writer.Arg(type, "kept"));
      for (size_t k = 0; k < needed.size(); ++k) {
        if (is_it(body.needed()[k])) needed[k] = value;
      }
      return OkStatus();
    };
    for (const int arg : read_args_) {
      WB_RETURN_IF_ERROR(take(body.body().arg_types[static_cast<size_t>(arg)],
                              [&](OutputRef t) { return body.ArgOf(t) == arg; }));
    }
    for (const int result : read_results_) {
      WB_RETURN_IF_ERROR(
          take(body.body().result_types[static_cast<size_t>(result)],
               [&](OutputRef t) { return body.ArgOf(t) < 0 && body.ResultOf(t) == result; }));
    }
    for (const Slot& slot : slots_) {
      WB_RETURN_IF_ERROR(take(slot.type, [&](OutputRef t) { return t == slot.tensors[b]; }));
    }
    std::vector<OutputRef> dys;
    for (const int result : body.results()) {
      WB_ASSIGN_OR_RETURN(OutputRef dy, writer.Arg(c_.type(c_.y(result)), "dy"));
      dys.push_back(dy);
    }
    WB_ASSIGN_OR_RETURN(const std::vector<OutputRef> dxs, body.CopyBackward(&graph, needed, dys));
    types->clear();
    for (const OutputRef dx : dxs) {
      types->push_back(BaseType(graph.node(dx.node).output_type(dx.index)));
      WB_RETURN_IF_ERROR(writer.Result(dx));
    }
    return AddFunction(graph_, graph, absl::StrCat(functions_[b].name, "_gradient"));
  }

  Status EmitCall(absl::string_view call,
                  void (*set_functions)(std::vector<FunctionRef>, AttrMap*)) {
    std::vector<FunctionRef> gradients;
    std::vector<DType> returned;
    for (size_t b = 0; b < bodies_.size(); ++b) {
      WB_ASSIGN_OR_RETURN(std::string name, GradientFunction(b, &returned));
      gradients.push_back({std::move(name), {}});
    }
    std::vector<OutputRef> args;
    for (const int arg : read_args_) args.push_back(c_.x(first_ + arg));
    for (const int result : read_results_) args.push_back(c_.y(result));
    const int first_slot = c_.num_outputs() - static_cast<int>(slots_.size());
    for (size_t k = 0; k < slots_.size(); ++k) {
      args.push_back(c_.y(first_slot + static_cast<int>(k)));
    }
    for (const int result : bodies_[0]->results()) args.push_back(c_.dy(result));
    AttrMap attrs;
    std::vector<DType> types;
    for (const OutputRef arg : args) types.push_back(c_.type(arg));
    attrs.Set("Tin", std::move(types));
    attrs.Set("Tout", std::move(returned));
    set_functions(std::move(gradients), &attrs);
    std::vector<NodeInput> inputs;
    for (int i = 0; i < first_; ++i) inputs.push_back(c_.x(i));
    inputs.push_back(NodeInput(std::move(args)));
    const std::vector<OutputRef> made = c_.EmitAll(call, inputs, attrs);
    if (made.size() != args_.size()) return c_.status();
    size_t k = 0;
    for (const int arg : args_) c_.set_dx(first_ + arg, made[k++]);
    return OkStatus();
  }

  GradContext& c_;
  Graph& graph_;
  const std::vector<FunctionRef> functions_;
  const int first_;
  int num_results_ = 0;
  std::vector<std::unique_ptr<Body>> bodies_;
  std::set<int> args_;  // whose gradients there are
  std::set<int> read_args_, read_results_;
  std::vector<Slot> slots_;
};

}  // namespace

std::vector<HandleShapes> InputHandles(const GradContext& c, int first_input) {
  std::vector<HandleShapes> handles;
  for (int i = first_input; i < c.num_inputs(); ++i) {
    const OutputRef x = c.x(i);
    const bool refers = c.type(x) == DType::kResource || c.type(x) == DType::kVariant;
    handles.push_back(refers ? c.graph().node(x.node).output_handle(x.index) : HandleShapes());
  }
  return handles;
}

Status CallGradient(GradContext& c, const std::vector<FunctionRef>& functions, int first_input,
                    absl::string_view call,
                    void (*set_functions)(std::vector<FunctionRef> functions, AttrMap* attrs)) {
  return CallDifferentiator(c, functions, first_input).Run(call, set_functions);
}

Status PlainCallGradient(GradContext& c, const FunctionRef& function) {
  const bool stateful = c.node().op().is_stateful;
  const char* const call = stateful ? "StatefulPartitionedCall" : "PartitionedCall";
  const std::string given = c.graph().functions().FindGradient(function.name);
  if (!given.empty()) return CallGivenGradient(c, {given, function.attrs}, call);
  return CallGradient(
      c, {function}, 0, call,
      [](std::vector<FunctionRef> functions, AttrMap* attrs) { attrs->Set("f", functions[0]); });
}

}  // namespace warpbeam
