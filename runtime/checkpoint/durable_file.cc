#include "runtime/checkpoint/durable_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>

#include "absl/memory/memory.h"
#include "graph/types/status.h"
#include "runtime/record/file_root.h"

namespace warpbeam {

std::string DirectoryOf(absl::string_view path) {
  const size_t slash = path.rfind('/');
  if (slash == absl::string_view::npos) return ".";
  return slash == 0 ? "/" : std::string(path.substr(0, slash));
}

absl::StatusOr<std::unique_ptr<DurableFile>> DurableFile::Create(absl::string_view path) {
  static std::atomic<uint64_t> count{0};
  std::string aside = absl::StrCat(path, ".writing-", getpid(), "-", count.fetch_add(1));
  WB_ASSIGN_OR_RETURN(std::unique_ptr<BlockFile> file, BlockFile::Create(aside));
  return absl::WrapUnique(new DurableFile(std::string(path), std::move(aside), std::move(file)));
}

DurableFile::~DurableFile() {
  if (is_committed_) return;
  file_.reset();
  files::Unlink(aside_);
}

absl::Status DurableFile::Append(absl::string_view data) {
  bytes_written_ += static_cast<int64_t>(data.size());
  return file_->Append(data);
}

absl::Status DurableFile::Sync() { return file_->Sync(); }

absl::Status DurableFile::Commit() {
  WB_RETURN_IF_ERROR(Sync());
  WB_RETURN_IF_ERROR(file_->Close());
  WB_RETURN_IF_ERROR(RenameFile(aside_, path_));
  is_committed_ = true;
  return absl::OkStatus();
}

absl::Status SyncDirectoryOf(absl::string_view path) {
  const std::string directory = DirectoryOf(path);
  const int descriptor = files::Open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) {
    return absl::ErrnoToStatus(errno,
                               absl::StrCat("cannot open the directory ", files::Shown(directory)));
  }
  const int error = fsync(descriptor) == 0 ? 0 : errno;
  close(descriptor);
  // Some file systems have nothing to sync in a directory and say so by EINVAL.
  if (error == 0 || error == EINVAL) return absl::OkStatus();
  return absl::ErrnoToStatus(error, absl::StrCat("cannot sync the directory ", directory));
}

absl::Status RenameFile(absl::string_view from, absl::string_view to) {
  if (files::Rename(std::string(from), std::string(to)) == 0) return absl::OkStatus();
  return absl::ErrnoToStatus(errno, absl::StrCat("cannot rename ", from, " to ", files::Shown(to)));
}

absl::Status MakeDirectoryOf(absl::string_view path) {
  const std::string directory = DirectoryOf(path);
  if (files::MakeDirectory(directory) == 0 || errno == EEXIST) return absl::OkStatus();
  return absl::ErrnoToStatus(errno,
                             absl::StrCat("cannot make the directory ", files::Shown(directory)));
}

}  // namespace warpbeam
