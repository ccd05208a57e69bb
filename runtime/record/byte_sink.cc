#include <zlib.h>

#include <algorithm>
#include <climits>
#include <string>
#include <utility>

#include "absl/memory/memory.h"
#include "graph/types/errors.h"
#include "runtime/record/compression.h"
#include "runtime/record/file.h"
#include "runtime/record/snappy_stream.h"

namespace warpbeam {
namespace {

class FileSink : public ByteSink {
 public:
  FileSink(std::unique_ptr<OutputFile> file, size_t buffer_bytes)
      : file_(std::move(file)), capacity_(buffer_bytes) {
    buffer_.reserve(capacity_);
  }

  ~FileSink() override { Close().IgnoreError(); }

  Status Append(absl::string_view data) override {
    if (closed_) return FailedPrecondition(file_->path(), " is closed");
    if (buffer_.size() + data.size() > capacity_) WB_RETURN_IF_ERROR(Flush());
    if (data.size() >= capacity_) return file_->Append(data);
    buffer_.append(data.data(), data.size());
    return OkStatus();
  }

  Status Flush() override {
    // What could not be written is dropped: written again later, it might be there twice.
    const Status status = file_->Append(buffer_);
    buffer_.clear();
    return status;
  }

  Status Close() override {
    if (closed_) return OkStatus();
    closed_ = true;
    const Status flushed = Flush();
    const Status closed = file_->Close();
    return flushed.ok() ? closed : flushed;
  }

 private:
  const std::unique_ptr<OutputFile> file_;
  const size_t capacity_;
  std::string buffer_;
  bool closed_ = false;
};

class DeflateSink : public ByteSink {
 public:
  explicit DeflateSink(size_t buffer_bytes)
      : output_(std::min<size_t>(std::max<size_t>(buffer_bytes, 64), INT_MAX), '\0') {}

  ~DeflateSink() override {
    Close().IgnoreError();
    deflateEnd(&stream_);
  }

  // Looks at the options before it touches the file.
  Status Open(absl::string_view path, CompressionType type, const DeflateOptions& options) {
    const int window_bits = options.window_bits + (type == CompressionType::kGzip ? 16 : 0);
    const int code = deflateInit2(&stream_, options.level, Z_DEFLATED, window_bits,
                                  options.memory_level, options.strategy);
    if (code == Z_MEM_ERROR) {
      return ResourceExhausted("no memory to compress ", path);
    }
    if (code != Z_OK) {
      return InvalidArgument(path, ": zlib refuses level ", options.level, ", window_bits ",
                             options.window_bits, ", memory_level ", options.memory_level,
                             ", strategy ", options.strategy);
    }
    WB_ASSIGN_OR_RETURN(file_, OutputFile::Create(path));
    closed_ = false;
    ResetOutput();
    return OkStatus();
  }

  Status Append(absl::string_view data) override {
    while (!data.empty()) {
      const size_t part = std::min<size_t>(data.size(), UINT_MAX);
      WB_RETURN_IF_ERROR(Deflate(data.substr(0, part), Z_NO_FLUSH));
      data.remove_prefix(part);
    }
    return OkStatus();
  }

  Status Flush() override {
    WB_RETURN_IF_ERROR(Deflate("", Z_SYNC_FLUSH));
    return WriteOutput();
  }

  Status Close() override {
    if (closed_) return OkStatus();
    Status status = Deflate("", Z_FINISH);
    if (status.ok()) status = WriteOutput();
    closed_ = true;
    const Status closed = file_->Close();
    return status.ok() ? closed : status;
  }

 private:
  void ResetOutput() {
    stream_.next_out = reinterpret_cast<Bytef*>(&output_[0]);
    stream_.avail_out = static_cast<uInt>(output_.size());
  }

  Status WriteOutput() {
    const size_t size = output_.size() - stream_.avail_out;
    ResetOutput();
    return file_->Append(absl::string_view(output_).substr(0, size));
  }

  Status Deflate(absl::string_view data, int flush) {
    if (closed_) {
      return FailedPrecondition(file_->path(), " is closed");
    }
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(data.data()));
    stream_.avail_in = static_cast<uInt>(data.size());
    for (;;) {
      const int code = deflate(&stream_, flush);
      // Z_BUF_ERROR: there was nothing to do, which is no error.
      if (code != Z_OK && code != Z_STREAM_END && code != Z_BUF_ERROR) {
        return Internal("cannot compress ", file_->path(), " (zlib: ", code, ")");
      }
      // Room left over means that all of the input is taken and all of the output is out.
      if (stream_.avail_out != 0) return OkStatus();
      WB_RETURN_IF_ERROR(WriteOutput());
    }
  }

  std::unique_ptr<OutputFile> file_;
  std::string output_;
  z_stream stream_ = {};
  bool closed_ = true;  // until Open succeeds
};

}  // namespace

StatusOr<std::unique_ptr<ByteSink>> CreateByteSink(absl::string_view path, CompressionType type,
                                                   const DeflateOptions& deflate,
                                                   size_t buffer_bytes) {
  if (type == CompressionType::kNone) {
    WB_ASSIGN_OR_RETURN(std::unique_ptr<OutputFile> file, OutputFile::Create(path));
    return std::unique_ptr<ByteSink>(
        absl::make_unique<FileSink>(std::move(file), std::max<size_t>(buffer_bytes, 1)));
  }
  if (type == CompressionType::kSnappy) {
    WB_ASSIGN_OR_RETURN(std::unique_ptr<ByteSink> file,
                        CreateByteSink(path, CompressionType::kNone, deflate, buffer_bytes));
    return SnappySink(std::string(path), std::move(file));
  }
  auto sink = absl::make_unique<DeflateSink>(buffer_bytes);
  WB_RETURN_IF_ERROR(sink->Open(path, type, deflate));
  return std::unique_ptr<ByteSink>(std::move(sink));
}

}  // namespace warpbeam
