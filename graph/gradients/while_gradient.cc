#include "graph/gradients/while_gradient.h"

#include <utility>

#include "graph/functions/instantiate.h"
#include "graph/gradients/function_gradient.h"

namespace warpbeam {
namespace {

// Nodes of a function body, by op; arguments and results are numbered as they come.
class BodyWriter {
 public:
  BodyWriter(Graph* graph, int num_args, int num_results)
      : graph_(*graph), num_args_(num_args), num_results_(num_results) {}

  absl::StatusOr<OutputRef> Arg(DType type, const char* name) {
    return NodeBuilder(&graph_, "_Arg")
        .Name(name)
        .Attr("T", type)
        .Attr("index", num_args_++)
        .BuildOutput();
  }
  absl::Status Result(OutputRef value) {
    return NodeBuilder(&graph_, "_Retval")
        .Name("result")
        .Attr("index", num_results_++)
        .Input(value)
        .Build()
        .status();
  }
  absl::StatusOr<OutputRef> Constant(int32_t value) {
    WB_ASSIGN_OR_RETURN(Node * node, AddConstant(&graph_, graph_.UniqueName("const"),
                                                 Tensor::Scalar<int32_t>(value)));
    return OutputRef{node->id(), 0};
  }
  absl::StatusOr<OutputRef> Binary(const char* op, OutputRef a, OutputRef b) {
    return NodeBuilder(&graph_, op).Input(a).Input(b).BuildOutput();
  }
  absl::StatusOr<Node*> PopBack(OutputRef list, DType type) {
    WB_ASSIGN_OR_RETURN(OutputRef any_shape, Constant(-1));
    return NodeBuilder(&graph_, "TensorListPopBack")
        .Input(list)
        .Input(any_shape)
        .Attr("element_dtype", type)
        .Build();
  }

 private:
  Graph& graph_;
  int num_args_;
  int num_results_;
};

// What an iteration does to a loop variable.
enum class Kind { kConstant, kChanges };

class WhileDifferentiator {
 public:
  explicit WhileDifferentiator(GradContext& c) : c_(c), graph_(*c.mutable_graph()) {}

  absl::Status Run() {
    WB_ASSIGN_OR_RETURN(body_, c_.attr<FunctionRef>("body"));
    WB_ASSIGN_OR_RETURN(condition_, c_.attr<FunctionRef>("cond"));
    stateful_ = c_.node().op().is_stateful;
    WB_RETURN_IF_ERROR(ClassifyVariables());
    const std::vector<HandleShapes> handles = InputHandles(c_, 0);
    WB_ASSIGN_OR_RETURN(gradient_, AddGradientFunction(graph_, body_, handles));
    WB_RETURN_IF_ERROR(RunForward());
    return RunBackward();
  }

 private:
  int num_variables() const { return c_.num_inputs(); }
  bool Changes(int i) const { return kinds_[static_cast<size_t>(i)] == Kind::kChanges; }

  absl::Status ClassifyVariables() {
    WB_ASSIGN_OR_RETURN(InstantiatedFunction body,
                        InstantiateFunction(graph_.functions(), body_, graph_.ops()));
    if (static_cast<int>(body.results.size()) != num_variables() ||
        static_cast<int>(body.args.size()) != num_variables()) {
      return InvalidArgument("the body '", body_.name, "' takes ", body.args.size(),
                             " values and returns ", body.results.size(), ", the loop has ",
                             num_variables(), " variables");
    }
    for (int i = 0; i < num_variables(); ++i) {
      OutputRef from = body.results[static_cast<size_t>(i)];
      while (body.graph->node(from.node).op_name() == "Identity") {
        from = body.graph->node(from.node).input(0);
      }
      const bool constant = from == OutputRef{body.args[static_cast<size_t>(i)], 0};
      kinds_.push_back(constant ? Kind::kConstant : Kind::kChanges);
      types_.push_back(body.arg_types[static_cast<size_t>(i)]);
      if (!constant && types_.back() == DType::kResource) {
        return Unimplemented("the loop variable ", i,
                             " is a resource that changes from one iteration to the next");
      }
    }
    return absl::OkStatus();
  }

  // The body with a counter and the lists behind the loop's own variables.
  absl::StatusOr<std::string> ForwardBody() {
    WB_ASSIGN_OR_RETURN(InstantiatedFunction body,
                        InstantiateFunction(graph_.functions(), body_, graph_.ops()));
    BodyWriter writer(body.graph.get(), num_variables(), num_variables());
    WB_ASSIGN_OR_RETURN(OutputRef count, writer.Arg(DType::kInt32, "count"));
    WB_ASSIGN_OR_RETURN(OutputRef one, writer.Constant(1));
    WB_ASSIGN_OR_RETURN(OutputRef next, writer.Binary("AddV2", count, one));
    WB_RETURN_IF_ERROR(writer.Result(next));
    for (int i = 0; i < num_variables(); ++i) {
      if (!Changes(i)) continue;
      const OutputRef value = {body.args[static_cast<size_t>(i)], 0};
      WB_ASSIGN_OR_RETURN(OutputRef list, writer.Arg(DType::kVariant, "list"));
      WB_ASSIGN_OR_RETURN(OutputRef longer, writer.Binary("TensorListPushBack", list, value));
      WB_RETURN_IF_ERROR(writer.Result(longer));
    }
    return AddFunction(graph_, *body.graph, absl::StrCat(body_.name, "_keep"));
  }

  absl::StatusOr<std::string> ForwardCondition() {
    WB_ASSIGN_OR_RETURN(InstantiatedFunction condition,
                        InstantiateFunction(graph_.functions(), condition_, graph_.ops()));
    BodyWriter writer(condition.graph.get(), num_variables(), 1);
    WB_RETURN_IF_ERROR(writer.Arg(DType::kInt32, "count").status());
    for (int i = 0; i < num_variables(); ++i) {
      if (Changes(i)) WB_RETURN_IF_ERROR(writer.Arg(DType::kVariant, "list").status());
    }
    return AddFunction(graph_, *condition.graph, absl::StrCat(condition_.name, "_keep"));
  }

  AttrMap LoopAttrs(const std::string& condition, const std::string& body,
                    const std::vector<OutputRef>& inputs) const {
    AttrMap attrs;
    std::vector<DType> types;
    for (OutputRef in : inputs) types.push_back(c_.type(in));
    attrs.Set("T", std::move(types));
    attrs.Set("cond", FunctionRef{condition, {}});
    attrs.Set("body", FunctionRef{body, {}});
    attrs.Set("parallel_iterations", c_.attr_or<int64_t>("parallel_iterations", 10));
    return attrs;
  }

  absl::StatusOr<std::vector<OutputRef>> EmitLoop(const std::string& condition,
                                                  const std::string& body,
                                                  const std::vector<OutputRef>& inputs,
                                                  std::vector<PartialShape> shapes) {
    AttrMap attrs = LoopAttrs(condition, body, inputs);
    attrs.Set("output_shapes", std::move(shapes));
    std::vector<OutputRef> made =
        c_.EmitAll(stateful_ ? "While" : "StatelessWhile", {NodeInput(inputs)}, attrs);
    if (made.empty()) return c_.status();
    return made;
  }

  absl::Status RunForward() {
    WB_ASSIGN_OR_RETURN(const std::string body, ForwardBody());
    WB_ASSIGN_OR_RETURN(const std::string condition, ForwardCondition());
    std::vector<OutputRef> inputs = c_.xs(0, num_variables());
    std::vector<PartialShape> shapes(inputs.size());
    inputs.push_back(c_.Scalar<int32_t>(0));
    shapes.push_back(PartialShape(Shape()));
    for (int i = 0; i < num_variables(); ++i) {
      if (!Changes(i)) continue;
      const OutputRef none = c_.Scalar<int32_t>(-1);
      inputs.push_back(c_.Emit("EmptyTensorList", {none, none},
                               {{"element_dtype", types_[static_cast<size_t>(i)]}}));
      shapes.push_back(PartialShape(Shape()));
    }
    WB_RETURN_IF_ERROR(c_.status());
    WB_ASSIGN_OR_RETURN(std::vector<OutputRef> made,
                        EmitLoop(condition, body, inputs, std::move(shapes)));
    count_ = made[static_cast<size_t>(num_variables())];
    size_t next_list = static_cast<size_t>(num_variables()) + 1;
    for (int i = 0; i < num_variables(); ++i) {
      kept_.push_back(Changes(i) ? made[next_list++] : c_.x(i));
    }
    return absl::OkStatus();
  }

  // (count, kept values or lists, gradients) → whether there is an iteration left.
  absl::StatusOr<std::string> BackwardCondition() {
    Graph graph(graph_.ops());
    BodyWriter writer(&graph, 0, 0);
    WB_ASSIGN_OR_RETURN(OutputRef count, writer.Arg(DType::kInt32, "count"));
    for (OutputRef kept : kept_) WB_RETURN_IF_ERROR(writer.Arg(c_.type(kept), "kept").status());
    for (size_t k = 0; k < gradient_.args.size(); ++k) {
      WB_RETURN_IF_ERROR(writer.Arg(GradientType(k), "gradient").status());
    }
    WB_ASSIGN_OR_RETURN(OutputRef zero, writer.Constant(0));
    WB_ASSIGN_OR_RETURN(OutputRef more, writer.Binary("Greater", count, zero));
    WB_RETURN_IF_ERROR(writer.Result(more));
    return AddFunction(graph_, graph, absl::StrCat(condition_.name, "_gradient"));
  }

  DType GradientType(size_t k) const {
    return gradient_.types[static_cast<size_t>(gradient_.first_gradient) + k];
  }
  bool IsVariable(size_t k) const {
    return types_[static_cast<size_t>(gradient_.args[k])] == DType::kResource;
  }

  // One iteration back: the values it began with, then the gradient function of the body.
  absl::StatusOr<std::string> BackwardBody() {
    Graph graph(graph_.ops());
    WB_RETURN_IF_ERROR(graph.functions().AddAll(graph_.functions()));
    BodyWriter writer(&graph, 0, 0);
    WB_ASSIGN_OR_RETURN(OutputRef count, writer.Arg(DType::kInt32, "count"));
    WB_ASSIGN_OR_RETURN(OutputRef one, writer.Constant(1));
    WB_ASSIGN_OR_RETURN(OutputRef less, writer.Binary("Sub", count, one));
    WB_RETURN_IF_ERROR(writer.Result(less));
    std::vector<OutputRef> args;
    std::vector<OutputRef> kept_next;
    for (int i = 0; i < num_variables(); ++i) {
      const DType type = types_[static_cast<size_t>(i)];
      WB_ASSIGN_OR_RETURN(OutputRef kept, writer.Arg(Changes(i) ? DType::kVariant : type, "kept"));
      if (!Changes(i)) {
        args.push_back(kept);
        kept_next.push_back(kept);
        continue;
      }
      WB_ASSIGN_OR_RETURN(Node * popped, writer.PopBack(kept, type));
      kept_next.push_back({popped->id(), 0});
      args.push_back({popped->id(), 1});
    }
    for (OutputRef kept : kept_next) WB_RETURN_IF_ERROR(writer.Result(kept));
    return FinishBackwardBody(&graph, &writer, std::move(args));
  }

  absl::StatusOr<std::string> FinishBackwardBody(Graph* graph, BodyWriter* writer,
                                                 std::vector<OutputRef> args) {
    std::vector<OutputRef> sums;
    for (size_t k = 0; k < gradient_.args.size(); ++k) {
      WB_ASSIGN_OR_RETURN(OutputRef sum, writer->Arg(GradientType(k), "gradient"));
      sums.push_back(sum);
      if (!IsVariable(k)) args.push_back(sum);
    }
    NodeBuilder call(graph, stateful_ ? "StatefulPartitionedCall" : "PartitionedCall");
    call.Input(NodeInput(args)).Attr("Tout", gradient_.types);
    call.Attr("f", FunctionRef{gradient_.name, {}});
    WB_ASSIGN_OR_RETURN(Node * called, call.Build());
    for (size_t k = 0; k < gradient_.args.size(); ++k) {
      OutputRef dx = {called->id(), gradient_.first_gradient + static_cast<int>(k)};
      if (IsVariable(k)) {
        WB_ASSIGN_OR_RETURN(dx, writer->Binary("AddV2", sums[k], dx));
      }
      WB_RETURN_IF_ERROR(writer->Result(dx));
    }
    return AddFunction(graph_, *graph, absl::StrCat(body_.name, "_step_back"));
  }

  absl::Status RunBackward() {
    WB_ASSIGN_OR_RETURN(const std::string condition, BackwardCondition());
    WB_ASSIGN_OR_RETURN(const std::string body, BackwardBody());
    std::vector<OutputRef> inputs = {count_};
    inputs.insert(inputs.end(), kept_.begin(), kept_.end());
    std::vector<PartialShape> shapes(inputs.size());
    for (size_t k = 0; k < gradient_.args.size(); ++k) {
      const int i = gradient_.args[k];
      if (IsVariable(k)) {
        const OutputRef shape = c_.Emit("VariableShape", {c_.x(i)});
        inputs.push_back(c_.Emit("Fill", {shape, c_.ScalarOf(GradientType(k), 0)}));
      } else {
        inputs.push_back(c_.dy(i));
      }
      shapes.push_back(PartialShape());
    }
    WB_RETURN_IF_ERROR(c_.status());
    WB_ASSIGN_OR_RETURN(std::vector<OutputRef> made,
                        EmitLoop(condition, body, inputs, std::move(shapes)));
    for (size_t k = 0; k < gradient_.args.size(); ++k) {
      c_.set_dx(gradient_.args[k], made[1 + kept_.size() + k]);
    }
    return absl::OkStatus();
  }

  GradContext& c_;
  Graph& graph_;
  FunctionRef body_, condition_;
  bool stateful_ = false;
  std::vector<Kind> kinds_;
  std::vector<DType> types_;
  FunctionGradient gradient_;
  OutputRef count_;
  std::vector<OutputRef> kept_;  // by variable: its value, or the list of its values
};

}  // namespace

absl::Status WhileGradient(GradContext& c) { return WhileDifferentiator(c).Run(); }

}  // namespace warpbeam
