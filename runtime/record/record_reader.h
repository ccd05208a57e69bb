// Reads TFRecord files, one record after the other, plain or compressed as a whole.
//
// Ownership: the reader owns the file and one buffer; a record is a view into that buffer (no copy)
// and holds until the next call of Next or Seek, or the end of the reader. Thread safety: one
// thread at a time. Errors: those of the file layer when the file cannot be opened or read;
// DATA_LOSS for a file that is truncated, damaged, not a TFRecord file, or claims a record longer
// than the limit, each naming the file, the record's number (from 0) and its offset. Memory is
// taken for bytes that have come or are known to be in the file, never on the word of a length.
// After an error the position means nothing, so the same error comes again until Seek.
//
//   WB_ASSIGN_OR_RETURN(std::unique_ptr<RecordReader> reader,
//                       RecordReader::Open("digits.tfrecord"));
//   absl::string_view record;
//   for (;;) {
//     WB_ASSIGN_OR_RETURN(const bool more, reader->Next(&record));
//     if (!more) break;
//     Use(record);
//   }

#ifndef WARPBEAM_RUNTIME_RECORD_RECORD_READER_H_
#define WARPBEAM_RUNTIME_RECORD_RECORD_READER_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "absl/strings/string_view.h"
#include "graph/types/errors.h"
#include "runtime/record/compression.h"

namespace warpbeam {

struct RecordReaderOptions {
  CompressionType compression = CompressionType::kNone;
  // How much is read at once; 0 means as little as one record needs. The buffer grows beyond it
  // only for a longer record.
  size_t readahead_bytes = size_t{256} << 10;
  // Longer records are taken for damage: no reader of protos could use them.
  uint64_t max_record_bytes = uint64_t{1} << 31;
};

class RecordReader {
 public:
  static StatusOr<std::unique_ptr<RecordReader>> Open(
      absl::string_view path, const RecordReaderOptions& options = RecordReaderOptions());

  // Sets *record to the next record and returns true, or returns false at the end of the file. A
  // file that has grown since goes on at the next call.
  StatusOr<bool> Next(absl::string_view* record);

  // Where the next record begins, in the decompressed data: an iterator that saves its state saves
  // this.
  int64_t offset() const { return offset_; }

  // Goes on with the record that begins at `offset`, a value that offset() has given. Forgets
  // errors.
  Status Seek(int64_t offset);

  // Records since the start or the last Seek.
  int64_t records_read() const { return records_read_; }
  // Bytes taken from the file so far, as they lie on the disk.
  int64_t bytes_read() const { return source_->bytes_read(); }
  const std::string& path() const { return path_; }

 private:
  RecordReader(absl::string_view path, const RecordReaderOptions& options,
               std::unique_ptr<ByteSource> source)
      : path_(path), options_(options), source_(std::move(source)) {}

  StatusOr<bool> ReadRecord(absl::string_view* record);
  Status CheckLength(uint64_t length);
  Status Fill(size_t need);
  Status MakeRoom(size_t need);
  size_t available() const { return end_ - begin_; }
  Status Damaged(absl::string_view what) const;
  Status BadLengthChecksum() const;

  const std::string path_;
  const RecordReaderOptions options_;
  const std::unique_ptr<ByteSource> source_;
  std::unique_ptr<char[]> buffer_;
  size_t capacity_ = 0;
  size_t begin_ = 0;  // of what was read but not given out, in buffer_
  size_t end_ = 0;
  int64_t offset_ = 0;
  int64_t records_read_ = 0;
  Status status_;
};

}  // namespace warpbeam

#endif  // WARPBEAM_RUNTIME_RECORD_RECORD_READER_H_
