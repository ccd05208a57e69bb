#include "ops/data/source/csv_reader.h"

namespace warpbeam {
namespace {

bool EndsLine(char c) { return c == '\n' || c == '\r'; }

}  // namespace

Status CsvReader::Fill() {
  at_ = end_ = 0;
  StatusOr<size_t> got = source_->Read(&buffer_[0], buffer_.size());
  is_broken_ = !got.ok();
  if (got.ok()) end_ = *got;
  return got.status();
}

StatusOr<bool> CsvReader::AtEnd() {
  if (at_ == end_) WB_RETURN_IF_ERROR(Fill());
  return at_ == end_;
}

StatusOr<bool> CsvReader::SkipLine() {
  for (bool any = false;; any = true) {
    WB_ASSIGN_OR_RETURN(const bool at_end, AtEnd());
    if (at_end) return any;
    bool more = false;
    const char c = buffer_[at_++];
    if (!EndsLine(c)) continue;
    WB_RETURN_IF_ERROR(EndField(c, &more));
    return true;
  }
}

Status CsvReader::EndField(char c, bool* more) {
  *more = !EndsLine(c);
  if (c != '\r') return OkStatus();
  WB_ASSIGN_OR_RETURN(const bool at_end, AtEnd());
  if (!at_end && buffer_[at_] == '\n') ++at_;
  return OkStatus();
}

Status CsvReader::ReadField(std::string* field, bool* more) {
  field->clear();
  *more = false;
  WB_ASSIGN_OR_RETURN(const bool at_end, AtEnd());
  if (at_end) return OkStatus();
  return format_.has_quotes && buffer_[at_] == '"' ? ReadQuoted(field, more)
                                                   : ReadPlain(field, more);
}

Status CsvReader::ReadPlain(std::string* field, bool* more) {
  bool has_quote = false;
  for (;;) {
    WB_ASSIGN_OR_RETURN(const bool at_end, AtEnd());
    if (at_end) break;
    const size_t begin = at_;
    while (at_ < end_ && buffer_[at_] != format_.delimiter && !EndsLine(buffer_[at_])) {
      has_quote |= buffer_[at_++] == '"';
    }
    field->append(buffer_, begin, at_ - begin);
    if (at_ == end_) continue;
    WB_RETURN_IF_ERROR(EndField(buffer_[at_++], more));
    break;
  }
  if (!has_quote || !format_.has_quotes) return OkStatus();
  return InvalidArgument("Unquoted fields cannot have quotes inside");
}

Status CsvReader::ReadQuoted(std::string* field, bool* more) {
  ++at_;
  Status status;
  for (;;) {
    WB_ASSIGN_OR_RETURN(bool at_end, AtEnd());
    if (at_end) {
      is_broken_ = true;
      return InvalidArgument("Reached end of file without closing quoted field in record");
    }
    const size_t begin = at_;
    while (at_ < end_ && buffer_[at_] != '"') ++at_;
    field->append(buffer_, begin, at_ - begin);
    if (at_ == end_) continue;
    ++at_;
    WB_ASSIGN_OR_RETURN(at_end, AtEnd());
    if (at_end) return status;
    const char next = buffer_[at_++];
    if (next == format_.delimiter || EndsLine(next)) {
      WB_RETURN_IF_ERROR(EndField(next, more));
      return status;
    }
    if (next == '"') {
      field->push_back('"');
    } else {
      status.Update(InvalidArgument("Quote inside a string has to be escaped by another quote"));
    }
  }
}

}  // namespace warpbeam
