// TFRecord files for programs (tf.python_io.TFRecordWriter, tf.python_io.tf_record_iterator).
//
//   TFRecordWriter writer("train.tfrecord");
//   for (…) writer.Write(example.SerializeToString());
//   if (Status s = writer.Close(); !s.ok()) …              // the first error of all
//
//   StatusOr<std::vector<std::string>> records = ReadTFRecords("train.tfrecord");
//
// runtime/record/ has the reader and writer with every option; a graph reads files through
// data::TFRecordDataset.
//
// Ownership: the writer owns the file. Thread safety: one thread at a time. Errors: those of the
// file, DATA_LOSS for a damaged one, naming the record.
#ifndef WARPBEAM_FRONTEND_RECORD_TF_RECORD_H_
#define WARPBEAM_FRONTEND_RECORD_TF_RECORD_H_

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "frontend/types.h"

namespace warpbeam {

class RecordWriter;

namespace frontend {
namespace io {

class TFRecordWriter {
 public:
  // Empties a file that is there. `compression` is "", "ZLIB" or "GZIP".
  explicit TFRecordWriter(const std::string& path, const std::string& compression = "");
  ~TFRecordWriter();
  TFRecordWriter(const TFRecordWriter&) = delete;
  TFRecordWriter& operator=(const TFRecordWriter&) = delete;

  // After an error every call gives that error.
  Status Write(const std::string& record);
  Status Flush();
  Status Close();

 private:
  std::unique_ptr<RecordWriter> writer_;
  Status status_;
};

// Calls `visit` with each record until it returns false.
Status ForEachTFRecord(const std::string& path,
                       const std::function<bool(const std::string& record)>& visit,
                       const std::string& compression = "");
// All records; for files that fit memory.
StatusOr<std::vector<std::string>> ReadTFRecords(const std::string& path,
                                                 const std::string& compression = "");

}  // namespace io
}  // namespace frontend
}  // namespace warpbeam

#endif  // WARPBEAM_FRONTEND_RECORD_TF_RECORD_H_
