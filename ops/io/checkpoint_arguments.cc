#include "ops/io/checkpoint_arguments.h"

namespace warpbeam {
namespace {

Status CheckStrings(const KernelContext& ctx, int input, const char* name, int count) {
  const Tensor& t = ctx.input(input);
  if (t.rank() > 1 || t.num_elements() != count) {
    return InvalidArgument("'", name, "' must be a vector of ", count, " strings, one for each ",
                           "tensor, not of shape ", t.shape().ToString());
  }
  return OkStatus();
}

}  // namespace

StatusOr<CheckpointArguments> ReadCheckpointArguments(const KernelContext& ctx, bool has_slices,
                                                      int num_tensors) {
  CheckpointArguments arguments;
  if (ctx.input(0).num_elements() != 1) {
    return InvalidArgument("the file's name must be one string, not of shape ",
                           ctx.input(0).shape().ToString());
  }
  arguments.path = *ctx.input(0).data<std::string>();
  WB_RETURN_IF_ERROR(CheckStrings(ctx, 1, "tensor_names", num_tensors));
  const Span<const std::string> names = ctx.input(1).flat<std::string>();
  arguments.names.assign(names.begin(), names.end());
  arguments.parts.resize(names.size());
  if (!has_slices) return arguments;
  WB_RETURN_IF_ERROR(CheckStrings(ctx, 2, "shape_and_slices", num_tensors));
  for (size_t i = 0; i < names.size(); ++i) {
    WB_ASSIGN_OR_RETURN(arguments.parts[i],
                        ShapeAndSlice::Parse(ctx.input(2).flat<std::string>()[i]));
  }
  return arguments;
}

Status CheckSavedShape(const std::string& name, const ShapeAndSlice& part, const Tensor& tensor) {
  if (!part.is_given || part.shape == tensor.shape()) return OkStatus();
  return InvalidArgument(
      "Slice in shape_and_slice specification does not match the shape of the tensor to save: '",
      name, "' is ", tensor.shape().ToString(), ", its slice ", part.slice.ToString(), " of ",
      part.full.ToString(), " is ", part.shape.ToString());
}

Status CheckVectorOf(ShapeContext& c, int index, int64_t count) {
  WB_ASSIGN_OR_RETURN(const PartialShape shape, c.WithRank(index, 1));
  if (shape.dim(0) >= 0 && shape.dim(0) != count) {
    return InvalidArgument("input ", index, " must have one string for each of the ", count,
                           " tensors, not ", shape.dim(0));
  }
  return OkStatus();
}

Status SetRestoredShape(ShapeContext& c, int index, int i) {
  c.set_output(i, PartialShape());
  const std::optional<Tensor> parts = c.ConstantInput(index);
  if (!parts.has_value() || i >= parts->num_elements()) return OkStatus();
  WB_ASSIGN_OR_RETURN(const ShapeAndSlice part,
                      ShapeAndSlice::Parse(parts->flat<std::string>()[i]));
  if (part.is_given) c.set_output(i, part.shape);
  return OkStatus();
}

}  // namespace warpbeam
