// FileCacheDataset: elements are made once and kept in a version 2 checkpoint FILENAME, as
// TensorFlow's CacheDataset keeps them: either reads what the other has written.
//
// An iterator that finds FILENAME.index reads the cache. Any other makes the elements and writes
// them aside; at the end of its input the files get their names. Until then FILENAME_0.lockfile
// keeps other iterators from writing the same cache. An iterator that goes before the end takes
// what it has written with it.
//
//   DatasetRef cached = FileCacheDataset(spec(), std::move(input), "/data/cache/train");
//
// Ownership and thread safety: as Dataset. Errors: ALREADY_EXISTS for a lockfile, or parts of a
// cache, that are there; INVALID_ARGUMENT for a cache of other elements and for more than ten
// million elements; DATA_LOSS for damaged files; those of files; UNIMPLEMENTED for variants and
// resources.
#ifndef WARPBEAM_OPS_DATA_STORED_FILE_CACHE_DATASET_H_
#define WARPBEAM_OPS_DATA_STORED_FILE_CACHE_DATASET_H_

#include <string>

#include "ops/data/dataset.h"

namespace warpbeam {

DatasetRef FileCacheDataset(ElementSpec spec, DatasetRef input, std::string filename);

}  // namespace warpbeam

#endif  // WARPBEAM_OPS_DATA_STORED_FILE_CACHE_DATASET_H_
