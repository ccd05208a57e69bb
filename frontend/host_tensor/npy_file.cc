// Tensors of numbers as numpy's files, over frontend/npy.
#include <cstdint>

#include "frontend/host_tensor/host_tensor.h"
#include "frontend/npy/npy.h"
#include "runtime/checkpoint/durable_file.h"
#include "runtime/record/file.h"

namespace warpbeam {
namespace frontend {
namespace {

// The type that is written so.
StatusOr<DType> NumberOf(const std::string& type) {
  for (int i = 1; i < kNumDTypes; ++i) {
    const auto dtype = static_cast<DType>(i);
    if (NpyNumberType(dtype) == type) return dtype;
  }
  return Unimplemented("elements of numpy's type '", type, "'");
}

}  // namespace

StatusOr<std::string> NpyBytes(const Tensor& tensor) {
  if (NpyNumberType(tensor.dtype()).empty()) {
    return Unimplemented("a tensor of ", DTypeName(tensor.dtype()), " has no type in numpy");
  }
  return FormatNpy(tensor);
}

StatusOr<Tensor> TensorOfNpy(const std::string& bytes) {
  absl::string_view rest = bytes;
  const StatusOr<NpyHeader> header = TakeNpyHeader(&rest);
  if (!header.ok()) return DataLoss(header.status().message());
  if (header->fortran_order) {
    return Unimplemented(
        "an array of numpy's in the order of Fortran; save numpy.ascontiguousarray");
  }
  WB_ASSIGN_OR_RETURN(const DType dtype, NumberOf(header->type));
  StatusOr<Tensor> tensor = ParseNpy(bytes);
  if (IsInvalidArgument(tensor.status())) return DataLoss(tensor.status().message());
  if (!tensor.ok()) return tensor;
  if (tensor->bytes() != rest.size()) {
    return DataLoss("a file of numpy's has ", rest.size(), " bytes of elements for ",
                    DTypeName(dtype), tensor->shape().ToString());
  }
  return tensor;
}

Status WriteNpy(const Tensor& tensor, const std::string& path) {
  StatusOr<std::string> bytes = NpyBytes(tensor);
  if (!bytes.ok()) return Annotate(bytes.status(), path);
  WB_ASSIGN_OR_RETURN(auto file, DurableFile::Create(path));
  WB_RETURN_IF_ERROR(file->Append(*bytes));
  return file->Commit();
}

StatusOr<Tensor> ReadNpy(const std::string& path) {
  WB_ASSIGN_OR_RETURN(const std::string bytes, ReadFileToString(path));
  StatusOr<Tensor> tensor = TensorOfNpy(bytes);
  if (!tensor.ok()) return Annotate(tensor.status(), path);
  return tensor;
}

}  // namespace frontend
}  // namespace warpbeam
