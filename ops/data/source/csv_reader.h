// CsvReader: the fields of a file of comma-separated values, one after the other.
//
//   CsvReader reader(std::move(source), {.delimiter = ','}, 1 << 16);
//   WB_ASSIGN_OR_RETURN(bool end, reader.AtEnd());                 // at the beginning of a record
//   for (bool more = true; more;) WB_RETURN_IF_ERROR(reader.ReadField(&field, &more));
//
// A record ends with "\n", "\r\n", "\r" or the file. A field in quotes may hold delimiters and line
// ends, and quotes written twice.
//
// Ownership: owns the source. Thread safety: one thread. Errors: INVALID_ARGUMENT for quotes where
// none may be, with the field read to its end, so that the next one can be read; and for a file
// that ends within quotes, with is_broken() from then on, as for errors of the source.
#ifndef WARPBEAM_OPS_DATA_SOURCE_CSV_READER_H_
#define WARPBEAM_OPS_DATA_SOURCE_CSV_READER_H_

#include <memory>
#include <string>
#include <utility>

#include "graph/types/errors.h"
#include "runtime/record/compression.h"

namespace warpbeam {

struct CsvFormat {
  char delimiter = ',';
  bool has_quotes = true;
};

class CsvReader {
 public:
  CsvReader(std::unique_ptr<ByteSource> source, CsvFormat format, size_t buffer_bytes)
      : source_(std::move(source)), format_(format), buffer_(buffer_bytes, '\0') {}

  StatusOr<bool> AtEnd();
  // Passes over a line; false at the end of the file.
  StatusOr<bool> SkipLine();
  // *more: the record has another field.
  Status ReadField(std::string* field, bool* more);
  bool is_broken() const { return is_broken_; }

 private:
  Status ReadQuoted(std::string* field, bool* more);
  Status ReadPlain(std::string* field, bool* more);
  // What follows a field, from its delimiter or line end on.
  Status EndField(char c, bool* more);
  Status Fill();

  const std::unique_ptr<ByteSource> source_;
  const CsvFormat format_;
  std::string buffer_;
  size_t at_ = 0, end_ = 0;  // what of the buffer is still to be read
  bool is_broken_ = false;
};

}  // namespace warpbeam

#endif  // WARPBEAM_OPS_DATA_SOURCE_CSV_READER_H_
