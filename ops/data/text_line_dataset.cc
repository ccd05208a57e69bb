// TextLineDataset: the lines of text files, without what ends them ("\n" or "\r\n").

#include <cstring>

#include "ops/data/file_dataset.h"

namespace warpbeam {
namespace {

// A line that is longer than this is not text.
constexpr size_t kLongestLine = size_t{1} << 30;

class LineReader final : public FileReader {
 public:
  LineReader(std::string path, std::unique_ptr<ByteSource> source, size_t buffer_bytes)
      : path_(std::move(path)), source_(std::move(source)), buffer_(buffer_bytes) {}

  absl::StatusOr<bool> Next(std::string* value) override {
    value->clear();
    bool has_bytes = false;
    for (;;) {
      if (begin_ == end_) {
        begin_ = 0;
        WB_ASSIGN_OR_RETURN(end_, source_->Read(buffer_.data(), buffer_.size()));
        if (end_ == 0) break;
      }
      has_bytes = true;
      const char* from = buffer_.data() + begin_;
      const void* newline = memchr(from, '\n', end_ - begin_);
      const size_t size =
          newline == nullptr ? end_ - begin_ : static_cast<const char*>(newline) - from;
      if (value->size() + size > kLongestLine) {
        return DataLoss("a line of ", path_, " is longer than ", kLongestLine, " bytes");
      }
      value->append(from, size);
      begin_ += size;
      if (newline == nullptr) continue;
      ++begin_;
      break;
    }
    if (has_bytes && !value->empty() && value->back() == '\r') value->pop_back();
    return has_bytes;
  }

 private:
  const std::string path_;
  const std::unique_ptr<ByteSource> source_;
  std::vector<char> buffer_;
  size_t begin_ = 0;
  size_t end_ = 0;
};

class TextLineDatasetKernel final : public DatasetKernel {
  absl::StatusOr<DatasetRef> Make(KernelContext& ctx) override {
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
                          const std::string& path) -> absl::StatusOr<std::unique_ptr<FileReader>> {
      WB_ASSIGN_OR_RETURN(std::unique_ptr<ByteSource> source,
                          OpenByteSource(path, compression, bytes));
      return std::make_unique<LineReader>(path, std::move(source), bytes);
    };
    return std::make_shared<FileDataset>("TextLine", std::move(paths), open);
  }
};

WB_OP("TextLineDataset")
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
