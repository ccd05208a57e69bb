// CheckDeterminism: refuses, before a step runs, what would give other bits in another run.
//
// Refused are random ops without seeds; datasets that are unseeded, that hand out elements as they
// get ready, or whose functions depend on when they run; shuffling and priority queues, stages, and
// what asks how full a queue is; queues, accumulators and barriers that several steps fill. What a
// step does to other state is put in order instead (order_effects.h).
//
//   WB_RETURN_IF_ERROR(CheckDeterminism(part));
//
// Thread safety: a pure function. Errors: FAILED_PRECONDITION naming the node, its op, why, and
// what to do.
#ifndef WARPBEAM_RUNTIME_EFFECTS_DETERMINISM_CHECKS_H_
#define WARPBEAM_RUNTIME_EFFECTS_DETERMINISM_CHECKS_H_

#include "graph/passes/pass_pipeline.h"
#include "graph/types/errors.h"

namespace warpbeam {

Status CheckDeterminism(const GraphPart& part);

}  // namespace warpbeam

#endif  // WARPBEAM_RUNTIME_EFFECTS_DETERMINISM_CHECKS_H_
