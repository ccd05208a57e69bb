// Restoring from version 1 checkpoints, for the ops of that version and for RestoreV2.
//
//   return RestoreFromSliceFiles(ctx, arguments);   // sets all outputs
//
// Thread safety: pure. Errors: those of SliceFileReader; INVALID_ARGUMENT for another type or shape
// than the file's.
#ifndef WARPBEAM_OPS_IO_RESTORED_TENSOR_H_
#define WARPBEAM_OPS_IO_RESTORED_TENSOR_H_

#include "ops/io/checkpoint_arguments.h"

namespace warpbeam {

Status RestoreFromSliceFiles(KernelContext& ctx, const CheckpointArguments& arguments);

}  // namespace warpbeam

#endif  // WARPBEAM_OPS_IO_RESTORED_TENSOR_H_
