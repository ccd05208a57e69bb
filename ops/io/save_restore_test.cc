// The ops that save and restore checkpoints, through files; what they refuse, with TensorFlow's
// codes.
#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "ops/launch/op_record.h"
#include "runtime/memory/pool_allocator.h"
#include "runtime/record/file.h"

namespace warpbeam {
namespace {

using Code = StatusCode;

std::string Folder(const std::string& name) {
  const char* base = std::getenv("TEST_TMPDIR");
  const std::string path = std::string(base != nullptr ? base : "/tmp") + "/" + name;
  std::filesystem::remove_all(path);
  std::filesystem::create_directories(path);
  return path;
}

Tensor Text(const std::string& s) { return Tensor::Scalar<std::string>(s); }
Tensor Texts(const std::vector<std::string>& s) {
  return Tensor::Vector<std::string>(MakeConstSpan(s));
}
Tensor Rows(float first) {
  return Tensor::FromValues<float>(Shape({2, 3}),
                                   {first, first + 1, first + 2, first + 3, first + 4, first + 5});
}

Status Save(const std::string& prefix, const std::vector<std::string>& names,
            const std::vector<std::string>& parts, std::vector<Tensor> values) {
  return OpRunner("SaveV2")
      .Input(Text(prefix))
      .Input(Texts(names))
      .Input(Texts(parts))
      .InputList(std::move(values))
      .Run()
      .status();
}

StatusOr<std::vector<Tensor>> Restore(const std::string& prefix,
                                      const std::vector<std::string>& names,
                                      const std::vector<std::string>& parts,
                                      std::vector<DType> types) {
  return OpRunner("RestoreV2")
      .Attr("dtypes", std::move(types))
      .Input(Text(prefix))
      .Input(Texts(names))
      .Input(Texts(parts))
      .Run();
}

TEST(SaveRestoreTest, WholeTensorsAndParts) {
  const std::string prefix = Folder("v2") + "/m";
  const Status saved = Save(
      prefix, {"x", "y", "w", "w"}, {"", "", "4 3 0,2:-", "4 3 2,2:-"},
      {Tensor::Vector<float>({1, 2}), Tensor::Vector<std::string>({"p", "qq"}), Rows(0), Rows(6)});
  ASSERT_TRUE(saved.ok()) << saved;
  auto got = Restore(prefix, {"y", "x", "w", "w"}, {"", "2 1,1", "", "4 3 1,2:0,2"},
                     {DType::kString, DType::kFloat, DType::kFloat, DType::kFloat});
  ASSERT_TRUE(got.ok()) << got.status();
  EXPECT_EQ((*got)[0].flat<std::string>()[1], "qq");
  EXPECT_EQ((*got)[1].shape(), Shape({1}));
  EXPECT_EQ((*got)[1].flat<float>()[0], 2);
  EXPECT_EQ((*got)[2].shape(), Shape({4, 3}));
  EXPECT_EQ((*got)[2].flat<float>()[11], 11);
  EXPECT_EQ((*got)[3].shape(), Shape({2, 2}));
  EXPECT_EQ((*got)[3].flat<float>()[3], 7);
}

TEST(SaveRestoreTest, RefusalsNameTheTensor) {
  const std::string folder = Folder("refused");
  const std::string prefix = folder + "/m";
  const Tensor two = Tensor::Vector<float>({1, 2});
  ASSERT_TRUE(Save(prefix, {"x"}, {""}, {two}).ok());
  EXPECT_EQ(Save(prefix + "2", {"x", "x"}, {"", ""}, {two, two}).code(), Code::kInvalidArgument);
  EXPECT_EQ(Save(prefix + "2", {"x"}, {"4 3 0,2:0,3"}, {two}).code(), Code::kInvalidArgument);
  EXPECT_EQ(Save(prefix + "2", {"x"}, {"4 3 0,9:0,3"}, {two}).code(), Code::kInternal);
  EXPECT_EQ(Save(prefix + "2", {"x"}, {"foo"}, {two}).code(), Code::kInvalidArgument);
  EXPECT_EQ(Save(prefix + "2", {"x"}, {"", ""}, {two}).code(), Code::kInvalidArgument);
  EXPECT_EQ(Save(folder + "/a/b/m", {"x"}, {""}, {two}).code(), Code::kNotFound);
  EXPECT_FALSE(std::filesystem::exists(prefix + "2.index"));

  EXPECT_EQ(Restore(prefix + "3", {"x"}, {""}, {DType::kFloat}).status().code(), Code::kNotFound);
  EXPECT_EQ(Restore(prefix, {"x"}, {""}, {DType::kInt32}).status().code(), Code::kInvalidArgument);
  EXPECT_EQ(Restore(prefix, {"x"}, {"3 1,1"}, {DType::kFloat}).status().code(),
            Code::kInvalidArgument);
  // All that is missing is named at once.
  const Status missing =
      Restore(prefix, {"a", "x", "b"}, {"", "", ""}, {DType::kFloat, DType::kFloat, DType::kFloat})
          .status();
  EXPECT_EQ(missing.code(), Code::kNotFound);
  EXPECT_NE(missing.message().find("a, b"), absl::string_view::npos) << missing;
}

TEST(SaveRestoreTest, WhatIsRestoredCountsAgainstTheMemoryLimit) {
  constexpr int64_t kMiB = int64_t{1} << 20;
  const std::string prefix = Folder("limit") + "/m";
  PoolAllocator& pool = PoolAllocator::Process();
  {
    Tensor large = *Tensor::Allocate(DType::kUInt8, Shape({4 * kMiB}));
    memset(large.raw_data(), 3, 4 * kMiB);
    ASSERT_TRUE(Save(prefix, {"x"}, {""}, {large}).ok());
  }
  const int64_t before = pool.stats().bytes_in_use;
  pool.set_limit(before + 2 * kMiB);
  EXPECT_EQ(Restore(prefix, {"x"}, {""}, {DType::kUInt8}).status().code(),
            Code::kResourceExhausted);
  pool.set_limit(0);
  const auto got = Restore(prefix, {"x"}, {""}, {DType::kUInt8});
  ASSERT_TRUE(got.ok()) << got.status();
  EXPECT_GE(pool.stats().bytes_in_use, before + 4 * kMiB);
}

TEST(SaveRestoreTest, VersionOne) {
  const std::string path = Folder("v1") + "/m-0000";
  for (int i = 0; i < 2; ++i) {
    ASSERT_TRUE(OpRunner("SaveSlices")
                    .Input(Text(absl::StrCat(path, i, "-of-00002")))
                    .Input(Texts({"w"}))
                    .Input(Texts({i == 0 ? "4 3 0,2:-" : "4 3 2,2:-"}))
                    .InputList({Rows(static_cast<float>(6 * i))})
                    .Run()
                    .ok());
  }
  const std::string pattern = path + "*-of-00002";
  const auto restore = [&](const std::string& name, const std::string& part, DType type) {
    return OpRunner("RestoreSlice")
        .Attr("dt", type)
        .Input(Text(pattern))
        .Input(Text(name))
        .Input(Text(part))
        .RunOne();
  };
  auto whole = restore("w", "", DType::kFloat);
  ASSERT_TRUE(whole.ok()) << whole.status();
  EXPECT_EQ(whole->shape(), Shape({4, 3}));
  EXPECT_EQ(whole->flat<float>()[11], 11);
  auto middle = restore("w", "4 3 1,2:-", DType::kFloat);
  ASSERT_TRUE(middle.ok()) << middle.status();
  EXPECT_EQ(middle->flat<float>()[0], 3);
  EXPECT_EQ(restore("w", "", DType::kInt32).status().code(), Code::kInvalidArgument);
  EXPECT_EQ(restore("v", "", DType::kFloat).status().code(), Code::kNotFound);
  EXPECT_EQ(restore("w", "4 4 1,2:-", DType::kFloat).status().code(), Code::kInvalidArgument);
  // RestoreV2 reads what has no index file as version 1.
  auto by_v2 = Restore(path + "0-of-00002", {"w"}, {"4 3 0,1:-"}, {DType::kFloat});
  ASSERT_TRUE(by_v2.ok()) << by_v2.status();
  EXPECT_EQ((*by_v2)[0].flat<float>()[2], 2);
  EXPECT_EQ(OpRunner("Save")
                .Input(Text(path + "9"))
                .Input(Texts({"b"}))
                .InputList({Tensor::Vector<uint64_t>({1})})
                .Run()
                .status()
                .code(),
            Code::kInvalidArgument);
}

TEST(MergeV2CheckpointsTest, MovesShardsAndRemovesTheirFolder) {
  const std::string folder = Folder("merged");
  for (const char* name : {"a", "b"}) {
    ASSERT_TRUE(Save(folder + "/tmp/" + name, {name}, {""}, {Tensor::Scalar<float>(name[0])}).ok());
  }
  const Status s = OpRunner("MergeV2Checkpoints")
                       .Input(Texts({folder + "/tmp/a", folder + "/tmp/b"}))
                       .Input(Text(folder + "/m"))
                       .Run()
                       .status();
  ASSERT_TRUE(s.ok()) << s;
  EXPECT_FALSE(std::filesystem::exists(folder + "/tmp"));
  auto got = Restore(folder + "/m", {"a", "b"}, {"", ""}, {DType::kFloat, DType::kFloat});
  ASSERT_TRUE(got.ok()) << got.status();
  EXPECT_EQ((*got)[1].scalar<float>(), 'b');
}

TEST(ShardedFilenameTest, Names) {
  OpTest("ShardedFilename")
      .Input(Text("a/b"))
      .Scalar<int32_t>(3)
      .Scalar<int32_t>(12)
      .Expect(Text("a/b-00003-of-00012"));
  OpTest("ShardedFilename")
      .Input(Text("a/b"))
      .Scalar<int32_t>(-3)
      .Scalar<int32_t>(2)
      .Expect(Text("a/b--0003-of-00002"));
  OpTest("ShardedFilespec")
      .Input(Text("a/b"))
      .Scalar<int32_t>(123456)
      .Expect(Text("a/b-\?\?\?\?\?-of-123456"));
  OpTest("ShardedFilespec")
      .Input(Texts({"a"}))
      .Scalar<int32_t>(1)
      .ExpectError(Code::kInvalidArgument);
}

}  // namespace
}  // namespace warpbeam
