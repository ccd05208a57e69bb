// LookaheadBuffer: the bytes of a source that have been read and not yet been dropped, as one
// piece.
//
//   LookaheadBuffer bytes(std::move(source), /*buffer_bytes=*/1 << 18);
//   WB_RETURN_IF_ERROR(bytes.Fill(record + footer));
//   if (bytes.available() < record + footer) …           // the file ends before
//   value->assign(bytes.data(), record);
//   bytes.Drop(record);
//
// Ownership: the buffer owns the source. Thread safety: one thread at a time. Errors: the source's.
#ifndef WARPBEAM_RUNTIME_RECORD_LOOKAHEAD_BUFFER_H_
#define WARPBEAM_RUNTIME_RECORD_LOOKAHEAD_BUFFER_H_

#include <memory>
#include <utility>
#include <vector>

#include "runtime/record/compression.h"

namespace warpbeam {

class LookaheadBuffer {
 public:
  LookaheadBuffer(std::unique_ptr<ByteSource> source, size_t buffer_bytes)
      : source_(std::move(source)), buffer_bytes_(buffer_bytes) {}

  // Reads until `need` bytes are there or the file ends. Memory grows with what has been read.
  Status Fill(int64_t need);
  int64_t available() const { return static_cast<int64_t>(end_ - begin_); }
  const char* data() const { return buffer_.data() + begin_; }
  // At most what is available.
  void Drop(int64_t bytes) { begin_ += static_cast<size_t>(bytes); }
  // Bytes of the source that have not been read, or -1 where nobody can know.
  int64_t remaining() const { return source_->remaining(); }

 private:
  const std::unique_ptr<ByteSource> source_;
  const size_t buffer_bytes_;
  std::vector<char> buffer_;
  size_t begin_ = 0;
  size_t end_ = 0;
  bool at_end_ = false;
};

}  // namespace warpbeam

#endif  // WARPBEAM_RUNTIME_RECORD_LOOKAHEAD_BUFFER_H_
