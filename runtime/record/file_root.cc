#include "runtime/record/file_root.h"

#include <dirent.h>
#include <fcntl.h>
#include <glob.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <mutex>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "graph/types/errors.h"

namespace warpbeam {
namespace {

struct Root {
  int descriptor;
  dev_t device;
  ino_t inode;
  std::string full_names[2];  // without symbolic links, and as it was given
};

// Set once, and never freed: a thread may be using it until the process ends.
std::atomic<const Root*> file_root{nullptr};

const Root* FileRoot() { return file_root.load(std::memory_order_acquire); }

// The name of a local file that may be given as a URI: "/a/b" of "file:///a/b".
std::string Local(const std::string& name) {
  absl::string_view rest = name;
  if (!absl::ConsumePrefix(&rest, "file://")) return name;
  const size_t path = rest.find('/');  // behind the host's name, which is empty as a rule
  return path == absl::string_view::npos ? std::string() : std::string(rest.substr(path));
}

// An open descriptor, for as long as a call takes.
class Descriptor {
 public:
  explicit Descriptor(int value) : value_(value) {}
  ~Descriptor() {
    const int error = errno;
    if (value_ >= 0) close(value_);
    errno = error;
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int get() const { return value_; }
  int Take() {
    const int taken = value_;
    value_ = -1;
    return taken;
  }

 private:
  int value_;
};

// The name relative to the root: "a/b" of "/a/b" and of "/held/a/b".
std::string Inside(const Root& root, const std::string& name_given) {
  if (name_given.empty()) return "";
  std::string plain;  // without doubled slashes
  for (const char c : name_given) {
    if (c != '/' || plain.empty() || plain.back() != '/') plain.push_back(c);
  }
  absl::string_view path = plain;
  for (const std::string& name : root.full_names) {
    absl::string_view rest = path;
    if (absl::ConsumePrefix(&rest, name) && (rest.empty() || rest[0] == '/')) {
      path = rest;
      break;
    }
  }
  absl::ConsumePrefix(&path, "/");
  return path.empty() ? "." : std::string(path);
}

// Opens a path that Inside gave.
int OpenInside(int root, const std::string& path, int flags) {
  // EAGAIN says that something was renamed or mounted on the way while ".." was being followed.
  constexpr int kMostAttempts = 1000;
  open_how how = {};
  how.flags = static_cast<uint64_t>(flags | O_CLOEXEC);
  how.mode = (flags & O_CREAT) != 0 ? 0666 : 0;
  how.resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS;
  int64_t descriptor = -1;
  for (int attempt = 0; attempt < kMostAttempts; ++attempt) {
    descriptor = syscall(SYS_openat2, root, path.c_str(), &how, sizeof(how));
    if (descriptor >= 0 || (errno != EAGAIN && errno != EINTR)) break;
  }
  return static_cast<int>(descriptor);
}

std::string WithoutLastSlashes(std::string path) {
  while (path.size() > 1 && path.back() == '/') path.pop_back();
  return path;
}

// A name in an open directory: what renaming, removing and making are told. The last part of the
// path is not followed where it is a symbolic link, and where it is ".." those calls refuse it.
class Entry {
 public:
  Entry(const Root& root, const std::string& path)
      : path_(WithoutLastSlashes(Inside(root, path))),
        directory_(OpenInside(root.descriptor, Parent(), O_PATH | O_DIRECTORY)) {}

  bool ok() const { return directory_.get() >= 0; }
  int directory() const { return directory_.get(); }
  const char* name() const { return path_.c_str() + (path_.rfind('/') + 1); }

 private:
  std::string Parent() const {
    const size_t slash = path_.rfind('/');
    return slash == std::string::npos ? "." : path_.substr(0, slash);
  }

  const std::string path_;
  const Descriptor directory_;
};

int StatInside(const char* path, int flags, struct stat* info) {
  const Root& root = *FileRoot();
  const Descriptor found(OpenInside(root.descriptor, Inside(root, path), O_PATH | flags));
  return found.get() < 0 ? -1 : fstat(found.get(), info);
}

// Opens a directory for glob, in the root.
void* OpenDirectory(const char* path) {
  Descriptor directory(files::Open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (directory.get() < 0) return nullptr;
  DIR* const stream = fdopendir(directory.get());
  if (stream != nullptr) directory.Take();
  return stream;
}
dirent* ReadDirectory(void* stream) { return readdir(static_cast<DIR*>(stream)); }
void CloseDirectory(void* stream) { closedir(static_cast<DIR*>(stream)); }
int StatLink(const char* path, struct stat* info) { return StatInside(path, O_NOFOLLOW, info); }
int StatFile(const char* path, struct stat* info) { return StatInside(path, 0, info); }

StatusOr<std::vector<std::string>> Glob(const std::string& pattern, int flags) {
  glob_t found = {};
  if (FileRoot() != nullptr) {
    flags |= GLOB_ALTDIRFUNC;
    found.gl_opendir = OpenDirectory;
    found.gl_readdir = ReadDirectory;
    found.gl_closedir = CloseDirectory;
    found.gl_lstat = StatLink;
    found.gl_stat = StatFile;
  }
  const int result = glob(pattern.c_str(), flags, nullptr, &found);
  std::vector<std::string> names;
  if (result == 0) names.assign(found.gl_pathv, found.gl_pathv + found.gl_pathc);
  globfree(&found);
  if (result == GLOB_NOSPACE) return ResourceExhausted("out of memory matching ", pattern);
  return names;
}

bool CannotResolveInRoot(int error) {
  return error == ENOSYS || error == EPERM || error == EINVAL || error == E2BIG;
}

StatusOr<const Root*> OpenRoot(const std::string& directory) {
  Descriptor root(open(directory.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  struct stat info;
  if (root.get() < 0 || fstat(root.get(), &info) != 0) {
    return ErrnoToStatus(errno, absl::StrCat("cannot open the file root ", directory));
  }
  const Descriptor probe(OpenInside(root.get(), "/..", O_PATH | O_DIRECTORY));
  if (probe.get() < 0) {
    if (CannotResolveInRoot(errno)) {
      return Unimplemented("the kernel cannot hold file names below the file root ", directory,
                           ": that takes openat2, of Linux 5.6 and newer, and a sandbox that lets "
                           "it through");
    }
    return ErrnoToStatus(errno, absl::StrCat("cannot open the file root ", directory));
  }
  std::error_code error;
  const std::string full = std::filesystem::canonical(directory, error);
  const std::string given = std::filesystem::absolute(directory, error).lexically_normal();
  return new Root{root.Take(), info.st_dev, info.st_ino, {full, WithoutLastSlashes(given)}};
}

}  // namespace

Status SetFileRoot(const std::string& directory) {
  if (directory.empty()) return OkStatus();
  static std::mutex mutex;
  const std::lock_guard<std::mutex> lock(mutex);
  if (const Root* const root = FileRoot()) {
    struct stat info;
    if (stat(directory.c_str(), &info) != 0) {
      return ErrnoToStatus(errno, absl::StrCat("cannot open the file root ", directory));
    }
    if (info.st_dev == root->device && info.st_ino == root->inode) return OkStatus();
    return FailedPrecondition("the process has the file root ", root->full_names[0],
                              " for good; it cannot become ", directory);
  }
  WB_ASSIGN_OR_RETURN(const Root* const root, OpenRoot(directory));
  file_root.store(root, std::memory_order_release);
  return OkStatus();
}

namespace files {

std::string NameForOps(const std::string& path) {
  if (FileRoot() == nullptr) return path;
  std::error_code error;
  const std::filesystem::path full = std::filesystem::absolute(Local(path), error);
  return error ? path : full.lexically_normal().string();
}

std::string Shown(absl::string_view path) {
  return FileRoot() == nullptr ? std::string(path) : absl::StrCat(path, " below the file root");
}

int Open(const std::string& name, int flags) {
  const std::string path = Local(name);
  const Root* const root = FileRoot();
  if (root == nullptr) return open(path.c_str(), flags, 0666);
  return OpenInside(root->descriptor, Inside(*root, path), flags);
}

bool Exists(const std::string& name) {
  const std::string path = Local(name);
  struct stat info;
  if (FileRoot() == nullptr) return stat(path.c_str(), &info) == 0;
  return StatFile(path.c_str(), &info) == 0;
}

int Rename(const std::string& old_path, const std::string& new_path) {
  const std::string from = Local(old_path), to = Local(new_path);
  const Root* const root = FileRoot();
  if (root == nullptr) return rename(from.c_str(), to.c_str());
  const Entry old_name(*root, from), new_name(*root, to);
  if (!old_name.ok() || !new_name.ok()) return -1;
  return renameat(old_name.directory(), old_name.name(), new_name.directory(), new_name.name());
}

int Unlink(const std::string& name) {
  const std::string path = Local(name);
  const Root* const root = FileRoot();
  if (root == nullptr) return unlink(path.c_str());
  const Entry entry(*root, path);
  return entry.ok() ? unlinkat(entry.directory(), entry.name(), 0) : -1;
}

int RemoveDirectory(const std::string& name) {
  const std::string path = Local(name);
  const Root* const root = FileRoot();
  if (root == nullptr) return rmdir(path.c_str());
  const Entry entry(*root, path);
  return entry.ok() ? unlinkat(entry.directory(), entry.name(), AT_REMOVEDIR) : -1;
}

int MakeDirectory(const std::string& name) {
  const std::string path = Local(name);
  const Root* const root = FileRoot();
  if (root == nullptr) return mkdir(path.c_str(), 0777);
  const Entry entry(*root, path);
  return entry.ok() ? mkdirat(entry.directory(), entry.name(), 0777) : -1;
}

Status MakeDirectories(const std::string& name) {
  const std::string path = Local(name);
  const Root* const root = FileRoot();
  const std::string inside = root == nullptr ? path : Inside(*root, path);
  for (size_t end = 0; end != std::string::npos;) {
    end = inside.find('/', end + 1);
    const std::string directory = inside.substr(0, end);
    if (Exists(directory) || MakeDirectory(directory) == 0 || errno == EEXIST) continue;
    return ErrnoToStatus(errno, absl::StrCat("cannot make the directory ", Shown(path)));
  }
  const Descriptor made(Open(inside, O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (made.get() >= 0) return OkStatus();
  return ErrnoToStatus(errno, absl::StrCat("cannot make the directory ", Shown(path)));
}

StatusOr<std::vector<std::string>> List(const std::string& directory) {
  void* const stream = OpenDirectory(directory.c_str());
  if (stream == nullptr) {
    return ErrnoToStatus(errno, absl::StrCat("cannot list ", Shown(directory)));
  }
  std::vector<std::string> names;
  while (const dirent* const entry = ReadDirectory(stream)) {
    const absl::string_view name = entry->d_name;
    if (name != "." && name != "..") names.emplace_back(name);
  }
  CloseDirectory(stream);
  return names;
}

StatusOr<std::vector<std::string>> Match(const std::string& pattern) {
  return Glob(Local(pattern), 0);
}

StatusOr<std::vector<std::string>> MatchFiles(const std::string& pattern) {
  WB_ASSIGN_OR_RETURN(std::vector<std::string> names,
                      Glob(Local(pattern), GLOB_PERIOD | GLOB_MARK));
  const auto is_directory = [](const std::string& name) { return absl::EndsWith(name, "/"); };
  names.erase(std::remove_if(names.begin(), names.end(), is_directory), names.end());
  return names;
}

}  // namespace files
}  // namespace warpbeam
