// SearchedStep: a step of a graph that the placer has placed, and where a search would place it.
//
//   const StepSearch search{catalog, machine, placer_options, step_options, search_options};
//   WB_ASSIGN_OR_RETURN(const SearchedStep searched,
//                       SearchedStep::Of(search, graph, bounds, sites, /*first_free=*/0));
//   searched.found.step_s, searched.found.default_step_s
//   searched.Reconsidered(search)                 // where the nodes are to be, and why
//
// It is what a placer asks that is told to look for a better placement than its rules give
// (placement/placer.h). Nodes before `first_free` stay where they are, and so does what the step
// has nothing of.
//
// Ownership: values; a StepSearch refers to the catalogue and the machine. Thread safety: a pure
// function. Errors: those of StepGraph::Make, MovableGroups::Find and SearchPlacement.
#ifndef WARPBEAM_PLACEMENT_SEARCH_SEARCHED_STEP_H_
#define WARPBEAM_PLACEMENT_SEARCH_SEARCHED_STEP_H_

#include <vector>

#include "placement/placer.h"
#include "placement/search/placement_search.h"
#include "placement/search/ranked_moves.h"

namespace warpbeam {

struct StepSearch {
  const KernelCatalog& catalog;
  const Machine& machine;  // its devices in the order of the placer's
  PlacerOptions placing;
  StepGraphOptions step;
  SearchOptions search;
};

struct SearchedStep {
  StepGraph step;
  MovableGroups groups;
  FoundPlacement found;
  // What other places of the groups would give, as far as two seconds' worth of simulated nodes and
  // a quarter as many steps as were searched tell.
  std::vector<GroupMoves> moves;

  static StatusOr<SearchedStep> Of(const StepSearch& search, const Graph& graph,
                                   const PlanBounds& bounds, Span<const Site> sites,
                                   NodeId first_free);
  // Groups that had a choice are where the search has found them.
  ReconsideredSites Reconsidered(const StepSearch& search) const;
};

}  // namespace warpbeam

#endif  // WARPBEAM_PLACEMENT_SEARCH_SEARCHED_STEP_H_
