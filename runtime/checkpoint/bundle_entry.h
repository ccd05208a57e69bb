// What the index of a version 2 checkpoint (a "bundle") says: its header, and of each tensor where
// it is. The files are PREFIX.index and PREFIX.data-00000-of-00002 for each shard.
//
//   WB_ASSIGN_OR_RETURN(BundleEntry e, BundleEntry::Parse(entry.value));
//   DataFileName("/m/model.ckpt", 0, 2) == "/m/model.ckpt.data-00000-of-00002"
//
// Thread safety: values. Errors: DATA_LOSS for bytes that are no such record.
#ifndef WARPBEAM_RUNTIME_CHECKPOINT_BUNDLE_ENTRY_H_
#define WARPBEAM_RUNTIME_CHECKPOINT_BUNDLE_ENTRY_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "runtime/checkpoint/tensor_slice.h"

namespace warpbeam {

struct BundleHeader {
  int32_t num_shards = 1;
  bool is_big_endian = false;
  int32_t producer = 1;
  int32_t min_consumer = 0;

  static StatusOr<BundleHeader> Parse(absl::string_view bytes);
  std::string Serialize() const;
};

struct BundleEntry {
  DType dtype = DType::kInvalid;
  Shape shape;
  int32_t shard = 0;
  int64_t offset = 0;
  int64_t size = 0;
  uint32_t masked_crc = 0;
  // Not empty: the tensor is stored in these parts, each under a key of its own.
  std::vector<TensorSlice> slices;

  static StatusOr<BundleEntry> Parse(absl::string_view bytes);
  std::string Serialize() const;
};

std::string IndexFileName(absl::string_view prefix);
std::string DataFileName(absl::string_view prefix, int32_t shard, int32_t num_shards);

}  // namespace warpbeam

#endif  // WARPBEAM_RUNTIME_CHECKPOINT_BUNDLE_ENTRY_H_
