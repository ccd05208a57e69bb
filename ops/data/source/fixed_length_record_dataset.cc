// FixedLengthRecordDataset and V2: records of one size from binary files, such as CIFAR-10's, with
// a header and a footer to pass over; V2 reads compressed files too.

#include "ops/data/source/file_dataset.h"
#include "runtime/record/lookahead_buffer.h"

namespace warpbeam {
namespace {

constexpr int64_t kLongestRecord = int64_t{1} << 31;

struct RecordLayout {
  int64_t header_bytes = 0;
  int64_t record_bytes = 0;
  int64_t footer_bytes = 0;
};

// The footer cannot be told from a record before the end of the file is seen, so its size is read
// ahead of what is given out.
class FixedLengthReader final : public FileReader {
 public:
  FixedLengthReader(std::string path, std::unique_ptr<ByteSource> source, RecordLayout layout,
                    size_t buffer_bytes)
      : path_(std::move(path)), bytes_(std::move(source), buffer_bytes), layout_(layout) {}

  StatusOr<bool> Next(std::string* value) override {
    if (!has_begun_) {
      WB_RETURN_IF_ERROR(bytes_.Fill(layout_.header_bytes));
      if (bytes_.available() < layout_.header_bytes) {
        return InvalidArgument(path_, " is shorter than its header of ", layout_.header_bytes,
                               " bytes");
      }
      Drop(layout_.header_bytes);
      has_begun_ = true;
      WB_RETURN_IF_ERROR(CheckSize());
    }
    WB_RETURN_IF_ERROR(bytes_.Fill(layout_.record_bytes + layout_.footer_bytes));
    const int64_t rest = bytes_.available() - layout_.footer_bytes;
    if (rest >= layout_.record_bytes) {
      value->assign(bytes_.data(), static_cast<size_t>(layout_.record_bytes));
      Drop(layout_.record_bytes);
      return true;
    }
    if (rest == 0) return false;
    return InvalidArgument("Excess bytes of ", path_, ": ", rest, " bytes are left at offset ",
                           offset_, ", records have ", layout_.record_bytes, " and the footer ",
                           layout_.footer_bytes);
  }

 private:
  void Drop(int64_t bytes) {
    bytes_.Drop(bytes);
    offset_ += bytes;
  }

  // A file whose size is known is refused as a whole when its records do not fit.
  Status CheckSize() const {
    const int64_t to_come = bytes_.remaining();
    if (to_come < 0) return OkStatus();
    const int64_t body = bytes_.available() + to_come - layout_.footer_bytes;
    if (body >= 0 && body % layout_.record_bytes == 0) return OkStatus();
    return InvalidArgument("Excluding the header (", layout_.header_bytes, " bytes) and footer (",
                           layout_.footer_bytes, " bytes), input file \"", path_,
                           "\" has body length ", body,
                           " bytes, which is not an exact multiple of the record length (",
                           layout_.record_bytes, " bytes).");
  }

  const std::string path_;
  LookaheadBuffer bytes_;
  const RecordLayout layout_;
  int64_t offset_ = 0;
  bool has_begun_ = false;
};

class FixedLengthRecordDatasetKernel final : public DatasetKernel {
  StatusOr<DatasetRef> Make(KernelContext& ctx) override {
    WB_ASSIGN_OR_RETURN(std::vector<std::string> paths,
                        VectorInput<std::string>(ctx, 0, "filenames"));
    RecordLayout layout;
    WB_ASSIGN_OR_RETURN(layout.header_bytes, ScalarInput<int64_t>(ctx, 1, "header_bytes"));
    WB_ASSIGN_OR_RETURN(layout.record_bytes, ScalarInput<int64_t>(ctx, 2, "record_bytes"));
    WB_ASSIGN_OR_RETURN(layout.footer_bytes, ScalarInput<int64_t>(ctx, 3, "footer_bytes"));
    WB_ASSIGN_OR_RETURN(const int64_t buffer_size, ScalarInput<int64_t>(ctx, 4, "buffer_size"));
    if (layout.header_bytes < 0 || layout.header_bytes > kLongestRecord) {
      return InvalidArgument("header_bytes must be >= 0, got ", layout.header_bytes);
    }
    if (layout.record_bytes <= 0 || layout.record_bytes > kLongestRecord) {
      return InvalidArgument("record_bytes must be > 0, got ", layout.record_bytes);
    }
    if (layout.footer_bytes < 0 || layout.footer_bytes > kLongestRecord) {
      return InvalidArgument("footer_bytes must be >= 0, got ", layout.footer_bytes);
    }
    if (buffer_size < 0) return InvalidArgument("buffer_size must be >= 0, got ", buffer_size);
    CompressionType compression = CompressionType::kNone;
    if (ctx.num_inputs() > 5) {
      WB_ASSIGN_OR_RETURN(const std::string type,
                          ScalarInput<std::string>(ctx, 5, "compression_type"));
      WB_ASSIGN_OR_RETURN(compression, ParseCompressionType(type));
    }
    const size_t bytes = ReadaheadBytes(buffer_size);
    const auto open = [=](size_t,
                          const std::string& path) -> StatusOr<std::unique_ptr<FileReader>> {
      WB_ASSIGN_OR_RETURN(std::unique_ptr<ByteSource> source,
                          OpenByteSource(path, compression, bytes));
      return std::make_unique<FixedLengthReader>(path, std::move(source), layout, bytes);
    };
    return std::make_shared<FileDataset>("FixedLengthRecord", std::move(paths), open);
  }
};

WB_OP("FixedLengthRecordDataset")
    .Role(OpRole::kDataset)
    .Input("filenames: string")
    .Input("header_bytes: int64")
    .Input("record_bytes: int64")
    .Input("footer_bytes: int64")
    .Input("buffer_size: int64")
    .Output("handle: variant")
    .Attr("metadata: string = ''")
    .Stateful()
    .Needs(Capability::kReadFile)
    .Shape(DatasetShape);
WB_OP("FixedLengthRecordDatasetV2")
    .Role(OpRole::kDataset)
    .Input("filenames: string")
    .Input("header_bytes: int64")
    .Input("record_bytes: int64")
    .Input("footer_bytes: int64")
    .Input("buffer_size: int64")
    .Input("compression_type: string")
    .Output("handle: variant")
    .Attr("metadata: string = ''")
    .Stateful()
    .Needs(Capability::kReadFile)
    .Shape(DatasetShape);
WB_KERNEL("FixedLengthRecordDataset", KernelOf<FixedLengthRecordDatasetKernel>).Cpu().Cheap();
WB_KERNEL("FixedLengthRecordDatasetV2", KernelOf<FixedLengthRecordDatasetKernel>).Cpu().Cheap();

}  // namespace
}  // namespace warpbeam
