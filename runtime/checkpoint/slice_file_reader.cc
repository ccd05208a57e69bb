#include "runtime/checkpoint/slice_file_reader.h"

#include "graph/io/dtype_io.h"
#include "graph/io/tensor_io.h"
#include "proto/saved_tensor_slice.pb.h"
#include "runtime/checkpoint/slice_io.h"
#include "runtime/checkpoint/slice_key.h"
#include "runtime/record/file_root.h"

namespace warpbeam {
namespace {

// Checking that parts do not overlap takes the square of their number.
constexpr size_t kMostSlices = 8192;

// The values that the message lists; all must be there, so that a small file makes no large tensor.
int64_t CountValues(const tensorflow::TensorProto& p) {
  return int64_t{p.float_val_size()} + p.double_val_size() + p.int_val_size() +
         p.string_val_size() + p.int64_val_size() + p.bool_val_size() + p.half_val_size() +
         (p.scomplex_val_size() + p.dcomplex_val_size()) / 2 + p.uint32_val_size() +
         p.uint64_val_size();
}

bool Parse(absl::string_view bytes, tensorflow::SavedTensorSlices* record) {
  return bytes.size() < (size_t{1} << 31) &&
         record->ParseFromArray(bytes.data(), static_cast<int>(bytes.size()));
}

}  // namespace

StatusOr<std::unique_ptr<SliceFileReader>> SliceFileReader::Open(const std::string& pattern) {
  auto reader = std::make_unique<SliceFileReader>();
  reader->pattern_ = pattern;
  WB_ASSIGN_OR_RETURN(const std::vector<std::string> paths, files::Match(pattern));
  for (const std::string& path : paths) {
    WB_RETURN_IF_ERROR(reader->AddFile(path));
  }
  if (reader->files_.empty()) {
    return NotFound("Failed to find any matching files for ", pattern);
  }
  return reader;
}

Status SliceFileReader::AddFile(const std::string& path) {
  WB_ASSIGN_OR_RETURN(Table table, Table::Read(path));
  const Table::Entry* const first = table.Find("");
  tensorflow::SavedTensorSlices record;
  if (first == nullptr) {
    return Internal(
        "Failed to find the saved tensor slices at the beginning of the checkpoint "
        "file: ",
        path);
  }
  if (!Parse(first->value, &record)) {
    return Internal("Failed to parse the initial record of the checkpoint file: ", path);
  }
  for (const auto& meta : record.meta().tensor()) {
    WB_ASSIGN_OR_RETURN(const DType dtype, DTypeFromNumber(meta.type()));
    WB_ASSIGN_OR_RETURN(const PartialShape partial, ShapeFromProto(meta.shape()));
    WB_ASSIGN_OR_RETURN(const Shape full, partial.AsShape());
    const auto [at, is_new] = tensors_.try_emplace(meta.name());
    Stored& stored = at->second;
    if (is_new) {
      stored.full = full;
      stored.dtype = dtype;
    } else if (stored.full != full || stored.dtype != dtype) {
      return Internal("tensor ", meta.name(), " is ", DTypeName(dtype), full.ToString(), " in ",
                      path, " and ", DTypeName(stored.dtype), stored.full.ToString(),
                      " in another file of the checkpoint");
    }
    for (const auto& proto : meta.slice()) {
      WB_ASSIGN_OR_RETURN(TensorSlice slice, SliceFromProto(proto));
      WB_RETURN_IF_ERROR(slice.ShapeIn(full).status());
      stored.parts.push_back({std::move(slice), files_.size()});
    }
  }
  files_.push_back({path, std::move(table)});
  return OkStatus();
}

const SliceFileReader::Stored* SliceFileReader::Find(const std::string& name) const {
  const auto at = tensors_.find(name);
  return at == tensors_.end() ? nullptr : &at->second;
}

StatusOr<Tensor> SliceFileReader::ReadPart(const std::string& name, const Stored& stored,
                                           const Part& part) const {
  const File& file = files_[part.file];
  const Table::Entry* const entry = file.table.Find(SliceKey(name, part.slice));
  tensorflow::SavedTensorSlices record;
  if (entry == nullptr || !Parse(entry->value, &record)) {
    return DataLoss("the slice ", part.slice.ToString(), " of tensor ", name,
                    " is not in the checkpoint file ", file.path, " or damaged");
  }
  WB_ASSIGN_OR_RETURN(const Shape shape, part.slice.ShapeIn(stored.full));
  tensorflow::TensorProto* const data = record.mutable_data()->mutable_data();
  if (CountValues(*data) != shape.num_elements() || !data->tensor_content().empty()) {
    return DataLoss("the slice ", part.slice.ToString(), " of tensor ", name, " in ", file.path,
                    " has ", CountValues(*data), " values, not ", shape.num_elements());
  }
  data->set_dtype(static_cast<tensorflow::DataType>(NumberOf(stored.dtype)));
  ShapeToProto(shape, data->mutable_tensor_shape());
  return TensorFromProto(*data);
}

StatusOr<Tensor> SliceFileReader::Read(const std::string& name, const TensorSlice& slice) const {
  const Stored* const stored = Find(name);
  if (stored == nullptr) {
    return NotFound("Tensor name \"", name, "\" not found in checkpoint files ", pattern_);
  }
  WB_ASSIGN_OR_RETURN(const Shape shape, slice.ShapeIn(stored->full));
  std::vector<Tensor> values;
  std::vector<const Part*> used;
  int64_t found = 0;
  for (const Part& part : stored->parts) {
    const int64_t shared = CountShared(part.slice, slice, stored->full);
    if (shared == 0) continue;
    if (used.size() >= kMostSlices) {
      return ResourceExhausted("tensor ", name, " is in more than ", kMostSlices, " slices");
    }
    bool is_new = true;
    for (const Part* other : used) {
      is_new = is_new && CountShared(part.slice, other->slice, stored->full) == 0;
    }
    // The same part in two files is taken once.
    if (!is_new) continue;
    WB_ASSIGN_OR_RETURN(Tensor value, ReadPart(name, *stored, part));
    values.push_back(std::move(value));
    used.push_back(&part);
    found += shared;
  }
  if (found != shape.num_elements()) {
    return InvalidArgument("Error copying slice data: the slices of tensor ", name, " in ",
                           pattern_, " do not make up ", slice.ToString(), " of ",
                           stored->full.ToString());
  }
  WB_ASSIGN_OR_RETURN(Tensor result, Tensor::Allocate(stored->dtype, shape));
  for (size_t i = 0; i < used.size(); ++i) {
    CopyShared(stored->full, used[i]->slice, values[i], slice, &result);
  }
  return result;
}

}  // namespace warpbeam
