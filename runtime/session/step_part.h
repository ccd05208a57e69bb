// StepPart: what a step runs of a graph, for looking ahead without running it.
//
//   WB_ASSIGN_OR_RETURN(StepPart part, StepPart::OfNames(graph, {"loss:0"}, {"train"}));
//   part.bounds()                        // for StepGraph::Make
//
// Names are as sessions take them. Without fetches and targets the step is all that the graph has.
//
// Ownership: a value. Thread safety: pure functions. Errors: INVALID_ARGUMENT and NOT_FOUND for
// fetches and targets that the graph has not.
#ifndef WARPBEAM_RUNTIME_SESSION_STEP_PART_H_
#define WARPBEAM_RUNTIME_SESSION_STEP_PART_H_

#include <string>
#include <vector>

#include "placement/average.h"

namespace warpbeam {

struct StepPart {
  std::vector<NodeId> kept;
  std::vector<OutputRef> feeds;
  std::vector<OutputRef> fetches;
  std::vector<NodeId> targets;

  static StatusOr<StepPart> Named(const Graph& graph, std::vector<OutputRef> feeds,
                                  const std::vector<std::string>& fetches,
                                  const std::vector<std::string>& targets);
  // Placeholders are fed.
  static StatusOr<StepPart> OfNames(const Graph& graph, const std::vector<std::string>& fetches,
                                    const std::vector<std::string>& targets);
  PlanBounds bounds() const { return {kept, feeds, fetches, targets}; }
};

}  // namespace warpbeam

#endif  // WARPBEAM_RUNTIME_SESSION_STEP_PART_H_
