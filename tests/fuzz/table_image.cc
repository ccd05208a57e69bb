#include "tests/fuzz/table_image.h"

#include <cstring>

#include "proto/tensor_bundle.pb.h"
#include "runtime/checkpoint/table_format.h"
#include "runtime/checkpoint/table_reader.h"
#include "runtime/record/crc32c.h"
#include "tests/fuzz/byte_mutator.h"

namespace warpbeam {
namespace fuzz {
namespace {

void AppendLittle32(uint32_t v, std::string* out) {
  char raw[4];
  memcpy(raw, &v, 4);
  out->append(raw, 4);
}

void AppendEntry(const std::string& key, const std::string& value, std::string* out) {
  AppendVarint(0, out);  // shared with the key before
  AppendVarint(key.size(), out);
  AppendVarint(value.size(), out);
  out->append(key).append(value);
}

// The block with restart points for all its entries and its trailer; returns its handle.
std::string AppendBlock(std::string block, const std::vector<uint32_t>& restarts,
                        std::string* file) {
  for (uint32_t restart : restarts) AppendLittle32(restart, &block);
  AppendLittle32(static_cast<uint32_t>(restarts.size()), &block);
  std::string handle;
  AppendVarint(file->size(), &handle);
  AppendVarint(block.size(), &handle);
  block.push_back(0);  // not compressed
  AppendLittle32(MaskCrc32c(Crc32c(block.data(), block.size())), &block);
  file->append(block);
  return handle;
}

}  // namespace

bool TableImage::Parse(const std::string& bytes) {
  const StatusOr<Table> table = Table::Parse(bytes, "the table");
  if (!table.ok()) return false;
  entries_.clear();
  for (const Table::Entry& e : table->entries()) entries_.emplace_back(e.key, std::string(e.value));
  return true;
}

void TableImage::Mutate(RandomSource& random) {
  constexpr size_t kLongest = 4096;
  if (entries_.empty()) {
    entries_.emplace_back("", "");
    return;
  }
  auto& entry = random.Pick(entries_);
  switch (random.Below(10)) {
    case 0:
      MutateBytes(random, kLongest, &entry.first);
      return;
    case 1:
      std::swap(entry, random.Pick(entries_));
      return;
    case 2:
      entries_.erase(entries_.begin() + (&entry - entries_.data()));
      return;
    case 3:
      entry.second = random.Pick(entries_).second;
      return;
    case 4: {
      tensorflow::BundleEntryProto proto;
      if (!proto.ParseFromString(entry.second)) return;
      if (random.OneIn(2)) {
        proto.set_offset(random.EdgeInt());
      } else {
        proto.set_size(random.EdgeInt());
      }
      entry.second = proto.SerializeAsString();
      return;
    }
    default:
      MutateBytes(random, kLongest, &entry.second);
  }
}

void TableImage::SetChecksums(const std::string& data) {
  for (auto& [key, value] : entries_) {
    tensorflow::BundleEntryProto proto;
    if (key.empty() || !proto.ParseFromString(value)) continue;
    const auto offset = static_cast<uint64_t>(proto.offset());
    const auto size = static_cast<uint64_t>(proto.size());
    if (proto.size() <= 0 || offset > data.size() || size > data.size() - offset) continue;
    proto.set_crc32c(MaskCrc32c(Crc32c(data.data() + offset, size)));
    value = proto.SerializeAsString();
  }
}

std::string TableImage::Bytes() const {
  std::string file;
  std::string block;
  std::vector<uint32_t> restarts;
  for (const auto& [key, value] : entries_) {
    restarts.push_back(static_cast<uint32_t>(block.size()));
    AppendEntry(key, value, &block);
  }
  if (restarts.empty()) restarts.push_back(0);
  const std::string data = AppendBlock(std::move(block), restarts, &file);
  const std::string meta = AppendBlock("", {0}, &file);
  std::string index;
  AppendEntry(entries_.empty() ? "" : entries_.back().first, data, &index);
  std::string footer = meta + AppendBlock(std::move(index), {0}, &file);
  footer.resize(kTableHandlesBytes);
  const uint64_t magic = kTableMagic;
  footer.append(reinterpret_cast<const char*>(&magic), sizeof magic);
  return file + footer;
}

}  // namespace fuzz
}  // namespace warpbeam
