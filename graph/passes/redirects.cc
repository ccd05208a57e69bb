#include "graph/passes/redirects.h"

#include <algorithm>
#include <utility>

#include "graph/node_roles.h"
#include "graph/passes/fed_outputs.h"

namespace warpbeam {
namespace {

void SortUnique(std::vector<NodeId>* nodes) {
  std::sort(nodes->begin(), nodes->end());
  nodes->erase(std::unique(nodes->begin(), nodes->end()), nodes->end());
}

}  // namespace

void Redirects::Output(OutputRef from, OutputRef to, std::vector<NodeId> controls) {
  touched_[from.node] = true;
  outputs_[from] = {to, std::move(controls)};
}

void Redirects::Control(NodeId from, std::vector<NodeId> to) {
  touched_[from] = true;
  controls_[from] = std::move(to);
}

const Redirects::Stand* Redirects::Find(OutputRef output) const {
  if (output.node == kNoNode || !touched_[output.node]) return nullptr;
  const auto found = outputs_.find(output);
  return found == outputs_.end() ? nullptr : &found->second;
}

OutputRef Redirects::Resolve(OutputRef output) const {
  while (const Stand* stand = Find(output)) output = stand->to;
  return output;
}

Span<const NodeId> Redirects::Waits(OutputRef output) const {
  const Stand* stand = Find(output);
  return stand == nullptr ? Span<const NodeId>() : MakeConstSpan(stand->controls);
}

// All redirects followed to their ends, each once, and what a part becomes by them.
class Redirects::Settled {
 public:
  Settled(const Redirects& redirects, GraphPart* part)
      : redirects_(redirects), part_(*part), fed_(*part->graph, part->feeds) {
    CountUses();
  }

  Status Run() {
    MoveBounds();
    for (const NodeId id : part_.nodes) {
      const Node& node = part_.graph->node(id);
      bool any = false;
      for (const OutputRef in : node.inputs()) any |= Touches(in.node);
      for (const NodeId c : node.control_inputs()) any |= Touches(c);
      if (any) WB_RETURN_IF_ERROR(MoveEdges(node));
    }
    for (auto& [id, waits] : gathers_) {
      NodeSpec spec;
      spec.op = "NoOp";
      WB_RETURN_IF_ERROR(part_.Edit().ReplaceNode(id, std::move(spec), {}, std::move(waits), {}));
    }
    // A redirect of which nobody but the bounds took notice is a change, too.
    part_.Edit();
    return OkStatus();
  }

 private:
  bool Touches(NodeId id) const { return id != kNoNode && redirects_.touched_[id]; }
  const std::vector<NodeId>* GivenFor(NodeId id) const {
    if (!redirects_.touched_[id]) return nullptr;
    const auto found = redirects_.controls_.find(id);
    return found == redirects_.controls_.end() ? nullptr : &found->second;
  }

  // How many lists a redirected node stands in that somebody will ask for; 2 for any more.
  void CountUses() {
    const auto use = [this](NodeId id, int times) {
      if (Touches(id)) uses_[id] += times;
    };
    for (const NodeId target : part_.targets) use(target, 1);
    for (const NodeId id : part_.nodes) {
      if (GivenFor(id) != nullptr) continue;
      for (const NodeId c : part_.graph->node(id).control_inputs()) use(c, 1);
    }
    for (const auto& [id, list] : redirects_.controls_) {
      for (const NodeId c : list) use(c, 1);
    }
    for (const auto& [output, stand] : redirects_.outputs_) {
      for (const NodeId c : stand.controls) use(c, 2);  // of each reader
    }
  }
  bool HasOneUse(NodeId id) const {
    const auto found = uses_.find(id);
    return found == uses_.end() || found->second <= 1;
  }

  // What to wait for in the place of `id`, whose redirect has been settled. A set with one use is
  // handed over whole.
  void Take(NodeId id, std::vector<NodeId>* nodes) {
    if (GivenFor(id) == nullptr) {
      nodes->push_back(id);
      return;
    }
    std::vector<NodeId>& set = sets_[id];
    if (!HasOneUse(id)) {
      nodes->insert(nodes->end(), set.begin(), set.end());
      return;
    }
    if (set.size() > nodes->size()) std::swap(*nodes, set);
    nodes->insert(nodes->end(), set.begin(), set.end());
    set.clear();
  }

  // Makes the set of `id`, after those of all that it is redirected to.
  void Settle(NodeId id) {
    std::vector<std::pair<NodeId, size_t>> open;  // with the next of its list
    const auto enter = [&](NodeId n) {
      if (GivenFor(n) != nullptr && sets_.try_emplace(n).second) open.emplace_back(n, 0);
    };
    enter(id);
    while (!open.empty()) {
      const auto [at, next] = open.back();
      const std::vector<NodeId>& list = *GivenFor(at);
      if (next < list.size()) {
        ++open.back().second;
        enter(list[next]);
        continue;
      }
      open.pop_back();
      std::vector<NodeId> set;
      for (const NodeId n : list) Take(n, &set);
      if (!HasOneUse(at)) Limit(at, &set);
      sets_[at] = std::move(set);
    }
  }

  // Puts a node that gathers them in the place of many.
  void Limit(NodeId id, std::vector<NodeId>* set) {
    SortUnique(set);
    if (set->size() <= kFew) return;
    set->erase(std::remove(set->begin(), set->end(), id), set->end());
    std::vector<NodeId>& gathered = gathers_[id];
    gathered.insert(gathered.end(), set->begin(), set->end());
    *set = {id};
  }

  void WaitFor(NodeId id, std::vector<NodeId>* nodes) {
    Settle(id);
    Take(id, nodes);
  }

  // The end of an output's redirects, with what its readers wait for.
  Stand SettleOutput(OutputRef output) {
    std::vector<OutputRef> path;
    const Stand* stand = redirects_.Find(output);
    Stand end{output, {}};
    for (; stand != nullptr; stand = redirects_.Find(stand->to)) {
      path.push_back(end.to);
      if (const auto known = ends_.find(end.to); known != ends_.end()) {
        path.pop_back();
        end = known->second;
        break;
      }
      end.to = stand->to;
    }
    for (; !path.empty(); path.pop_back()) {
      for (const NodeId c : redirects_.Find(path.back())->controls) WaitFor(c, &end.controls);
      // Only a node that is given up can become another.
      if (GivenFor(path.back().node) != nullptr) {
        Limit(path.back().node, &end.controls);
      } else {
        SortUnique(&end.controls);
      }
      ends_[path.back()] = end;
    }
    return end;
  }

  void MoveBounds() {
    std::vector<NodeId> targets, waited;
    for (OutputRef& fetch : part_.fetches) {
      Stand end = SettleOutput(fetch);
      fetch = end.to;
      waited.insert(waited.end(), end.controls.begin(), end.controls.end());
    }
    const absl::flat_hash_set<NodeId> before(part_.targets.begin(), part_.targets.end());
    for (const NodeId target : part_.targets) WaitFor(target, &targets);
    // What a fetched output waited for must still run.
    targets.insert(targets.end(), waited.begin(), waited.end());
    const auto is_only_waited_for = [&](NodeId id) {
      return fed_.IsPlaceholder(id) && !before.contains(id);
    };
    targets.erase(std::remove_if(targets.begin(), targets.end(), is_only_waited_for),
                  targets.end());
    SortUnique(&targets);
    part_.targets = std::move(targets);
  }

  Status MoveEdges(const Node& node) {
    const NodeId id = node.id();
    // Nobody's any more, or no more than what it gathers.
    if (GivenFor(id) != nullptr) return OkStatus();
    std::vector<NodeId> controls, added;
    for (int i = 0; i < node.num_inputs(); ++i) {
      const OutputRef in = part_.graph->node(id).input(i);
      if (redirects_.Find(in) == nullptr) continue;
      const Stand end = SettleOutput(in);
      added.insert(added.end(), end.controls.begin(), end.controls.end());
      if (end.to != in) WB_RETURN_IF_ERROR(part_.Edit().SetInput(id, i, end.to));
    }
    DropRead(part_.graph->node(id), &added);
    bool changed = !added.empty();
    for (const NodeId c : part_.graph->node(id).control_inputs()) {
      changed |= GivenFor(c) != nullptr;
      WaitFor(c, &controls);
    }
    if (!changed) return OkStatus();
    controls.insert(controls.end(), added.begin(), added.end());
    SortUnique(&controls);
    controls.erase(std::remove(controls.begin(), controls.end(), id), controls.end());
    return part_.Edit().SetControlInputs(id, std::move(controls));
  }

  // Who reads a node's output waits for it anyway.
  void DropRead(const Node& node, std::vector<NodeId>* controls) const {
    if (controls->empty() || IsMerge(node)) return;
    absl::flat_hash_set<NodeId> read;
    for (const OutputRef in : node.inputs()) {
      if (!fed_.contains(in)) read.insert(in.node);
    }
    controls->erase(std::remove_if(controls->begin(), controls->end(),
                                   [&](NodeId id) { return read.contains(id); }),
                    controls->end());
  }

  const Redirects& redirects_;
  GraphPart& part_;
  const FedOutputs fed_;
  absl::flat_hash_map<NodeId, int64_t> uses_;
  absl::flat_hash_map<NodeId, std::vector<NodeId>> sets_;     // of nodes that are given up
  absl::flat_hash_map<OutputRef, Stand> ends_;                // of redirected outputs
  absl::flat_hash_map<NodeId, std::vector<NodeId>> gathers_;  // nodes that become NoOps
};

Status Redirects::Apply(GraphPart* part) const {
  if (empty()) return OkStatus();
  return Settled(*this, part).Run();
}

}  // namespace warpbeam
