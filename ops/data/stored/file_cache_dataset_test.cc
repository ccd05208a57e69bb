#include "ops/data/stored/file_cache_dataset.h"

#include <cstdlib>

#include "absl/strings/escaping.h"
#include "gmock/gmock.h"
#include "ops/data/dataset_testing.h"
#include "runtime/record/file.h"
#include "runtime/record/file_root.h"

namespace warpbeam {
namespace {

using namespace testing_data;  // NOLINT: the vocabulary of this test
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;
using Code = StatusCode;

// What TensorFlow 2.21 writes for Mixed(0).
constexpr char kData[] =
    "0000000000000000011d1582653000000000000000000100000000000000011d158265310000803f00000040"
    "0200000000000000011d158265320000004000008040";
constexpr char kIndex[] =
    "00000608011a02080100090b202020202020305f30080912002808352903980708010d310807120020082806"
    "358562a6e1080111320801120412020802200e2808352903980706030d315f300809120020162808350175de"
    "4108010d3108071200201e280635527ea7db0801113208011204120208022024280835593ce53506030d325f"
    "3008091200202c28083578270b3408010d31080712002034280635b3a04f8108011132080112041202080220"
    "3a2808355aee442100000000010000000091e277cd000000000100000000c0f2a1b00001032100c001000000"
    "00010000000056fcebb8c50108d2010f00000000000000000000000000000000000000000000000000000000"
    "00000000000057fb808b247547db";

std::vector<std::string> FilesIn(const std::string& folder) {
  auto names = files::List(folder);
  return names.ok() ? *std::move(names) : std::vector<std::string>();
}

// A new, empty directory.
std::string Folder() {
  static int count = 0;
  const char* base = std::getenv("TEST_TMPDIR");
  std::string folder = absl::StrCat(base == nullptr ? "." : base, "/file_cache_", count++);
  EXPECT_TRUE(files::MakeDirectories(folder).ok());
  for (const std::string& name : FilesIn(folder)) files::Unlink(folder + "/" + name);
  return folder;
}

Tensor Cached(const Tensor& input, const std::string& filename) {
  return Made(Op("CacheDataset").Input(input).Input(Text(filename)).RunOne());
}

// (first, "0", [0, 0]), (first + 1, "1", [1, 2]), (first + 2, "2", [2, 4])
Tensor Mixed(int64_t first) {
  return Made(
      OpRunner("TensorSliceDataset")
          .Attr("output_shapes",
                std::vector<PartialShape>{PartialShape({}), PartialShape({}), PartialShape({2})})
          .InputList({Tensor::Vector<int64_t>({first, first + 1, first + 2}),
                      Tensor::Vector<std::string>({"0", "1", "2"}),
                      Tensor::FromValues<float>(Shape({3, 2}), {0, 0, 1, 2, 2, 4})})
          .RunOne());
}

OpRunner CacheOfMixed(int64_t first, const std::string& filename) {
  OpRunner op("CacheDataset");
  op.Attr("output_types", std::vector<DType>{DType::kInt64, DType::kString, DType::kFloat});
  op.Attr("output_shapes",
          std::vector<PartialShape>{PartialShape({}), PartialShape({}), PartialShape({2})});
  op.Input(Mixed(first)).Input(Text(filename));
  return op;
}

// Each element in words; an error is a word too, and reading goes on behind it.
std::vector<std::string> ReadMixed(const Tensor& dataset) {
  std::vector<std::string> rows;
  Reader reader(dataset);
  while (rows.size() < 20) {
    if (reader.Next()) {
      const auto values = reader.element[2].flat<float>();
      rows.push_back(absl::StrCat(reader.element[0].scalar<int64_t>(), " ",
                                  reader.element[1].scalar<std::string>(), " ", values[0], " ",
                                  values[1]));
    } else if (reader.status.ok()) {
      break;
    } else {
      rows.push_back(reader.status.ToString());
    }
  }
  return rows;
}

void WriteCache(const std::string& filename, const std::string& data, const std::string& index) {
  ASSERT_TRUE(WriteStringToFile(filename + ".data-00000-of-00001", data).ok());
  ASSERT_TRUE(WriteStringToFile(filename + ".index", index).ok());
}

TEST(FileCacheTest, TheFilesAreTensorFlows) {
  const std::string folder = Folder();
  const Tensor cached = Made(CacheOfMixed(0, folder + "/c").RunOne());
  EXPECT_THAT(ReadMixed(cached), ElementsAre("0 0 0 0", "1 1 1 2", "2 2 2 4"));
  EXPECT_THAT(FilesIn(folder), UnorderedElementsAre("c.data-00000-of-00001", "c.index"));
  EXPECT_EQ(absl::BytesToHexString(*ReadFileToString(folder + "/c.data-00000-of-00001")), kData);
  EXPECT_EQ(absl::BytesToHexString(*ReadFileToString(folder + "/c.index")), kIndex);
}

TEST(FileCacheTest, ReadsWhatIsThere) {
  const std::string folder = Folder();
  WriteCache(folder + "/c", absl::HexStringToBytes(kData), absl::HexStringToBytes(kIndex));
  const Tensor cached = Made(CacheOfMixed(100, folder + "/c").RunOne());
  for (int pass = 0; pass < 2; ++pass) {
    EXPECT_THAT(ReadMixed(cached), ElementsAre("0 0 0 0", "1 1 1 2", "2 2 2 4"));
  }
  EXPECT_EQ(Cardinality(cached), 3);
}

TEST(FileCacheTest, ElevenElementsKeepTheirOrder) {
  const std::string path = Folder() + "/c";
  EXPECT_EQ(ReadInts(Cached(Range(0, 11), path)).size(), 11);
  EXPECT_THAT(ReadInts(Cached(Range(50, 90), path)), ElementsAre(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10));
}

TEST(FileCacheTest, NothingIsACacheToo) {
  const std::string path = Folder() + "/c";
  EXPECT_THAT(ReadInts(Cached(Range(0, 0), path)), IsEmpty());
  EXPECT_THAT(ReadInts(Cached(Range(0, 3), path)), IsEmpty());
}

TEST(FileCacheTest, WhatIsNotCompleteGoes) {
  const std::string folder = Folder();
  {
    Reader reader(Cached(Range(0, 3), folder + "/c"));
    EXPECT_THAT(FilesIn(folder), IsEmpty());  // nothing before the first element
    ASSERT_TRUE(reader.Next());
    ASSERT_TRUE(reader.Next());
    ASSERT_TRUE(reader.Next());  // the last one, but the end has not been seen
    EXPECT_TRUE(files::Exists(folder + "/c_0.lockfile"));
    EXPECT_FALSE(files::Exists(folder + "/c.index"));
  }
  EXPECT_THAT(FilesIn(folder), IsEmpty());
  EXPECT_THAT(ReadInts(Cached(Range(5, 7), folder + "/c")), ElementsAre(5, 6));
}

TEST(FileCacheTest, OneWriterAtATime) {
  const std::string folder = Folder();
  Reader first(Cached(Range(0, 3), folder + "/c"));
  ASSERT_TRUE(first.Next());
  {
    Reader second(Cached(Range(0, 3), folder + "/c"));
    EXPECT_FALSE(second.Next());
    EXPECT_EQ(second.status.code(), Code::kAlreadyExists) << second.status;
    EXPECT_THAT(std::string(second.status.message()),
                AllOf(HasSubstr("There appears to be a concurrent caching iterator running"),
                      HasSubstr("c_0.lockfile"), HasSubstr("Created at: ")));
  }
  // The second one has taken nothing with it.
  EXPECT_TRUE(files::Exists(folder + "/c_0.lockfile"));
  Reader third(Cached(Range(7, 9), folder + "/c"));
  ASSERT_TRUE(first.Next());
  ASSERT_TRUE(first.Next());
  EXPECT_FALSE(first.Next());
  EXPECT_TRUE(first.status.ok()) << first.status;
  // It began when there was no cache, and reads the one that there is now.
  ASSERT_TRUE(third.Next()) << third.status;
  EXPECT_EQ(third.element[0].scalar<int64_t>(), 0);
}

TEST(FileCacheTest, APartOfACacheIsInTheWay) {
  const std::string folder = Folder();
  ASSERT_TRUE(WriteStringToFile(folder + "/c_0.index", "x").ok());
  Reader reader(Cached(Range(0, 3), folder + "/c"));
  EXPECT_FALSE(reader.Next());
  EXPECT_EQ(reader.status.code(), Code::kAlreadyExists) << reader.status;
  EXPECT_THAT(std::string(reader.status.message()), HasSubstr("Existing cache files found"));
  EXPECT_THAT(FilesIn(folder), ElementsAre("c_0.index"));
}

TEST(FileCacheTest, CachesOfOtherElements) {
  const std::string path = Folder() + "/c";
  WriteCache(path, absl::HexStringToBytes(kData), absl::HexStringToBytes(kIndex));
  Reader reader(Cached(Range(0, 9), path));
  ASSERT_TRUE(reader.Next()) << reader.status;  // an int64 comes first
  EXPECT_FALSE(reader.Next());
  EXPECT_EQ(reader.status.code(), Code::kInvalidArgument) << reader.status;
  EXPECT_THAT(std::string(reader.status.message()), HasSubstr("holds other elements"));
}

TEST(FileCacheTest, NoDirectory) {
  Reader reader(Cached(Range(0, 3), Folder() + "/none/c"));
  EXPECT_FALSE(reader.Next());
  EXPECT_EQ(reader.status.code(), Code::kNotFound) << reader.status;
  OpRunner two = Op("CacheDataset");
  two.Input(Range(0, 3)).Input(Tensor::Vector<std::string>({"a", "b"}));
  EXPECT_EQ(two.RunOne().status().code(), Code::kInvalidArgument);
}

TEST(FileCacheTest, DamagedFiles) {
  const std::string data = absl::HexStringToBytes(kData), index = absl::HexStringToBytes(kIndex);
  const std::string path = Folder() + "/c";
  const Tensor cached = Made(CacheOfMixed(100, path).RunOne());
  const auto is_refused = [&] {
    for (const std::string& row : ReadMixed(cached)) {
      // OUT_OF_RANGE would be the end of the sequence.
      EXPECT_EQ(row.find("OUT_OF_RANGE"), std::string::npos) << row;
      if (row.find(':') != std::string::npos) return true;
    }
    return false;
  };
  for (size_t i = 0; i < data.size(); ++i) {
    std::string flipped = data;
    flipped[i] ^= 4;
    WriteCache(path, flipped, index);
    EXPECT_TRUE(is_refused()) << "byte " << i << " of the data";
    WriteCache(path, data.substr(0, i), index);
    EXPECT_TRUE(is_refused()) << i << " bytes of the data";
  }
  for (size_t i = 0; i < index.size(); ++i) {
    std::string flipped = index;
    flipped[i] ^= 4;
    WriteCache(path, data, flipped);
    is_refused();  // not every byte of the index says something
    WriteCache(path, data, index.substr(0, i));
    EXPECT_TRUE(is_refused()) << i << " bytes of the index";
  }
}

}  // namespace
}  // namespace warpbeam
