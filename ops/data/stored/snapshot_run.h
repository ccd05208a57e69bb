// A saved dataset: FOLDER/snapshot.metadata and the elements in
// FOLDER/<run>/<shard>.shard/<number>.snapshot, as TensorFlow lays them out.
//
//   WB_ASSIGN_OR_RETURN(auto writer, SnapshotWriter::Create(folder, metadata, compression));
//   WB_RETURN_IF_ERROR(writer->Write(shard, element));
//   WB_RETURN_IF_ERROR(writer->Finish());             // the metadata say that it is complete
//
//   WB_ASSIGN_OR_RETURN(metadata, ReadSnapshotMetadata(folder));
//   WB_ASSIGN_OR_RETURN(DatasetRef shards, SnapshotShards(folder, metadata, spec, compression));
//
// The elements of `shards` are datasets, one for each shard. SavingIterator and LoadingIterator do
// both for a pass over a dataset.
//
// Ownership: a writer owns its files; what it has not finished stays, as incomplete. Thread safety:
// one thread at a time. Errors: INVALID_ARGUMENT for a negative shard, those of element_file.h and
// of files.
#ifndef WARPBEAM_OPS_DATA_STORED_SNAPSHOT_RUN_H_
#define WARPBEAM_OPS_DATA_STORED_SNAPSHOT_RUN_H_

#include <map>
#include <memory>
#include <string>

#include "ops/data/captured_function.h"
#include "ops/data/stored/element_file.h"
#include "ops/data/stored/snapshot_metadata.h"

namespace warpbeam {

class SnapshotWriter {
 public:
  // Begins a run of its own, whose name and time it gives to `metadata`.
  static StatusOr<std::unique_ptr<SnapshotWriter>> Create(std::string folder,
                                                          SnapshotMetadata metadata,
                                                          CompressionType compression);
  Status Write(int64_t shard, const Element& element);
  Status Finish();

 private:
  SnapshotWriter(std::string folder, SnapshotMetadata metadata, CompressionType compression)
      : folder_(std::move(folder)), metadata_(std::move(metadata)), compression_(compression) {}

  const std::string folder_;
  SnapshotMetadata metadata_;
  const CompressionType compression_;
  std::map<int64_t, std::unique_ptr<ElementWriter>> shards_;
};

// Which shard an element goes to: what a function says, or the first one.
class ShardChoice {
 public:
  static StatusOr<ShardChoice> Create(const CapturedFunction* function, PipelineContext& pipeline);
  StatusOr<int64_t> For(const Element& element);

 private:
  std::unique_ptr<CapturedCall> call_;  // null: all elements go to shard 0
};

StatusOr<DatasetRef> SnapshotShards(const std::string& folder, const SnapshotMetadata& metadata,
                                    const ElementSpec& spec, CompressionType compression);

// Passes the elements of `input` on and saves them as a run of its own, which is complete when they
// have ended. `input` outlives it.
std::unique_ptr<DatasetIterator> SavingIterator(std::string folder, SnapshotMetadata metadata,
                                                CompressionType compression, ShardChoice shard,
                                                DatasetIterator* input);

// The elements of the dataset that `reader` makes of the shards. What is given by reference
// outlives it.
StatusOr<std::unique_ptr<DatasetIterator>> LoadingIterator(
    std::string folder, SnapshotMetadata metadata, const ElementSpec& spec,
    CompressionType compression, const CapturedFunction& reader, PipelineContext& pipeline);

}  // namespace warpbeam

#endif  // WARPBEAM_OPS_DATA_STORED_SNAPSHOT_RUN_H_
