// Files of elements, as TensorFlow saves datasets: a file of records, each component of an element
// a record of its own that holds a tensor's message.
//
//   WB_ASSIGN_OR_RETURN(auto writer, ElementWriter::Create(path, CompressionType::kSnappy));
//   WB_RETURN_IF_ERROR(writer->Write(element));
//   WB_RETURN_IF_ERROR(writer->Close());
//   WB_ASSIGN_OR_RETURN(auto reader, ElementReader::Open(path, CompressionType::kSnappy));
//   WB_ASSIGN_OR_RETURN(const bool more, reader->Next(spec, &element));   // false at the end
//
// Ownership: reader and writer own the file. Thread safety: one thread at a time. Errors: those of
// records and files; DATA_LOSS for records that are no tensors, INVALID_ARGUMENT for elements that
// do not fit the spec, UNIMPLEMENTED for variants and resources. No tensor takes more memory than
// its record can fill.
#ifndef WARPBEAM_OPS_DATA_STORED_ELEMENT_FILE_H_
#define WARPBEAM_OPS_DATA_STORED_ELEMENT_FILE_H_

#include <memory>
#include <string>

#include "ops/data/dataset.h"
#include "runtime/record/record_reader.h"
#include "runtime/record/record_writer.h"

namespace warpbeam {

// "", "AUTO" (none too), "GZIP", "SNAPPY" and "ZLIB"; INVALID_ARGUMENT for the rest.
StatusOr<CompressionType> ParseElementCompression(absl::string_view name);

class ElementWriter {
 public:
  static StatusOr<std::unique_ptr<ElementWriter>> Create(const std::string& path,
                                                         CompressionType compression);
  Status Write(const Element& element);
  Status Close() { return records_->Close(); }

 private:
  explicit ElementWriter(std::unique_ptr<RecordWriter> records) : records_(std::move(records)) {}

  const std::unique_ptr<RecordWriter> records_;
};

class ElementReader {
 public:
  static StatusOr<std::unique_ptr<ElementReader>> Open(const std::string& path,
                                                       CompressionType compression);
  StatusOr<bool> Next(const ElementSpec& spec, Element* element);

 private:
  explicit ElementReader(std::unique_ptr<RecordReader> records) : records_(std::move(records)) {}

  const std::unique_ptr<RecordReader> records_;
};

}  // namespace warpbeam

#endif  // WARPBEAM_OPS_DATA_STORED_ELEMENT_FILE_H_
