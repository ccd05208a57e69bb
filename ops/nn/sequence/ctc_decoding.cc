#include "ops/nn/sequence/ctc_decoding.h"

#include <algorithm>

#include "graph/types/errors.h"

namespace warpbeam {

Status CheckCtcInputs(const KernelContext& ctx) {
  const Tensor &x = ctx.input(0), &frames = ctx.input(1);
  if (x.rank() != 3) {
    return InvalidArgument("the logits must have 3 dimensions, but have shape ",
                           x.shape().ToString());
  }
  if (x.num_elements() == 0) {
    return InvalidArgument("the logits must not be empty, but have shape ", x.shape().ToString());
  }
  if (frames.rank() != 1) {
    return InvalidArgument("the sequence lengths must be a vector, but have shape ",
                           frames.shape().ToString());
  }
  if (frames.dim(0) != x.dim(1)) {
    return FailedPrecondition("there must be one sequence length for each of ", x.dim(1),
                              " sequences, but their shape is ", frames.shape().ToString());
  }
  for (const int32_t n : frames.flat<int32_t>()) {
    if (n <= x.dim(0)) continue;
    return FailedPrecondition("a sequence of ", n, " frames is longer than the ", x.dim(0),
                              " frames of logits");
  }
  return OkStatus();
}

Status StorePath(KernelContext& ctx, int path, int num_paths,
                 const std::vector<std::vector<int64_t>>& sequences) {
  size_t total = 0, longest = 0;
  for (const std::vector<int64_t>& labels : sequences) {
    total += labels.size();
    longest = std::max(longest, labels.size());
  }
  const auto n = static_cast<int64_t>(total);
  WB_ASSIGN_OR_RETURN(Tensor * indices, ctx.Allocate(path, Shape({n, 2})));
  WB_ASSIGN_OR_RETURN(Tensor * values, ctx.Allocate(num_paths + path, Shape({n})));
  WB_ASSIGN_OR_RETURN(Tensor * shape, ctx.Allocate(2 * num_paths + path, Shape({2})));
  int64_t* index = indices->data<int64_t>();
  int64_t* value = values->data<int64_t>();
  for (size_t b = 0; b < sequences.size(); ++b) {
    for (size_t i = 0; i < sequences[b].size(); ++i) {
      *index++ = static_cast<int64_t>(b);
      *index++ = static_cast<int64_t>(i);
      *value++ = sequences[b][i];
    }
  }
  shape->data<int64_t>()[0] = static_cast<int64_t>(sequences.size());
  shape->data<int64_t>()[1] = static_cast<int64_t>(longest);
  return OkStatus();
}

}  // namespace warpbeam
