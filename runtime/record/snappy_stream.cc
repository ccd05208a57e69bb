#include "runtime/record/snappy_stream.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "absl/memory/memory.h"
#include "graph/types/errors.h"
#include "runtime/record/snappy.h"

namespace warpbeam {
namespace {

// TensorFlow reads no block that is larger before it is compressed.
constexpr size_t kBlockBytes = size_t{256} << 10;
constexpr size_t kMostBlockBytes = size_t{64} << 20;
constexpr size_t kPieceBytes = size_t{1} << 20;

class Source final : public ByteSource {
 public:
  Source(std::string path, std::unique_ptr<ByteSource> file)
      : path_(std::move(path)), file_(std::move(file)) {}

  StatusOr<size_t> Read(char* to, size_t size) override {
    while (begin_ == block_.size()) {
      WB_ASSIGN_OR_RETURN(const bool found, NextBlock());
      if (!found) return size_t{0};
    }
    const size_t got = std::min(size, block_.size() - begin_);
    std::memcpy(to, block_.data() + begin_, got);
    begin_ += got;
    offset_ += static_cast<int64_t>(got);
    return got;
  }

  Status Seek(int64_t offset) override {
    if (offset < offset_) {
      WB_RETURN_IF_ERROR(file_->Seek(0));
      block_.clear();
      begin_ = 0;
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
  int64_t bytes_read() const override { return file_->bytes_read(); }

 private:
  // As many bytes as there are, at most `size`; memory is taken for bytes that have come.
  StatusOr<std::string> Take(size_t size) {
    std::string bytes;
    while (bytes.size() < size) {
      const size_t had = bytes.size();
      bytes.resize(std::min(size, had + kPieceBytes));
      WB_ASSIGN_OR_RETURN(const size_t got, file_->Read(&bytes[had], bytes.size() - had));
      bytes.resize(had + got);
      if (got == 0) break;
    }
    return bytes;
  }

  StatusOr<bool> NextBlock() {
    WB_ASSIGN_OR_RETURN(const std::string length, Take(4));
    if (length.empty()) return false;
    size_t size = 0;
    for (const char c : length) size = size << 8 | static_cast<uint8_t>(c);
    if (length.size() < 4) return Damaged("the data ends inside of a block's length");
    if (size > kMostBlockBytes) return Damaged(absl::StrCat("a block of ", size, " bytes"));
    WB_ASSIGN_OR_RETURN(const std::string block, Take(size));
    if (block.size() < size) return Damaged("the data ends inside of a block");
    StatusOr<std::string> bytes = SnappyUncompress(block);
    if (!bytes.ok()) return Damaged(bytes.status().message());
    block_ = *std::move(bytes);
    begin_ = 0;
    return true;
  }

  Status Damaged(absl::string_view what) const {
    return DataLoss(path_, ": the SNAPPY data is damaged before byte ", file_->bytes_read(), " (",
                    what, ")");
  }

  const std::string path_;
  const std::unique_ptr<ByteSource> file_;
  std::string block_;
  size_t begin_ = 0;    // of what was not given out, in block_
  int64_t offset_ = 0;  // in the decompressed data
};

class Sink final : public ByteSink {
 public:
  Sink(std::string path, std::unique_ptr<ByteSink> file)
      : path_(std::move(path)), file_(std::move(file)) {}
  ~Sink() override { Close().IgnoreError(); }

  Status Append(absl::string_view data) override {
    if (closed_) return FailedPrecondition(path_, " is closed");
    while (!data.empty()) {
      const absl::string_view part = data.substr(0, kBlockBytes - buffer_.size());
      buffer_.append(part.data(), part.size());
      data.remove_prefix(part.size());
      if (buffer_.size() == kBlockBytes) WB_RETURN_IF_ERROR(WriteBlock());
    }
    return OkStatus();
  }

  Status Flush() override {
    WB_RETURN_IF_ERROR(WriteBlock());
    return file_->Flush();
  }

  Status Close() override {
    if (closed_) return OkStatus();
    closed_ = true;
    const Status written = WriteBlock();
    const Status closed = file_->Close();
    return written.ok() ? closed : written;
  }

 private:
  Status WriteBlock() {
    if (buffer_.empty()) return OkStatus();
    const std::string block = SnappyCompress(buffer_);
    buffer_.clear();
    std::string length;
    for (int shift = 24; shift >= 0; shift -= 8) {
      length.push_back(static_cast<char>(block.size() >> shift));
    }
    WB_RETURN_IF_ERROR(file_->Append(length));
    return file_->Append(block);
  }

  const std::string path_;
  const std::unique_ptr<ByteSink> file_;
  std::string buffer_;
  bool closed_ = false;
};

}  // namespace

std::unique_ptr<ByteSource> SnappySource(std::string path, std::unique_ptr<ByteSource> file) {
  return absl::make_unique<Source>(std::move(path), std::move(file));
}

std::unique_ptr<ByteSink> SnappySink(std::string path, std::unique_ptr<ByteSink> file) {
  return absl::make_unique<Sink>(std::move(path), std::move(file));
}

}  // namespace warpbeam
