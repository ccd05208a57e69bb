#include "runtime/checkpoint/block_file.h"

#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "runtime/record/file.h"

namespace warpbeam {
namespace {

constexpr size_t kBlock = BlockFile::kBlockBytes;

std::string BytesOf(size_t size, size_t seed) {
  std::string bytes(size, 0);
  for (size_t i = 0; i < size; ++i) bytes[i] = static_cast<char>((i + seed) * 2654435761u >> 13);
  return bytes;
}

std::string TestPath() { return ::testing::TempDir() + "/block_file"; }

TEST(BlockFileTest, WritesWhatWasAppended) {
  for (const size_t size :
       {size_t{0}, size_t{1}, kBlock - 1, kBlock, kBlock + 1, 2 * kBlock, 3 * kBlock + 4097}) {
    const std::string bytes = BytesOf(size, size);
    auto file = BlockFile::Create(TestPath());
    ASSERT_TRUE(file.ok()) << file.status();
    // In pieces of all sizes.
    size_t step = 1;
    for (absl::string_view rest = bytes; !rest.empty(); step = step * 3 + 1) {
      ASSERT_TRUE((*file)->Append(rest.substr(0, step)).ok());
      rest.remove_prefix(std::min(step, rest.size()));
    }
    const Status synced = (*file)->Sync();
    ASSERT_TRUE(synced.ok()) << synced;
    EXPECT_TRUE(*ReadFileToString(TestPath()) == bytes) << size;
    EXPECT_TRUE((*file)->Close().ok());
    EXPECT_TRUE((*file)->Close().ok());
    EXPECT_TRUE(IsFailedPrecondition((*file)->Append("x")));
    EXPECT_TRUE(IsFailedPrecondition((*file)->Sync()));
  }
}

TEST(BlockFileTest, GoesOnBehindASync) {
  auto file = BlockFile::Create(TestPath());
  ASSERT_TRUE(file.ok());
  std::string all;
  for (const size_t size : {kBlock + 5, size_t{17}, 2 * kBlock + 1}) {
    const std::string bytes = BytesOf(size, all.size());
    ASSERT_TRUE((*file)->Append(bytes).ok());
    ASSERT_TRUE((*file)->Sync().ok());
    all += bytes;
  }
  ASSERT_TRUE((*file)->Close().ok());
  EXPECT_TRUE(*ReadFileToString(TestPath()) == all);
}

TEST(BlockFileTest, ErrorsOfTheThreadComeOut) {
  auto file = BlockFile::Create("/dev/full");
  ASSERT_TRUE(file.ok()) << file.status();
  const std::string bytes = BytesOf(kBlock, 1);
  Status status;
  for (int i = 0; i < 4 && status.ok(); ++i) status = (*file)->Append(bytes);
  EXPECT_TRUE(IsResourceExhausted(status)) << status;
  EXPECT_TRUE(IsResourceExhausted((*file)->Sync()));
  EXPECT_TRUE(IsNotFound(BlockFile::Create("/no/such/place/file").status()));
}

}  // namespace
}  // namespace warpbeam
