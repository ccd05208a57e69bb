#include "ops/data/stored/element_file.h"

#include "absl/memory/memory.h"
#include "graph/io/tensor_io.h"

namespace warpbeam {
namespace {

// Many files may be written at once.
constexpr size_t kBufferBytes = size_t{64} << 10;

// What a tensor may take for each byte of its message: a string of two bytes is 32 in memory.
constexpr int64_t kMostBytesPerByte = 16;

}  // namespace

StatusOr<CompressionType> ParseElementCompression(absl::string_view name) {
  if (name == "AUTO") return CompressionType::kNone;
  return ParseCompressionType(name);
}

StatusOr<std::unique_ptr<ElementWriter>> ElementWriter::Create(const std::string& path,
                                                               CompressionType compression) {
  RecordWriterOptions options;
  options.compression = compression;
  options.buffer_bytes = kBufferBytes;
  WB_ASSIGN_OR_RETURN(std::unique_ptr<RecordWriter> records, RecordWriter::Create(path, options));
  return absl::WrapUnique(new ElementWriter(std::move(records)));
}

Status ElementWriter::Write(const Element& element) {
  // All of them before any is written: what cannot be saved leaves no half of an element.
  std::vector<std::string> messages;
  for (const Tensor& component : element) {
    WB_ASSIGN_OR_RETURN(std::string message, SerializeTensor(component));
    messages.push_back(std::move(message));
  }
  for (const std::string& message : messages) WB_RETURN_IF_ERROR(records_->Write(message));
  return OkStatus();
}

StatusOr<std::unique_ptr<ElementReader>> ElementReader::Open(const std::string& path,
                                                             CompressionType compression) {
  RecordReaderOptions options;
  options.compression = compression;
  WB_ASSIGN_OR_RETURN(std::unique_ptr<RecordReader> records, RecordReader::Open(path, options));
  return absl::WrapUnique(new ElementReader(std::move(records)));
}

StatusOr<bool> ElementReader::Next(const ElementSpec& spec, Element* element) {
  element->clear();
  while (element->size() < spec.types.size()) {
    absl::string_view record;
    WB_ASSIGN_OR_RETURN(const bool found, records_->Next(&record));
    if (!found && element->empty()) return false;
    if (!found) {
      return DataLoss(records_->path(), " ends behind component ", element->size() - 1,
                      " of an element of ", spec.types.size());
    }
    StatusOr<Tensor> tensor =
        ParseTensor(record, kMostBytesPerByte * static_cast<int64_t>(record.size()));
    if (!tensor.ok()) {
      return DataLoss("record ", records_->records_read() - 1, " of ", records_->path(),
                      " is no tensor: ", tensor.status().message());
    }
    element->push_back(*std::move(tensor));
  }
  WB_RETURN_IF_ERROR(
      Annotate(spec.CheckElement(*element),
               absl::StrCat(records_->path(), " holds other elements than are asked for")));
  return true;
}

}  // namespace warpbeam
