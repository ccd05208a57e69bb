// CheckDeterminism: refuses, before a step runs, what would give other bits in another run.
//
// Refused are random ops without seeds; datasets that are unseeded, that hand out elements as they
// get ready, or whose functions depend on when they run; shuffling and priority queues, stages, and
// what asks how full a queue is; queues, accumulators and barriers that several steps fill; nodes
// on GPUs whose kernels there add floats in any order (any_order.h). What a step does to other
// state is put in order instead (order_effects.h).
//
//   const auto device_of = [&](Site site) { return devices->device(site); };
//   WB_RETURN_IF_ERROR(CheckDeterminism(part, device_of));
//
// Thread safety: a pure function. Errors: FAILED_PRECONDITION naming the node, its op, its device
// where that matters, why, and what to do.
#ifndef WARPBEAM_RUNTIME_EFFECTS_DETERMINISM_CHECKS_H_
#define WARPBEAM_RUNTIME_EFFECTS_DETERMINISM_CHECKS_H_

#include "absl/functional/function_ref.h"
#include "graph/passes/pass_pipeline.h"
#include "graph/types/errors.h"
#include "runtime/device/device.h"

namespace warpbeam {

// `device_of` says where the nodes of a site run; null of a device of another task.
Status CheckDeterminism(const GraphPart& part, absl::FunctionRef<const Device*(Site)> device_of);

}  // namespace warpbeam

#endif  // WARPBEAM_RUNTIME_EFFECTS_DETERMINISM_CHECKS_H_
