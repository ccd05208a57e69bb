// What a folder of saved elements says of itself: the file snapshot.metadata, which TensorFlow
// writes too (the message tensorflow.data.experimental.SnapshotMetadataRecord).
//
//   SnapshotMetadata metadata;
//   metadata.run_id = NewRunId();
//   WB_RETURN_IF_ERROR(WriteSnapshotMetadata(folder, metadata));     // the folder is made
//   WB_ASSIGN_OR_RETURN(metadata, ReadSnapshotMetadata(folder));
//
// Thread safety: any thread; one writer of a folder at a time. Errors: NOT_FOUND where there is no
// such file, DATA_LOSS for one that is damaged or names its run by anything but letters and digits;
// those of files.
#ifndef WARPBEAM_OPS_DATA_STORED_SNAPSHOT_METADATA_H_
#define WARPBEAM_OPS_DATA_STORED_SNAPSHOT_METADATA_H_

#include <cstdint>
#include <string>
#include <vector>

#include "graph/types/dtype.h"
#include "graph/types/errors.h"

namespace warpbeam {

struct SnapshotMetadata {
  std::string graph_hash;          // of the pipeline, where the folder is one of several
  std::string run_id;              // the folder with the elements
  int64_t creation_timestamp = 0;  // in microseconds
  int64_t version = 2;             // of the files, see element_file.h
  std::vector<DType> types;
  int64_t num_elements = 0;
  bool is_complete = false;
};

std::string NewRunId();
// Microseconds since 1970.
int64_t NowMicros();

StatusOr<SnapshotMetadata> ReadSnapshotMetadata(const std::string& folder);
// Replaces what is there, at once.
Status WriteSnapshotMetadata(const std::string& folder, const SnapshotMetadata& metadata);

}  // namespace warpbeam

#endif  // WARPBEAM_OPS_DATA_STORED_SNAPSHOT_METADATA_H_
