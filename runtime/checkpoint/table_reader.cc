#include "runtime/checkpoint/table_reader.h"

#include <algorithm>

#include "absl/functional/function_ref.h"
#include "runtime/checkpoint/table_format.h"
#include "runtime/record/crc32c.h"
#include "runtime/record/file.h"
#include "runtime/record/record_format.h"

namespace warpbeam {

class Table::Parser {
 public:
  Parser(absl::string_view file, absl::string_view name) : file_(file), name_(name) {}

  absl::Status Run(std::vector<Entry>* entries) {
    if (file_.size() < kTableFooterBytes) {
      return Damaged(0, absl::StrCat("file is too short to be a table: ", file_.size(), " bytes"));
    }
    const size_t footer = file_.size() - kTableFooterBytes;
    if (LoadLittle64(file_.data() + footer + kTableHandlesBytes) != kTableMagic) {
      return Damaged(footer + kTableHandlesBytes, "not a table (bad magic number)");
    }
    absl::string_view handles = file_.substr(footer, kTableHandlesBytes);
    absl::string_view meta, index;
    WB_RETURN_IF_ERROR(ReadBlock(&handles, footer, &meta));
    WB_RETURN_IF_ERROR(ReadBlock(&handles, footer, &index));
    // The writer starts a key afresh at least every 16 entries; more sharing is an attack.
    key_bytes_left_ = file_.size() * kTableRestartInterval + 65536;
    WB_RETURN_IF_ERROR(ReadEntries(index, [&](std::string, absl::string_view value) {
      absl::string_view block;
      const size_t at = OffsetOf(value);
      WB_RETURN_IF_ERROR(ReadBlock(&value, at, &block));
      return ReadEntries(block, [&](std::string key, absl::string_view v) -> absl::Status {
        if (!entries->empty() && key <= entries->back().key) {
          return Damaged(OffsetOf(v), "keys are not in order");
        }
        entries->push_back({std::move(key), v});
        return absl::OkStatus();
      });
    }));
    return absl::OkStatus();
  }

 private:
  absl::Status Damaged(size_t offset, absl::string_view what) const {
    return DataLoss("Unable to read the table file ", name_, ": ", what, ", at byte ", offset);
  }
  size_t OffsetOf(absl::string_view part) const {
    return static_cast<size_t>(part.data() - file_.data());
  }

  // Takes a handle off `handles` and checks the block that it points to.
  absl::Status ReadBlock(absl::string_view* handles, size_t at, absl::string_view* block) const {
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
    if (data[size] != 0) {
      return Unimplemented("a compressed block (type ", static_cast<int>(data[size]),
                           ") in the table file ", name_, " at byte ", offset,
                           "; checkpoints are written without compression");
    }
    *block = file_.substr(offset, size);
    return absl::OkStatus();
  }

  absl::Status ReadEntries(absl::string_view block,
                           absl::FunctionRef<absl::Status(std::string, absl::string_view)> visit) {
    if (block.size() < 4) return Damaged(OffsetOf(block), "a block without restart points");
    const uint64_t restarts = LoadLittle32(block.data() + block.size() - 4);
    if (restarts > (block.size() - 4) / 4) {
      return Damaged(OffsetOf(block), "more restart points than fit into the block");
    }
    absl::string_view rest = block.substr(0, block.size() - 4 * (restarts + 1));
    std::string key;
    while (!rest.empty()) {
      const size_t at = OffsetOf(rest);
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
      WB_RETURN_IF_ERROR(visit(key, rest.substr(added, value_size)));
      rest.remove_prefix(added + value_size);
    }
    return absl::OkStatus();
  }

  const absl::string_view file_;
  const absl::string_view name_;
  uint64_t key_bytes_left_ = 0;
};

absl::StatusOr<Table> Table::Read(absl::string_view path) {
  WB_ASSIGN_OR_RETURN(std::string bytes, ReadFileToString(path));
  return Parse(std::move(bytes), path);
}

absl::StatusOr<Table> Table::Parse(std::string bytes, absl::string_view name) {
  Table table;
  table.bytes_ = std::make_unique<const std::string>(std::move(bytes));
  WB_RETURN_IF_ERROR(Parser(*table.bytes_, name).Run(&table.entries_));
  return table;
}

const Table::Entry* Table::Find(absl::string_view key) const {
  const auto at = std::lower_bound(
      entries_.begin(), entries_.end(), key,
      [](const Entry& e, absl::string_view k) { return absl::string_view(e.key) < k; });
  return at != entries_.end() && absl::string_view(at->key) == key ? &*at : nullptr;
}

}  // namespace warpbeam
