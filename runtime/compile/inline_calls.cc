#include "runtime/compile/inline_calls.h"

#include <algorithm>
#include <deque>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "graph/functions/call_cycles.h"
#include "graph/node_roles.h"
#include "graph/passes/redirects.h"
#include "graph/types/shown_name.h"
#include "runtime/compile/copy_body.h"

namespace warpbeam {
namespace {

// Bodies grow with the nesting of calls, so there is an end to it.
constexpr size_t kMaxInlinedNodes = 50'000;

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

  Status Run() {
    if (part_.graph->functions().size() == 0) return OkStatus();
    for (const NodeId id : part_.nodes) {
      const Node& node = part_.graph->node(id);
      if (IsInControlFlow(node)) return OkStatus();
      if (IsCall(node)) calls_.push_back(id);
    }
    if (calls_.empty()) return OkStatus();
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

  static StatusOr<FunctionRef> FunctionOf(const Node& node) {
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

  Status Visit(NodeId call) {
    // In the graph before this call's nodes are added to it, where the node stays.
    const Node& node = part_.graph->node(call);
    StatusOr<FunctionRef> function = FunctionOf(node);
    if (!function.ok()) return OkStatus();
    auto placed = request_.bodies(*function, request_.device_name(part_.graph->site(call)));
    if (!placed.ok() || !MayInline(**placed, *function)) return OkStatus();
    const InstantiatedFunction& body = **placed;
    // The call says at run time what does not fit.
    if (!TypesFit(node, body)) return OkStatus();
    absl::StrAppend(&part_.notes, "# ", ShownName(node.name()), " is the body of ",
                    ShownName(function->name), "\n");
    return AddBody(call, body);
  }

  Status AddBody(NodeId call, const InstantiatedFunction& body) {
    part_.Edit();
    BodyPlace place;
    WB_ASSIGN_OR_RETURN(place.args, ArgumentsOf(call, body));
    WB_ASSIGN_OR_RETURN(place.before_effects, StartOf(call, body.effects.size()));
    place.name = part_.graph->node(call).name();
    place.before_sources = part_.graph->node(call).control_inputs();
    WB_ASSIGN_OR_RETURN(CopiedBody copy, CopyBody(body, place, &part_));
    for (const NodeId added : copy.nodes) {
      if (IsCall(part_.graph->node(added))) calls_.push_back(added);
    }
    Replaced replaced{call, std::move(copy.results), std::move(place.before_sources)};
    replaced.waits.insert(replaced.waits.end(), copy.effects.begin(), copy.effects.end());
    if (replaced.waits.size() > 2) WB_RETURN_IF_ERROR(Gather(call, "done", &replaced.waits));
    replaced_.push_back(std::move(replaced));
    return OkStatus();
  }

  // What the call waits for before it starts, for each of so many nodes with effects.
  StatusOr<std::vector<NodeId>> StartOf(NodeId call, size_t effects) {
    const Node& node = part_.graph->node(call);
    std::vector<NodeId> waits = node.control_inputs();
    for (const OutputRef in : node.inputs()) WaitFor(in, &waits);
    if (effects > 2 && waits.size() > 2) WB_RETURN_IF_ERROR(Gather(call, "start", &waits));
    return waits;
  }

  // One node that stands for all of `waits`, so that edges do not multiply.
  Status Gather(NodeId call, absl::string_view name, std::vector<NodeId>* waits) {
    NodeSpec spec;
    spec.op = "NoOp";
    spec.name = part_.Edit().UniqueName(NameInCall(part_.graph->node(call).name(), name));
    spec.site = part_.graph->site(call);
    WB_ASSIGN_OR_RETURN(Node * added, part_.Edit().AddNode(std::move(spec), {}, *waits));
    part_.nodes.push_back(added->id());
    *waits = {added->id()};
    return OkStatus();
  }

  // What the call reads. A reference is read once, when the call would start.
  StatusOr<std::vector<OutputRef>> ArgumentsOf(NodeId call, const InstantiatedFunction& body) {
    std::vector<OutputRef> args;
    for (size_t i = 0; i < body.args.size(); ++i) {
      const Node& node = part_.graph->node(call);
      OutputRef in = node.input(static_cast<int>(i));
      const DType type = part_.graph->node(in.node).output_type(in.index);
      if (IsRef(type)) {
        NodeSpec read;
        read.op = "Identity";
        read.name = part_.Edit().UniqueName(NameInCall(node.name(), absl::StrCat("argument_", i)));
        read.attrs.Set("T", BaseType(type));
        read.site = part_.graph->site(in.node);
        WB_ASSIGN_OR_RETURN(Node * added,
                            part_.Edit().AddNode(std::move(read), {in}, node.control_inputs()));
        part_.nodes.push_back(added->id());
        in = {added->id(), 0};
      }
      args.push_back(in);
    }
    return args;
  }

  // A feed is there from the start, and its node does not run.
  void WaitFor(OutputRef value, std::vector<NodeId>* controls) const {
    if (!fed_.contains(value)) controls->push_back(value.node);
  }

  Status Redirect() {
    if (replaced_.empty()) return OkStatus();
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
};

}  // namespace

Status InlineCalls(const InlineRequest& request, GraphPart* part) {
  return CallInliner(request, part).Run();
}

}  // namespace warpbeam
