#include "runtime/record/file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "absl/memory/memory.h"
#include "absl/strings/str_cat.h"
#include "graph/types/errors.h"
#include "runtime/memory/string_memory.h"
#include "runtime/record/file_root.h"

namespace warpbeam {
namespace {

// The kernel moves at most 2 GiB - 4 KiB a call.
constexpr size_t kMaxBytesPerCall = size_t{1} << 30;

Status ErrnoStatus(int error, absl::string_view operation, absl::string_view path) {
  return ErrnoToStatus(error, absl::StrCat("cannot ", operation, " ", files::Shown(path)));
}

}  // namespace

StatusOr<std::unique_ptr<InputFile>> InputFile::Open(absl::string_view path) {
  const int descriptor = files::Open(std::string(path), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return ErrnoStatus(errno, "open", path);
  struct stat info;
  if (fstat(descriptor, &info) == 0 && S_ISDIR(info.st_mode)) {
    close(descriptor);
    return ErrnoStatus(EISDIR, "open", path);
  }
  return absl::WrapUnique(new InputFile(descriptor, path));
}

InputFile::~InputFile() { close(descriptor_); }

StatusOr<size_t> InputFile::Read(char* to, size_t size) {
  size_t done = 0;
  while (done < size) {
    const ssize_t n = read(descriptor_, to + done, std::min(size - done, kMaxBytesPerCall));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return ErrnoStatus(errno, "read", path_);
    if (n == 0) break;
    done += static_cast<size_t>(n);
    offset_ += n;
  }
  return done;
}

StatusOr<size_t> InputFile::ReadAt(int64_t offset, char* to, size_t size) const {
  size_t done = 0;
  while (done < size) {
    const ssize_t n = pread(descriptor_, to + done, std::min(size - done, kMaxBytesPerCall),
                            offset + static_cast<int64_t>(done));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return ErrnoStatus(errno, absl::StrCat("read at offset ", offset, " of"), path_);
    if (n == 0) break;
    done += static_cast<size_t>(n);
  }
  return done;
}

Status InputFile::Seek(int64_t offset) {
  if (lseek(descriptor_, offset, SEEK_SET) < 0) {
    return ErrnoStatus(errno, absl::StrCat("go to offset ", offset, " of"), path_);
  }
  offset_ = offset;
  return OkStatus();
}

StatusOr<void*> InputFile::Map(size_t bytes) const {
  void* data = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE, descriptor_, 0);
  if (data == MAP_FAILED) return ErrnoStatus(errno, "map", path_);
  return data;
}

int64_t InputFile::size() const {
  struct stat info;
  if (fstat(descriptor_, &info) != 0 || !S_ISREG(info.st_mode)) return -1;
  return info.st_size;
}

StatusOr<std::unique_ptr<OutputFile>> OutputFile::Create(absl::string_view path) {
  return Open(path, O_TRUNC);
}

StatusOr<std::unique_ptr<OutputFile>> OutputFile::OpenForAppend(absl::string_view path) {
  return Open(path, O_APPEND);
}

StatusOr<std::unique_ptr<OutputFile>> OutputFile::Open(absl::string_view path, int flags) {
  const int descriptor = files::Open(std::string(path), O_WRONLY | O_CREAT | O_CLOEXEC | flags);
  if (descriptor < 0) return ErrnoStatus(errno, "open for writing", path);
  return absl::WrapUnique(new OutputFile(descriptor, path));
}

OutputFile::~OutputFile() { Close().IgnoreError(); }

Status OutputFile::Append(absl::string_view data) {
  if (descriptor_ < 0) return FailedPrecondition(path_, " is closed");
  while (!data.empty()) {
    const ssize_t n = write(descriptor_, data.data(), std::min(data.size(), kMaxBytesPerCall));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return ErrnoStatus(errno, "write", path_);
    data.remove_prefix(static_cast<size_t>(n));
    bytes_written_ += n;
  }
  return OkStatus();
}

Status OutputFile::Sync() {
  if (descriptor_ < 0) return FailedPrecondition(path_, " is closed");
  if (fsync(descriptor_) != 0) return ErrnoStatus(errno, "sync", path_);
  return OkStatus();
}

Status OutputFile::Close() {
  if (descriptor_ < 0) return OkStatus();
  const int result = close(descriptor_);
  descriptor_ = -1;  // the descriptor is gone whatever close says, EINTR included
  if (result != 0 && errno != EINTR) return ErrnoStatus(errno, "close", path_);
  return OkStatus();
}

StatusOr<std::string> ReadFileToString(absl::string_view path, size_t max_bytes) {
  WB_ASSIGN_OR_RETURN(std::unique_ptr<InputFile> file, InputFile::Open(path));
  // The size is a hint only: /proc files say 0, and others may grow meanwhile.
  const int64_t hint = file->size();
  const auto too_large = [&] {
    return ResourceExhausted(path, " holds more than the ", max_bytes,
                             " bytes that are read at once");
  };
  if (hint > 0 && static_cast<size_t>(hint) > max_bytes) return too_large();
  size_t chunk = hint > 0 ? static_cast<size_t>(hint) : size_t{1} << 16;
  std::string contents;
  for (;;) {
    const size_t room = max_bytes - contents.size();
    const size_t want =
        std::min(chunk, room) + 1;  // one more than allowed shows that there is more
    const size_t old_size = contents.size();
    WB_RETURN_IF_ERROR(StringMemory::CheckRoom(path, old_size + want));
    contents.resize(old_size + want);
    WB_ASSIGN_OR_RETURN(const size_t got, file->Read(&contents[old_size], want));
    contents.resize(old_size + got);
    if (got < want) return contents;
    if (contents.size() > max_bytes) return too_large();
    chunk = std::max(contents.size(), size_t{1} << 16);
  }
}

Status WriteStringToFile(absl::string_view path, absl::string_view contents) {
  WB_ASSIGN_OR_RETURN(std::unique_ptr<OutputFile> file, OutputFile::Create(path));
  WB_RETURN_IF_ERROR(file->Append(contents));
  return file->Close();
}

}  // namespace warpbeam
