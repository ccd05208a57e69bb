// MemoryFile: a file that is on no disk and gets every input in turn, for code that reads files by
// their paths.
//
//   MemoryFile file;
//   file.Set(input);
//   RecordReader::Open(file.path());
//
// Ownership: the path is good as long as the object. Thread safety: one thread. Errors: a system
// without room for it ends the process.
#ifndef WARPBEAM_TESTS_FUZZ_MEMORY_FILE_H_
#define WARPBEAM_TESTS_FUZZ_MEMORY_FILE_H_

#include <sys/mman.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

namespace warpbeam {
namespace fuzz {

class MemoryFile {
 public:
  MemoryFile() : fd_(memfd_create("input", MFD_CLOEXEC)) {
    if (fd_ < 0) Fail();
  }
  ~MemoryFile() { close(fd_); }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;

  std::string path() const { return absl::StrCat("/proc/self/fd/", fd_); }
  void Set(absl::string_view bytes) {
    const auto size = static_cast<ssize_t>(bytes.size());
    if (ftruncate(fd_, size) != 0 || pwrite(fd_, bytes.data(), bytes.size(), 0) != size) Fail();
  }

 private:
  [[noreturn]] static void Fail() {
    perror("a file in memory");
    abort();
  }
  const int fd_;
};

}  // namespace fuzz
}  // namespace warpbeam

#endif  // WARPBEAM_TESTS_FUZZ_MEMORY_FILE_H_
