// Files as the record, checkpoint and event code sees them: sequential input, appending output, and
// whole small files. A thin layer over the system calls that turns errno into a Status and finishes
// short reads and writes; it buffers nothing.
//
// Ownership: each object owns its descriptor and closes it. Thread safety: one thread at a time for
// each object. Errors: the code that fits errno (NOT_FOUND, PERMISSION_DENIED, RESOURCE_EXHAUSTED
// for a full disk, ...), with the operation and the path in the message.
//
//   WB_ASSIGN_OR_RETURN(std::unique_ptr<OutputFile> out, OutputFile::Create("/data/model.bin"));
//   WB_RETURN_IF_ERROR(out->Append(bytes));
//   WB_RETURN_IF_ERROR(out->Close());  // the destructor closes too, but cannot report

#ifndef WARPBEAM_RUNTIME_RECORD_FILE_H_
#define WARPBEAM_RUNTIME_RECORD_FILE_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "absl/strings/string_view.h"
#include "graph/types/errors.h"

namespace warpbeam {

// A file read from front to back. Works on pipes and devices too, except for size() and Seek().
class InputFile {
 public:
  static StatusOr<std::unique_ptr<InputFile>> Open(absl::string_view path);
  ~InputFile();
  InputFile(const InputFile&) = delete;
  InputFile& operator=(const InputFile&) = delete;

  // Reads `size` bytes, fewer only at the end of the file; returns how many.
  StatusOr<size_t> Read(char* to, size_t size);

  // The same from `offset` on, whatever was read before; of files that have a size only. Any number
  // of threads may read at the same time.
  StatusOr<size_t> ReadAt(int64_t offset, char* to, size_t size) const;

  // Goes on reading at `offset`; behind the end there is nothing to read, which is no error.
  Status Seek(int64_t offset);

  // The file's first bytes as memory, which may be written without changing the file. The mapping
  // stays when this object goes; munmap ends it. Behind the file's end nothing may be touched.
  StatusOr<void*> Map(size_t bytes) const;

  // The size now (a file may grow), or -1 for what has none, such as a pipe.
  int64_t size() const;
  int64_t offset() const { return offset_; }
  const std::string& path() const { return path_; }

 private:
  InputFile(int descriptor, absl::string_view path) : descriptor_(descriptor), path_(path) {}

  const int descriptor_;
  const std::string path_;
  int64_t offset_ = 0;
};

// A file written by appending.
class OutputFile {
 public:
  // Create empties a file that is there; OpenForAppend goes on at its end.
  static StatusOr<std::unique_ptr<OutputFile>> Create(absl::string_view path);
  static StatusOr<std::unique_ptr<OutputFile>> OpenForAppend(absl::string_view path);
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  Status Append(absl::string_view data);

  // Returns when the data is on the disk (fsync).
  Status Sync();

  // Closing twice is no error; appending to a closed file is FAILED_PRECONDITION.
  Status Close();

  // Bytes appended through this object.
  int64_t bytes_written() const { return bytes_written_; }
  const std::string& path() const { return path_; }

 private:
  OutputFile(int descriptor, absl::string_view path) : descriptor_(descriptor), path_(path) {}
  static StatusOr<std::unique_ptr<OutputFile>> Open(absl::string_view path, int flags);

  int descriptor_;  // -1 once closed
  const std::string path_;
  int64_t bytes_written_ = 0;
};

// The whole file; RESOURCE_EXHAUSTED when it holds more than `max_bytes`, or more than the limit of
// host memory (runtime/memory/pool_allocator.h) leaves room for.
StatusOr<std::string> ReadFileToString(absl::string_view path, size_t max_bytes = size_t{4} << 30);

// Replaces the contents of the file. Not atomic: a crash may leave half of it.
Status WriteStringToFile(absl::string_view path, absl::string_view contents);

}  // namespace warpbeam

#endif  // WARPBEAM_RUNTIME_RECORD_FILE_H_
