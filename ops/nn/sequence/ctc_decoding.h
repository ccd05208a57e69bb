// What decoders of connectionist temporal classification share: the checks of their inputs, and how
// the label sequences that they find become sparse tensors.
//
//   WB_RETURN_IF_ERROR(CheckCtcInputs(ctx));
//   WB_RETURN_IF_ERROR(StorePath(ctx, path, num_paths, sequences));
//
// Thread safety: pure functions of their arguments. Errors: INVALID_ARGUMENT and, for sequence
// lengths, FAILED_PRECONDITION, as in TensorFlow.
#ifndef WARPBEAM_OPS_NN_SEQUENCE_CTC_DECODING_H_
#define WARPBEAM_OPS_NN_SEQUENCE_CTC_DECODING_H_

#include <vector>

#include "runtime/kernel/kernel_context.h"

namespace warpbeam {

// Inputs: logits [frames, batch, classes] and the number of frames of each sequence.
Status CheckCtcInputs(const KernelContext& ctx);

// Writes the labels of path number `path` of `num_paths`, sequence by sequence. Outputs are the
// indices of all paths, then their values, then their shapes.
Status StorePath(KernelContext& ctx, int path, int num_paths,
                 const std::vector<std::vector<int64_t>>& sequences);

}  // namespace warpbeam

#endif  // WARPBEAM_OPS_NN_SEQUENCE_CTC_DECODING_H_
