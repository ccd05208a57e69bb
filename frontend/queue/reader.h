// Readers (tf.TextLineReader, TFRecordReader, WholeFileReader, FixedLengthRecordReader,
// IdentityReader): records of the files whose names a queue gives.
//
//   Output files = train::StringInputProducer(scope, {"a.csv", "b.csv"});
//   TextLineReader reader(scope, /*skip_header_lines=*/1);
//   auto [key, line] = reader.Read(scope, files);                 // "a.csv:2", "3,4,5"
//   std::vector<Output> columns = io::DecodeCsv(scope, line, {0, 0, 0});
//
// Nodes and names are TensorFlow's: "TextLineReaderV2", "ReaderReadV2".
//
// Ownership: a value; the graph owns the nodes, the session how far the reader is. Thread safety:
// that of the Scope; running, any. Errors: kept in the scope; a file that cannot be read fails the
// step, and an empty closed queue ends it with OUT_OF_RANGE.
#ifndef WARPBEAM_FRONTEND_QUEUE_READER_H_
#define WARPBEAM_FRONTEND_QUEUE_READER_H_

#include <cstdint>
#include <string>
#include <utility>

#include "frontend/input.h"
#include "frontend/scope.h"

namespace warpbeam {
namespace frontend {

struct ReadRecords {
  Output keys;  // where a record comes from
  Output values;
};

// What all readers have.
class ReaderBase {
 public:
  ReaderBase() = default;
  explicit ReaderBase(const Output& handle, bool supports_serialize = false)
      : handle_(handle), supports_serialize_(supports_serialize) {}

  const Output& reader_ref() const { return handle_; }
  bool supports_serialize() const { return supports_serialize_; }

  // The next record: a scalar key and value.
  ReadRecords Read(ScopeRef scope, const Input& queue) const;
  // As many as there are in the file, `num_records` at most: vectors.
  ReadRecords ReadUpTo(ScopeRef scope, const Input& queue, const Input& num_records) const;
  Output NumRecordsProduced(ScopeRef scope) const;
  // How many files have been read to their end.
  Output NumWorkUnitsCompleted(ScopeRef scope) const;
  // How far the reader is, as a string, and back there; for readers that can.
  Output SerializeState(ScopeRef scope) const;
  Operation RestoreState(ScopeRef scope, const Input& state) const;
  // As it was made.
  Operation Reset(ScopeRef scope) const;

 private:
  Output handle_;
  bool supports_serialize_ = false;
};

// A record is a line, without its end.
class TextLineReader : public ReaderBase {
 public:
  explicit TextLineReader(ScopeRef scope, int64_t skip_header_lines = 0);
};

// A record of a TFRecord file; `compression_type` is "", "GZIP" or "ZLIB".
class TFRecordReader : public ReaderBase {
 public:
  explicit TFRecordReader(ScopeRef scope, const std::string& compression_type = "");
};

// A record is a file as a whole.
class WholeFileReader : public ReaderBase {
 public:
  explicit WholeFileReader(ScopeRef scope);
};

// The key and the value are what the queue gives.
class IdentityReader : public ReaderBase {
 public:
  explicit IdentityReader(ScopeRef scope);
};

struct FixedLengthRecordOptions {
  // Bytes that are left out at the beginning and at the end of a file, and between records.
  FixedLengthRecordOptions& header_bytes(int64_t value) {
    header = value;
    return *this;
  }
  FixedLengthRecordOptions& footer_bytes(int64_t value) {
    footer = value;
    return *this;
  }
  FixedLengthRecordOptions& hop_bytes(int64_t value) {
    hop = value;
    return *this;
  }
  // "", "GZIP" or "ZLIB".
  FixedLengthRecordOptions& encoding(std::string value) {
    compression = std::move(value);
    return *this;
  }

  int64_t header = 0;
  int64_t footer = 0;
  int64_t hop = 0;
  std::string compression;
};
// A record is so many bytes.
class FixedLengthRecordReader : public ReaderBase {
 public:
  FixedLengthRecordReader(ScopeRef scope, int64_t record_bytes,
                          const FixedLengthRecordOptions& options = FixedLengthRecordOptions());
};

}  // namespace frontend
}  // namespace warpbeam

#endif  // WARPBEAM_FRONTEND_QUEUE_READER_H_
