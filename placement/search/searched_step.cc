#include "placement/search/searched_step.h"

#include <algorithm>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "placement/simulate/simulation_report.h"

namespace warpbeam {
namespace {

// As many nodes of simulated steps as take about two seconds.
constexpr int64_t kMostNodes = 5'000'000;

}  // namespace

StatusOr<SearchedStep> SearchedStep::Of(const StepSearch& search, const Graph& graph,
                                        const PlanBounds& bounds, Span<const Site> sites,
                                        NodeId first_free) {
  SearchedStep searched;
  WB_ASSIGN_OR_RETURN(searched.step,
                      StepGraph::Make(graph, bounds, search.catalog, search.machine, search.step));
  const StepGraph& step = searched.step;
  WB_ASSIGN_OR_RETURN(searched.groups, MovableGroups::Find(graph, bounds, step, search.catalog,
                                                           search.machine.names(), search.placing,
                                                           sites, first_free));
  WB_ASSIGN_OR_RETURN(searched.found,
                      SearchPlacement(step, search.machine, searched.groups, search.search));
  const int64_t most_steps =
      std::min(kMostNodes / std::max(1, step.num_nodes()), search.search.evaluations / 4);
  searched.moves =
      RankMoves(step, search.machine, searched.groups, searched.found.devices, most_steps);
  return searched;
}

ReconsideredSites SearchedStep::Reconsidered(const StepSearch& search) const {
  ReconsideredSites sites;
  sites.sites = found.Sites(groups);
  sites.reason_of.assign(groups.group_of.size(), -1);
  const std::string all =
      absl::StrCat("found by search: a step takes ", SecondsText(found.step_s),
                   ", with the rules' placement ", SecondsText(found.default_step_s));
  sites.reasons.push_back(all);
  std::vector<int32_t> reason_of_group(groups.size(), 0);
  for (const GroupMoves& moves_of : moves) {
    reason_of_group[moves_of.group] = static_cast<int32_t>(sites.reasons.size());
    sites.reasons.push_back(absl::StrCat(
        all, "; with this group on ", search.machine.device(moves_of.best_device).name.ToString(),
        ", the best other place, ", SecondsText(moves_of.best_step_s)));
  }
  for (size_t id = 0; id < groups.group_of.size(); ++id) {
    const int group = groups.group_of[id];
    if (groups.allowed[group].size() < 2 || groups.members[group].empty()) continue;
    sites.reason_of[id] = reason_of_group[group];
  }
  return sites;
}

}  // namespace warpbeam
