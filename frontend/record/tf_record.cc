#include "frontend/record/tf_record.h"

#include "runtime/record/record_reader.h"
#include "runtime/record/record_writer.h"

namespace warpbeam {
namespace frontend {
namespace io {
namespace {

StatusOr<std::unique_ptr<RecordWriter>> Open(const std::string& path,
                                             const std::string& compression) {
  RecordWriterOptions options;
  WB_ASSIGN_OR_RETURN(options.compression, ParseCompressionType(compression));
  return RecordWriter::Create(path, options);
}

}  // namespace

TFRecordWriter::TFRecordWriter(const std::string& path, const std::string& compression) {
  auto writer = Open(path, compression);
  if (writer.ok()) {
    writer_ = *std::move(writer);
  } else {
    status_ = writer.status();
  }
}

TFRecordWriter::~TFRecordWriter() = default;

Status TFRecordWriter::Write(const std::string& record) {
  if (status_.ok()) status_ = writer_->Write(record);
  return status_;
}

Status TFRecordWriter::Flush() {
  if (status_.ok()) status_ = writer_->Flush();
  return status_;
}

Status TFRecordWriter::Close() {
  if (writer_ == nullptr) return status_;
  const Status closed = writer_->Close();
  return status_.ok() ? closed : status_;
}

Status ForEachTFRecord(const std::string& path,
                       const std::function<bool(const std::string& record)>& visit,
                       const std::string& compression) {
  RecordReaderOptions options;
  WB_ASSIGN_OR_RETURN(options.compression, ParseCompressionType(compression));
  WB_ASSIGN_OR_RETURN(const std::unique_ptr<RecordReader> reader,
                      RecordReader::Open(path, options));
  absl::string_view record;
  for (;;) {
    WB_ASSIGN_OR_RETURN(const bool more, reader->Next(&record));
    if (!more || !visit(std::string(record))) return OkStatus();
  }
}

StatusOr<std::vector<std::string>> ReadTFRecords(const std::string& path,
                                                 const std::string& compression) {
  std::vector<std::string> records;
  WB_RETURN_IF_ERROR(ForEachTFRecord(
      path,
      [&](const std::string& record) {
        records.push_back(record);
        return true;
      },
      compression));
  return records;
}

}  // namespace io
}  // namespace frontend
}  // namespace warpbeam
