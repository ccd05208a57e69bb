#include "runtime/checkpoint/slice_file_writer.h"

#include "graph/io/dtype_io.h"
#include "graph/io/tensor_io.h"
#include "proto/saved_tensor_slice.pb.h"
#include "runtime/checkpoint/durable_file.h"
#include "runtime/checkpoint/slice_io.h"
#include "runtime/checkpoint/slice_key.h"
#include "runtime/checkpoint/table_writer.h"

namespace warpbeam {
namespace {

// The types of a version 1 checkpoint.
constexpr TypeSet kStoredTypes = {
    DType::kFloat,  DType::kDouble,    DType::kInt32,      DType::kUInt8,
    DType::kInt16,  DType::kInt8,      DType::kString,     DType::kInt64,
    DType::kBool,   DType::kComplex64, DType::kComplex128, DType::kQInt8,
    DType::kQUInt8, DType::kQInt32,    DType::kUInt16,     DType::kHalf};

Status CheckType(DType dtype) {
  if (kStoredTypes.contains(dtype)) return OkStatus();
  if (dtype == DType::kUInt32 || dtype == DType::kUInt64) {
    return InvalidArgument("a version 1 checkpoint cannot hold ", DTypeName(dtype),
                           "; SaveV2 writes a format that can");
  }
  return Unimplemented("Saving data type ", DTypeName(dtype),
                       " not yet supported by version 1 checkpoints; SaveV2 writes a format that "
                       "may hold it");
}

// The largest message that protobuf reads back.
constexpr int64_t kMostBytes = (int64_t{1} << 31) - 1;

}  // namespace

Status SliceFileWriter::Add(const std::string& name, const Shape& full, const TensorSlice& slice,
                            const Tensor& tensor) {
  WB_RETURN_IF_ERROR(CheckType(tensor.dtype()));
  WB_ASSIGN_OR_RETURN(const Shape shape, slice.ShapeIn(full));
  if (shape != tensor.shape()) {
    return InvalidArgument("the slice ", slice.ToString(), " of '", name, "' of shape ",
                           full.ToString(), " has shape ", shape.ToString(), ", the tensor ",
                           tensor.shape().ToString());
  }
  const auto [at, is_new] = index_of_.emplace(name, tensors_.size());
  if (is_new) tensors_.push_back({full, tensor.dtype(), {}});
  Stored& stored = tensors_[at->second];
  if (stored.full != full) {
    return Internal("Mismatching shapes: existing tensor = ", stored.full.ToString(),
                    ", trying to add name ", name, ", shape = ", full.ToString());
  }
  if (stored.dtype != tensor.dtype()) {
    return Internal("Mismatching types: existing type = ", DTypeName(stored.dtype),
                    ", trying to add name ", name, ", type = ", DTypeName(tensor.dtype()));
  }
  const auto too_large = [&](int64_t bytes) {
    return InvalidArgument("Tensor slice is too large to serialize: '", name, "' of ", bytes,
                           " bytes; SaveV2 writes a format that can hold it");
  };
  if (const auto bytes = static_cast<int64_t>(tensor.bytes()); bytes > kMostBytes) {
    return too_large(bytes);
  }
  tensorflow::SavedTensorSlices record;
  auto* data = record.mutable_data();
  data->set_name(name);
  SliceToProto(slice, data->mutable_slice());
  WB_RETURN_IF_ERROR(TensorToProto(tensor, TensorForm::kValues, data->mutable_data()));
  data->mutable_data()->clear_dtype();
  data->mutable_data()->clear_tensor_shape();
  if (const auto bytes = static_cast<int64_t>(record.ByteSizeLong()); bytes > kMostBytes) {
    return too_large(bytes);
  }
  stored.slices.push_back(slice);
  records_[SliceKey(name, slice)] = record.SerializeAsString();
  return OkStatus();
}

Status SliceFileWriter::Write(absl::string_view path) const {
  tensorflow::SavedTensorSlices first;
  for (const auto& [name, index] : index_of_) {
    const Stored& stored = tensors_[index];
    auto* meta = first.mutable_meta()->add_tensor();
    meta->set_name(name);
    ShapeToProto(stored.full, meta->mutable_shape());
    meta->set_type(static_cast<tensorflow::DataType>(NumberOf(stored.dtype)));
    for (const TensorSlice& slice : stored.slices) SliceToProto(slice, meta->add_slice());
  }
  first.mutable_meta()->mutable_versions()->set_producer(1);
  RemoveLeftBehind(path);
  WB_ASSIGN_OR_RETURN(std::unique_ptr<DurableFile> file, DurableFile::Create(path));
  TableWriter table(file.get());
  WB_RETURN_IF_ERROR(table.Add("", first.SerializeAsString()));
  for (const auto& [key, record] : records_) WB_RETURN_IF_ERROR(table.Add(key, record));
  WB_RETURN_IF_ERROR(table.Finish());
  WB_RETURN_IF_ERROR(file->Commit());
  return SyncDirectoryOf(path);
}

}  // namespace warpbeam
