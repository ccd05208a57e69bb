#include "runtime/checkpoint/bundle_reader.h"

#include <sys/mman.h>

#include <algorithm>

#include "absl/memory/memory.h"
#include "runtime/checkpoint/bundle_strings.h"
#include "runtime/checkpoint/bundle_variants.h"
#include "runtime/checkpoint/slice_key.h"
#include "runtime/record/crc32c.h"

namespace warpbeam {
namespace {

void ReverseBytes(DType dtype, Tensor* tensor) {
  size_t size = DTypeSize(dtype);
  int64_t count = tensor->num_elements();
  if (IsComplex(dtype)) {
    size /= 2;
    count *= 2;
  }
  char* p = tensor->data<char>();
  for (int64_t i = 0; i < count; ++i, p += size) std::reverse(p, p + size);
}

// Asks for the pages of a block at once: each by itself, when it is first written, costs more.
void Populate(char* begin, int64_t bytes) {
#ifdef MADV_POPULATE_WRITE
  constexpr uintptr_t kPage = 4096;
  const uintptr_t first = (reinterpret_cast<uintptr_t>(begin) + kPage - 1) / kPage * kPage;
  const uintptr_t last = (reinterpret_cast<uintptr_t>(begin) + bytes) / kPage * kPage;
  // Where it is refused the pages come one by one.
  if (first < last) madvise(reinterpret_cast<void*>(first), last - first, MADV_POPULATE_WRITE);
#endif
}

// Reads bytes and their checksum, a piece at a time: what is new memory, read and summed up then is
// in the core's cache all the while. Returns how many there are, fewer at the end of the file.
StatusOr<int64_t> ReadSummed(const InputFile& file, int64_t offset, int64_t size, char* to,
                             uint32_t* crc) {
  constexpr int64_t kPiece = 256 << 10, kLarge = 1 << 20;
  *crc = 0;
  for (int64_t at = 0; at < size;) {
    // Pieces end at multiples of their size, so that every page is of one piece.
    const auto address = static_cast<int64_t>(reinterpret_cast<uintptr_t>(to + at));
    const int64_t piece = std::min(size - at, kPiece - address % kPiece);
    if (size >= kLarge) Populate(to + at, piece);
    WB_ASSIGN_OR_RETURN(const size_t got,
                        file.ReadAt(offset + at, to + at, static_cast<size_t>(piece)));
    *crc = ExtendCrc32c(*crc, to + at, got);
    at += static_cast<int64_t>(got);
    if (static_cast<int64_t>(got) < piece) return at;
  }
  return size;
}

// Checking that parts do not overlap takes the square of their number.
constexpr size_t kMostParts = 8192;

bool AreBools(const Tensor& tensor) {
  const uint8_t* const bytes = tensor.data<uint8_t>();
  return std::all_of(bytes, bytes + tensor.num_elements(), [](uint8_t b) { return b <= 1; });
}

// INVALID_ARGUMENT unless the parts that share something with `wanted` make up all of it.
Status CheckParts(absl::string_view name, const BundleEntry& whole, const TensorSlice& wanted,
                  const std::vector<const TensorSlice*>& parts, int64_t num_wanted) {
  if (parts.size() > kMostParts) {
    return ResourceExhausted("tensor ", name, " is in ", parts.size(), " slices; at most ",
                             kMostParts, " are put together");
  }
  int64_t found = 0;
  for (size_t i = 0; i < parts.size(); ++i) {
    found += CountShared(*parts[i], wanted, whole.shape);
    // Parts that overlap are counted twice, so that fewer would look like enough.
    for (size_t j = 0; j < i; ++j) {
      if (CountShared(*parts[i], *parts[j], whole.shape) > 0) {
        return InvalidArgument("the slices ", parts[j]->ToString(), " and ", parts[i]->ToString(),
                               " of tensor ", name, " overlap");
      }
    }
    if (found > num_wanted) break;
  }
  if (found == num_wanted) return OkStatus();
  return InvalidArgument("Does not have sufficient slices for partitioned tensor ", name,
                         " to restore in slice_spec: ", wanted.ToString());
}

}  // namespace

StatusOr<std::unique_ptr<BundleReader>> BundleReader::Open(absl::string_view prefix,
                                                           Allocator& allocator) {
  const std::string path = IndexFileName(prefix);
  WB_ASSIGN_OR_RETURN(Table index, Table::Read(path));
  const Table::Entry* const first = index.Find("");
  if (first == nullptr) return DataLoss("the index ", path, " has no header");
  StatusOr<BundleHeader> header = BundleHeader::Parse(first->value);
  if (!header.ok()) return Annotate(header.status(), absl::StrCat("in ", path));
  auto reader =
      absl::WrapUnique(new BundleReader(std::string(prefix), std::move(index), allocator));
  reader->header_ = *std::move(header);
  return reader;
}

std::vector<std::string> BundleReader::names() const {
  std::vector<std::string> names;
  for (const Table::Entry& e : index_.entries()) {
    if (!e.key.empty() && !IsSliceKey(e.key)) names.push_back(e.key);
  }
  return names;
}

StatusOr<std::map<std::string, BundleEntry>> BundleReader::AllEntries() const {
  std::map<std::string, BundleEntry> entries;
  for (const Table::Entry& e : index_.entries()) {
    if (e.key.empty()) continue;
    WB_ASSIGN_OR_RETURN(BundleEntry entry, Find(e.key));
    entries.emplace_hint(entries.end(), e.key, std::move(entry));
  }
  return entries;
}

StatusOr<BundleEntry> BundleReader::Find(absl::string_view name) const {
  const Table::Entry* const found = name.empty() ? nullptr : index_.Find(name);
  if (found == nullptr) {
    return NotFound("Key ", name, " not found in checkpoint ", IndexFileName(prefix_));
  }
  StatusOr<BundleEntry> entry = BundleEntry::Parse(found->value);
  if (!entry.ok()) {
    return Annotate(entry.status(),
                    absl::StrCat("the record of '", name, "' in ", IndexFileName(prefix_)));
  }
  return entry;
}

Status BundleReader::InFile(const BundleEntry& entry, absl::string_view name,
                            const Status& status) const {
  return Annotate(status, absl::StrCat("tensor '", name, "' at bytes ", entry.offset, " to ",
                                       entry.offset + entry.size, " of ",
                                       DataFileName(prefix_, entry.shard, header_.num_shards)));
}

StatusOr<const InputFile*> BundleReader::Shard(int32_t shard) const {
  if (shard >= header_.num_shards) {
    return DataLoss("shard ", shard, " of ", header_.num_shards, " in ", IndexFileName(prefix_));
  }
  std::lock_guard<std::mutex> lock(mutex_);
  std::unique_ptr<InputFile>& file = shards_[shard];
  if (file == nullptr) {
    WB_ASSIGN_OR_RETURN(file, InputFile::Open(DataFileName(prefix_, shard, header_.num_shards)));
  }
  return file.get();
}

StatusOr<Tensor> BundleReader::ReadBytes(absl::string_view name, const BundleEntry& entry) const {
  const bool is_variant = entry.dtype == DType::kVariant;
  const bool is_encoded = is_variant || entry.dtype == DType::kString;
  if (!is_encoded && !IsPlainData(entry.dtype)) {
    return Unimplemented("tensor '", name, "' is of type ", DTypeName(entry.dtype),
                         ", which is not read from checkpoints");
  }
  const int64_t count = entry.shape.num_elements();
  const int64_t element = is_encoded ? 1 : static_cast<int64_t>(DTypeSize(entry.dtype));
  if (count > entry.size / element || (!is_encoded && count * element != entry.size)) {
    return InFile(entry, name,
                  DataLoss(entry.size, " bytes cannot hold ", DTypeName(entry.dtype),
                           entry.shape.ToString()));
  }
  WB_ASSIGN_OR_RETURN(const InputFile* const file, Shard(entry.shard));
  const int64_t file_size = file->size();
  if (entry.offset > file_size || entry.size > file_size - entry.offset) {
    return InFile(entry, name,
                  OutOfRange("Read less bytes than requested: the file ends at byte ", file_size));
  }
  std::string bytes;
  WB_ASSIGN_OR_RETURN(Tensor tensor, Tensor::Allocate(entry.dtype, entry.shape, allocator_));
  if (is_encoded) bytes.resize(static_cast<size_t>(entry.size));
  char* const to = is_encoded ? &bytes[0] : tensor.data<char>();
  uint32_t crc = 0;
  WB_ASSIGN_OR_RETURN(const int64_t got, ReadSummed(*file, entry.offset, entry.size, to, &crc));
  if (got != entry.size) {
    return InFile(entry, name, OutOfRange("Read less bytes than requested: ", got));
  }
  if (is_encoded) {
    if (header_.is_big_endian) {
      return Unimplemented("tensor '", name,
                           "' holds strings or variants in a checkpoint of a big-endian machine");
    }
    const auto decode = is_variant ? DecodeVariants : DecodeStrings;
    WB_RETURN_IF_ERROR(InFile(entry, name, decode(bytes, entry.masked_crc, &tensor)));
    return tensor;
  }
  const uint32_t masked = MaskCrc32c(crc);
  if (masked != entry.masked_crc) {
    return InFile(entry, name,
                  DataLoss("Checksum does not match: stored ", entry.masked_crc,
                           " vs. calculated on the restored bytes ", masked));
  }
  if (header_.is_big_endian) ReverseBytes(entry.dtype, &tensor);
  if (entry.dtype == DType::kBool && !AreBools(tensor)) {
    return InFile(entry, name, DataLoss("a bool that is neither 0 nor 1"));
  }
  return tensor;
}

StatusOr<Tensor> BundleReader::Read(absl::string_view name) const {
  WB_ASSIGN_OR_RETURN(const BundleEntry entry, Find(name));
  if (entry.slices.empty()) return ReadBytes(name, entry);
  return ReadParts(name, entry, TensorSlice::Whole(entry.shape.rank()));
}

StatusOr<Tensor> BundleReader::ReadSlice(absl::string_view name, const TensorSlice& slice) const {
  WB_ASSIGN_OR_RETURN(const BundleEntry entry, Find(name));
  WB_ASSIGN_OR_RETURN(const Shape shape, slice.ShapeIn(entry.shape));
  if (!entry.slices.empty()) return ReadParts(name, entry, slice);
  WB_ASSIGN_OR_RETURN(Tensor whole, ReadBytes(name, entry));
  if (slice.Covers(entry.shape)) return whole;
  WB_ASSIGN_OR_RETURN(Tensor part, Tensor::Allocate(entry.dtype, shape, allocator_));
  CopyShared(entry.shape, TensorSlice::Whole(shape.rank()), whole, slice, &part);
  return part;
}

StatusOr<Tensor> BundleReader::ReadParts(absl::string_view name, const BundleEntry& whole,
                                         const TensorSlice& slice) const {
  WB_ASSIGN_OR_RETURN(const Shape shape, slice.ShapeIn(whole.shape));
  std::vector<const TensorSlice*> parts;
  for (const TensorSlice& part : whole.slices) {
    if (CountShared(part, slice, whole.shape) > 0) parts.push_back(&part);
  }
  WB_RETURN_IF_ERROR(CheckParts(name, whole, slice, parts, shape.num_elements()));
  // Every part is read before the whole is allocated: then there is as much in the files.
  std::vector<Tensor> values;
  for (const TensorSlice* part : parts) {
    const std::string key = SliceKey(name, *part);
    WB_ASSIGN_OR_RETURN(const BundleEntry entry, Find(key));
    WB_ASSIGN_OR_RETURN(const Shape part_shape, part->ShapeIn(whole.shape));
    if (!entry.slices.empty() || entry.dtype != whole.dtype || entry.shape != part_shape) {
      return DataLoss("the slice ", part->ToString(), " of tensor ", name, " is ",
                      DTypeName(entry.dtype), entry.shape.ToString(), " in ",
                      IndexFileName(prefix_), ", not ", DTypeName(whole.dtype),
                      part_shape.ToString());
    }
    WB_ASSIGN_OR_RETURN(Tensor value, ReadBytes(name, entry));
    values.push_back(std::move(value));
  }
  WB_ASSIGN_OR_RETURN(Tensor result, Tensor::Allocate(whole.dtype, shape, allocator_));
  for (size_t i = 0; i < parts.size(); ++i) {
    CopyShared(whole.shape, *parts[i], values[i], slice, &result);
  }
  return result;
}

}  // namespace warpbeam
