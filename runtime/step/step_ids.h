// NewStepId: what tells a step from all others of the process and, since it is random, of the
// cluster that the process is in. Steps of different sessions share a task's resource store, and
// their tensors, collectives and temporary variables meet there by this number.
//
//   auto step = std::make_shared<StepContext>(NewStepId(), resources, functions);
//
// Thread safety: any thread. No number comes twice, and 0 and negative ones never.
#ifndef WARPBEAM_RUNTIME_STEP_STEP_IDS_H_
#define WARPBEAM_RUNTIME_STEP_STEP_IDS_H_

#include <cstdint>

namespace warpbeam {

int64_t NewStepId();

}  // namespace warpbeam

#endif  // WARPBEAM_RUNTIME_STEP_STEP_IDS_H_
