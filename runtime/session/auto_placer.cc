#include "runtime/session/auto_placer.h"

#include <algorithm>

#include "graph/types/block_sizes.h"
#include "placement/search/searched_step.h"
#include "runtime/session/session_machine.h"
#include "runtime/session/step_part.h"

namespace warpbeam {
namespace {

Status Check(const AutoPlacement& options) {
  if (options.evaluations < 0) {
    return InvalidArgument("auto_placement: evaluations must not be negative, got ",
                           options.evaluations, "; 0 searches for nothing");
  }
  if (!(options.memory_share > 0 && options.memory_share <= 1)) {
    return InvalidArgument("auto_placement: memory_share is more than 0 and at most 1, not ",
                           options.memory_share);
  }
  if (options.unknown_extent < 1) {
    return InvalidArgument("auto_placement: unknown_extent must be at least 1, not ",
                           options.unknown_extent);
  }
  return OkStatus();
}

}  // namespace

StatusOr<std::unique_ptr<AutoPlacer>> AutoPlacer::Create(const SessionOptions& options,
                                                         StepTarget& target,
                                                         const KernelCatalog& catalog) {
  const AutoPlacement& wanted = options.auto_placement;
  WB_RETURN_IF_ERROR(Check(wanted));
  if (wanted.evaluations == 0) return std::unique_ptr<AutoPlacer>();
  const std::vector<DeviceName>& names = target.sites().names();
  WB_ASSIGN_OR_RETURN(Machine machine, wanted.machine.empty()
                                           ? target.DescribeMachine()
                                           : ReadMachineOf(wanted.machine, names));
  std::unique_ptr<AutoPlacer> placer(
      new AutoPlacer(wanted, PlacingOf(options), catalog, std::move(machine)));
  if (!options.cost_profile.empty()) {
    WB_ASSIGN_OR_RETURN(placer->costs_, OpCosts::Read(options.cost_profile));
  }
  return placer;
}

StatusOr<ReconsideredSites> AutoPlacer::Search(const Graph& graph, Span<const Site> sites,
                                               NodeId first) const {
  WB_ASSIGN_OR_RETURN(const StepPart part,
                      StepPart::OfNames(graph, options_.fetches, options_.targets));
  if (std::all_of(part.kept.begin(), part.kept.end(), [&](NodeId id) { return id < first; })) {
    ReconsideredSites unchanged;
    unchanged.sites.assign(sites.begin(), sites.end());
    unchanged.reason_of.assign(sites.size(), -1);
    return unchanged;
  }
  StepGraphOptions of_step;
  of_step.unknown_extent = options_.unknown_extent;
  of_step.host_block = &BlockSizes::Rounded;
  if (costs_.has_value()) of_step.costs = &*costs_;
  SearchOptions search;
  search.seed = options_.seed;
  search.evaluations = options_.evaluations;
  search.memory_share = options_.memory_share;
  const StepSearch all{catalog_, machine_, placing_, of_step, search};
  WB_ASSIGN_OR_RETURN(const SearchedStep searched,
                      SearchedStep::Of(all, graph, part.bounds(), sites, first));
  return searched.Reconsidered(all);
}

}  // namespace warpbeam
