#include "placement/search/movable_groups.h"

#include <algorithm>
#include <utility>

#include "graph/node_roles.h"
#include "graph/passes/loop_frames.h"
#include "placement/colocation.h"
#include "placement/placer_state.h"

namespace warpbeam {
namespace {

class GroupFinder {
 public:
  GroupFinder(const Graph& graph, const PlanBounds& bounds, const StepGraph& step,
              const KernelCatalog& catalog, const std::vector<DeviceName>& devices,
              const PlacerOptions& options, Span<const Site> sites, NodeId first_free)
      : graph_(graph),
        bounds_(bounds),
        step_(step),
        sites_(sites),
        first_free_(first_free),
        state_(&catalog, devices, options),
        parent_(graph.num_nodes()),
        allowed_(graph.num_nodes()) {
    for (NodeId id = 0; id < graph.num_nodes(); ++id) parent_[id] = id;
  }

  StatusOr<MovableGroups> Run() {
    WB_RETURN_IF_ERROR(ReadNodes());
    UniteColocated();
    WB_RETURN_IF_ERROR(UniteLoops());
    FindAllowed();
    UniteFree();
    return Number();
  }

 private:
  Status ReadNodes() {
    const int count = graph_.num_nodes();
    if (static_cast<int>(sites_.size()) < count) {
      return Internal("search: ", sites_.size(), " of ", count, " nodes are placed");
    }
    for (const Node& node : graph_.nodes()) {
      WB_ASSIGN_OR_RETURN(const int request, state_.requests.Intern(node.device()));
      requests_.push_back(request);
      types_.push_back(state_.support.Of(graph_, node));
      traits_.push_back(TraitsOf(node));
    }
    return OkStatus();
  }

  int Root(int i) {
    while (parent_[i] != i) i = parent_[i] = parent_[parent_[i]];
    return i;
  }
  // Only what is on one device already: the placer may have had to part what asked to be together.
  void Unite(int a, int b) {
    if (sites_[a] != sites_[b]) return;
    a = Root(a);
    b = Root(b);
    // The lower number is the root, so that groups do not depend on the order of uniting.
    parent_[std::max(a, b)] = std::min(a, b);
  }

  void UniteColocated() {
    ColocationGroups groups(graph_, 0, traits_, types_, requests_, &state_);
    groups.Build();
    for (const ColocationGroups::Group& group : groups.All()) {
      for (NodeId member : group.members) Unite(group.members[0], member);
    }
  }

  Status UniteLoops() {
    if (!HasLoops(graph_, bounds_.kept)) return OkStatus();
    WB_ASSIGN_OR_RETURN(const LoopFrames loops,
                        FindLoopFrames(graph_, bounds_.kept, bounds_.feeds));
    std::vector<NodeId> first(loops.frames.size(), kNoNode);
    for (NodeId id : bounds_.kept) {
      const Node& node = graph_.node(id);
      int frame = loops.frame_of[IsExit(node) ? node.input(0).node : id];
      while (loops.frames[frame].depth > 1) frame = loops.frames[frame].parent;
      if (frame == 0) continue;
      if (first[frame] == kNoNode) first[frame] = id;
      Unite(first[frame], id);
    }
    return OkStatus();
  }

  void FindAllowed() {
    const int num_devices = static_cast<int>(state_.devices.size());
    std::vector<std::vector<bool>> may(graph_.num_nodes());
    for (NodeId id = 0; id < graph_.num_nodes(); ++id) {
      std::vector<bool>& all = may[Root(id)];
      all.resize(num_devices, true);
      const DeviceChoice choice = state_.chooser.Choose(requests_[id], types_[id]);
      for (int d = 0; d < num_devices; ++d) {
        all[d] = all[d] && state_.chooser.Allows(choice.request, types_[id], d);
      }
    }
    for (NodeId id = 0; id < graph_.num_nodes(); ++id) {
      if (Root(id) != id) continue;
      // A root is the first of its group.
      if (id < first_free_ || !may[id][sites_[id]]) {
        allowed_[id] = {sites_[id]};
        continue;
      }
      for (int d = 0; d < num_devices; ++d) {
        if (may[id][d]) allowed_[id].push_back(d);
      }
    }
  }

  // Joins a group that is no work to another where that takes no place from the other.
  void Follow(NodeId follower, NodeId leader) {
    const int a = Root(follower), b = Root(leader);
    if (a == b || is_work_[a] || sites_[a] != sites_[b]) return;
    if (!std::includes(allowed_[a].begin(), allowed_[a].end(), allowed_[b].begin(),
                       allowed_[b].end())) {
      return;
    }
    std::vector<int> kept = allowed_[b];
    const bool is_work = is_work_[b];
    Unite(a, b);
    allowed_[Root(a)] = std::move(kept);
    is_work_[Root(a)] = is_work;
  }

  void UniteFree() {
    is_work_.assign(graph_.num_nodes(), false);
    for (int k = 0; k < step_.num_nodes(); ++k) {
      if (step_.cost(k).is_work()) is_work_[Root(step_.id(k))] = true;
    }
    for (int k : step_.order()) {
      if (step_.cost(k).is_work()) continue;
      const Node& node = graph_.node(step_.id(k));
      if (step_.first_input(k) < step_.end_input(k)) {
        const int read = step_.input(step_.first_input(k)).output;
        const int producer = read < 0 ? -1 : step_.output(read).producer;
        // A constant is wherever it is read.
        if (producer >= 0 && !step_.output(read).is_free_to_copy) {
          Follow(node.id(), step_.id(producer));
        }
        continue;
      }
      const int reader = OnlyReader(k);
      if (reader >= 0) Follow(node.id(), step_.id(reader));
    }
  }

  int OnlyReader(int k) const {
    int reader = -1;
    for (int o = step_.first_output(k); o < step_.end_output(k); ++o) {
      for (const StepGraph::Use& use : step_.uses(o)) {
        if (reader >= 0 && use.node != reader) return -1;
        reader = use.node;
      }
    }
    return reader;
  }

  MovableGroups Number() {
    MovableGroups groups;
    groups.group_of.assign(graph_.num_nodes(), -1);
    for (NodeId id = 0; id < graph_.num_nodes(); ++id) {
      const int root = Root(id);
      if (root == id) {
        groups.group_of[id] = groups.size();
        groups.device.push_back(sites_[id]);
        groups.allowed.push_back(allowed_[id]);
      } else {
        groups.group_of[id] = groups.group_of[root];
      }
    }
    groups.members.resize(groups.size());
    for (int k = 0; k < step_.num_nodes(); ++k) {
      groups.members[groups.group_of[step_.id(k)]].push_back(k);
    }
    return groups;
  }

  const Graph& graph_;
  const PlanBounds& bounds_;
  const StepGraph& step_;
  const Span<const Site> sites_;
  const NodeId first_free_;
  PlacerState state_;
  std::vector<int32_t> requests_;
  std::vector<DeviceTypes> types_;
  std::vector<NodeTraits> traits_;
  std::vector<int> parent_;
  std::vector<std::vector<int>> allowed_;  // by root
  std::vector<bool> is_work_;              // by root: whether any member is
};

}  // namespace

StatusOr<MovableGroups> MovableGroups::Find(const Graph& graph, const PlanBounds& bounds,
                                            const StepGraph& step, const KernelCatalog& catalog,
                                            const std::vector<DeviceName>& devices,
                                            const PlacerOptions& options, Span<const Site> sites,
                                            NodeId first_free) {
  return GroupFinder(graph, bounds, step, catalog, devices, options, sites, first_free).Run();
}

}  // namespace warpbeam
