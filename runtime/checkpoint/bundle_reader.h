// BundleReader: reads tensors from a version 2 checkpoint, whoever wrote it.
//
//   WB_ASSIGN_OR_RETURN(auto reader, BundleReader::Open("/m/model.ckpt"));
//   for (const std::string& name : reader->names()) …
//   WB_ASSIGN_OR_RETURN(Tensor w, reader->Read("w"));
//   WB_ASSIGN_OR_RETURN(Tensor rows, reader->ReadSlice("w", slice));
//
// Partitioned tensors are put together from their parts. Checkpoints of machines of the other byte
// order are converted. Nothing is allocated that the files do not hold: sizes are checked first.
//
// Ownership: tensors have buffers of their own. Thread safety: any number of threads. Errors:
// NOT_FOUND for files and names that are not there, DATA_LOSS for damaged files, OUT_OF_RANGE for a
// data file that ends too early, INVALID_ARGUMENT for parts that do not make up what is wanted;
// messages name file, tensor and byte.
#ifndef WARPBEAM_RUNTIME_CHECKPOINT_BUNDLE_READER_H_
#define WARPBEAM_RUNTIME_CHECKPOINT_BUNDLE_READER_H_

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "runtime/checkpoint/bundle_entry.h"
#include "runtime/checkpoint/table_reader.h"
#include "runtime/record/file.h"

namespace warpbeam {

class BundleReader {
 public:
  // What is read lies in memory of `allocator`, which outlives the tensors.
  static StatusOr<std::unique_ptr<BundleReader>> Open(absl::string_view prefix,
                                                      Allocator& allocator = HostAllocator());

  const BundleHeader& header() const { return header_; }
  // The names of tensors, sorted; not those of their parts.
  std::vector<std::string> names() const;
  // Every record behind the header, parts too.
  StatusOr<std::map<std::string, BundleEntry>> AllEntries() const;
  bool Contains(absl::string_view name) const { return index_.Find(name) != nullptr; }
  StatusOr<BundleEntry> Find(absl::string_view name) const;

  StatusOr<Tensor> Read(absl::string_view name) const;
  StatusOr<Tensor> ReadSlice(absl::string_view name, const TensorSlice& slice) const;

 private:
  BundleReader(std::string prefix, Table index, Allocator& allocator)
      : prefix_(std::move(prefix)), index_(std::move(index)), allocator_(allocator) {}
  StatusOr<const InputFile*> Shard(int32_t shard) const;
  // The bytes of an entry that has no parts.
  StatusOr<Tensor> ReadBytes(absl::string_view name, const BundleEntry& entry) const;
  StatusOr<Tensor> ReadParts(absl::string_view name, const BundleEntry& whole,
                             const TensorSlice& slice) const;
  Status InFile(const BundleEntry& entry, absl::string_view name, const Status& status) const;

  const std::string prefix_;
  const Table index_;
  Allocator& allocator_;
  BundleHeader header_;
  mutable std::mutex mutex_;
  mutable std::map<int32_t, std::unique_ptr<InputFile>> shards_;  // opened when first read from
};

}  // namespace warpbeam

#endif  // WARPBEAM_RUNTIME_CHECKPOINT_BUNDLE_READER_H_
