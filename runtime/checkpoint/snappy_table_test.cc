// Table files whose blocks are compressed.
#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "runtime/checkpoint/table_format.h"
#include "runtime/checkpoint/table_reader.h"
#include "runtime/record/crc32c.h"
#include "runtime/record/record_format.h"
#include "runtime/record/snappy.h"

namespace warpbeam {
namespace {

using Code = StatusCode;

// A table file, block by block.
class TableBytes {
 public:
  using Entries = std::vector<std::pair<std::string, std::string>>;

  static std::string Block(const Entries& entries) {
    std::string block;
    for (const auto& [key, value] : entries) {
      AppendVarint(0, &block);
      AppendVarint(key.size(), &block);
      AppendVarint(value.size(), &block);
      block += key + value;
    }
    return block + std::string("\0\0\0\0\1\0\0\0", 8);
  }
  // The handle of the block, whose bytes are as the compression says.
  std::string Add(std::string bytes, char compression) {
    std::string handle;
    AppendVarint(file_.size(), &handle);
    AppendVarint(bytes.size(), &handle);
    bytes.push_back(compression);
    char crc[4];
    StoreLittle32(MaskCrc32c(Crc32c(bytes.data(), bytes.size())), crc);
    file_ += bytes + std::string(crc, 4);
    return handle;
  }
  std::string Finish(const std::string& index_handle) {
    std::string footer = Add(Block({}), kTableUncompressed) + index_handle;
    footer.resize(kTableHandlesBytes);
    char magic[8];
    StoreLittle64(kTableMagic, magic);
    return file_ + footer + std::string(magic, 8);
  }

 private:
  std::string file_;
};

TEST(SnappyTableTest, CompressedBlocksAreRead) {
  const auto plain = Table::Read("runtime/checkpoint/testdata/bundle.index");
  ASSERT_TRUE(plain.ok()) << plain.status();
  TableBytes::Entries entries;
  for (const Table::Entry& e : plain->entries()) entries.emplace_back(e.key, std::string(e.value));
  TableBytes table;
  const std::string block = table.Add(SnappyCompress(TableBytes::Block(entries)), kTableSnappy);
  const std::string index = TableBytes::Block({{entries.back().first, block}});
  const std::string bytes = table.Finish(table.Add(SnappyCompress(index), kTableSnappy));
  const auto read = Table::Parse(bytes, "compressed");
  ASSERT_TRUE(read.ok()) << read.status();
  ASSERT_EQ(read->entries().size(), entries.size());
  for (size_t i = 0; i < entries.size(); ++i) {
    EXPECT_EQ(read->entries()[i].key, entries[i].first);
    EXPECT_EQ(read->entries()[i].value, entries[i].second);
  }
}

TEST(SnappyTableTest, DamageIsRefused) {
  const auto read = [](const std::string& block, char compression) {
    TableBytes table;
    const std::string handle = table.Add(block, compression);
    const std::string index = TableBytes::Block({{"z", handle}});
    return Table::Parse(table.Finish(table.Add(index, kTableUncompressed)), "damaged").status();
  };
  const std::string block = SnappyCompress(TableBytes::Block({{"key", "value"}}));
  EXPECT_TRUE(read(block, kTableSnappy).ok());
  EXPECT_EQ(read(block.substr(1), kTableSnappy).code(), Code::kDataLoss);
  EXPECT_EQ(read("", kTableSnappy).code(), Code::kDataLoss);
  EXPECT_EQ(read(SnappyCompress("ab"), kTableSnappy).code(), Code::kDataLoss);
  EXPECT_EQ(read(block, 2).code(), Code::kUnimplemented);
}

TEST(SnappyTableTest, BlocksOutOfProportionAreRefused) {
  // A block without entries, whose restart points are a megabyte of zeros, is named again and
  // again.
  std::string block(1 << 20, '\0');
  char restarts[4];
  StoreLittle32((1 << 18) - 1, restarts);
  block.replace(block.size() - 4, 4, restarts, 4);
  TableBytes table;
  const std::string handle = table.Add(SnappyCompress(block), kTableSnappy);
  TableBytes::Entries entries;
  for (int i = 0; i < 1000; ++i) entries.emplace_back(absl::StrCat(1000 + i), handle);
  const std::string index = table.Add(TableBytes::Block(entries), kTableUncompressed);
  const Status s = Table::Parse(table.Finish(index), "hostile").status();
  EXPECT_EQ(s.code(), Code::kDataLoss);
  EXPECT_NE(s.message().find("out of proportion"), absl::string_view::npos) << s;
}

}  // namespace
}  // namespace warpbeam
