#include "runtime/checkpoint/table_writer.h"

#include <algorithm>

#include "runtime/checkpoint/table_format.h"
#include "runtime/record/crc32c.h"
#include "runtime/record/record_format.h"

namespace warpbeam {
namespace {

void AppendLittle32(uint32_t value, std::string* out) {
  char bytes[4];
  StoreLittle32(value, bytes);
  out->append(bytes, 4);
}

size_t CommonPrefix(absl::string_view a, absl::string_view b) {
  size_t n = 0;
  while (n < a.size() && n < b.size() && a[n] == b[n]) ++n;
  return n;
}

// A short key in [key, limit).
std::string ShortSeparator(const std::string& key, absl::string_view limit) {
  const size_t at = CommonPrefix(key, limit);
  if (at >= key.size() || at >= limit.size()) return key;
  const unsigned char byte = static_cast<unsigned char>(key[at]);
  if (byte == 0xff || byte + 1 >= static_cast<unsigned char>(limit[at])) return key;
  std::string separator = key.substr(0, at + 1);
  separator[at] = static_cast<char>(byte + 1);
  return separator;
}

// A short key not below `key`.
std::string ShortSuccessor(const std::string& key) {
  for (size_t i = 0; i < key.size(); ++i) {
    if (key[i] == '\xff') continue;
    std::string successor = key.substr(0, i + 1);
    ++successor[i];
    return successor;
  }
  return key;
}

}  // namespace

void TableWriter::Block::Add(absl::string_view key, absl::string_view value) {
  size_t shared = 0;
  if (since_restart_ < restart_interval_) {
    shared = CommonPrefix(last_key_, key);
  } else {
    restarts_.push_back(static_cast<uint32_t>(bytes_.size()));
    since_restart_ = 0;
  }
  AppendVarint(shared, &bytes_);
  AppendVarint(key.size() - shared, &bytes_);
  AppendVarint(value.size(), &bytes_);
  bytes_.append(key.data() + shared, key.size() - shared);
  bytes_.append(value.data(), value.size());
  last_key_.assign(key.data(), key.size());
  ++since_restart_;
}

std::string TableWriter::Block::Take() {
  for (uint32_t offset : restarts_) AppendLittle32(offset, &bytes_);
  AppendLittle32(static_cast<uint32_t>(restarts_.size()), &bytes_);
  restarts_ = {0};
  since_restart_ = 0;
  last_key_.clear();
  return std::exchange(bytes_, {});
}

Status TableWriter::Add(absl::string_view key, absl::string_view value) {
  if (has_keys_ && key <= absl::string_view(last_key_)) {
    return Internal("the keys of a table must ascend: '", key, "' after '", last_key_, "'");
  }
  if (index_is_behind_) AddToIndex(ShortSeparator(last_key_, key));
  block_.Add(key, value);
  last_key_.assign(key.data(), key.size());
  has_keys_ = true;
  return block_.size() >= kTableBlockBytes ? Flush() : OkStatus();
}

Status TableWriter::Flush() {
  if (block_.empty()) return OkStatus();
  WB_RETURN_IF_ERROR(Write(&block_, &behind_));
  index_is_behind_ = true;
  return OkStatus();
}

void TableWriter::AddToIndex(const std::string& separator) {
  std::string handle;
  AppendVarint(behind_.offset, &handle);
  AppendVarint(behind_.size, &handle);
  index_.Add(separator, handle);
  index_is_behind_ = false;
}

Status TableWriter::Write(Block* block, Handle* handle) {
  std::string bytes = block->Take();
  handle->offset = static_cast<uint64_t>(file_->bytes_written());
  handle->size = bytes.size();
  bytes.push_back(0);  // not compressed
  AppendLittle32(MaskCrc32c(Crc32c(bytes.data(), bytes.size())), &bytes);
  return file_->Append(bytes);
}

Status TableWriter::Finish() {
  WB_RETURN_IF_ERROR(Flush());
  Handle meta, index;
  Block empty(kTableRestartInterval);
  WB_RETURN_IF_ERROR(Write(&empty, &meta));
  if (index_is_behind_) AddToIndex(ShortSuccessor(last_key_));
  WB_RETURN_IF_ERROR(Write(&index_, &index));
  std::string footer;
  AppendVarint(meta.offset, &footer);
  AppendVarint(meta.size, &footer);
  AppendVarint(index.offset, &footer);
  AppendVarint(index.size, &footer);
  footer.resize(kTableHandlesBytes);
  AppendLittle32(static_cast<uint32_t>(kTableMagic), &footer);
  AppendLittle32(static_cast<uint32_t>(kTableMagic >> 32), &footer);
  return file_->Append(footer);
}

}  // namespace warpbeam
