// LineReader: the lines of a text file, without what ends them ("\n" or "\r\n").
//
//   LineReader lines("a.txt", std::move(source), /*buffer_bytes=*/1 << 18);
//   std::string line;
//   WB_ASSIGN_OR_RETURN(const bool more, lines.Next(&line));   // false at the end of the file
//
// Ownership: the reader owns the source. Thread safety: one thread at a time. Errors: the source's;
// DATA_LOSS naming the file for a line longer than 1 GiB, which is not text.
#ifndef WARPBEAM_RUNTIME_RECORD_LINE_READER_H_
#define WARPBEAM_RUNTIME_RECORD_LINE_READER_H_

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "runtime/record/compression.h"

namespace warpbeam {

class LineReader {
 public:
  // `path` is for messages.
  LineReader(std::string path, std::unique_ptr<ByteSource> source, size_t buffer_bytes)
      : path_(std::move(path)), source_(std::move(source)), buffer_(buffer_bytes) {}

  StatusOr<bool> Next(std::string* line);

 private:
  const std::string path_;
  const std::unique_ptr<ByteSource> source_;
  std::vector<char> buffer_;
  size_t begin_ = 0;
  size_t end_ = 0;
};

}  // namespace warpbeam

#endif  // WARPBEAM_RUNTIME_RECORD_LINE_READER_H_
