#include "runtime/record/record_reader.h"

#include <algorithm>
#include <cstring>
#include <new>

#include "absl/memory/memory.h"
#include "absl/strings/str_cat.h"
#include "graph/types/errors.h"
#include "runtime/record/crc32c.h"
#include "runtime/record/record_format.h"

namespace warpbeam {

StatusOr<std::unique_ptr<RecordReader>> RecordReader::Open(absl::string_view path,
                                                           const RecordReaderOptions& options) {
  WB_ASSIGN_OR_RETURN(std::unique_ptr<ByteSource> source,
                      OpenByteSource(path, options.compression, options.readahead_bytes));
  return absl::WrapUnique(new RecordReader(path, options, std::move(source)));
}

StatusOr<bool> RecordReader::Next(absl::string_view* record) {
  if (!status_.ok()) return status_;
  StatusOr<bool> more = ReadRecord(record);
  if (!more.ok()) status_ = more.status();
  return more;
}

Status RecordReader::Seek(int64_t offset) {
  status_ = source_->Seek(offset);
  begin_ = end_ = 0;
  offset_ = offset;
  records_read_ = 0;
  return status_;
}

StatusOr<bool> RecordReader::ReadRecord(absl::string_view* record) {
  WB_RETURN_IF_ERROR(Fill(kRecordHeaderBytes));
  if (available() == 0) return false;
  if (available() < kRecordHeaderBytes) {
    return Damaged(absl::StrCat("the file ends after ", available(), " of its header's ",
                                kRecordHeaderBytes, " bytes; it is truncated"));
  }
  const char* header = buffer_.get() + begin_;
  if (MaskCrc32c(Crc32c(header, kRecordLengthBytes)) != LoadLittle32(header + kRecordLengthBytes)) {
    return BadLengthChecksum();
  }
  const uint64_t length = LoadLittle64(header);
  WB_RETURN_IF_ERROR(CheckLength(length));
  const size_t whole = kRecordHeaderBytes + static_cast<size_t>(length) + kRecordFooterBytes;
  WB_RETURN_IF_ERROR(Fill(whole));
  if (available() < whole) {
    return Damaged(absl::StrCat("the file ends after ", available(), " of its ", whole,
                                " bytes; it is truncated"));
  }
  const char* payload = buffer_.get() + begin_ + kRecordHeaderBytes;
  const uint32_t computed = MaskCrc32c(Crc32c(payload, length));
  const uint32_t stored = LoadLittle32(payload + length);
  if (computed != stored) {
    return Damaged(absl::StrCat("the checksum of its ", length, " bytes is 0x",
                                absl::Hex(computed, absl::kZeroPad8), ", the file says 0x",
                                absl::Hex(stored, absl::kZeroPad8), "; the file is damaged"));
  }
  *record = absl::string_view(payload, length);
  begin_ += whole;
  offset_ += static_cast<int64_t>(whole);
  ++records_read_;
  return true;
}

Status RecordReader::CheckLength(uint64_t length) {
  // Whatever the caller allows, sums of lengths must not overflow.
  const uint64_t limit = std::min(options_.max_record_bytes, uint64_t{1} << 62);
  if (length > limit) {
    return Damaged(absl::StrCat("it claims ", length, " bytes; the limit is ", limit));
  }
  const uint64_t missing_from = available() - kRecordHeaderBytes;
  if (length + kRecordFooterBytes <= missing_from) return OkStatus();
  // Told apart before anything is read or allocated, where the size of the file is known.
  const int64_t remaining = source_->remaining();
  if (remaining < 0 ||
      length + kRecordFooterBytes <= missing_from + static_cast<uint64_t>(remaining)) {
    return OkStatus();
  }
  return Damaged(absl::StrCat("it claims ", length, " bytes, but the file ends after ",
                              missing_from + static_cast<uint64_t>(remaining),
                              " of them and its checksum; it is truncated"));
}

// Afterwards `need` bytes are available, or fewer if the data ends before.
Status RecordReader::Fill(size_t need) {
  while (available() < need) {
    WB_RETURN_IF_ERROR(MakeRoom(need));
    WB_ASSIGN_OR_RETURN(const size_t got, source_->Read(buffer_.get() + end_, capacity_ - end_));
    if (got == 0) break;
    end_ += got;
  }
  return OkStatus();
}

// Makes room behind end_, as far towards `need` as is safe.
Status RecordReader::MakeRoom(size_t need) {
  if (begin_ > 0 && (begin_ == end_ || capacity_ - begin_ < need)) {
    memmove(buffer_.get(), buffer_.get() + begin_, available());
    end_ = available();
    begin_ = 0;
  }
  if (capacity_ >= need) return OkStatus();
  // Bytes that are known to be there are made room for at once; where nobody knows, in compressed
  // data, the buffer doubles as the bytes come.
  size_t capacity = std::max(need, options_.readahead_bytes);
  if (source_->remaining() < 0 && capacity_ > 0) {
    if (end_ < capacity_) return OkStatus();
    capacity = std::min(capacity, 2 * capacity_);
  } else if (capacity_ == 0) {
    capacity = std::max(options_.readahead_bytes, kRecordHeaderBytes);
  }
  std::unique_ptr<char[]> buffer(new (std::nothrow) char[capacity]);
  if (buffer == nullptr) {
    return ResourceExhausted(path_, ": record ", records_read_, " at offset ", offset_,
                             ": no memory for ", capacity, " bytes");
  }
  if (end_ > 0) memcpy(buffer.get(), buffer_.get(), end_);
  buffer_ = std::move(buffer);
  capacity_ = capacity;
  return OkStatus();
}

Status RecordReader::Damaged(absl::string_view what) const {
  return DataLoss(path_, ": record ", records_read_, " at offset ", offset_,
                  options_.compression == CompressionType::kNone ? "" : " of the decompressed data",
                  ": ", what);
}

Status RecordReader::BadLengthChecksum() const {
  const auto* head = reinterpret_cast<const unsigned char*>(buffer_.get() + begin_);
  absl::string_view guess = "the file is damaged or not a TFRecord file";
  if (offset_ == 0 && options_.compression == CompressionType::kNone) {
    if (head[0] == 0x1f && head[1] == 0x8b) {
      guess = "the file looks like gzip: is its compression type GZIP?";
    } else if (head[0] == 0x78 && (head[0] * 256 + head[1]) % 31 == 0) {
      guess = "the file looks like zlib data: is its compression type ZLIB?";
    }
  }
  return Damaged(absl::StrCat("the checksum of its length does not match; ", guess));
}

}  // namespace warpbeam
