#include "runtime/checkpoint/durable_file.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/memory/memory.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "graph/types/errors.h"
#include "runtime/record/file_root.h"

namespace warpbeam {
namespace {

constexpr char kAside[] = ".writing-";  // and the process, "-", and a number of its own

bool IsAside(absl::string_view path) {
  const size_t at = path.rfind(kAside);
  if (at == absl::string_view::npos) return false;
  absl::string_view owner = path.substr(at + sizeof(kAside) - 1);
  const size_t dash = owner.find('-');
  uint64_t process = 0;
  uint64_t number = 0;
  return dash != absl::string_view::npos && absl::SimpleAtoi(owner.substr(0, dash), &process) &&
         absl::SimpleAtoi(owner.substr(dash + 1), &number);
}

// Calls `found` with the path while the file is locked, if nobody writes it any more.
void IfLeftBehind(const std::string& path, absl::FunctionRef<void(const std::string&)> found) {
  if (!IsAside(path)) return;
  const int descriptor = files::Open(path, O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return;
  if (flock(descriptor, LOCK_EX | LOCK_NB) == 0) found(path);
  close(descriptor);
}

// Locks the new file. False when somebody who took it for one left behind has removed it before.
bool LockNew(const std::string& path, int* lock) {
  *lock = files::Open(path, O_RDONLY | O_CLOEXEC);
  if (*lock < 0) return errno != ENOENT;
  struct stat file;
  // Where there are no locks nobody removes anything.
  if (flock(*lock, LOCK_EX) != 0 || fstat(*lock, &file) != 0 || file.st_nlink > 0) return true;
  close(*lock);
  return false;
}

}  // namespace

std::string DirectoryOf(absl::string_view path) {
  const size_t slash = path.rfind('/');
  if (slash == absl::string_view::npos) return ".";
  return slash == 0 ? "/" : std::string(path.substr(0, slash));
}

StatusOr<std::unique_ptr<DurableFile>> DurableFile::Create(absl::string_view path) {
  static std::atomic<uint64_t> count{0};
  for (;;) {
    std::string aside = absl::StrCat(path, kAside, getpid(), "-", count.fetch_add(1));
    WB_ASSIGN_OR_RETURN(std::unique_ptr<BlockFile> file, BlockFile::Create(aside));
    int lock = -1;
    if (!LockNew(aside, &lock)) continue;
    return absl::WrapUnique(
        new DurableFile(std::string(path), std::move(aside), std::move(file), lock));
  }
}

DurableFile::~DurableFile() {
  file_.reset();
  if (!is_committed_) files::Unlink(aside_);
  if (lock_ >= 0) close(lock_);
}

bool IsLeftBehind(const std::string& path) {
  bool is_left = false;
  IfLeftBehind(path, [&](const std::string&) { is_left = true; });
  return is_left;
}

void RemoveLeftBehind(absl::string_view prefix) {
  const std::string directory = DirectoryOf(prefix);
  const size_t slash = prefix.rfind('/');
  const absl::string_view name =
      slash == absl::string_view::npos ? prefix : prefix.substr(slash + 1);
  const StatusOr<std::vector<std::string>> files_beside = files::List(directory);
  // A directory that may not be listed keeps what is in it.
  if (!files_beside.ok()) return;
  for (const std::string& file : *files_beside) {
    if (!absl::StartsWith(file, name)) continue;
    IfLeftBehind(absl::StrCat(directory, "/", file),
                 [](const std::string& path) { files::Unlink(path); });
  }
}

Status DurableFile::Append(absl::string_view data) {
  bytes_written_ += static_cast<int64_t>(data.size());
  return file_->Append(data);
}

Status DurableFile::Sync() { return file_->Sync(); }

Status DurableFile::Commit() {
  WB_RETURN_IF_ERROR(Sync());
  WB_RETURN_IF_ERROR(file_->Close());
  WB_RETURN_IF_ERROR(RenameFile(aside_, path_));
  is_committed_ = true;
  return OkStatus();
}

Status SyncDirectoryOf(absl::string_view path) {
  const std::string directory = DirectoryOf(path);
  const int descriptor = files::Open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) {
    return ErrnoToStatus(errno,
                         absl::StrCat("cannot open the directory ", files::Shown(directory)));
  }
  const int error = fsync(descriptor) == 0 ? 0 : errno;
  close(descriptor);
  // Some file systems have nothing to sync in a directory and say so by EINVAL.
  if (error == 0 || error == EINVAL) return OkStatus();
  return ErrnoToStatus(error, absl::StrCat("cannot sync the directory ", directory));
}

Status RenameFile(absl::string_view from, absl::string_view to) {
  if (files::Rename(std::string(from), std::string(to)) == 0) return OkStatus();
  return ErrnoToStatus(errno, absl::StrCat("cannot rename ", from, " to ", files::Shown(to)));
}

Status MakeDirectoryOf(absl::string_view path) {
  const std::string directory = DirectoryOf(path);
  if (files::MakeDirectory(directory) == 0 || errno == EEXIST) return OkStatus();
  return ErrnoToStatus(errno, absl::StrCat("cannot make the directory ", files::Shown(directory)));
}

}  // namespace warpbeam
