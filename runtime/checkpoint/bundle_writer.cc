#include "runtime/checkpoint/bundle_writer.h"

#include "absl/memory/memory.h"
#include "runtime/checkpoint/bundle_replacement.h"
#include "runtime/checkpoint/bundle_strings.h"
#include "runtime/checkpoint/bundle_variants.h"
#include "runtime/checkpoint/slice_key.h"
#include "runtime/checkpoint/table_writer.h"
#include "runtime/record/crc32c.h"

namespace warpbeam {
namespace {

// So much of a tensor is taken at a time, so that what was summed up is copied out of the cache.
constexpr size_t kCachedBytes = size_t{1} << 18;

}  // namespace

StatusOr<std::unique_ptr<DurableFile>> WriteIndex(
    absl::string_view prefix, const BundleHeader& header,
    const std::map<std::string, BundleEntry>& entries) {
  WB_ASSIGN_OR_RETURN(std::unique_ptr<DurableFile> file,
                      DurableFile::Create(IndexFileName(prefix)));
  TableWriter table(file.get());
  WB_RETURN_IF_ERROR(table.Add("", header.Serialize()));
  for (const auto& [key, entry] : entries) {
    WB_RETURN_IF_ERROR(table.Add(key, entry.Serialize()));
  }
  WB_RETURN_IF_ERROR(table.Finish());
  WB_RETURN_IF_ERROR(file->Sync());
  return file;
}

StatusOr<std::unique_ptr<BundleWriter>> BundleWriter::Create(absl::string_view prefix) {
  WB_RETURN_IF_ERROR(MakeDirectoryOf(prefix));
  RemoveLeftBehind(prefix);
  const int32_t num_shards = ShardCountBeside(prefix, 1);
  WB_ASSIGN_OR_RETURN(std::unique_ptr<DurableFile> data,
                      DurableFile::Create(DataFileName(prefix, 0, num_shards)));
  return absl::WrapUnique(new BundleWriter(std::string(prefix), std::move(data)));
}

Status BundleWriter::Add(const std::string& name, const Tensor& tensor) {
  if (name.empty()) return InvalidArgument("a tensor in a checkpoint needs a name");
  if (entries_.count(name) > 0) return InvalidArgument("Adding duplicate key: ", name);
  BundleEntry entry;
  entry.dtype = tensor.dtype();
  entry.shape = tensor.shape();
  entry.offset = data_->bytes_written();
  if (tensor.dtype() == DType::kString) {
    const std::string bytes = EncodeStrings(tensor, &entry.masked_crc);
    WB_RETURN_IF_ERROR(data_->Append(bytes));
  } else if (tensor.dtype() == DType::kVariant) {
    const StatusOr<std::string> bytes = EncodeVariants(tensor, &entry.masked_crc);
    if (!bytes.ok()) return Annotate(bytes.status(), absl::StrCat("tensor '", name, "'"));
    WB_RETURN_IF_ERROR(data_->Append(*bytes));
  } else if (IsPlainData(tensor.dtype())) {
    uint32_t crc = 0;
    absl::string_view rest(tensor.data<char>(), tensor.bytes());
    while (!rest.empty()) {
      const absl::string_view piece = rest.substr(0, kCachedBytes);
      crc = ExtendCrc32c(crc, piece.data(), piece.size());
      WB_RETURN_IF_ERROR(data_->Append(piece));
      rest.remove_prefix(piece.size());
    }
    entry.masked_crc = MaskCrc32c(crc);
  } else {
    return Unimplemented("a checkpoint cannot hold '", name, "' of type ",
                         DTypeName(tensor.dtype()),
                         "; save the numbers and strings that it is made of");
  }
  entry.size = data_->bytes_written() - entry.offset;
  entries_.emplace(name, std::move(entry));
  return OkStatus();
}

Status BundleWriter::AddSlice(const std::string& name, const Shape& full, const TensorSlice& slice,
                              const Tensor& tensor) {
  WB_ASSIGN_OR_RETURN(const Shape shape, slice.ShapeIn(full));
  if (shape != tensor.shape()) {
    return InvalidArgument("the slice ", slice.ToString(), " of '", name, "' of shape ",
                           full.ToString(), " has shape ", shape.ToString(), ", the tensor ",
                           tensor.shape().ToString());
  }
  if (slice.Covers(full)) return Add(name, tensor);
  auto [at, is_new] = entries_.try_emplace(name);
  BundleEntry& whole = at->second;
  if (is_new) {
    whole.dtype = tensor.dtype();
    whole.shape = full;
  } else if (whole.slices.empty()) {
    return InvalidArgument("Adding duplicate key: ", name, " (whole, and in slices)");
  } else if (whole.dtype != tensor.dtype() || whole.shape != full) {
    return InvalidArgument("the slices of '", name, "' disagree: ", DTypeName(whole.dtype),
                           whole.shape.ToString(), " and ", DTypeName(tensor.dtype()),
                           full.ToString());
  }
  whole.slices.push_back(slice);
  return Add(SliceKey(name, slice), tensor);
}

Status BundleWriter::Finish() {
  WB_RETURN_IF_ERROR(data_->Sync());
  // Create has decided for one of two names.
  BundleHeader header;
  header.num_shards = data_->path() == DataFileName(prefix_, 0, 1) ? 1 : 2;
  WB_ASSIGN_OR_RETURN(std::unique_ptr<DurableFile> index, WriteIndex(prefix_, header, entries_));
  WB_RETURN_IF_ERROR(data_->Commit());
  // An index whose name survives a crash must find its data's name there.
  WB_RETURN_IF_ERROR(SyncDirectoryOf(prefix_));
  WB_RETURN_IF_ERROR(index->Commit());
  WB_RETURN_IF_ERROR(SyncDirectoryOf(prefix_));
  return RemoveOtherData(prefix_, header.num_shards);
}

}  // namespace warpbeam
