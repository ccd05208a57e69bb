// Makes one version 2 checkpoint of several, whose data files become its shards: they are renamed,
// not copied.
//
//   WB_RETURN_IF_ERROR(MergeBundles({"/m/tmp/part-0", "/m/tmp/part-1"}, "/m/model.ckpt", false));
//
// The parts of partitioned tensors may lie in different checkpoints. Thread safety: one merge at a
// time for each prefix. Errors: INVALID_ARGUMENT for a tensor that is in two checkpoints, for
// prefixes without a checkpoint (allow_missing: when none has one); those of BundleReader and
// files.
#ifndef WARPBEAM_RUNTIME_CHECKPOINT_BUNDLE_MERGE_H_
#define WARPBEAM_RUNTIME_CHECKPOINT_BUNDLE_MERGE_H_

#include <string>
#include <vector>

#include "graph/types/errors.h"

namespace warpbeam {

Status MergeBundles(const std::vector<std::string>& prefixes, const std::string& merged,
                    bool allow_missing);

}  // namespace warpbeam

#endif  // WARPBEAM_RUNTIME_CHECKPOINT_BUNDLE_MERGE_H_
