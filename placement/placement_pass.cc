#include "placement/placement_pass.h"

#include <algorithm>
#include <string>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "placement/group_decision.h"

namespace warpbeam {

PlacementPass::PlacementPass(const Graph& graph, PlacerState* state)
    : graph_(graph),
      state_(state),
      first_(static_cast<NodeId>(state->decisions.size())),
      messages_(graph, *state) {}

Status PlacementPass::Run(const Reconsider& reconsider) {
  state_->support.ForgetFunctions();
  WB_RETURN_IF_ERROR(ReadNodes());
  ColocationGroups groups(graph_, first_, traits_, types_, requests_, state_);
  groups.Build();
  WB_RETURN_IF_ERROR(Decide(&groups));
  PlaceMetadata();
  PlaceGenerators();
  for (const auto& [node, named] : groups.not_colocated()) {
    Decision& d = decisions_[node - first_];
    d.rule = PlacementRule::kSoftFallback;
    d.cause = PlacementCause::kNotColocated;
    d.forced_by = named;
  }
  if (state_->options.strict) WB_RETURN_IF_ERROR(CheckStrict());
  if (reconsider) WB_RETURN_IF_ERROR(AskAgain(reconsider));
  state_->decisions.insert(state_->decisions.end(), decisions_.begin(), decisions_.end());
  for (const auto& [name, node] : groups.open_names()) state_->open_groups.emplace(name, node);
  return OkStatus();
}

Status PlacementPass::ReadNodes() {
  const int count = graph_.num_nodes() - first_;
  requests_.reserve(count);
  types_.reserve(count);
  traits_.reserve(count);
  // Nodes of one signature are asked about once, and neighbours often ask for one device.
  absl::flat_hash_map<const NodeSignature*, std::pair<NodeTraits, DeviceTypes>> known;
  std::vector<NodeId> without_kernel;
  PlacementProblems problems;
  std::string asked;
  StatusOr<int> request = 0;  // of what was asked for last
  for (NodeId id = first_; id < graph_.num_nodes(); ++id) {
    const Node& node = graph_.node(id);
    if (node.device() != asked) {
      asked = node.device();
      request = state_->requests.Intern(asked);
    }
    if (!request.ok()) problems.Add([&] { return messages_.BadDevice(id, request.status()); });
    requests_.push_back(request.ok() ? *request : 0);
    auto [facts, added] = known.try_emplace(node.signature().get());
    if (added) facts->second = {TraitsOf(node), state_->support.Of(graph_, node)};
    traits_.push_back(facts->second.first);
    types_.push_back(facts->second.second);
    if (types_.back() == 0) without_kernel.push_back(id);
  }
  if (!without_kernel.empty()) problems.Add([&] { return messages_.NoKernels(without_kernel); });
  return problems.ToStatus();
}

Status PlacementPass::Decide(ColocationGroups* groups) {
  decisions_.resize(types_.size());
  GroupDecider decider(*groups, first_, types_, requests_, messages_, state_);
  PlacementProblems problems;
  for (const ColocationGroups::Group& group : groups->All()) {
    decider.Decide(group, &decisions_, &problems);
  }
  for (NodeId id = first_; id < graph_.num_nodes(); ++id) {
    if (!groups->IsAlone(id)) continue;
    Decision& decision = decisions_[id - first_];
    if (!decider.DecideAlone(id, &decision, &problems)) continue;
    if (Has(id, kGenerates)) generators_.push_back(id);
    if (Has(id, kReadsShapes)) metadata_.push_back(id);
  }
  return problems.ToStatus();
}

void PlacementPass::MoveBeside(NodeId node, NodeId other, PlacementRule rule) {
  Decision& decision = decisions_[node - first_];
  const DeviceTypes types = types_[node - first_];
  const int device = device_of(other);
  // As far as its own request, perhaps relaxed, allows.
  const DeviceChoice choice = state_->chooser.Choose(requests_[node - first_], types);
  if (device == decision.device || !state_->chooser.Allows(choice.request, types, device)) return;
  decision.device = device;
  if (decision.rule == PlacementRule::kSoftFallback) return;  // the more important thing to tell
  decision.rule = rule;
  decision.forced_by = other;
}

void PlacementPass::PlaceMetadata() {
  // In the order of ids, producers mostly first; a source is where it is only after its readers
  // are.
  absl::flat_hash_set<NodeId> waiting(generators_.begin(), generators_.end());
  for (NodeId id : metadata_) {
    const NodeId source = graph_.node(id).input(0).node;
    if (source != kNoNode && !waiting.contains(source)) {
      MoveBeside(id, source, PlacementRule::kMetadata);
    }
  }
}

// Whether one of them may be on another device than it is: as a rule each asks for one, or none.
bool PlacementPass::AnyGeneratorMayMove() {
  absl::flat_hash_map<std::pair<int32_t, DeviceTypes>, bool> has_choice;  // by request and types
  return std::any_of(generators_.begin(), generators_.end(), [&](NodeId id) {
    const std::pair<int32_t, DeviceTypes> asks(requests_[id - first_], types_[id - first_]);
    const auto [known, added] = has_choice.try_emplace(asks, false);
    if (added) {
      const DeviceChoice choice = state_->chooser.Choose(asks.first, asks.second);
      int devices = 0;
      for (int device = 0; device < static_cast<int>(state_->devices.size()); ++device) {
        devices += state_->chooser.Allows(choice.request, asks.second, device) ? 1 : 0;
      }
      known->second = devices > 1;
    }
    return known->second;
  });
}

void PlacementPass::PlaceGenerators() {
  if (!AnyGeneratorMayMove()) return;
  // Per source: its readers' one device, and the first of them.
  constexpr int kNone = -1, kSeveral = -2;
  struct Readers {
    NodeId first = kNoNode;
    int device = kNone;
  };
  std::vector<int32_t> index(types_.size(), -1);
  for (size_t g = 0; g < generators_.size(); ++g) {
    index[generators_[g] - first_] = static_cast<int32_t>(g);
  }
  std::vector<Readers> readers(generators_.size());
  auto add = [&](NodeId source, NodeId reader) {
    if (source < first_ || index[source - first_] < 0) return;
    Readers& r = readers[index[source - first_]];
    // A reader that is a source itself (by a control edge) does not count as placed.
    const bool placed = index[reader - first_] < 0;
    const int device = placed ? device_of(reader) : kSeveral;
    if (r.device == kNone) {
      r = {reader, device};
    } else if (r.device != device) {
      r.device = kSeveral;
    }
  };
  for (NodeId id = first_; id < graph_.num_nodes(); ++id) {
    for (OutputRef input : graph_.node(id).inputs()) add(input.node, id);
    for (NodeId control : graph_.node(id).control_inputs()) add(control, id);
  }
  for (size_t g = 0; g < generators_.size(); ++g) {
    if (readers[g].device >= 0) {
      MoveBeside(generators_[g], readers[g].first, PlacementRule::kGenerator);
    }
  }
}

Status PlacementPass::AskAgain(const Reconsider& reconsider) {
  std::vector<Site> sites = state_->Sites();
  for (const Decision& decision : decisions_) sites.push_back(decision.device);
  WB_ASSIGN_OR_RETURN(const ReconsideredSites found, reconsider(graph_, sites, first_));
  if (found.sites.size() != sites.size() || found.reason_of.size() != sites.size()) {
    return Internal("placement: ", found.sites.size(), " nodes of ", sites.size(),
                    " were reconsidered");
  }
  const auto before = static_cast<int32_t>(state_->search_reasons.size());
  for (NodeId id = first_; id < graph_.num_nodes(); ++id) {
    if (found.reason_of[id] < 0) continue;
    Decision& decision = decisions_[id - first_];
    decision.device = found.sites[id];
    if (decision.rule == PlacementRule::kSoftFallback) continue;  // more important
    decision.forced_by = kNoNode;
    decision.rule = PlacementRule::kSearched;
    decision.reason = before + found.reason_of[id];
  }
  state_->search_reasons.insert(state_->search_reasons.end(), found.reasons.begin(),
                                found.reasons.end());
  return OkStatus();
}

Status PlacementPass::CheckStrict() const {
  PlacementProblems problems;
  for (NodeId id = first_; id < graph_.num_nodes(); ++id) {
    const Decision& d = decisions_[id - first_];
    if (d.rule != PlacementRule::kSoftFallback) continue;
    problems.Add([&] {
      return absl::StrCat("strict placement allows no fallback: node ", messages_.Name(id), " ",
                          messages_.Reason(id, d, types_[id - first_]), "; it would go to ",
                          messages_.Device(d.device), ".");
    });
  }
  return problems.ToStatus();
}

}  // namespace warpbeam
