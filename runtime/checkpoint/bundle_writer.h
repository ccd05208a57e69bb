// BundleWriter: writes tensors as a version 2 checkpoint of one shard, byte for byte as TensorFlow
// does.
//
//   WB_ASSIGN_OR_RETURN(auto writer, BundleWriter::Create("/m/model.ckpt"));
//   WB_RETURN_IF_ERROR(writer->Add("w", w));
//   WB_RETURN_IF_ERROR(writer->AddSlice("emb", Shape({4, 3}), slice, part));
//   WB_RETURN_IF_ERROR(writer->Finish());   // both files are on the disk under their names
//
// Both files are written aside, brought to the disk, renamed (data first), and the directory is
// brought to the disk: a crash leaves no checkpoint whose index names data that is not there. Over
// a checkpoint of the same prefix the data gets another file name (bundle_replacement.h), so that
// one of the two is whole at every moment.
//
// Ownership: what Finish has not completed is removed. The directory is made when only it is
// missing. Thread safety: one thread. Errors: INVALID_ARGUMENT for a name that was used before or
// slices that do not fit together, UNIMPLEMENTED for resources and for variants without a message,
// those of files.
#ifndef WARPBEAM_RUNTIME_CHECKPOINT_BUNDLE_WRITER_H_
#define WARPBEAM_RUNTIME_CHECKPOINT_BUNDLE_WRITER_H_

#include <map>
#include <memory>
#include <string>

#include "runtime/checkpoint/bundle_entry.h"
#include "runtime/checkpoint/durable_file.h"

namespace warpbeam {

// Writes an index file of these entries and the header, and brings it to the disk.
StatusOr<std::unique_ptr<DurableFile>> WriteIndex(
    absl::string_view prefix, const BundleHeader& header,
    const std::map<std::string, BundleEntry>& entries);

class BundleWriter {
 public:
  static StatusOr<std::unique_ptr<BundleWriter>> Create(absl::string_view prefix);

  Status Add(const std::string& name, const Tensor& tensor);
  // `tensor` is the part `slice` of a tensor of shape `full`.
  Status AddSlice(const std::string& name, const Shape& full, const TensorSlice& slice,
                  const Tensor& tensor);
  Status Finish();

 private:
  BundleWriter(std::string prefix, std::unique_ptr<DurableFile> data)
      : prefix_(std::move(prefix)), data_(std::move(data)) {}

  const std::string prefix_;
  std::unique_ptr<DurableFile> data_;
  std::map<std::string, BundleEntry> entries_;
};

}  // namespace warpbeam

#endif  // WARPBEAM_RUNTIME_CHECKPOINT_BUNDLE_WRITER_H_
