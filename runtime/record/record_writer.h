// Writes TFRecord files that TensorFlow and everything else that knows the format can read.
//
// Ownership: the writer owns the file and copies what it is given. Thread safety: one thread at a
// time. Errors: those of the file layer (a full disk is RESOURCE_EXHAUSTED), naming the file;
// INVALID_ARGUMENT for deflate settings zlib does not know; FAILED_PRECONDITION for writing to a
// closed writer. After an error that lost data the same error comes again from every call: the file
// is not whole any more.
//
//   WB_ASSIGN_OR_RETURN(std::unique_ptr<RecordWriter> writer,
//                       RecordWriter::Create("digits.tfrecord"));
//   WB_RETURN_IF_ERROR(writer->Write(example.SerializeAsString()));
//   WB_RETURN_IF_ERROR(writer->Close());  // the destructor closes too, but cannot report

#ifndef WARPBEAM_RUNTIME_RECORD_RECORD_WRITER_H_
#define WARPBEAM_RUNTIME_RECORD_RECORD_WRITER_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "absl/strings/string_view.h"
#include "graph/types/errors.h"
#include "runtime/record/compression.h"

namespace warpbeam {

struct RecordWriterOptions {
  CompressionType compression = CompressionType::kNone;
  DeflateOptions deflate;  // used when there is a compression
  size_t buffer_bytes = size_t{256} << 10;
};

class RecordWriter {
 public:
  // Empties a file that is there.
  static StatusOr<std::unique_ptr<RecordWriter>> Create(
      absl::string_view path, const RecordWriterOptions& options = RecordWriterOptions());

  Status Write(absl::string_view record);

  // Hands all records so far to the system, so that a reader of the file sees them. Costs
  // compression.
  Status Flush();

  // Closing twice is no error and gives the first result again.
  Status Close();

  int64_t records_written() const { return records_written_; }
  const std::string& path() const { return path_; }

 private:
  RecordWriter(absl::string_view path, std::unique_ptr<ByteSink> sink)
      : path_(path), sink_(std::move(sink)) {}
  Status CheckOpen() const;
  Status WriteParts(absl::string_view record);

  const std::string path_;
  const std::unique_ptr<ByteSink> sink_;
  int64_t records_written_ = 0;
  bool closed_ = false;
  Status status_;  // the first error
};

}  // namespace warpbeam

#endif  // WARPBEAM_RUNTIME_RECORD_RECORD_WRITER_H_
