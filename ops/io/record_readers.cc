// TFRecordReader, TextLineReader, WholeFileReader, IdentityReader and their V2: readers of records,
// lines, whole files, and of the names themselves.
#include "graph/gradients/gradient_registry.h"
#include "graph/op/op_registry.h"
#include "ops/io/reader.h"
#include "runtime/kernel/kernel_registry.h"
#include "runtime/record/file.h"
#include "runtime/record/line_reader.h"
#include "runtime/record/record_reader.h"

namespace warpbeam {
namespace {

constexpr size_t kReadahead = size_t{256} << 10;

// Keys are "file:offset of the record".
class RecordsOfFile final : public WorkUnit {
 public:
  explicit RecordsOfFile(std::unique_ptr<RecordReader> reader) : reader_(std::move(reader)) {}
  StatusOr<bool> Next(std::string* key, std::string* value) override {
    const int64_t offset = reader_->offset();
    absl::string_view record;
    WB_ASSIGN_OR_RETURN(const bool more, reader_->Next(&record));
    if (!more) return false;
    *key = absl::StrCat(reader_->path(), ":", offset);
    value->assign(record.data(), record.size());
    return true;
  }

 private:
  const std::unique_ptr<RecordReader> reader_;
};

// Keys are "file:number of the line", from 1, lines of the header counted.
class LinesOfFile final : public WorkUnit {
 public:
  LinesOfFile(std::string path, std::unique_ptr<ByteSource> source, int64_t skip)
      : path_(path), lines_(std::move(path), std::move(source), kReadahead), to_skip_(skip) {}
  StatusOr<bool> Next(std::string* key, std::string* value) override {
    for (; to_skip_ > 0; --to_skip_) {
      WB_ASSIGN_OR_RETURN(const bool more, NextLine(value));
      if (!more) return false;
    }
    WB_ASSIGN_OR_RETURN(const bool more, NextLine(value));
    if (more) *key = absl::StrCat(path_, ":", line_);
    return more;
  }

 private:
  StatusOr<bool> NextLine(std::string* value) {
    WB_ASSIGN_OR_RETURN(const bool more, lines_.Next(value));
    line_ += more ? 1 : 0;
    return more;
  }

  const std::string path_;
  LineReader lines_;
  int64_t to_skip_;
  int64_t line_ = 0;
};

// One record whose key is the unit of work itself.
class OneRecord final : public WorkUnit {
 public:
  OneRecord(std::string work, bool reads_file) : work_(std::move(work)), reads_file_(reads_file) {}
  StatusOr<bool> Next(std::string* key, std::string* value) override {
    if (is_done_) return false;
    is_done_ = true;
    *value = work_;
    if (reads_file_) {
      WB_ASSIGN_OR_RETURN(*value, ReadFileToString(work_));
    }
    *key = std::move(work_);
    return true;
  }

 private:
  std::string work_;
  const bool reads_file_;
  bool is_done_ = false;
};

class TFRecordReaderKernel final : public ReaderKernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) {
    auto kernel = std::make_unique<TFRecordReaderKernel>();
    WB_ASSIGN_OR_RETURN(
        kernel->options_.compression,
        ParseCompressionType(init.attrs.GetOr<std::string>("compression_type", "")));
    WB_RETURN_IF_ERROR(kernel->InitNames(init, "Reader"));
    return kernel;
  }

 private:
  Reader::Open OpenFunction() const override {
    return [options = options_](const std::string& path) -> StatusOr<std::unique_ptr<WorkUnit>> {
      WB_ASSIGN_OR_RETURN(std::unique_ptr<RecordReader> reader, RecordReader::Open(path, options));
      return std::make_unique<RecordsOfFile>(std::move(reader));
    };
  }
  RecordReaderOptions options_;
};

class TextLineReaderKernel final : public ReaderKernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) {
    auto kernel = std::make_unique<TextLineReaderKernel>();
    WB_ASSIGN_OR_RETURN(kernel->skip_, init.attr<int64_t>("skip_header_lines"));
    if (kernel->skip_ < 0) {
      return InvalidArgument("skip_header_lines must be >= 0 not ", kernel->skip_);
    }
    WB_RETURN_IF_ERROR(kernel->InitNames(init, "Reader"));
    return kernel;
  }

 private:
  Reader::Open OpenFunction() const override {
    return [skip = skip_](const std::string& path) -> StatusOr<std::unique_ptr<WorkUnit>> {
      WB_ASSIGN_OR_RETURN(std::unique_ptr<ByteSource> source,
                          OpenByteSource(path, CompressionType::kNone, kReadahead));
      return std::make_unique<LinesOfFile>(path, std::move(source), skip);
    };
  }
  int64_t skip_ = 0;
};

template <bool kReadsFile>
class OneRecordReaderKernel final : public ReaderKernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) {
    auto kernel = std::make_unique<OneRecordReaderKernel>();
    WB_RETURN_IF_ERROR(kernel->InitNames(init, "Reader"));
    return kernel;
  }

 private:
  Reader::Open OpenFunction() const override {
    return [](const std::string& work) -> StatusOr<std::unique_ptr<WorkUnit>> {
      return std::make_unique<OneRecord>(work, kReadsFile);
    };
  }
  bool SavesState() const override { return true; }
  const char* Kind() const override { return kReadsFile ? "WholeFileReader" : "IdentityReader"; }
};

constexpr char kUseDatasets[] = "Use tf.data: TFRecordDataset, TextLineDataset";

WB_OP("TFRecordReader")
    .Output("reader_handle: Ref(string)")
    .Attr("container: string = ''")
    .Attr("shared_name: string = ''")
    .Attr("compression_type: string = ''")
    .Deprecated(26, kUseDatasets)
    .Stateful()
    .Needs(Capability::kReadFile)
    .Shape(ReaderHandleShape);
WB_OP("TFRecordReaderV2")
    .Output("reader_handle: resource")
    .Attr("container: string = ''")
    .Attr("shared_name: string = ''")
    .Attr("compression_type: string = ''")
    .Stateful()
    .Needs(Capability::kReadFile)
    .Shape(ReaderHandleShape);
WB_KERNEL("TFRecordReader", TFRecordReaderKernel).Cpu().Cheap();
WB_KERNEL("TFRecordReaderV2", TFRecordReaderKernel).Cpu().Cheap();
WB_NO_GRADIENT("TFRecordReader");

WB_OP("TextLineReader")
    .Output("reader_handle: Ref(string)")
    .Attr("skip_header_lines: int = 0")
    .Attr("container: string = ''")
    .Attr("shared_name: string = ''")
    .Deprecated(26, kUseDatasets)
    .Stateful()
    .Needs(Capability::kReadFile)
    .Shape(ReaderHandleShape);
WB_OP("TextLineReaderV2")
    .Output("reader_handle: resource")
    .Attr("skip_header_lines: int = 0")
    .Attr("container: string = ''")
    .Attr("shared_name: string = ''")
    .Stateful()
    .Needs(Capability::kReadFile)
    .Shape(ReaderHandleShape);
WB_KERNEL("TextLineReader", TextLineReaderKernel).Cpu().Cheap();
WB_KERNEL("TextLineReaderV2", TextLineReaderKernel).Cpu().Cheap();
WB_NO_GRADIENT("TextLineReader");

WB_OP("WholeFileReader")
    .Output("reader_handle: Ref(string)")
    .Attr("container: string = ''")
    .Attr("shared_name: string = ''")
    .Stateful()
    .Needs(Capability::kReadFile)
    .Shape(ReaderHandleShape);
WB_OP("WholeFileReaderV2")
    .Output("reader_handle: resource")
    .Attr("container: string = ''")
    .Attr("shared_name: string = ''")
    .Stateful()
    .Needs(Capability::kReadFile)
    .Shape(ReaderHandleShape);
WB_KERNEL("WholeFileReader", OneRecordReaderKernel<true>).Cpu().Cheap();
WB_KERNEL("WholeFileReaderV2", OneRecordReaderKernel<true>).Cpu().Cheap();
WB_NO_GRADIENT("WholeFileReader");

WB_OP("IdentityReader")
    .Output("reader_handle: Ref(string)")
    .Attr("container: string = ''")
    .Attr("shared_name: string = ''")
    .Deprecated(26, kUseDatasets)
    .Stateful()
    .Shape(ReaderHandleShape);
WB_OP("IdentityReaderV2")
    .Output("reader_handle: resource")
    .Attr("container: string = ''")
    .Attr("shared_name: string = ''")
    .Stateful()
    .Shape(ReaderHandleShape);
WB_KERNEL("IdentityReader", OneRecordReaderKernel<false>).Cpu().Cheap();
WB_KERNEL("IdentityReaderV2", OneRecordReaderKernel<false>).Cpu().Cheap();
WB_NO_GRADIENT("IdentityReader");

}  // namespace
}  // namespace warpbeam
