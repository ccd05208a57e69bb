#include "runtime/record/line_reader.h"

#include "gtest/gtest.h"
#include "runtime/memory/pool_allocator.h"
#include "runtime/record/file.h"
#include "runtime/record/lookahead_buffer.h"

namespace warpbeam {
namespace {

std::string Write(const std::string& name, const std::string& text) {
  std::string path = testing::TempDir() + "/line_reader_test_" + name;
  EXPECT_TRUE(WriteStringToFile(path, text).ok());
  return path;
}

std::unique_ptr<ByteSource> Open(const std::string& path) {
  StatusOr<std::unique_ptr<ByteSource>> source = OpenByteSource(path, CompressionType::kNone, 16);
  EXPECT_TRUE(source.ok()) << source.status();
  return std::move(*source);
}

std::vector<std::string> Lines(const std::string& text, size_t buffer_bytes) {
  const std::string path = Write("lines", text);
  LineReader reader(path, Open(path), buffer_bytes);
  std::vector<std::string> lines;
  std::string line;
  for (;;) {
    const StatusOr<bool> more = reader.Next(&line);
    EXPECT_TRUE(more.ok()) << more.status();
    if (!more.ok() || !*more) return lines;
    lines.push_back(line);
  }
}

TEST(LineReaderTest, LinesAcrossBuffersOfEverySize) {
  using Strings = std::vector<std::string>;
  for (const size_t bytes : {1, 2, 3, 7, 64}) {
    EXPECT_EQ(Lines("", bytes), Strings{});
    EXPECT_EQ(Lines("\n", bytes), Strings{""});
    EXPECT_EQ(Lines("one\r\ntwo\n\nlast", bytes), (Strings{"one", "two", "", "last"}));
    EXPECT_EQ(Lines("a\rb\n\r\n", bytes), (Strings{"a\rb", ""}));
  }
}

TEST(LookaheadBufferTest, FillsWhatIsAskedForAndSaysWhatIsLeft) {
  const std::string path = Write("bytes", "0123456789");
  LookaheadBuffer bytes(Open(path), /*buffer_bytes=*/4);
  EXPECT_EQ(bytes.remaining(), 10);
  ASSERT_TRUE(bytes.Fill(3).ok());
  ASSERT_GE(bytes.available(), 3);
  EXPECT_EQ(bytes.available() + bytes.remaining(), 10);
  EXPECT_EQ(std::string(bytes.data(), 3), "012");
  bytes.Drop(2);
  // More than the buffer began with, and what was not dropped is still there.
  ASSERT_TRUE(bytes.Fill(7).ok());
  ASSERT_GE(bytes.available(), 7);
  EXPECT_EQ(std::string(bytes.data(), 7), "2345678");
  bytes.Drop(7);
  // Behind the end there is what there is.
  ASSERT_TRUE(bytes.Fill(100).ok());
  EXPECT_EQ(bytes.available(), 1);
  EXPECT_EQ(*bytes.data(), '9');
  EXPECT_EQ(bytes.remaining(), 0);
}

// A file without an end, or as good as that, takes no more memory than there may be.
TEST(LineReaderTest, WhatThereIsNoRoomForIsRefused) {
  PoolAllocator& pool = PoolAllocator::Process();
  const int64_t limit = pool.limit();
  pool.set_limit(pool.stats().bytes_in_use + (1 << 20));
  LineReader lines("zeros", Open("/dev/zero"), /*buffer_bytes=*/4096);
  std::string line;
  EXPECT_EQ(lines.Next(&line).status().code(), StatusCode::kResourceExhausted);
  EXPECT_LT(line.size(), 1u << 20);
  LookaheadBuffer bytes(Open("/dev/zero"), /*buffer_bytes=*/4096);
  EXPECT_EQ(bytes.Fill(int64_t{1} << 40).code(), StatusCode::kResourceExhausted);
  EXPECT_LE(bytes.available(), 1 << 20);
  pool.set_limit(limit);
}

}  // namespace
}  // namespace warpbeam
