#include "ops/nn/sequence/ctc_loss_inputs.h"

#include <utility>

namespace warpbeam {
namespace {

Status CheckFrames(const Tensor& frames, int64_t most, int64_t batch) {
  if (frames.rank() != 1 || frames.dim(0) != batch) {
    return InvalidArgument("there must be one sequence length for each of ", batch,
                           " sequences, but their shape is ", frames.shape().ToString());
  }
  for (const int32_t n : frames.flat<int32_t>()) {
    if (n < 0 || n > most) {
      return InvalidArgument("a sequence of ", n, " frames is not within 0 and ", most);
    }
  }
  return OkStatus();
}

Status ReadLabels(const Tensor& indices, const Tensor& values, int64_t classes,
                  const CtcLossAttrs& attrs, std::vector<std::vector<int32_t>>* labels) {
  if (indices.rank() != 2 || indices.dim(1) != 2 || values.rank() != 1 ||
      values.dim(0) != indices.dim(0)) {
    return InvalidArgument("labels must be n places of two numbers and n values, but their ",
                           "shapes are ", indices.shape().ToString(), " and ",
                           values.shape().ToString());
  }
  const int64_t* at = indices.data<int64_t>();
  std::vector<bool> ended(labels->size());
  for (int64_t i = 0; i < values.dim(0); ++i, at += 2) {
    if (at[0] < 0 || at[0] >= static_cast<int64_t>(labels->size()) || at[1] < 0) {
      return InvalidArgument("label ", i, " is at [", at[0], ",", at[1], "], outside of ",
                             labels->size(), " sequences");
    }
    if (i > 0 && (at[0] < at[-2] || (at[0] == at[-2] && at[1] <= at[-1]))) {
      return InvalidArgument("label ", i, " at [", at[0], ",", at[1], "] is out of order");
    }
    const int32_t value = values.data<int32_t>()[i];
    if (value < 0) return InvalidArgument("label ", i, " is ", value, "; labels are not negative");
    std::vector<int32_t>& sequence = (*labels)[at[0]];
    if (attrs.blank_first && (value == 0 || value >= classes)) {
      return InvalidArgument("label ", i, " is ", value, ", not within 1 and ", classes - 1);
    }
    // From the first label that is no class on, there may be no other.
    if (!attrs.blank_first && value >= classes - 1) {
      ended[at[0]] = true;
    } else if (ended[at[0]]) {
      return InvalidArgument("label ", value, " of sequence ", at[0],
                             " comes after one that is not below ", classes - 1);
    } else if (!attrs.collapse_repeated || sequence.empty() || sequence.back() != value) {
      sequence.push_back(value);
    }
  }
  for (size_t b = 0; b < labels->size(); ++b) {
    if ((*labels)[b].empty() && !ended[b]) {
      return InvalidArgument("sequence ", b, " has no labels");
    }
  }
  return OkStatus();
}

}  // namespace

StatusOr<CtcLossAttrs> ReadCtcLossAttrs(KernelInit& init) {
  CtcLossAttrs attrs;
  attrs.blank_first = init.schema.name == "CTCLossV2";
  WB_ASSIGN_OR_RETURN(attrs.collapse_repeated, init.attr<bool>("preprocess_collapse_repeated"));
  WB_ASSIGN_OR_RETURN(attrs.merge_repeated, init.attr<bool>("ctc_merge_repeated"));
  WB_ASSIGN_OR_RETURN(attrs.ignore_long, init.attr<bool>("ignore_longer_outputs_than_inputs"));
  return attrs;
}

StatusOr<CtcSequences> ReadCtcSequences(const KernelContext& ctx, const CtcLossAttrs& attrs) {
  const Tensor& x = ctx.input(0);
  if (x.rank() != 3) {
    return InvalidArgument("the logits must have 3 dimensions, but have shape ",
                           x.shape().ToString());
  }
  if (x.dim(0) == 0) return InvalidArgument("there are no frames of logits");
  const int64_t batch = x.dim(1);
  if (batch == 0) return InvalidArgument("batch_size must not be 0");
  if (x.dim(2) == 0) return InvalidArgument("there are no classes, and one must be the blank");
  WB_RETURN_IF_ERROR(CheckFrames(ctx.input(3), x.dim(0), batch));
  CtcSequences sequences;
  const auto frames = ctx.input(3).flat<int32_t>();
  sequences.frames.assign(frames.begin(), frames.end());
  sequences.labels.resize(static_cast<size_t>(batch));
  WB_RETURN_IF_ERROR(ReadLabels(ctx.input(1), ctx.input(2), x.dim(2), attrs, &sequences.labels));
  for (int64_t b = 0; b < batch; ++b) {
    const auto labels = static_cast<int64_t>(sequences.labels[b].size());
    if (labels > sequences.frames[b] && !attrs.ignore_long) {
      return InvalidArgument("sequence ", b, " has ", labels, " labels but only ",
                             sequences.frames[b], " frames; see ignore_longer_outputs_than_inputs");
    }
  }
  return sequences;
}

}  // namespace warpbeam
