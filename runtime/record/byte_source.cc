#include <zlib.h>

#include <algorithm>
#include <climits>
#include <new>
#include <string>
#include <utility>

#include "absl/memory/memory.h"
#include "graph/types/errors.h"
#include "runtime/record/compression.h"
#include "runtime/record/file.h"
#include "runtime/record/snappy_stream.h"

namespace warpbeam {
namespace {

class FileSource : public ByteSource {
 public:
  explicit FileSource(std::unique_ptr<InputFile> file) : file_(std::move(file)) {}

  StatusOr<size_t> Read(char* to, size_t size) override {
    WB_ASSIGN_OR_RETURN(const size_t got, file_->Read(to, size));
    bytes_read_ += static_cast<int64_t>(got);
    return got;
  }

  Status Seek(int64_t offset) override { return file_->Seek(offset); }

  int64_t remaining() const override {
    // Asked anew each time: a file that is being written grows.
    const int64_t size = file_->size();
    return size < 0 ? -1 : std::max<int64_t>(0, size - file_->offset());
  }

  int64_t bytes_read() const override { return bytes_read_; }

 private:
  const std::unique_ptr<InputFile> file_;
  int64_t bytes_read_ = 0;
};

// Decompresses one member after another: gzip files may be concatenated, and writers that append to
// a compressed file start a new member.
class InflateSource : public ByteSource {
 public:
  InflateSource(std::unique_ptr<InputFile> file, CompressionType type,
                std::unique_ptr<char[]> input, size_t input_size)
      : file_(std::move(file)), type_(type), input_(std::move(input)), input_size_(input_size) {}

  ~InflateSource() override { inflateEnd(&stream_); }

  Status Init() {
    // Adding 16 asks zlib for gzip's header and trailer.
    const int window_bits = MAX_WBITS + (type_ == CompressionType::kGzip ? 16 : 0);
    if (inflateInit2(&stream_, window_bits) != Z_OK) {
      return ResourceExhausted("no memory to decompress ", file_->path());
    }
    return OkStatus();
  }

  StatusOr<size_t> Read(char* to, size_t size) override {
    stream_.next_out = reinterpret_cast<Bytef*>(to);
    const size_t room = std::min<size_t>(size, UINT_MAX);
    stream_.avail_out = static_cast<uInt>(room);
    while (stream_.avail_out == room) {
      if (stream_.avail_in == 0) {
        WB_RETURN_IF_ERROR(Refill());
        if (stream_.avail_in == 0) {
          if (!inside_member_) return size_t{0};
          return DataLoss(file_->path(), ": the ", CompressionName(type_), " data ends at byte ",
                          file_->offset(), " without its end mark; the file is truncated");
        }
      }
      WB_RETURN_IF_ERROR(Inflate());
    }
    const size_t got = room - stream_.avail_out;
    offset_ += static_cast<int64_t>(got);
    return got;
  }

  Status Seek(int64_t offset) override {
    if (offset < offset_) {
      WB_RETURN_IF_ERROR(file_->Seek(0));
      inflateReset(&stream_);
      stream_.avail_in = 0;
      inside_member_ = false;
      offset_ = 0;
    }
    char skipped[4096];
    while (offset_ < offset) {
      const size_t step = static_cast<size_t>(std::min<int64_t>(offset - offset_, sizeof skipped));
      WB_ASSIGN_OR_RETURN(const size_t got, Read(skipped, step));
      if (got == 0) break;
    }
    return OkStatus();
  }

  int64_t remaining() const override { return -1; }
  int64_t bytes_read() const override { return bytes_read_; }

 private:
  Status Refill() {
    WB_ASSIGN_OR_RETURN(const size_t got, file_->Read(input_.get(), input_size_));
    bytes_read_ += static_cast<int64_t>(got);
    stream_.next_in = reinterpret_cast<Bytef*>(input_.get());
    stream_.avail_in = static_cast<uInt>(got);
    return OkStatus();
  }

  Status Inflate() {
    inside_member_ = true;
    const int code = inflate(&stream_, Z_NO_FLUSH);
    if (code == Z_STREAM_END) {
      inside_member_ = false;
      inflateReset(&stream_);
      return OkStatus();
    }
    if (code == Z_OK || code == Z_BUF_ERROR) return OkStatus();
    if (code == Z_MEM_ERROR) {
      return ResourceExhausted("no memory to decompress ", file_->path());
    }
    const int64_t at = file_->offset() - stream_.avail_in;
    return DataLoss(file_->path(), ": the ", CompressionName(type_),
                    " data is damaged before byte ", at, " (",
                    code == Z_NEED_DICT ? "it asks for a preset dictionary"
                                        : (stream_.msg == nullptr ? "unknown error" : stream_.msg),
                    ")");
  }

  const std::unique_ptr<InputFile> file_;
  const CompressionType type_;
  const std::unique_ptr<char[]> input_;
  const size_t input_size_;
  z_stream stream_ = {};
  bool inside_member_ = false;  // some of a member was read, its end was not
  int64_t offset_ = 0;          // in the decompressed data
  int64_t bytes_read_ = 0;
};

}  // namespace

StatusOr<std::unique_ptr<ByteSource>> OpenByteSource(absl::string_view path, CompressionType type,
                                                     size_t readahead_bytes) {
  WB_ASSIGN_OR_RETURN(std::unique_ptr<InputFile> file, InputFile::Open(path));
  if (type == CompressionType::kNone) {
    return std::unique_ptr<ByteSource>(absl::make_unique<FileSource>(std::move(file)));
  }
  if (type == CompressionType::kSnappy) {
    return SnappySource(std::string(path), absl::make_unique<FileSource>(std::move(file)));
  }
  const size_t input_size = std::min<size_t>(std::max<size_t>(readahead_bytes, 1), INT_MAX);
  std::unique_ptr<char[]> input(new (std::nothrow) char[input_size]);
  if (input == nullptr) {
    return ResourceExhausted("no memory for ", input_size, " bytes of readahead of ", path);
  }
  auto source =
      absl::make_unique<InflateSource>(std::move(file), type, std::move(input), input_size);
  WB_RETURN_IF_ERROR(source->Init());
  return std::unique_ptr<ByteSource>(std::move(source));
}

}  // namespace warpbeam
