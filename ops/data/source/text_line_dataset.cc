// TextLineDataset: the lines of text files, without what ends them ("\n" or "\r\n").

#include "ops/data/source/file_dataset.h"
#include "runtime/record/line_reader.h"

namespace warpbeam {
namespace {

class LinesOfFile final : public FileReader {
 public:
  LinesOfFile(std::string path, std::unique_ptr<ByteSource> source, size_t buffer_bytes)
      : lines_(std::move(path), std::move(source), buffer_bytes) {}
  StatusOr<bool> Next(std::string* value) override { return lines_.Next(value); }

 private:
  LineReader lines_;
};

class TextLineDatasetKernel final : public DatasetKernel {
  StatusOr<DatasetRef> Make(KernelContext& ctx) override {
    WB_ASSIGN_OR_RETURN(std::vector<std::string> paths,
                        VectorInput<std::string>(ctx, 0, "filenames"));
    WB_ASSIGN_OR_RETURN(const std::string type,
                        ScalarInput<std::string>(ctx, 1, "compression_type"));
    WB_ASSIGN_OR_RETURN(const int64_t buffer_size, ScalarInput<int64_t>(ctx, 2, "buffer_size"));
    if (buffer_size < 0) {
      return InvalidArgument("buffer_size must be >= 0 (0 == default), got ", buffer_size);
    }
    WB_ASSIGN_OR_RETURN(const CompressionType compression, ParseCompressionType(type));
    const size_t bytes = ReadaheadBytes(buffer_size);
    const auto open = [compression, bytes](
                          size_t,
                          const std::string& path) -> StatusOr<std::unique_ptr<FileReader>> {
      WB_ASSIGN_OR_RETURN(std::unique_ptr<ByteSource> source,
                          OpenByteSource(path, compression, bytes));
      return std::make_unique<LinesOfFile>(path, std::move(source), bytes);
    };
    return std::make_shared<FileDataset>("TextLine", std::move(paths), open);
  }
};

WB_OP("TextLineDataset")
    .Role(OpRole::kDataset)
    .Input("filenames: string")
    .Input("compression_type: string")
    .Input("buffer_size: int64")
    .Output("handle: variant")
    .Attr("metadata: string = ''")
    .Stateful()
    .Needs(Capability::kReadFile)
    .Shape(DatasetShape);
WB_KERNEL("TextLineDataset", KernelOf<TextLineDatasetKernel>).Cpu().Cheap();

}  // namespace
}  // namespace warpbeam
