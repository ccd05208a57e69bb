#include "runtime/checkpoint/table_reader.h"

#include <algorithm>

#include "absl/functional/function_ref.h"
#include "runtime/checkpoint/table_format.h"
#include "runtime/record/crc32c.h"
#include "runtime/record/file.h"
#include "runtime/record/record_format.h"
#include "runtime/record/snappy.h"

namespace warpbeam {

// No block of Snappy's becomes larger than this many times itself; what does was read many times.
constexpr uint64_t kMostGrowth = 32;

class Table::Parser {
 public:
  Parser(absl::string_view name, Table* table)
      : file_(*table->bytes_), name_(name), table_(*table) {}

  Status Run() {
    if (file_.size() < kTableFooterBytes) {
      return Damaged(0, absl::StrCat("file is too short to be a table: ", file_.size(), " bytes"));
    }
    const size_t footer = file_.size() - kTableFooterBytes;
    if (LoadLittle64(file_.data() + footer + kTableHandlesBytes) != kTableMagic) {
      return Damaged(footer + kTableHandlesBytes, "not a table (bad magic number)");
    }
    absl::string_view handles = file_.substr(footer, kTableHandlesBytes);
    Block meta, index;
    WB_RETURN_IF_ERROR(ReadBlock(&handles, footer, &meta));
    WB_RETURN_IF_ERROR(ReadBlock(&handles, footer, &index));
    std::vector<Entry>& entries = table_.entries_;
    WB_RETURN_IF_ERROR(ReadEntries(index, [&](std::string, absl::string_view value, size_t at) {
      Block block;
      WB_RETURN_IF_ERROR(ReadBlock(&value, at, &block));
      return ReadEntries(block, [&](std::string key, absl::string_view v, size_t at) {
        if (!entries.empty() && key <= entries.back().key) {
          return Damaged(at, "keys are not in order");
        }
        entries.push_back({std::move(key), v});
        return OkStatus();
      });
    }));
    return OkStatus();
  }

 private:
  struct Block {
    absl::string_view bytes;
    size_t offset = 0;  // in the file
    bool compressed = false;

    // Where to look for what is wrong with `part`.
    size_t OffsetOf(absl::string_view part) const {
      return compressed ? offset : offset + static_cast<size_t>(part.data() - bytes.data());
    }
  };

  Status Damaged(size_t offset, absl::string_view what) const {
    return DataLoss("Unable to read the table file ", name_, ": ", what, ", at byte ", offset);
  }

  // Takes a handle off `handles`, which stand at byte `at`, and checks the block that it points to.
  Status ReadBlock(absl::string_view* handles, size_t at, Block* block) {
    uint64_t offset = 0;
    uint64_t size = 0;
    if (!ReadVarint(handles, &offset) || !ReadVarint(handles, &size)) {
      return Damaged(at, "bad block handle");
    }
    const uint64_t end = file_.size() - kTableFooterBytes;
    if (offset > end || size > end - offset || end - offset - size < kTableTrailerBytes) {
      return Damaged(at, "a block handle that leaves the file");
    }
    const char* const data = file_.data() + offset;
    if (UnmaskCrc32c(LoadLittle32(data + size + 1)) != Crc32c(data, size + 1)) {
      return Damaged(offset, "block checksum mismatch");
    }
    block->bytes = file_.substr(offset, size);
    block->offset = offset;
    if (data[size] == kTableUncompressed) return OkStatus();
    if (data[size] == kTableSnappy) return Uncompress(block);
    return Unimplemented("a block compressed in an unknown way (type ",
                         static_cast<int>(data[size]), ") in the table file ", name_, " at byte ",
                         offset, "; known are 0, none, and 1, Snappy");
  }

  Status Uncompress(Block* block) {
    StatusOr<std::string> bytes = SnappyUncompress(block->bytes);
    if (!bytes.ok()) return Damaged(block->offset, bytes.status().message());
    if (bytes->size() > block_bytes_left_) {
      return Damaged(block->offset, "blocks out of proportion to the file");
    }
    block_bytes_left_ -= bytes->size();
    key_bytes_left_ += bytes->size() * kTableRestartInterval;
    table_.uncompressed_.push_back(std::make_unique<const std::string>(*std::move(bytes)));
    block->bytes = *table_.uncompressed_.back();
    block->compressed = true;
    return OkStatus();
  }

  Status ReadEntries(const Block& block,
                     absl::FunctionRef<Status(std::string, absl::string_view, size_t)> visit) {
    const absl::string_view bytes = block.bytes;
    if (bytes.size() < 4) return Damaged(block.offset, "a block without restart points");
    const uint64_t restarts = LoadLittle32(bytes.data() + bytes.size() - 4);
    if (restarts > (bytes.size() - 4) / 4) {
      return Damaged(block.offset, "more restart points than fit into the block");
    }
    absl::string_view rest = bytes.substr(0, bytes.size() - 4 * (restarts + 1));
    std::string key;
    while (!rest.empty()) {
      const size_t at = block.OffsetOf(rest);
      uint64_t shared, added, value_size;
      if (!ReadVarint(&rest, &shared) || !ReadVarint(&rest, &added) ||
          !ReadVarint(&rest, &value_size) || shared > key.size() || added > rest.size() ||
          value_size > rest.size() - added) {
        return Damaged(at, "bad entry in block");
      }
      key.resize(shared);
      key.append(rest.data(), added);
      if (key.size() > key_bytes_left_) return Damaged(at, "keys out of proportion to the file");
      key_bytes_left_ -= key.size();
      const absl::string_view value = rest.substr(added, value_size);
      WB_RETURN_IF_ERROR(visit(key, value, block.OffsetOf(value)));
      rest.remove_prefix(added + value_size);
    }
    return OkStatus();
  }

  const absl::string_view file_;
  const absl::string_view name_;
  Table& table_;
  uint64_t block_bytes_left_ = file_.size() * kMostGrowth;
  // The writer starts a key afresh at least every 16 entries; more sharing is an attack.
  uint64_t key_bytes_left_ = file_.size() * kTableRestartInterval + 65536;
};

StatusOr<Table> Table::Read(absl::string_view path) {
  WB_ASSIGN_OR_RETURN(std::string bytes, ReadFileToString(path));
  return Parse(std::move(bytes), path);
}

StatusOr<Table> Table::Parse(std::string bytes, absl::string_view name) {
  Table table;
  table.bytes_ = std::make_unique<const std::string>(std::move(bytes));
  WB_RETURN_IF_ERROR(Parser(name, &table).Run());
  return table;
}

const Table::Entry* Table::Find(absl::string_view key) const {
  const auto at = std::lower_bound(
      entries_.begin(), entries_.end(), key,
      [](const Entry& e, absl::string_view k) { return absl::string_view(e.key) < k; });
  return at != entries_.end() && absl::string_view(at->key) == key ? &*at : nullptr;
}

}  // namespace warpbeam
