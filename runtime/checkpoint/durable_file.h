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
// What a process that was killed has left aside stays until somebody asks for it to go:
//
//   RemoveLeftBehind("/m/model.ckpt");                 // before the checkpoint is saved again
//
// While a file is written aside it is locked (flock). The lock ends with its process, however that
// ends, whatever number the process had and in whichever container it ran; so a file aside that can
// be locked is one that nobody writes any more. On file systems without locks nothing is removed.
//
// Ownership: what is not committed is removed by the destructor. Thread safety: one thread; a file
// may be made while others are removed. Errors: those of BlockFile, also for what was appended
// before.
#ifndef WARPBEAM_RUNTIME_CHECKPOINT_DURABLE_FILE_H_
#define WARPBEAM_RUNTIME_CHECKPOINT_DURABLE_FILE_H_

#include <memory>
#include <string>

#include "runtime/checkpoint/block_file.h"

namespace warpbeam {

class DurableFile {
 public:
  static StatusOr<std::unique_ptr<DurableFile>> Create(absl::string_view path);
  ~DurableFile();
  DurableFile(const DurableFile&) = delete;
  DurableFile& operator=(const DurableFile&) = delete;

  Status Append(absl::string_view data);
  Status Sync();
  Status Commit();
  int64_t bytes_written() const { return bytes_written_; }
  const std::string& path() const { return path_; }

 private:
  DurableFile(std::string path, std::string aside, std::unique_ptr<BlockFile> file, int lock)
      : path_(std::move(path)), aside_(std::move(aside)), lock_(lock), file_(std::move(file)) {}

  const std::string path_;
  const std::string aside_;
  const int lock_;  // a descriptor that holds the lock, or -1
  std::unique_ptr<BlockFile> file_;
  int64_t bytes_written_ = 0;
  bool is_committed_ = false;
};

// Whether the file is one aside, of a writer that is no more.
bool IsLeftBehind(const std::string& path);
// Removes such files of the directory whose names begin as `prefix` does.
void RemoveLeftBehind(absl::string_view prefix);

// "/tmp/train" of "/tmp/train/model.ckpt"; "." of a name alone.
std::string DirectoryOf(absl::string_view path);
// Brings the names in a file's directory to the disk.
Status SyncDirectoryOf(absl::string_view path);
Status RenameFile(absl::string_view from, absl::string_view to);
// Makes the directory that a file is to lie in; its parent must be there.
Status MakeDirectoryOf(absl::string_view path);

}  // namespace warpbeam

#endif  // WARPBEAM_RUNTIME_CHECKPOINT_DURABLE_FILE_H_
