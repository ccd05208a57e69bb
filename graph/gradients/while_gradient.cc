#include "graph/gradients/while_gradient.h"

#include <algorithm>
#include <utility>

#include "graph/gradients/differentiated_body.h"
#include "graph/gradients/function_gradient.h"
#include "graph/gradients/widen_node.h"

namespace warpbeam {
namespace {

// Where the backward loop finds a tensor that the body's gradient reads.
struct Source {
  int input = -1;       // of the loop, where it is the same in all iterations
  int list = -1;        // else the output that is the list of its values
  bool is_new = false;  // whether the loop has to be widened by the list
};

class WhileDifferentiator {
 public:
  explicit WhileDifferentiator(GradContext& c)
      : c_(c), graph_(*c.mutable_graph()), num_variables_(c.num_inputs()) {}

  Status Run() {
    WB_ASSIGN_OR_RETURN(function_, c_.attr<FunctionRef>("body"));
    WB_ASSIGN_OR_RETURN(condition_, c_.attr<FunctionRef>("cond"));
    WB_RETURN_IF_ERROR(FindInvariants());
    WB_RETURN_IF_ERROR(Differentiate());
    WB_RETURN_IF_ERROR(LayOut());
    if (num_new_ > 0) WB_RETURN_IF_ERROR(Widen());
    return RunBackward();
  }

 private:
  // Variables that come out of an iteration as they went in.
  Status FindInvariants() {
    WB_ASSIGN_OR_RETURN(InstantiatedFunction body,
                        InstantiateFunction(graph_.functions(), function_, graph_.ops()));
    if (static_cast<int>(body.results.size()) != num_variables_ ||
        static_cast<int>(body.args.size()) != num_variables_) {
      return InvalidArgument("the body '", function_.name, "' takes ", body.args.size(),
                             " values and returns ", body.results.size(), ", the loop has ",
                             num_variables_, " variables");
    }
    for (int i = 0; i < num_variables_; ++i) {
      OutputRef from = body.results[static_cast<size_t>(i)];
      while (body.graph->node(from.node).op_name() == "Identity") {
        from = body.graph->node(from.node).input(0);
      }
      invariant_.push_back(from == OutputRef{body.args[static_cast<size_t>(i)], 0});
      if (!invariant_.back() && body.arg_types[static_cast<size_t>(i)] == DType::kResource) {
        return Unimplemented("the loop variable ", i,
                             " is a resource that changes from one iteration to the next");
      }
    }
    return OkStatus();
  }

  Status Differentiate() {
    BodyGradientOptions options;
    options.handles = InputHandles(c_, 0);
    options.at_hand = invariant_;
    std::vector<bool> carries;
    for (int i = 0; i < num_variables_; ++i) {
      const DType type = c_.type(c_.x(i));
      carries.push_back(CarriedType(type, options.handles[static_cast<size_t>(i)]) !=
                        DType::kInvalid);
      const bool is_list = type == DType::kVariant && (carries.back() || c_.has_dy(i));
      options.has_dy.push_back(IsDifferentiable(type) || is_list);
    }
    // That gradients flow through some variants only the body knows.
    for (bool again = true; again;) {
      WB_ASSIGN_OR_RETURN(body_, DifferentiatedBody::Make(graph_, function_, options));
      again = false;
      for (int i = 0; i < num_variables_; ++i) {
        if (options.has_dy[static_cast<size_t>(i)] || !body_->HasGradient(i)) continue;
        if (c_.type(c_.x(i)) != DType::kVariant) continue;
        options.has_dy[static_cast<size_t>(i)] = again = true;
      }
    }
    for (int i = 0; i < num_variables_; ++i) {
      const size_t k = static_cast<size_t>(i);
      const bool is_variable = c_.type(c_.x(i)) == DType::kResource && carries[k];
      if (options.has_dy[k] || is_variable) args_.push_back(i);
    }
    return body_->Finish(args_);
  }

  // The variable that counts iterations from zero, or -1.
  int FindCounter() const {
    const Graph& body = *body_->body().graph;
    for (int i = 0; i < num_variables_; ++i) {
      const std::optional<Tensor> first = c_.constant(c_.x(i));
      if (c_.type(c_.x(i)) != DType::kInt32 || !first.has_value()) continue;
      if (first->rank() != 0 || first->scalar<int32_t>() != 0) continue;
      const Node& next = body.node(body_->Resolve(body_->body().results[i]).node);
      if (next.op_name() != "AddV2" && next.op_name() != "Add") continue;
      for (int side = 0; side < 2; ++side) {
        const std::optional<Tensor> step = body.ConstantValue(next.input(1 - side));
        if (!step.has_value() || step->rank() != 0 || step->scalar<int32_t>() != 1) continue;
        if (body_->ArgOf(body_->Resolve(next.input(side))) == i) return i;
      }
    }
    return -1;
  }

  // The variable that is a list of what the tensor was in each iteration, or -1.
  int FindList(OutputRef tensor) const {
    const Graph& body = *body_->body().graph;
    for (int i = 0; i < num_variables_; ++i) {
      const OutputRef x = c_.x(i);
      if (c_.graph().node(x.node).op_name() != "EmptyTensorList") continue;
      const Node& next = body.node(body_->Resolve(body_->body().results[i]).node);
      if (next.op_name() != "TensorListPushBack") continue;
      if (body_->ArgOf(body_->Resolve(next.input(0))) != i) continue;
      if (body_->Resolve(next.input(1)) == tensor) return i;
    }
    return -1;
  }

  Status LayOut() {
    num_new_ = 0;
    count_ = FindCounter();
    if (count_ < 0) count_ = num_variables_ + num_new_++;
    for (const OutputRef tensor : body_->needed()) {
      Source source;
      const int arg = body_->ArgOf(tensor);
      if (arg >= 0 && invariant_[static_cast<size_t>(arg)]) {
        source.input = arg;
      } else if (source.list = FindList(tensor); source.list < 0) {
        if (body_->TypeOf(tensor) == DType::kResource) {
          return Unimplemented("the gradient of the body '", function_.name, "' needs ",
                               DescribeNode(body_->body().graph->node(tensor.node)),
                               " of every iteration, which is a resource");
        }
        source.list = num_variables_ + num_new_++;
        source.is_new = true;
      }
      sources_.push_back(source);
    }
    return OkStatus();
  }

  bool HasNewCounter() const { return count_ >= num_variables_; }

  // The body with the counter and the lists behind the loop's own variables.
  StatusOr<std::string> WiderBody() {
    Graph graph(graph_.ops());
    WB_ASSIGN_OR_RETURN(const std::vector<OutputRef> needed, body_->CopyForward(&graph));
    BodyWriter writer(&graph, num_variables_, num_variables_);
    if (HasNewCounter()) {
      WB_ASSIGN_OR_RETURN(OutputRef count, writer.Arg(DType::kInt32, "count"));
      WB_ASSIGN_OR_RETURN(OutputRef one, writer.Constant(1));
      WB_ASSIGN_OR_RETURN(OutputRef next, writer.Binary("AddV2", count, one));
      WB_RETURN_IF_ERROR(writer.Result(next));
    }
    for (size_t k = 0; k < sources_.size(); ++k) {
      if (!sources_[k].is_new) continue;
      WB_ASSIGN_OR_RETURN(OutputRef list, writer.Arg(DType::kVariant, "list"));
      WB_ASSIGN_OR_RETURN(OutputRef longer, writer.Binary("TensorListPushBack", list, needed[k]));
      WB_RETURN_IF_ERROR(writer.Result(longer));
    }
    return AddFunction(graph_, graph, absl::StrCat(function_.name, "_keep"));
  }

  StatusOr<std::string> WiderCondition() {
    WB_ASSIGN_OR_RETURN(InstantiatedFunction condition,
                        InstantiateFunction(graph_.functions(), condition_, graph_.ops()));
    BodyWriter writer(condition.graph.get(), num_variables_, 1);
    if (HasNewCounter()) WB_RETURN_IF_ERROR(writer.Arg(DType::kInt32, "count").status());
    for (const Source& source : sources_) {
      if (source.is_new) WB_RETURN_IF_ERROR(writer.Arg(DType::kVariant, "list").status());
    }
    return AddFunction(graph_, *condition.graph, absl::StrCat(condition_.name, "_keep"));
  }

  Status Widen() {
    WiderNode wider;
    WB_ASSIGN_OR_RETURN(const std::string body, WiderBody());
    WB_ASSIGN_OR_RETURN(const std::string condition, WiderCondition());
    wider.functions.Set("body", FunctionRef{body, {}});
    wider.functions.Set("cond", FunctionRef{condition, {}});
    WB_ASSIGN_OR_RETURN(std::vector<DType> types, c_.attr<std::vector<DType>>("T"));
    // The loop starts in its own frame, if it is in a v1 loop, and when it starts.
    c_.set_control_inputs({c_.x(0).node});
    const auto add = [&](OutputRef first) {
      wider.inputs.push_back(first);
      types.push_back(c_.type(first));
    };
    if (HasNewCounter()) add(c_.Scalar<int32_t>(0));
    for (size_t k = 0; k < sources_.size(); ++k) {
      if (!sources_[k].is_new) continue;
      const OutputRef any = c_.Scalar<int32_t>(-1);
      add(c_.Emit("EmptyTensorList", {any, any},
                  {{"element_dtype", body_->TypeOf(body_->needed()[k])}}));
    }
    c_.set_control_inputs({});
    WB_RETURN_IF_ERROR(c_.status());
    wider.types.Set("T", std::move(types));
    auto shapes = c_.attr_or<std::vector<PartialShape>>("output_shapes", {});
    if (!shapes.empty()) {
      shapes.resize(shapes.size() + wider.inputs.size(), PartialShape(Shape()));
      wider.types.Set("output_shapes", std::move(shapes));
    }
    return WidenNode(graph_, c_.node().id(), wider);
  }

  // What the backward loop's variables are: the count, what stays the same, lists, gradients.
  StatusOr<std::vector<OutputRef>> Arguments(BodyWriter* writer) {
    std::vector<OutputRef> args;
    for (const DType type : types_) {
      WB_ASSIGN_OR_RETURN(OutputRef arg, writer->Arg(type, "variable"));
      args.push_back(arg);
    }
    return args;
  }

  StatusOr<std::string> BackwardCondition() {
    Graph graph(graph_.ops());
    BodyWriter writer(&graph, 0, 0);
    WB_ASSIGN_OR_RETURN(const std::vector<OutputRef> args, Arguments(&writer));
    WB_ASSIGN_OR_RETURN(OutputRef zero, writer.Constant(0));
    WB_ASSIGN_OR_RETURN(OutputRef more, writer.Binary("Greater", args[0], zero));
    WB_RETURN_IF_ERROR(writer.Result(more));
    return AddFunction(graph_, graph, absl::StrCat(condition_.name, "_gradient"));
  }

  bool IsVariable(size_t k) const { return c_.type(c_.x(args_[k])) == DType::kResource; }

  // One iteration back.
  StatusOr<std::string> BackwardBody() {
    Graph graph(graph_.ops());
    BodyWriter writer(&graph, 0, 0);
    WB_ASSIGN_OR_RETURN(std::vector<OutputRef> next, Arguments(&writer));
    WB_ASSIGN_OR_RETURN(OutputRef one, writer.Constant(1));
    WB_ASSIGN_OR_RETURN(next[0], writer.Binary("Sub", next[0], one));
    std::vector<OutputRef> needed;
    for (size_t k = 0; k < sources_.size(); ++k) {
      OutputRef& variable = next[1 + k];
      if (sources_[k].input >= 0) {
        needed.push_back(variable);
        continue;
      }
      WB_ASSIGN_OR_RETURN(OutputRef any, writer.Constant(-1));
      WB_ASSIGN_OR_RETURN(const Node* popped,
                          NodeBuilder(&graph, "TensorListPopBack")
                              .Input(variable)
                              .Input(any)
                              .Attr("element_dtype", body_->TypeOf(body_->needed()[k]))
                              .Build());
      variable = {popped->id(), 0};
      needed.push_back({popped->id(), 1});
    }
    std::vector<OutputRef> dys;
    const size_t first = 1 + sources_.size();
    for (size_t k = 0; k < args_.size(); ++k) {
      if (!IsVariable(k)) dys.push_back(next[first + k]);
    }
    WB_ASSIGN_OR_RETURN(const std::vector<OutputRef> dxs, body_->CopyBackward(&graph, needed, dys));
    for (size_t k = 0; k < dxs.size(); ++k) {
      OutputRef& sum = next[first + k];
      if (!IsVariable(k)) {
        sum = dxs[k];
      } else {
        WB_ASSIGN_OR_RETURN(sum, writer.Binary("AddV2", sum, dxs[k]));
      }
    }
    for (const OutputRef value : next) WB_RETURN_IF_ERROR(writer.Result(value));
    return AddFunction(graph_, graph, absl::StrCat(function_.name, "_gradient"));
  }

  OutputRef FirstGradient(size_t k) {
    const int i = args_[k];
    if (!IsVariable(k)) return c_.dy(i);
    const OutputRef shape = c_.Emit("VariableShape", {c_.x(i)});
    return c_.Emit("Fill", {shape, c_.ScalarOf(body_->GradientType(k), 0)});
  }

  Status RunBackward() {
    std::vector<OutputRef> inputs = {c_.y(count_)};
    for (const Source& source : sources_) {
      inputs.push_back(source.input >= 0 ? c_.x(source.input) : c_.y(source.list));
    }
    std::vector<PartialShape> shapes(inputs.size());
    for (size_t k = 0; k < args_.size(); ++k) inputs.push_back(FirstGradient(k));
    shapes.resize(inputs.size());
    WB_RETURN_IF_ERROR(c_.status());
    for (const OutputRef in : inputs) types_.push_back(c_.type(in));
    AttrMap attrs;
    WB_ASSIGN_OR_RETURN(const std::string condition, BackwardCondition());
    WB_ASSIGN_OR_RETURN(const std::string body, BackwardBody());
    attrs.Set("T", types_);
    attrs.Set("cond", FunctionRef{condition, {}});
    attrs.Set("body", FunctionRef{body, {}});
    attrs.Set("parallel_iterations", c_.attr_or<int64_t>("parallel_iterations", 10));
    attrs.Set("output_shapes", std::move(shapes));
    const char* const op = c_.node().op().is_stateful ? "While" : "StatelessWhile";
    const size_t first = inputs.size() - args_.size();
    const std::vector<OutputRef> made = c_.EmitAll(op, {NodeInput(std::move(inputs))}, attrs);
    if (made.empty()) return c_.status();
    for (size_t k = 0; k < args_.size(); ++k) c_.set_dx(args_[k], made[first + k]);
    return OkStatus();
  }

  GradContext& c_;
  Graph& graph_;
  const int num_variables_;
  FunctionRef function_, condition_;
  std::vector<bool> invariant_;
  std::unique_ptr<DifferentiatedBody> body_;
  std::vector<int> args_;        // whose gradients there are
  int count_ = -1;               // the output that is the number of iterations
  int num_new_ = 0;              // variables by which the loop is widened
  std::vector<Source> sources_;  // by tensor that the gradient needs
  std::vector<DType> types_;     // of the backward loop's variables
};

}  // namespace

Status WhileGradient(GradContext& c) { return WhileDifferentiator(c).Run(); }

}  // namespace warpbeam
