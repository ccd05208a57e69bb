// NewStepId: what tells a step from all others of the process. Steps of different sessions share
// the server's resource store, and their collectives and temporary variables meet there by this
// number.
//
//   auto step = std::make_shared<StepContext>(NewStepId(), resources, functions);
//
// Thread safety: any thread. No number comes twice, and 0 never.
#ifndef WARPBEAM_RUNTIME_STEP_STEP_IDS_H_
#define WARPBEAM_RUNTIME_STEP_STEP_IDS_H_

#include <cstdint>

namespace warpbeam {

int64_t NewStepId();

}  // namespace warpbeam

#endif  // WARPBEAM_RUNTIME_STEP_STEP_IDS_H_
