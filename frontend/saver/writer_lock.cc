#include "frontend/saver/writer_lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cctype>
#include <cerrno>
#include <filesystem>
#include <map>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/strip.h"
#include "runtime/checkpoint/durable_file.h"

namespace warpbeam {
namespace frontend {
namespace train {
namespace {

namespace fs = std::filesystem;

constexpr int kMostTries = 100;

bool HasNoLocks(int error) { return error == ENOLCK || error == EOPNOTSUPP || error == ENOSYS; }

// Whether the file under `path` is still the one that is open.
bool IsStill(const std::string& path, int descriptor) {
  struct stat open_file, named_file;
  return fstat(descriptor, &open_file) == 0 && stat(path.c_str(), &named_file) == 0 &&
         open_file.st_ino == named_file.st_ino && open_file.st_dev == named_file.st_dev;
}

std::string OwnerOf(int descriptor) {
  char text[32];
  const ssize_t size = pread(descriptor, text, sizeof(text), 0);
  std::string owner(text, size > 0 ? static_cast<size_t>(size) : 0);
  while (!owner.empty() && std::isdigit(static_cast<unsigned char>(owner.back())) == 0) {
    owner.pop_back();
  }
  return owner.empty() ? "" : absl::StrCat(" (process ", owner, ")");
}

// The descriptor; -1 where the file system has no locks.
StatusOr<int> LockFile(const std::string& path, const std::string& file) {
  for (int i = 0; i < kMostTries; ++i) {
    const int descriptor = open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (descriptor < 0) return ErrnoToStatus(errno, absl::StrCat("cannot open ", file));
    if (flock(descriptor, LOCK_EX | LOCK_NB) != 0) {
      const int error = errno;
      const std::string owner = OwnerOf(descriptor);
      close(descriptor);
      if (HasNoLocks(error)) return -1;
      if (error != EWOULDBLOCK) {
        return ErrnoToStatus(error, absl::StrCat("cannot lock ", file));
      }
      return FailedPrecondition("another writer", owner, " saves checkpoints under '", path,
                                "' and holds '", file,
                                "'; two would remove each other's: end it, or save elsewhere");
    }
    // The one before may have removed the file between the two calls.
    if (!IsStill(file, descriptor)) {
      close(descriptor);
      continue;
    }
    // Only for the message above; a full disk must not keep anyone from trying.
    const std::string owner = absl::StrCat(getpid(), "\n");
    if (ftruncate(descriptor, 0) == 0 && pwrite(descriptor, owner.data(), owner.size(), 0) < 0) {
      errno = 0;
    }
    return descriptor;
  }
  return Unavailable("'", file, "' is removed whenever it is locked");
}

// What follows the step of "NAME-STEP", or NAME itself; the same text where there is no step.
absl::string_view AfterStep(absl::string_view text) {
  if (!absl::ConsumePrefix(&text, "-")) return text;
  while (!text.empty() && std::isdigit(static_cast<unsigned char>(text[0])) != 0) {
    text.remove_prefix(1);
  }
  return text;
}

// Files aside and shards not yet merged, of a writer that is no more: the lock is ours. Of files
// that others write too, such as the list of checkpoints, only those that nobody writes any more.
void RemoveLeftOvers(const std::string& path) {
  const std::string name = fs::path(path).filename().string();
  std::error_code error;
  std::vector<fs::path> gone;
  for (const auto& entry : fs::directory_iterator(fs::path(DirectoryOf(path)), error)) {
    const std::string file = entry.path().filename().string();
    if (IsLeftBehind(entry.path().string())) gone.push_back(entry.path());
    absl::string_view rest = file;
    if (!absl::ConsumePrefix(&rest, name)) continue;
    rest = AfterStep(rest);
    const bool is_part = absl::StartsWith(rest, ".index.") || absl::StartsWith(rest, ".meta.") ||
                         absl::StartsWith(rest, ".data-");
    if (rest == "_temp" || (is_part && absl::StrContains(rest, ".writing-"))) {
      gone.push_back(entry.path());
    }
  }
  for (const fs::path& file : gone) fs::remove_all(file, error);
}

}  // namespace

struct WriterLock::Held {
  std::string file;
  int descriptor = -1;
  int handles = 0;
  std::mutex turns;
};

namespace {

std::mutex& TableMutex() {
  static auto* const mutex = new std::mutex();
  return *mutex;
}

}  // namespace

StatusOr<std::shared_ptr<WriterLock>> WriterLock::Take(const std::string& path) {
  static auto* const table = new std::map<std::string, std::unique_ptr<Held>>();
  std::error_code error;
  const fs::path directory = fs::canonical(fs::path(DirectoryOf(path)), error);
  if (error) return NotFound("'", DirectoryOf(path), "' is no directory: ", error.message());
  const std::string file = (directory / fs::path(path).filename()).string() + ".lock";
  std::lock_guard<std::mutex> lock(TableMutex());
  std::unique_ptr<Held>& held = (*table)[file];
  if (held == nullptr) held = std::make_unique<Held>();
  if (held->handles == 0) {
    held->file = file;
    WB_ASSIGN_OR_RETURN(held->descriptor, LockFile(path, file));
    if (held->descriptor >= 0) RemoveLeftOvers(path);
  }
  ++held->handles;
  return std::shared_ptr<WriterLock>(new WriterLock(held.get()));
}

WriterLock::~WriterLock() {
  std::lock_guard<std::mutex> lock(TableMutex());
  if (--held_->handles > 0 || held_->descriptor < 0) return;
  // Removed while it is locked: whoever has opened it meanwhile sees that it is gone.
  unlink(held_->file.c_str());
  close(held_->descriptor);
  held_->descriptor = -1;
}

std::mutex& WriterLock::turns() { return held_->turns; }

}  // namespace train
}  // namespace frontend
}  // namespace warpbeam
