// FixedLengthRecordReader, FixedLengthRecordReaderV2: records of one size, such as CIFAR-10's; they
// may overlap or have gaps (hop_bytes). V2 reads compressed files too.
#include <algorithm>

#include "graph/gradients/gradient_registry.h"
#include "graph/op/op_registry.h"
#include "ops/io/reader.h"
#include "runtime/kernel/kernel_registry.h"
#include "runtime/record/compression.h"
#include "runtime/record/lookahead_buffer.h"

namespace warpbeam {
namespace {

constexpr int64_t kReadahead = int64_t{256} << 10;
constexpr int64_t kLongestRecord = int64_t{1} << 31;

struct RecordLayout {
  int64_t header_bytes = 0;
  int64_t record_bytes = 0;
  int64_t footer_bytes = 0;
  int64_t hop_bytes = 0;  // from the start of one record to the next
};

// Keys are "file:number of the record", from 0. The footer cannot be told from a record before the
// end of the file is seen, so its size is read ahead of what is given out.
class FixedLengthRecords final : public WorkUnit {
 public:
  FixedLengthRecords(std::string path, std::unique_ptr<ByteSource> source, RecordLayout layout)
      : path_(std::move(path)), bytes_(std::move(source), kReadahead), layout_(layout) {}

  StatusOr<bool> Next(std::string* key, std::string* value) override {
    WB_RETURN_IF_ERROR(Skip(number_ == 0 ? layout_.header_bytes : layout_.hop_bytes - taken_));
    WB_RETURN_IF_ERROR(bytes_.Fill(layout_.record_bytes + layout_.footer_bytes));
    if (bytes_.available() < layout_.record_bytes + layout_.footer_bytes) return false;
    value->assign(bytes_.data(), static_cast<size_t>(layout_.record_bytes));
    // Records that overlap share bytes.
    taken_ = std::min(layout_.record_bytes, layout_.hop_bytes);
    bytes_.Drop(taken_);
    *key = absl::StrCat(path_, ":", number_++);
    return true;
  }

 private:
  Status Skip(int64_t bytes) {
    while (bytes > 0) {
      WB_RETURN_IF_ERROR(bytes_.Fill(std::min(bytes, kReadahead)));
      if (bytes_.available() == 0) break;
      const int64_t step = std::min(bytes, bytes_.available());
      bytes_.Drop(step);
      bytes -= step;
    }
    return OkStatus();
  }

  const std::string path_;
  LookaheadBuffer bytes_;
  const RecordLayout layout_;
  int64_t number_ = 0;
  int64_t taken_ = 0;  // of the last record's hop
};

class FixedLengthRecordReaderKernel final : public ReaderKernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) {
    auto kernel = std::make_unique<FixedLengthRecordReaderKernel>();
    RecordLayout& layout = kernel->layout_;
    WB_ASSIGN_OR_RETURN(layout.header_bytes, init.attr<int64_t>("header_bytes"));
    WB_ASSIGN_OR_RETURN(layout.record_bytes, init.attr<int64_t>("record_bytes"));
    WB_ASSIGN_OR_RETURN(layout.footer_bytes, init.attr<int64_t>("footer_bytes"));
    WB_ASSIGN_OR_RETURN(layout.hop_bytes, init.attr<int64_t>("hop_bytes"));
    WB_RETURN_IF_ERROR(Check(layout));
    if (layout.hop_bytes == 0) layout.hop_bytes = layout.record_bytes;
    WB_ASSIGN_OR_RETURN(kernel->compression_,
                        ParseCompressionType(init.attrs.GetOr<std::string>("encoding", "")));
    WB_RETURN_IF_ERROR(kernel->InitNames(init, "Reader"));
    return kernel;
  }

 private:
  static Status Check(const RecordLayout& layout) {
    const auto in_range = [](int64_t bytes, int64_t least) {
      return bytes >= least && bytes <= kLongestRecord;
    };
    if (!in_range(layout.header_bytes, 0)) {
      return InvalidArgument("header_bytes must be >= 0 not ", layout.header_bytes);
    }
    if (!in_range(layout.record_bytes, 1)) {
      return InvalidArgument("record_bytes must be >= 1 not ", layout.record_bytes);
    }
    if (!in_range(layout.footer_bytes, 0)) {
      return InvalidArgument("footer_bytes must be >= 0 not ", layout.footer_bytes);
    }
    if (!in_range(layout.hop_bytes, 0)) {
      return InvalidArgument("hop_bytes must be >= 0 not ", layout.hop_bytes);
    }
    return OkStatus();
  }

  Reader::Open OpenFunction() const override {
    return [layout = layout_, compression = compression_](
               const std::string& path) -> StatusOr<std::unique_ptr<WorkUnit>> {
      WB_ASSIGN_OR_RETURN(std::unique_ptr<ByteSource> source,
                          OpenByteSource(path, compression, kReadahead));
      return std::make_unique<FixedLengthRecords>(path, std::move(source), layout);
    };
  }

  RecordLayout layout_;
  CompressionType compression_ = CompressionType::kNone;
};

WB_OP("FixedLengthRecordReader")
    .Output("reader_handle: Ref(string)")
    .Attr("header_bytes: int = 0")
    .Attr("record_bytes: int")
    .Attr("footer_bytes: int = 0")
    .Attr("hop_bytes: int = 0")
    .Attr("container: string = ''")
    .Attr("shared_name: string = ''")
    .Deprecated(26, "Use tf.data: FixedLengthRecordDataset")
    .Stateful()
    .Needs(Capability::kReadFile)
    .Shape(ReaderHandleShape);
WB_OP("FixedLengthRecordReaderV2")
    .Output("reader_handle: resource")
    .Attr("header_bytes: int = 0")
    .Attr("record_bytes: int")
    .Attr("footer_bytes: int = 0")
    .Attr("hop_bytes: int = 0")
    .Attr("container: string = ''")
    .Attr("shared_name: string = ''")
    .Attr("encoding: string = ''")
    .Stateful()
    .Needs(Capability::kReadFile)
    .Shape(ReaderHandleShape);
WB_KERNEL("FixedLengthRecordReader", FixedLengthRecordReaderKernel).Cpu().Cheap();
WB_KERNEL("FixedLengthRecordReaderV2", FixedLengthRecordReaderKernel).Cpu().Cheap();
WB_NO_GRADIENT("FixedLengthRecordReader");

}  // namespace
}  // namespace warpbeam
