// What CTCLoss and CTCLossV2 are given besides the logits: their attributes, and the frames and
// labels of each sequence, read from host memory and checked.
//
//   WB_ASSIGN_OR_RETURN(const CtcSequences sequences, ReadCtcSequences(ctx, attrs));
//   if (sequences.HasLoss(b)) Run(sequences.labels[b], sequences.frames[b]);
//
// Thread safety: pure. Errors: INVALID_ARGUMENT for logits without frames, sequences or classes, a
// number of frames that the logits do not have, and labels that are no classes, out of order, or,
// unless those are to be ignored, more than there are frames.
#ifndef WARPBEAM_OPS_NN_SEQUENCE_CTC_LOSS_INPUTS_H_
#define WARPBEAM_OPS_NN_SEQUENCE_CTC_LOSS_INPUTS_H_

#include <cstdint>
#include <vector>

#include "runtime/kernel/kernel.h"
#include "runtime/kernel/kernel_context.h"

namespace warpbeam {

struct CtcLossAttrs {
  bool collapse_repeated = false;  // of labels that follow each other alike, one counts
  bool merge_repeated = true;      // of frames
  bool ignore_long = false;        // sequences with more labels than frames
  bool blank_first = false;        // CTCLossV2: class 0 is the blank, else the last one
};
StatusOr<CtcLossAttrs> ReadCtcLossAttrs(KernelInit& init);

struct CtcSequences {
  std::vector<int64_t> frames;
  std::vector<std::vector<int32_t>> labels;

  // Sequences without frames, and those that are ignored, have a loss of 0.
  bool HasLoss(int64_t b) const {
    return frames[b] > 0 && static_cast<int64_t>(labels[b].size()) <= frames[b];
  }
};
// Of the logits, input 0, only the shape is read: they may be elsewhere.
StatusOr<CtcSequences> ReadCtcSequences(const KernelContext& ctx, const CtcLossAttrs& attrs);

}  // namespace warpbeam

#endif  // WARPBEAM_OPS_NN_SEQUENCE_CTC_LOSS_INPUTS_H_
