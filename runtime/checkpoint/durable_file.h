// DurableFile: a file that appears whole or not at all. It is written aside, under a name of its
// own in the same directory; Commit brings it to the disk and gives it its name.
//
//   WB_ASSIGN_OR_RETURN(auto file, DurableFile::Create("/m/model.ckpt.index"));
//   WB_RETURN_IF_ERROR(file->Append(bytes));
//   WB_RETURN_IF_ERROR(file->Sync());                  // may come early, for several files
//   WB_RETURN_IF_ERROR(file->Commit());                // the old file was whole until here
//   WB_RETURN_IF_ERROR(SyncDirectoryOf("/m/model.ckpt.index"));  // the new name is on the disk
//
// Large files are written beside the caller (block_file.h).
//
// Ownership: what is not committed is removed by the destructor. Thread safety: one thread. Errors:
// those of BlockFile, also for what was appended before.
#ifndef WARPBEAM_RUNTIME_CHECKPOINT_DURABLE_FILE_H_
#define WARPBEAM_RUNTIME_CHECKPOINT_DURABLE_FILE_H_

#include <memory>
#include <string>

#include "runtime/checkpoint/block_file.h"

namespace warpbeam {

class DurableFile {
 public:
  static absl::StatusOr<std::unique_ptr<DurableFile>> Create(absl::string_view path);
  ~DurableFile();
  DurableFile(const DurableFile&) = delete;
  DurableFile& operator=(const DurableFile&) = delete;

  absl::Status Append(absl::string_view data);
  absl::Status Sync();
  absl::Status Commit();
  int64_t bytes_written() const { return bytes_written_; }
  const std::string& path() const { return path_; }

 private:
  DurableFile(std::string path, std::string aside, std::unique_ptr<BlockFile> file)
      : path_(std::move(path)), aside_(std::move(aside)), file_(std::move(file)) {}

  const std::string path_;
  const std::string aside_;
  std::unique_ptr<BlockFile> file_;
  int64_t bytes_written_ = 0;
  bool is_committed_ = false;
};

// "/tmp/train" of "/tmp/train/model.ckpt"; "." of a name alone.
std::string DirectoryOf(absl::string_view path);
// Brings the names in a file's directory to the disk.
absl::Status SyncDirectoryOf(absl::string_view path);
absl::Status RenameFile(absl::string_view from, absl::string_view to);
// Makes the directory that a file is to lie in; its parent must be there.
absl::Status MakeDirectoryOf(absl::string_view path);

}  // namespace warpbeam

#endif  // WARPBEAM_RUNTIME_CHECKPOINT_DURABLE_FILE_H_
