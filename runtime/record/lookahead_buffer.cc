#include "runtime/record/lookahead_buffer.h"

#include <algorithm>

#include "graph/types/errors.h"
#include "runtime/memory/string_memory.h"

namespace warpbeam {

Status LookaheadBuffer::Fill(int64_t need) {
  while (available() < need && !at_end_) {
    if (begin_ > 0) {
      std::copy(buffer_.begin() + begin_, buffer_.begin() + end_, buffer_.begin());
      end_ -= begin_;
      begin_ = 0;
    }
    if (buffer_.size() - end_ < buffer_bytes_ / 2) {
      const size_t size = std::max(buffer_bytes_, buffer_.size() * 2);
      WB_RETURN_IF_ERROR(StringMemory::CheckRoom("a record of a file", size));
      buffer_.resize(size);
    }
    WB_ASSIGN_OR_RETURN(const size_t got,
                        source_->Read(buffer_.data() + end_, buffer_.size() - end_));
    at_end_ = got == 0;
    end_ += got;
  }
  return OkStatus();
}

}  // namespace warpbeam
