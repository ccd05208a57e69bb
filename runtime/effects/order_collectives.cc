#include "runtime/effects/order_collectives.h"

#include <map>
#include <utility>
#include <vector>

#include "graph/node_roles.h"
#include "graph/passes/loop_frames.h"
#include "runtime/effects/collective_meetings.h"
#include "runtime/effects/run_after.h"

namespace warpbeam {
namespace {

// Where the order holds: a site and a frame of loops.
using Lane = std::pair<Site, int32_t>;

}  // namespace

Status OrderCollectives(GraphPart* part, absl::FunctionRef<bool(Site)> in_launch_order) {
  if (!part->HasOp([](const OpSchema& op) { return op.role == OpRole::kCollective; })) {
    return OkStatus();
  }
  const std::shared_ptr<const Graph> graph = part->graph;
  std::vector<bool> runs(graph->num_nodes(), false);
  for (const NodeId id : part->nodes) runs[id] = true;
  const CollectiveMeetings meetings(*graph, part->feeds, runs);
  WB_ASSIGN_OR_RETURN(const std::vector<int> order, meetings.Order());
  LoopFrames frames;
  if (HasLoops(*part)) {
    WB_ASSIGN_OR_RETURN(frames, FindLoopFrames(*graph, part->nodes, part->feeds));
  }
  const bool may_be_dead = part->HasOp([](const OpSchema& op) { return IsControlFlow(op.role); });
  std::map<Lane, std::vector<NodeId>> before;
  for (const int i : order) {
    std::map<Lane, std::vector<NodeId>> now;
    for (const NodeId member : meetings.all()[i].members) {
      const Site site = graph->site(member);
      if (!in_launch_order(site)) continue;
      now[{site, frames.frame_of.empty() ? 0 : frames.frame_of[member]}].push_back(member);
    }
    for (auto& [lane, members] : now) {
      if (const auto found = before.find(lane); found != before.end()) {
        for (const NodeId member : members) {
          WB_RETURN_IF_ERROR(RunAfter(part, member, found->second, may_be_dead));
        }
      }
      before[lane] = std::move(members);
    }
  }
  return OkStatus();
}

}  // namespace warpbeam
