#include "runtime/compile/inline_calls.h"

#include <algorithm>
#include <deque>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "graph/functions/call_cycles.h"
#include "graph/node_roles.h"
#include "graph/passes/redirects.h"
#include "graph/types/shown_name.h"

namespace warpbeam {
namespace {

// Bodies grow with the nesting of calls, so there is an end to it.
constexpr size_t kMaxInlinedNodes = 50'000;

// A part of a name is kept in full up to here: calls may lie thousands deep in each other.
constexpr size_t kLongestPart = 200;

std::string NameInCall(const Node& call, absl::string_view name) {
  return absl::StrCat(absl::string_view(call.name()).substr(0, kLongestPart),
                      call.name().size() > kLongestPart ? "/.../" : "/",
                      name.substr(0, kLongestPart));
}

// Whether inlining would change when it runs.
bool IsInControlFlow(const Node& node) {
  return IsControlFlow(node) || node.role() == OpRole::kTrigger;
}

// Whether a second kernel of the node would do the same as the first: all state is somewhere else.
bool HasNoStateOfItsOwn(const Node& node) {
  static const auto* const ops =
      new absl::flat_hash_set<std::string>{"Assert", "If", "While", "Case"};
  if (!node.op().is_stateful || IsArgument(node) || IsResult(node) ||
      node.role() == OpRole::kCall || ops->contains(node.op_name())) {
    return true;
  }
  const std::vector<DType>& types = node.input_types();
  return std::find(types.begin(), types.end(), DType::kResource) != types.end();
}

class CallInliner {
 public:
  CallInliner(const InlineRequest& request, GraphPart* part)
      : request_(request),
        part_(*part),
        first_added_(part->graph->num_nodes()),
        before_(part->graph),
        cycles_(before_->functions()) {
    for (const OutputRef feed : part->feeds) {
      fed_.insert(feed);
      fed_nodes_.insert(feed.node);
    }
  }

  absl::Status Run() {
    if (part_.graph->functions().size() == 0) return absl::OkStatus();
    for (const NodeId id : part_.nodes) {
      const Node& node = part_.graph->node(id);
      if (IsInControlFlow(node)) return absl::OkStatus();
      if (IsCall(node)) calls_.push_back(id);
    }
    if (calls_.empty()) return absl::OkStatus();
    while (!calls_.empty()) {
      const NodeId call = calls_.front();
      calls_.pop_front();
      WB_RETURN_IF_ERROR(Visit(call));
    }
    return Redirect();
  }

 private:
  struct Replaced {
    NodeId call;
    std::vector<OutputRef> results;
    std::vector<NodeId> waits;  // what the call waited for, and the effects of its body
  };

  bool IsCall(const Node& node) const {
    if (fed_nodes_.contains(node.id())) return false;
    return node.role() == OpRole::kCall ||
           (part_.graph->ops().Find(node.op_name()) == nullptr &&
            part_.graph->functions().Find(node.op_name()) != nullptr);
  }

  static absl::StatusOr<FunctionRef> FunctionOf(const Node& node) {
    if (node.role() == OpRole::kCall) return node.attrs().Get<FunctionRef>("f");
    return FunctionRef{node.op_name(), node.attrs()};
  }

  size_t NumAdded() const { return part_.graph->num_nodes() - first_added_; }

  bool MayInline(const InstantiatedFunction& body, const FunctionRef& function) {
    if (NumAdded() + body.graph->num_nodes() > kMaxInlinedNodes) return false;
    const std::shared_ptr<const Function> definition = part_.graph->functions().Find(function.name);
    if (definition == nullptr || definition->attrs.GetOr<bool>("_noinline", false)) return false;
    // There would be no end to it.
    if (cycles_.CallsItself(function.name)) return false;
    for (const Node& node : body.graph->nodes()) {
      if (IsInControlFlow(node) || !HasNoStateOfItsOwn(node)) return false;
      // A body may call functions that were made with it.
      if (!part_.graph->FindSchema(node.op_name()).ok()) return false;
    }
    return true;
  }

  static bool TypesFit(const Node& call, const InstantiatedFunction& body) {
    return body.arg_types == call.input_types() && body.result_types == call.output_types();
  }

  absl::Status Visit(NodeId call) {
    // In the graph before this call's nodes are added to it, where the node stays.
    const Node& node = part_.graph->node(call);
    absl::StatusOr<FunctionRef> function = FunctionOf(node);
    if (!function.ok()) return absl::OkStatus();
    auto placed = request_.bodies(*function, request_.device_name(part_.graph->site(call)));
    if (!placed.ok() || !MayInline(**placed, *function)) return absl::OkStatus();
    const InstantiatedFunction& body = **placed;
    // The call says at run time what does not fit.
    if (!TypesFit(node, body)) return absl::OkStatus();
    absl::StrAppend(&part_.notes, "# ", ShownName(node.name()), " is the body of ",
                    ShownName(function->name), "\n");
    return AddBody(call, body);
  }

  absl::Status AddBody(NodeId call, const InstantiatedFunction& body) {
    const Graph& from = *body.graph;
    part_.Edit();
    std::vector<std::vector<OutputRef>> outputs(from.num_nodes());  // by body node
    WB_RETURN_IF_ERROR(AddArguments(call, body, &outputs));
    WB_ASSIGN_OR_RETURN(const std::vector<NodeId> start, StartOf(call, body.effects.size()));
    body_begin_ = part_.graph->num_nodes();
    WB_ASSIGN_OR_RETURN(const std::vector<NodeId> order, TopologicalOrder(from));
    absl::flat_hash_set<NodeId> effects(body.effects.begin(), body.effects.end());
    for (const NodeId id : order) {
      const Node& node = from.node(id);
      if (IsArgument(node) || IsResult(node)) continue;
      const std::vector<NodeId>* const waits = effects.contains(id) ? &start : nullptr;
      WB_ASSIGN_OR_RETURN(const NodeId added, AddNode(call, node, from.site(id), waits, outputs));
      for (int o = 0; o < std::max(1, node.num_outputs()); ++o) outputs[id].push_back({added, o});
      if (IsCall(part_.graph->node(added))) calls_.push_back(added);
    }
    Replaced replaced{call, {}, part_.graph->node(call).control_inputs()};
    for (const OutputRef result : body.results) {
      replaced.results.push_back(outputs[result.node][result.index]);
    }
    for (const NodeId effect : body.effects) replaced.waits.push_back(outputs[effect][0].node);
    if (replaced.waits.size() > 2) WB_RETURN_IF_ERROR(Gather(call, "done", &replaced.waits));
    replaced_.push_back(std::move(replaced));
    return absl::OkStatus();
  }

  // What the call waits for before it starts, for each of so many nodes with effects.
  absl::StatusOr<std::vector<NodeId>> StartOf(NodeId call, size_t effects) {
    const Node& node = part_.graph->node(call);
    std::vector<NodeId> waits = node.control_inputs();
    for (const OutputRef in : node.inputs()) WaitFor(in, &waits);
    if (effects > 2 && waits.size() > 2) WB_RETURN_IF_ERROR(Gather(call, "start", &waits));
    return waits;
  }

  // One node that stands for all of `waits`, so that edges do not multiply.
  absl::Status Gather(NodeId call, absl::string_view name, std::vector<NodeId>* waits) {
    NodeSpec spec;
    spec.op = "NoOp";
    spec.name = part_.Edit().UniqueName(NameInCall(part_.graph->node(call), name));
    spec.site = part_.graph->site(call);
    WB_ASSIGN_OR_RETURN(Node * added, part_.Edit().AddNode(std::move(spec), {}, *waits));
    part_.nodes.push_back(added->id());
    *waits = {added->id()};
    return absl::OkStatus();
  }

  // Arguments stand for what the call reads. A reference is read once, when the call would start.
  absl::Status AddArguments(NodeId call, const InstantiatedFunction& body,
                            std::vector<std::vector<OutputRef>>* outputs) {
    for (size_t i = 0; i < body.args.size(); ++i) {
      const Node& node = part_.graph->node(call);
      OutputRef in = node.input(static_cast<int>(i));
      const DType type = part_.graph->node(in.node).output_type(in.index);
      if (IsRef(type)) {
        NodeSpec read;
        read.op = "Identity";
        read.name = part_.Edit().UniqueName(NameInCall(node, absl::StrCat("argument_", i)));
        read.attrs.Set("T", BaseType(type));
        read.site = part_.graph->site(in.node);
        WB_ASSIGN_OR_RETURN(Node * added,
                            part_.Edit().AddNode(std::move(read), {in}, node.control_inputs()));
        part_.nodes.push_back(added->id());
        in = {added->id(), 0};
      }
      (*outputs)[body.args[i]] = {in};
    }
    return absl::OkStatus();
  }

  // `start`: null for a node without effects, which need not wait for all that the call waits for.
  absl::StatusOr<NodeId> AddNode(NodeId call, const Node& node, Site site,
                                 const std::vector<NodeId>* start,
                                 const std::vector<std::vector<OutputRef>>& outputs) {
    const Node& caller = part_.graph->node(call);
    std::vector<OutputRef> inputs;
    std::vector<NodeId> controls;
    bool follows_another = false;  // of the body, which waits for the call's inputs
    for (const OutputRef in : node.inputs()) {
      inputs.push_back(outputs[in.node][in.index]);
      follows_another |= inputs.back().node >= body_begin_;
    }
    for (const NodeId c : node.control_inputs()) {
      if (outputs[c].empty()) continue;
      controls.push_back(outputs[c][0].node);
      follows_another |= controls.back() >= body_begin_;
    }
    if (start == nullptr && !follows_another && !IsConstant(node)) {
      start = &caller.control_inputs();
    }
    if (start != nullptr) controls.insert(controls.end(), start->begin(), start->end());
    const std::string name = part_.Edit().UniqueName(NameInCall(caller, node.name()));
    const auto spec = [&] {
      NodeSpec copy;
      copy.op = node.op_name();
      copy.name = name;
      copy.attrs = node.attrs();
      copy.device = node.device();
      copy.location = node.location();
      copy.site = site;
      return copy;
    };
    absl::StatusOr<Node*> added = part_.Edit().AddNode(spec(), inputs, controls);
    if (!added.ok()) {
      // The shapes of the arguments may show an error that only a run should report.
      added = part_.Edit().AddNode(spec(), std::move(inputs), std::move(controls),
                                   /*infer_shapes=*/false);
    }
    if (!added.ok()) return added.status();
    part_.nodes.push_back((*added)->id());
    return (*added)->id();
  }

  // A feed is there from the start, and its node does not run.
  void WaitFor(OutputRef value, std::vector<NodeId>* controls) const {
    if (!fed_.contains(value)) controls->push_back(value.node);
  }

  absl::Status Redirect() {
    if (replaced_.empty()) return absl::OkStatus();
    Redirects redirects(*part_.graph);
    for (Replaced& replaced : replaced_) {
      const std::vector<NodeId>& waits = replaced.waits;
      for (size_t o = 0; o < replaced.results.size(); ++o) {
        redirects.Output({replaced.call, static_cast<int32_t>(o)}, replaced.results[o], waits);
      }
      std::vector<NodeId> nodes = waits;
      for (const OutputRef result : replaced.results) WaitFor(result, &nodes);
      redirects.Control(replaced.call, std::move(nodes));
    }
    return redirects.Apply(&part_);
  }

  const InlineRequest& request_;
  GraphPart& part_;
  const size_t first_added_;
  // Whose functions stay while the part's graph changes.
  const std::shared_ptr<const Graph> before_;
  absl::flat_hash_set<OutputRef> fed_;
  absl::flat_hash_set<NodeId> fed_nodes_;
  std::deque<NodeId> calls_;
  CallCycles cycles_;
  std::vector<Replaced> replaced_;
  NodeId body_begin_ = 0;  // the first node of the body that is being added
};

}  // namespace

absl::Status InlineCalls(const InlineRequest& request, GraphPart* part) {
  return CallInliner(request, part).Run();
}

}  // namespace warpbeam
