#include "runtime/compile/lower_calls.h"

#include <algorithm>
#include <deque>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "graph/passes/redirects.h"
#include "graph/types/shown_name.h"
#include "runtime/compile/copy_body.h"
#include "runtime/compile/spread_calls.h"

namespace warpbeam {
namespace {

// Bodies grow with the nesting of calls, so there is an end to it.
constexpr size_t kMaxLoweredNodes = 1'000'000;

// Writes the nodes that take the place of one call.
class CallWriter {
 public:
  CallWriter(const SiteList& sites, const SpreadCalls& calls, const SpreadCall& call, NodeId id,
             GraphPart* part)
      : sites_(sites),
        calls_(calls),
        call_(call),
        id_(id),
        name_(part->graph->node(id).name()),
        site_(part->graph->site(id)),
        controls_(part->graph->node(id).control_inputs()),
        part_(*part) {}

  // `results` by output, and in `done` what stands for the call's end.
  Status Write() {
    part_.Edit();
    WB_RETURN_IF_ERROR(ReadArguments());
    switch (call_.kind) {
      case SpreadCall::Kind::kCall:
        return WriteCall();
      case SpreadCall::Kind::kIf:
      case SpreadCall::Kind::kCase:
        return WriteBranches();
      case SpreadCall::Kind::kWhile:
        return WriteLoop();
    }
    return OkStatus();
  }

  const std::vector<OutputRef>& results() const { return results_; }
  NodeId done() const { return done_; }
  const std::vector<NodeId>& copied() const { return copied_; }

 private:
  DType TypeOf(OutputRef value) const {
    return part_.graph->node(value.node).output_type(value.index);
  }
  // A resource stays where it is, and so does what hands it on.
  Site SiteOf(OutputRef value) const {
    return TypeOf(value) == DType::kResource ? part_.graph->site(value.node) : site_;
  }

  StatusOr<NodeId> Add(absl::string_view op, absl::string_view name, AttrMap attrs, Site site,
                       std::vector<OutputRef> inputs, std::vector<NodeId> controls) {
    NodeSpec spec;
    spec.op = std::string(op);
    spec.name = part_.Edit().UniqueName(NameInCall(name_, name));
    spec.attrs = std::move(attrs);
    spec.site = site;
    spec.location = part_.graph->node(id_).location();
    WB_ASSIGN_OR_RETURN(
        Node * added, part_.Edit().AddNode(std::move(spec), std::move(inputs), std::move(controls),
                                           /*infer_shapes=*/true));
    part_.nodes.push_back(added->id());
    return added->id();
  }
  StatusOr<NodeId> AddNoOp(absl::string_view name, std::vector<NodeId> controls) {
    return Add("NoOp", name, AttrMap(), site_, {}, std::move(controls));
  }
  // An op of one value, whose type is the attribute T.
  StatusOr<NodeId> AddOf(absl::string_view op, absl::string_view name,
                         std::vector<OutputRef> inputs, std::vector<NodeId> controls) {
    AttrMap attrs;
    attrs.Set("T", BaseType(TypeOf(inputs[0])));
    const Site site = SiteOf(inputs[0]);
    return Add(op, name, std::move(attrs), site, std::move(inputs), std::move(controls));
  }
  StatusOr<NodeId> AddMerge(absl::string_view name, std::vector<OutputRef> inputs) {
    AttrMap attrs;
    attrs.Set("T", BaseType(TypeOf(inputs[0])));
    attrs.Set("N", static_cast<int64_t>(inputs.size()));
    const Site site = SiteOf(inputs[0]);
    return Add("Merge", name, std::move(attrs), site, std::move(inputs), {});
  }
  StatusOr<OutputRef> AsBool(OutputRef value, absl::string_view name) {
    if (TypeOf(value) == DType::kBool) return value;
    WB_ASSIGN_OR_RETURN(const NodeId added, AddOf("ToBool", name, {value}, {}));
    return OutputRef{added, 0};
  }

  // References are read here, and what is fed becomes a node that can be waited for.
  Status ReadArguments() {
    const int n = part_.graph->node(id_).num_inputs();
    for (int i = 0; i < n; ++i) {
      const OutputRef in = part_.graph->node(id_).input(i);
      WB_ASSIGN_OR_RETURN(const NodeId read,
                          AddOf("Identity", absl::StrCat("input_", i), {in}, controls_));
      if (i < call_.first_arg) {
        selector_ = {read, 0};
      } else {
        args_.push_back({read, 0});
      }
      read_.push_back(read);
    }
    return OkStatus();
  }

  StatusOr<CopiedBody> Copy(const InstantiatedFunction& body, absl::string_view name,
                            std::vector<OutputRef> args, NodeId start) {
    BodyPlace place;
    place.name = name.empty() ? name_ : NameInCall(name_, name);
    place.args = std::move(args);
    place.before_effects = place.before_sources = {start};
    place.constants_wait = true;
    place.site = [&](const Node& node, Site site, const std::vector<OutputRef>& inputs) {
      // Functions are called where they are; what they read is looked at in their bodies.
      if (calls_.Calls(*body.graph, node)) return site;
      for (const OutputRef in : inputs) {
        if (in.node == kNoNode || TypeOf(in) != DType::kResource) continue;
        const Site there = part_.graph->site(in.node);
        if (there != kNoSite && sites_.task_of(there) != sites_.task_of(site)) return there;
      }
      return site;
    };
    WB_ASSIGN_OR_RETURN(CopiedBody copy, CopyBody(body, place, &part_));
    copied_.insert(copied_.end(), copy.nodes.begin(), copy.nodes.end());
    return copy;
  }

  // A function's results, once it has done all that it does.
  StatusOr<std::vector<OutputRef>> Ended(const CopiedBody& copy, absl::string_view name,
                                         NodeId end) {
    std::vector<OutputRef> results;
    for (size_t i = 0; i < copy.results.size(); ++i) {
      AttrMap attrs;
      attrs.Set("T", BaseType(TypeOf(copy.results[i])));
      const Site site = part_.graph->site(copy.results[i].node);
      WB_ASSIGN_OR_RETURN(const NodeId result,
                          Add("Identity", absl::StrCat(name, "_", i), std::move(attrs), site,
                              {copy.results[i]}, {end}));
      results.push_back({result, 0});
    }
    return results;
  }

  Status WriteCall() {
    std::vector<NodeId> waits = read_;
    waits.insert(waits.end(), controls_.begin(), controls_.end());
    WB_ASSIGN_OR_RETURN(const NodeId start, AddNoOp("start", std::move(waits)));
    WB_ASSIGN_OR_RETURN(CopiedBody copy, Copy(*call_.bodies[0], "", args_, start));
    copy.effects.push_back(start);
    WB_ASSIGN_OR_RETURN(done_, AddNoOp("done", copy.effects));
    WB_ASSIGN_OR_RETURN(results_, Ended(copy, "output", done_));
    return OkStatus();
  }

  // A value that goes to one of the branches: its outputs, by branch.
  StatusOr<NodeId> AddSwitch(absl::string_view name, OutputRef value) {
    if (call_.kind == SpreadCall::Kind::kIf) return AddOf("Switch", name, {value, selector_}, {});
    AttrMap attrs;
    attrs.Set("T", BaseType(TypeOf(value)));
    attrs.Set("num_outs", static_cast<int64_t>(call_.bodies.size()));
    return Add("_SwitchN", name, std::move(attrs), SiteOf(value), {value, selector_}, {});
  }

  Status WriteBranches() {
    if (call_.kind == SpreadCall::Kind::kIf) {
      WB_ASSIGN_OR_RETURN(selector_, AsBool(selector_, "condition"));
    }
    WB_ASSIGN_OR_RETURN(const NodeId pivot, AddSwitch("pivot", selector_));
    std::vector<NodeId> switches;
    for (size_t i = 0; i < args_.size(); ++i) {
      WB_ASSIGN_OR_RETURN(const NodeId added, AddSwitch(absl::StrCat("switch_", i), args_[i]));
      switches.push_back(added);
    }
    std::vector<std::vector<OutputRef>> results;
    std::vector<OutputRef> ends;
    for (size_t b = 0; b < call_.bodies.size(); ++b) {
      const auto branch = static_cast<int32_t>(b);
      const std::string name = absl::StrCat("branch_", b);
      WB_ASSIGN_OR_RETURN(const NodeId taken,
                          AddOf("Identity", name, {OutputRef{pivot, branch}}, {}));
      std::vector<NodeId> waits = switches;
      waits.push_back(taken);
      WB_ASSIGN_OR_RETURN(const NodeId start, AddNoOp(absl::StrCat(name, "_start"), waits));
      std::vector<OutputRef> args;
      for (const NodeId value : switches) args.push_back({value, branch});
      WB_ASSIGN_OR_RETURN(CopiedBody copy, Copy(*call_.bodies[b], name, std::move(args), start));
      copy.effects.push_back(start);
      WB_ASSIGN_OR_RETURN(const NodeId end, AddOf("Identity", absl::StrCat(name, "_end"),
                                                  {OutputRef{taken, 0}}, copy.effects));
      ends.push_back({end, 0});
      results.emplace_back();
      WB_ASSIGN_OR_RETURN(results.back(), Ended(copy, absl::StrCat(name, "_output"), end));
    }
    WB_ASSIGN_OR_RETURN(done_, AddMerge("done", std::move(ends)));
    for (size_t i = 0; i < results[0].size(); ++i) {
      std::vector<OutputRef> from;
      for (const std::vector<OutputRef>& branch : results) from.push_back(branch[i]);
      WB_ASSIGN_OR_RETURN(const NodeId merged,
                          AddMerge(absl::StrCat("output_", i), std::move(from)));
      results_.push_back({merged, 0});
    }
    return OkStatus();
  }

  // What no iteration changes enters the loop once.
  std::vector<bool> FindInvariants() const {
    const InstantiatedFunction& body = *call_.bodies[1];
    std::vector<bool> invariant;
    for (size_t i = 0; i < args_.size(); ++i) {
      invariant.push_back(body.results[i] == OutputRef{body.args[i], 0});
    }
    // Something must go round.
    const bool all = std::find(invariant.begin(), invariant.end(), false) == invariant.end();
    if (all) invariant[0] = false;
    return invariant;
  }

  StatusOr<NodeId> AddEnter(size_t i, bool is_constant) {
    AttrMap attrs;
    attrs.Set("T", TypeOf(args_[i]));
    attrs.Set("frame_name", frame_);
    attrs.Set("is_constant", is_constant);
    const int64_t n = part_.graph->node(id_).attrs().GetOr<int64_t>("parallel_iterations", 10);
    attrs.Set("parallel_iterations", n);
    return Add("Enter", absl::StrCat("enter_", i), std::move(attrs), SiteOf(args_[i]), {args_[i]},
               {});
  }

  Status WriteLoop() {
    frame_ = part_.Edit().UniqueName(NameInCall(name_, "frame"));
    const std::vector<bool> invariant = FindInvariants();
    std::vector<OutputRef> values;
    std::vector<NodeId> here;
    for (size_t i = 0; i < args_.size(); ++i) {
      WB_ASSIGN_OR_RETURN(NodeId value, AddEnter(i, invariant[i]));
      if (!invariant[i]) {
        const OutputRef entered{value, 0};
        WB_ASSIGN_OR_RETURN(value, AddMerge(absl::StrCat("merge_", i), {entered, entered}));
      }
      values.push_back({value, 0});
      here.push_back(value);
    }
    WB_ASSIGN_OR_RETURN(const NodeId start, AddNoOp("cond_start", std::move(here)));
    WB_ASSIGN_OR_RETURN(CopiedBody cond, Copy(*call_.bodies[0], "cond", values, start));
    WB_ASSIGN_OR_RETURN(const OutputRef truth, AsBool(cond.results[0], "condition"));
    cond.effects.push_back(start);
    WB_ASSIGN_OR_RETURN(const NodeId goes_on,
                        Add("LoopCond", "loop_cond", AttrMap(), site_, {truth}, cond.effects));
    return WriteIteration(invariant, std::move(values), {goes_on, 0});
  }

  Status WriteIteration(const std::vector<bool>& invariant, std::vector<OutputRef> values,
                        OutputRef goes_on) {
    WB_ASSIGN_OR_RETURN(const NodeId pivot, AddOf("Switch", "pivot", {goes_on, goes_on}, {}));
    WB_ASSIGN_OR_RETURN(const NodeId taken, AddOf("Identity", "taken", {OutputRef{pivot, 1}}, {}));
    const std::vector<OutputRef> merges = values;
    std::vector<NodeId> waits = {taken};
    for (size_t i = 0; i < values.size(); ++i) {
      if (invariant[i]) {
        results_.push_back(args_[i]);
        continue;
      }
      WB_ASSIGN_OR_RETURN(const NodeId value,
                          AddOf("Switch", absl::StrCat("switch_", i), {values[i], goes_on}, {}));
      WB_ASSIGN_OR_RETURN(const NodeId exit,
                          AddOf("Exit", absl::StrCat("exit_", i), {OutputRef{value, 0}}, {}));
      values[i] = {value, 1};
      waits.push_back(value);
      results_.push_back({exit, 0});
    }
    WB_ASSIGN_OR_RETURN(const NodeId start, AddNoOp("body_start", std::move(waits)));
    WB_ASSIGN_OR_RETURN(CopiedBody body, Copy(*call_.bodies[1], "body", values, start));
    body.effects.push_back(start);
    WB_ASSIGN_OR_RETURN(const NodeId end, AddNoOp("body_end", body.effects));
    for (size_t i = 0; i < merges.size(); ++i) {
      if (invariant[i]) continue;
      WB_ASSIGN_OR_RETURN(const NodeId next, AddOf("NextIteration", absl::StrCat("next_", i),
                                                   {body.results[i]}, {end}));
      WB_RETURN_IF_ERROR(part_.Edit().SetInput(merges[i].node, 1, {next, 0}));
    }
    return WaitForExits(invariant);
  }

  // Who reads any value of a loop waits for all of them.
  Status WaitForExits(const std::vector<bool>& invariant) {
    std::vector<NodeId> exits;
    for (size_t i = 0; i < results_.size(); ++i) {
      if (!invariant[i]) exits.push_back(results_[i].node);
    }
    WB_ASSIGN_OR_RETURN(done_, AddNoOp("done", std::move(exits)));
    CopiedBody all;
    all.results = std::move(results_);
    WB_ASSIGN_OR_RETURN(results_, Ended(all, "output", done_));
    return OkStatus();
  }

  const SiteList& sites_;
  const SpreadCalls& calls_;
  const SpreadCall& call_;
  const NodeId id_;
  const std::string name_;
  const Site site_;
  const std::vector<NodeId> controls_;
  GraphPart& part_;
  std::string frame_;  // of a loop
  OutputRef selector_;
  std::vector<OutputRef> args_;
  std::vector<NodeId> read_;  // the nodes of all inputs
  std::vector<OutputRef> results_;
  NodeId done_ = kNoNode;
  std::vector<NodeId> copied_;
};

class Lowering {
 public:
  Lowering(const LowerRequest& request, GraphPart* part)
      : part_(*part),
        sites_(*request.sites),
        spread_(request.bodies, *request.sites),
        before_(part->graph) {
    for (const OutputRef feed : part->feeds) fed_.insert(feed.node);
  }

  Status Run() {
    if (part_.graph->functions().size() == 0 || sites_.num_tasks() < 2) return OkStatus();
    std::deque<NodeId> open(part_.nodes.begin(), part_.nodes.end());
    const size_t most = part_.graph->num_nodes() + kMaxLoweredNodes;
    for (; !open.empty(); open.pop_front()) {
      const NodeId id = open.front();
      if (fed_.contains(id)) continue;
      const std::optional<SpreadCall> call = spread_.Find(*part_.graph, id);
      if (!call.has_value()) continue;
      const std::string& name = part_.graph->node(id).name();
      if (static_cast<size_t>(part_.graph->num_nodes()) > most) {
        return ResourceExhausted("functions over several tasks become more than ", kMaxLoweredNodes,
                                 " nodes, at ", name);
      }
      absl::StrAppend(&part_.notes, "# ", ShownName(name), " is on several tasks\n");
      CallWriter writer(sites_, spread_, *call, id, &part_);
      WB_RETURN_IF_ERROR(writer.Write());
      open.insert(open.end(), writer.copied().begin(), writer.copied().end());
      lowered_.push_back({id, writer.results(), writer.done()});
    }
    return Redirect();
  }

 private:
  struct Lowered {
    NodeId call;
    std::vector<OutputRef> results;
    NodeId done;
  };

  Status Redirect() {
    Redirects redirects(*part_.graph);
    for (const Lowered& lowered : lowered_) {
      for (size_t o = 0; o < lowered.results.size(); ++o) {
        redirects.Output({lowered.call, static_cast<int32_t>(o)}, lowered.results[o]);
      }
      redirects.Control(lowered.call, {lowered.done});
    }
    return redirects.Apply(&part_);
  }

  GraphPart& part_;
  const SiteList& sites_;
  SpreadCalls spread_;
  // Whose functions stay while the part's graph changes.
  const std::shared_ptr<const Graph> before_;
  absl::flat_hash_set<NodeId> fed_;
  std::vector<Lowered> lowered_;
};

}  // namespace

Status LowerCalls(const LowerRequest& request, GraphPart* part) {
  return Lowering(request, part).Run();
}

}  // namespace warpbeam
