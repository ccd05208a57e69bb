// The kernels of GPUs of all update rules, registered before main beside their ops' declarations.
//
// The scalars stay on the device (ops/training/update_block.h): conditions on their values, and
// indices out of range, are not errors there.
#ifndef WARPBEAM_OPS_TRAINING_UPDATE_H_
#define WARPBEAM_OPS_TRAINING_UPDATE_H_

#include "ops/training/update_form.h"
#include "runtime/kernel/kernel_registry.h"

namespace warpbeam::host_pass {

// `form` is kept.
void RegisterUpdateOnGpu(const UpdateForm& form);

}  // namespace warpbeam::host_pass

#endif  // WARPBEAM_OPS_TRAINING_UPDATE_H_
