#include "runtime/record/file.h"

#include <unistd.h>

#include <string>

#include "absl/strings/match.h"
#include "gtest/gtest.h"
#include "runtime/memory/pool_allocator.h"

namespace warpbeam {
namespace {

std::string TempPath(const std::string& name) { return testing::TempDir() + "/file_test_" + name; }

TEST(FileTest, WritesAndReadsBack) {
  const std::string path = TempPath("round");
  StatusOr<std::unique_ptr<OutputFile>> out = OutputFile::Create(path);
  ASSERT_TRUE(out.ok()) << out.status();
  ASSERT_TRUE((*out)->Append("hello ").ok());
  ASSERT_TRUE((*out)->Append("world").ok());
  EXPECT_EQ((*out)->bytes_written(), 11);
  ASSERT_TRUE((*out)->Sync().ok());
  ASSERT_TRUE((*out)->Close().ok());
  EXPECT_TRUE((*out)->Close().ok());
  EXPECT_EQ((*out)->Append("x").code(), StatusCode::kFailedPrecondition);
  EXPECT_EQ((*out)->Sync().code(), StatusCode::kFailedPrecondition);

  StatusOr<std::unique_ptr<InputFile>> in = InputFile::Open(path);
  ASSERT_TRUE(in.ok()) << in.status();
  EXPECT_EQ((*in)->size(), 11);
  char bytes[16];
  EXPECT_EQ((*in)->Read(bytes, 5).value(), 5u);
  EXPECT_EQ(std::string(bytes, 5), "hello");
  EXPECT_EQ((*in)->offset(), 5);
  EXPECT_EQ((*in)->Read(bytes, 16).value(), 6u);
  EXPECT_EQ((*in)->Read(bytes, 16).value(), 0u);
  ASSERT_TRUE((*in)->Seek(6).ok());
  EXPECT_EQ((*in)->Read(bytes, 5).value(), 5u);
  EXPECT_EQ(std::string(bytes, 5), "world");
  ASSERT_TRUE((*in)->Seek(100).ok());
  EXPECT_EQ((*in)->Read(bytes, 5).value(), 0u);
  EXPECT_EQ((*in)->Seek(-1).code(), StatusCode::kInvalidArgument);
  ASSERT_TRUE((*in)->Seek(3).ok());
  EXPECT_EQ((*in)->ReadAt(6, bytes, 3).value(), 3u);
  EXPECT_EQ(std::string(bytes, 3), "wor");
  EXPECT_EQ((*in)->ReadAt(9, bytes, 16).value(), 2u);
  EXPECT_EQ((*in)->ReadAt(100, bytes, 16).value(), 0u);
  EXPECT_EQ((*in)->ReadAt(-1, bytes, 1).status().code(), StatusCode::kInvalidArgument);
  EXPECT_EQ((*in)->Read(bytes, 2).value(), 2u);
  EXPECT_EQ(std::string(bytes, 2), "lo");
}

TEST(FileTest, CreateEmptiesAppendDoesNot) {
  const std::string path = TempPath("append");
  ASSERT_TRUE(WriteStringToFile(path, "old contents").ok());
  ASSERT_TRUE(WriteStringToFile(path, "new").ok());
  {
    StatusOr<std::unique_ptr<OutputFile>> out = OutputFile::OpenForAppend(path);
    ASSERT_TRUE(out.ok()) << out.status();
    ASSERT_TRUE((*out)->Append("er").ok());
  }
  EXPECT_EQ(ReadFileToString(path).value(), "newer");
}

TEST(FileTest, ErrorsNameThePath) {
  const Status missing = InputFile::Open(TempPath("missing")).status();
  EXPECT_EQ(missing.code(), StatusCode::kNotFound);
  EXPECT_TRUE(absl::StrContains(missing.message(), TempPath("missing"))) << missing;
  const Status folder = InputFile::Open(testing::TempDir()).status();
  EXPECT_FALSE(folder.ok());
  EXPECT_FALSE(OutputFile::Create(TempPath("no/such/folder")).ok());
  EXPECT_FALSE(WriteStringToFile(testing::TempDir(), "x").ok());
}

TEST(FileTest, FullDiskIsReported) {
  StatusOr<std::unique_ptr<OutputFile>> out = OutputFile::OpenForAppend("/dev/full");
  if (!out.ok()) GTEST_SKIP() << "no /dev/full here";
  EXPECT_EQ((*out)->Append("x").code(), StatusCode::kResourceExhausted);
}

TEST(FileTest, ReadFileToStringLimits) {
  const std::string path = TempPath("limit");
  ASSERT_TRUE(WriteStringToFile(path, "12345").ok());
  EXPECT_EQ(ReadFileToString(path, 5).value(), "12345");
  EXPECT_EQ(ReadFileToString(path, 4).status().code(), StatusCode::kResourceExhausted);
  ASSERT_TRUE(WriteStringToFile(path, "").ok());
  EXPECT_EQ(ReadFileToString(path).value(), "");
  // A file whose size the system does not tell.
  EXPECT_FALSE(ReadFileToString("/proc/self/status").value().empty());
}

TEST(FileTest, WhatTheMachineHasNoRoomForIsNotRead) {
  const std::string path = TempPath("sparse");
  ASSERT_TRUE(WriteStringToFile(path, "x").ok());
  ASSERT_EQ(truncate(path.c_str(), off_t{1} << 33), 0);
  const auto beyond_limit = ReadFileToString(path).status();
  EXPECT_EQ(beyond_limit.code(), StatusCode::kResourceExhausted) << beyond_limit;
  PoolAllocator& pool = PoolAllocator::Process();
  const int64_t limit = pool.limit();
  pool.set_limit(1 << 20);
  const auto beyond_memory = ReadFileToString(path, size_t{1} << 40).status();
  pool.set_limit(limit);
  EXPECT_EQ(beyond_memory.code(), StatusCode::kResourceExhausted) << beyond_memory;
  EXPECT_NE(beyond_memory.message().find(path), std::string::npos) << beyond_memory;
  ASSERT_EQ(truncate(path.c_str(), 0), 0);
}

}  // namespace
}  // namespace warpbeam
