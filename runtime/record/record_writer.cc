#include "runtime/record/record_writer.h"

#include "absl/memory/memory.h"
#include "graph/types/errors.h"
#include "runtime/record/crc32c.h"
#include "runtime/record/record_format.h"

namespace warpbeam {

StatusOr<std::unique_ptr<RecordWriter>> RecordWriter::Create(absl::string_view path,
                                                             const RecordWriterOptions& options) {
  WB_ASSIGN_OR_RETURN(
      std::unique_ptr<ByteSink> sink,
      CreateByteSink(path, options.compression, options.deflate, options.buffer_bytes));
  return absl::WrapUnique(new RecordWriter(path, std::move(sink)));
}

Status RecordWriter::CheckOpen() const {
  if (!status_.ok()) return status_;
  if (closed_) return FailedPrecondition(path_, " is closed");
  return OkStatus();
}

Status RecordWriter::Write(absl::string_view record) {
  WB_RETURN_IF_ERROR(CheckOpen());
  status_ = WriteParts(record);
  if (status_.ok()) ++records_written_;
  return status_;
}

Status RecordWriter::WriteParts(absl::string_view record) {
  char header[kRecordHeaderBytes];
  StoreLittle64(record.size(), header);
  StoreLittle32(MaskCrc32c(Crc32c(header, kRecordLengthBytes)), header + kRecordLengthBytes);
  char footer[kRecordFooterBytes];
  StoreLittle32(MaskCrc32c(Crc32c(record.data(), record.size())), footer);
  WB_RETURN_IF_ERROR(sink_->Append(absl::string_view(header, sizeof header)));
  WB_RETURN_IF_ERROR(sink_->Append(record));
  return sink_->Append(absl::string_view(footer, sizeof footer));
}

Status RecordWriter::Flush() {
  WB_RETURN_IF_ERROR(CheckOpen());
  status_ = sink_->Flush();
  return status_;
}

Status RecordWriter::Close() {
  if (closed_) return status_;
  closed_ = true;
  const Status closed = sink_->Close();
  if (status_.ok()) status_ = closed;
  return status_;
}

}  // namespace warpbeam
