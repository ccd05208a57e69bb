// What the ops that save and restore checkpoints share: their arguments and shape functions.
//
//   WB_ASSIGN_OR_RETURN(CheckpointArguments a,
//                       ReadCheckpointArguments(ctx, /*has_slices=*/true, n));
//   writer->AddSlice(a.names[i], a.parts[i].full, a.parts[i].slice, ctx.input(3 + i));
//
// Thread safety: pure. Errors: INVALID_ARGUMENT for arguments of the wrong shape; those of
// ShapeAndSlice::Parse.
#ifndef WARPBEAM_OPS_IO_CHECKPOINT_ARGUMENTS_H_
#define WARPBEAM_OPS_IO_CHECKPOINT_ARGUMENTS_H_

#include <string>
#include <vector>

#include "graph/op/shape_context.h"
#include "runtime/checkpoint/tensor_slice.h"
#include "runtime/kernel/kernel_context.h"

namespace warpbeam {

struct CheckpointArguments {
  std::string path;                  // input 0: a file, a prefix or a pattern
  std::vector<std::string> names;    // input 1, one per tensor
  std::vector<ShapeAndSlice> parts;  // input 2 with `has_slices`, else all whole
};

StatusOr<CheckpointArguments> ReadCheckpointArguments(const KernelContext& ctx, bool has_slices,
                                                      int num_tensors);

// Whether `tensor` is the part that it is saved as: INVALID_ARGUMENT when its shape differs.
Status CheckSavedShape(const std::string& name, const ShapeAndSlice& part, const Tensor& tensor);

// For an input `index` that is a vector of `count` strings.
Status CheckVectorOf(ShapeContext& c, int index, int64_t count);
// Output `i` of a restoring op: the shape of element i of input `index`, as far as it is known.
Status SetRestoredShape(ShapeContext& c, int index, int i);

}  // namespace warpbeam

#endif  // WARPBEAM_OPS_IO_CHECKPOINT_ARGUMENTS_H_
