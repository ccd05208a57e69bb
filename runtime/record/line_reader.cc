#include "runtime/record/line_reader.h"

#include <cstring>

#include "graph/types/errors.h"
#include "runtime/memory/string_memory.h"

namespace warpbeam {
namespace {

constexpr size_t kLongestLine = size_t{1} << 30;

}  // namespace

StatusOr<bool> LineReader::Next(std::string* line) {
  line->clear();
  bool has_bytes = false;
  for (bool at_end = false; !at_end;) {
    if (begin_ == end_) {
      begin_ = 0;
      WB_ASSIGN_OR_RETURN(end_, source_->Read(buffer_.data(), buffer_.size()));
      if (end_ == 0) break;
    }
    has_bytes = true;
    const char* from = buffer_.data() + begin_;
    const void* newline = memchr(from, '\n', end_ - begin_);
    at_end = newline != nullptr;
    const size_t size = at_end ? static_cast<const char*>(newline) - from : end_ - begin_;
    if (line->size() + size > kLongestLine) {
      return DataLoss("a line of ", path_, " is longer than ", kLongestLine, " bytes");
    }
    if (line->size() + size > line->capacity()) {
      WB_RETURN_IF_ERROR(StringMemory::CheckRoom(path_, 2 * (line->size() + size)));
    }
    line->append(from, size);
    begin_ += size + (at_end ? 1 : 0);
  }
  if (has_bytes && !line->empty() && line->back() == '\r') line->pop_back();
  return has_bytes;
}

}  // namespace warpbeam
