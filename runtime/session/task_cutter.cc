#include "runtime/session/task_cutter.h"

#include <algorithm>
#include <utility>

#include "runtime/compile/plan_passes.h"
#include "runtime/session/home_bounds.h"

namespace warpbeam {
namespace {

FunctionPlans::Setup OnSites(FunctionPlans::Setup setup, const SiteList& sites) {
  setup.sites = sites.names();
  return setup;
}

bool StaysOnDevice(const std::vector<Memory>& memories) {
  return std::any_of(memories.begin(), memories.end(), [](Memory m) { return !m.is_host(); });
}

}  // namespace

TaskCutter::TaskCutter(SiteList sites, const LocalTask& home, FunctionPlans::Setup placing,
                       const Graph& graph)
    : sites_(std::move(sites)),
      placing_(
          std::make_shared<FunctionPlans>(graph.functions(), OnSites(std::move(placing), sites_))),
      env_(home.env()) {
  env_.sites = &sites_;
  env_.bodies = [placing = placing_.get()](const FunctionRef& function, const std::string& device) {
    return placing->Place(function, device);
  };
}

StatusOr<TaskCutter::CutStep> TaskCutter::Cut(const StepBounds& bounds, const PlanMode& mode,
                                              bool at_home) const {
  if (mode.partial && !at_home) {
    return Unimplemented("partial runs whose feeds and fetches are of several tasks");
  }
  if (StaysOnDevice(bounds.feed_memories) || StaysOnDevice(bounds.fetch_memories)) {
    return Unimplemented("tensors that stay on the devices of several tasks");
  }
  PlanMode before = mode;
  before.stage = PassStage::kBeforeCut;
  WB_ASSIGN_OR_RETURN(LoweringPart whole, RunPlanPasses(env_, bounds, before));
  GraphPart& part = whole.part;
  std::shared_ptr<const StepOutline> outline;
  if (env_.keeps_outlines) {
    outline = std::make_shared<StepOutline>(StepOutline{part.graph, *whole.order, part.feeds,
                                                        part.fetches, part.targets, bounds.graph});
  }
  if (at_home) WB_RETURN_IF_ERROR(MoveBoundsHome(sites_, &part));
  CutStep step;
  step.facts.graph = part.graph;
  step.facts.outline = std::move(outline);
  step.facts.effects = std::move(whole.effects);
  WB_ASSIGN_OR_RETURN(
      step.parts,
      CutByTask(part.graph, {part.nodes, part.feeds, part.fetches, part.targets}, sites_));
  return step;
}

StepBounds BoundsOf(TaskPart part) {
  StepBounds bounds;
  bounds.graph = std::move(part.graph);
  bounds.feeds = std::move(part.feeds);
  bounds.fetches = std::move(part.fetches);
  bounds.targets = std::move(part.targets);
  return bounds;
}

void AddCounts(const PlanFacts& part, PlanFacts* all) {
  all->num_nodes += part.num_nodes;
  all->host_to_device_copies += part.host_to_device_copies;
  all->device_to_host_copies += part.device_to_host_copies;
  all->peer_copies += part.peer_copies;
}

}  // namespace warpbeam
