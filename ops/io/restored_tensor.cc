#include "ops/io/restored_tensor.h"

#include "runtime/checkpoint/slice_file_reader.h"

namespace warpbeam {

Status RestoreFromSliceFiles(KernelContext& ctx, const CheckpointArguments& arguments) {
  StatusOr<std::unique_ptr<SliceFileReader>> opened = SliceFileReader::Open(arguments.path);
  if (!opened.ok()) {
    return Annotate(opened.status(), "Unsuccessful TensorSliceReader constructor");
  }
  const SliceFileReader& reader = **opened;
  for (int i = 0; i < ctx.num_outputs(); ++i) {
    const std::string& name = arguments.names[i];
    const ShapeAndSlice& part = arguments.parts[i];
    const SliceFileReader::Stored* const stored = reader.Find(name);
    if (stored == nullptr) {
      return NotFound("Tensor name \"", name, "\" not found in checkpoint files ", arguments.path);
    }
    if (stored->dtype != ctx.output_type(i)) {
      return InvalidArgument("Expected to restore a tensor of type ", DTypeName(ctx.output_type(i)),
                             ", got a tensor of type ", DTypeName(stored->dtype),
                             " instead: tensor_name = ", name);
    }
    if (part.is_given && part.full != stored->full) {
      return InvalidArgument(
          "Shape in shape_and_slice spec does not match the shape in the save file: ",
          part.full.ToString(), ", save file shape: ", stored->full.ToString());
    }
    const TensorSlice slice = part.is_given ? part.slice : TensorSlice::Whole(stored->full.rank());
    WB_ASSIGN_OR_RETURN(Tensor tensor, reader.Read(name, slice));
    ctx.set_output(i, std::move(tensor));
  }
  return OkStatus();
}

}  // namespace warpbeam
