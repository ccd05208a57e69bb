// TFRecordDataset and TFRecordDatasetV2: the records of TFRecord files; V2 may start inside of each
// file.

#include "ops/data/source/file_dataset.h"
#include "runtime/record/record_reader.h"

namespace warpbeam {
namespace {

class RecordFileReader final : public FileReader {
 public:
  explicit RecordFileReader(std::unique_ptr<RecordReader> reader) : reader_(std::move(reader)) {}
  StatusOr<bool> Next(std::string* value) override {
    absl::string_view record;
    WB_ASSIGN_OR_RETURN(const bool found, reader_->Next(&record));
    if (found) value->assign(record.data(), record.size());
    return found;
  }

 private:
  const std::unique_ptr<RecordReader> reader_;
};

class TFRecordDatasetKernel final : public DatasetKernel {
  StatusOr<DatasetRef> Make(KernelContext& ctx) override {
    WB_ASSIGN_OR_RETURN(std::vector<std::string> paths,
                        VectorInput<std::string>(ctx, 0, "filenames"));
    WB_ASSIGN_OR_RETURN(const std::string type,
                        ScalarInput<std::string>(ctx, 1, "compression_type"));
    WB_ASSIGN_OR_RETURN(const int64_t buffer_size, ScalarInput<int64_t>(ctx, 2, "buffer_size"));
    // What Python writes when the user says nothing.
    constexpr int64_t kUnspecified = -1, kDefaultBufferSize = 256 << 10;
    if (buffer_size < kUnspecified) {
      return InvalidArgument("buffer_size must be >= 0 (0 == no buffering), got ", buffer_size);
    }
    std::vector<int64_t> offsets;
    if (ctx.num_inputs() > 3) {
      WB_ASSIGN_OR_RETURN(offsets, VectorInput<int64_t>(ctx, 3, "byte_offsets"));
      if (!offsets.empty() && offsets.size() != paths.size()) {
        return InvalidArgument("byte_offsets must have one number for each of the ", paths.size(),
                               " files, got ", offsets.size());
      }
    }
    RecordReaderOptions options;
    WB_ASSIGN_OR_RETURN(options.compression, ParseCompressionType(type));
    options.readahead_bytes =
        ReadaheadBytes(buffer_size == kUnspecified ? kDefaultBufferSize : buffer_size);
    const auto open = [options, offsets = std::move(offsets)](
                          size_t index,
                          const std::string& path) -> StatusOr<std::unique_ptr<FileReader>> {
      WB_ASSIGN_OR_RETURN(std::unique_ptr<RecordReader> reader, RecordReader::Open(path, options));
      if (index < offsets.size()) WB_RETURN_IF_ERROR(reader->Seek(offsets[index]));
      return std::make_unique<RecordFileReader>(std::move(reader));
    };
    return std::make_shared<FileDataset>("TFRecord", std::move(paths), open);
  }
};

WB_OP("TFRecordDataset")
    .Role(OpRole::kDataset)
    .Input("filenames: string")
    .Input("compression_type: string")
    .Input("buffer_size: int64")
    .Output("handle: variant")
    .Attr("metadata: string = ''")
    .Stateful()
    .Needs(Capability::kReadFile)
    .Shape(DatasetShape);
WB_OP("TFRecordDatasetV2")
    .Role(OpRole::kDataset)
    .Input("filenames: string")
    .Input("compression_type: string")
    .Input("buffer_size: int64")
    .Input("byte_offsets: int64")
    .Output("handle: variant")
    .Attr("metadata: string = ''")
    .Stateful()
    .Needs(Capability::kReadFile)
    .Shape(DatasetShape);
WB_KERNEL("TFRecordDataset", KernelOf<TFRecordDatasetKernel>).Cpu().Cheap();
WB_KERNEL("TFRecordDatasetV2", KernelOf<TFRecordDatasetKernel>).Cpu().Cheap();

}  // namespace
}  // namespace warpbeam
