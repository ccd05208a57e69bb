// OrderEffects: the pass of a deterministic session that leaves no two effects in free order.
//
// Nodes whose effects meet (node_effects.h) and that no path connects get a control edge: reads go
// before writes where they may, otherwise nodes go by id. Where branches may be dead, a
// ControlTrigger stands between, which runs whatever is dead. Loops whose bodies have effects, or
// draw random numbers, run one iteration after the other, and end before what comes behind them.
//
//   std::vector<StepEffect> effects;
//   WB_RETURN_IF_ERROR(OrderEffects(&part, &effects));
//
// Ownership: the part's graph owns what is added. Thread safety: a pure function. Errors:
// FAILED_PRECONDITION naming two nodes of which one is in a loop that nothing leaves.
#ifndef WARPBEAM_RUNTIME_EFFECTS_ORDER_EFFECTS_H_
#define WARPBEAM_RUNTIME_EFFECTS_ORDER_EFFECTS_H_

#include <vector>

#include "graph/passes/pass_pipeline.h"
#include "runtime/effects/node_effects.h"

namespace warpbeam {

// `effects` gets what the step does, in the order in which it does it; a random op's draws too.
Status OrderEffects(GraphPart* part, std::vector<StepEffect>* effects);

}  // namespace warpbeam

#endif  // WARPBEAM_RUNTIME_EFFECTS_ORDER_EFFECTS_H_
