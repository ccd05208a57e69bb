// How a checkpoint is saved over another one of the same prefix, so that one of the two is whole at
// every moment: the data gets file names that the old index does not use, which the format allows
// ("…-of-00002" instead of "…-of-00001", the last shard being empty). Then the new index takes the
// place of the old one in one rename, and the old data goes.
//
//   header.num_shards = ShardCountBeside("/m/model.ckpt", 1);      // 2 where it is 1 already
//   …                                       // write and commit the data, then the index, and sync
//   WB_RETURN_IF_ERROR(RemoveOtherData("/m/model.ckpt", header.num_shards));
//
// Thread safety: one writer of a prefix at a time. Errors: those of files.
#ifndef WARPBEAM_RUNTIME_CHECKPOINT_BUNDLE_REPLACEMENT_H_
#define WARPBEAM_RUNTIME_CHECKPOINT_BUNDLE_REPLACEMENT_H_

#include <cstdint>

#include "graph/types/errors.h"

namespace warpbeam {

// How many shards a checkpoint with `count` data files says that it has: one more where the
// checkpoint that is there says `count`.
int32_t ShardCountBeside(absl::string_view prefix, int32_t count);
// Removes the data files of the prefix that an index of so many shards does not name; for when that
// index is on the disk.
Status RemoveOtherData(absl::string_view prefix, int32_t num_shards);

}  // namespace warpbeam

#endif  // WARPBEAM_RUNTIME_CHECKPOINT_BUNDLE_REPLACEMENT_H_
