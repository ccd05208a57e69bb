// Files, texts, sparse tensors and messages within the graph. What is not a round trip is what
// TensorFlow gives.
#include <filesystem>
#include <fstream>

#include "frontend/array.h"
#include "frontend/build.h"
#include "frontend/client_session.h"
#include "frontend/collections.h"
#include "frontend/io/files.h"
#include "frontend/io/image_files.h"
#include "frontend/io/protos.h"
#include "gmock/gmock.h"
#include "graph/types/errors.h"
#include "gtest/gtest.h"

namespace warpbeam {
namespace frontend {
namespace io {
namespace {

using ::testing::ElementsAre;

std::string NewFolder(const std::string& name) {
  const std::string path = ::testing::TempDir() + "/io_" + name;
  std::filesystem::remove_all(path);
  std::filesystem::create_directories(path);
  return path;
}

class IoTest : public ::testing::Test {
 protected:
  std::vector<Tensor> Run(const std::vector<Fetch>& fetches) {
    EXPECT_TRUE(root_.ok()) << root_.status();
    ClientSession session(root_);
    const auto run = session.Run(fetches);
    EXPECT_TRUE(run.ok()) << run.status();
    return run.ok() ? *run : std::vector<Tensor>(fetches.size());
  }
  template <typename T>
  std::vector<T> Values(const Output& output) {
    const Tensor value = Run({output})[0];
    if (!value.has_value()) return {};
    const auto flat = value.flat<T>();
    return std::vector<T>(flat.begin(), flat.end());
  }

  const Scope root_ = Scope::NewRoot();
};

TEST_F(IoTest, WhatIsWrittenIsRead) {
  const std::string path = NewFolder("files") + "/new/folder/a.txt";
  Run({WriteFile(root_, path, "some\ntext")});
  EXPECT_THAT(Values<std::string>(ReadFile(root_, path)), ElementsAre("some\ntext"));
  ClientSession session(root_);
  const auto none = session.Run({ReadFile(root_, path + ".none")});
  EXPECT_EQ(none.status().code(), StatusCode::kNotFound) << none.status();
}

TEST_F(IoTest, FilesByPattern) {
  const std::string folder = NewFolder("pattern");
  for (const char* name : {"b1.txt", "a1.txt", "a2.csv"}) std::ofstream(folder + "/" + name) << "x";
  EXPECT_THAT(Values<std::string>(MatchingFiles(root_, folder + "/*.txt")),
              ElementsAre(folder + "/a1.txt", folder + "/b1.txt"));
  const Variable once = MatchFilenamesOnce(root_, folder + "/a*");
  ASSERT_TRUE(once.valid()) << root_.status();
  const std::vector<Variable> local = GetVariables(root_, GraphKeys::kLocalVariables);
  ASSERT_EQ(local.size(), 1u);
  EXPECT_TRUE(SameVariable(local[0], once));
  ClientSession session(root_);
  ASSERT_TRUE(session.Run({once.initializer()}).ok());
  // Files that come later are not seen.
  std::ofstream(folder + "/a3.txt") << "x";
  const auto names = session.Run({once});
  ASSERT_TRUE(names.ok()) << names.status();
  EXPECT_THAT((*names)[0].flat<std::string>(), ElementsAre(folder + "/a1.txt", folder + "/a2.csv"));
}

TEST_F(IoTest, ColumnsOfText) {
  const auto bars = DecodeCsvOptions().field_delim("|").na_value("NA");
  const std::vector<Output> columns = DecodeCsv(
      root_, std::vector<std::string>{"1|\"a|b\"|", "NA|c|2.5"},
      {std::vector<int32_t>{7}, std::vector<std::string>{"x"}, std::vector<float>{0.5f}}, bars);
  ASSERT_EQ(columns.size(), 3u) << root_.status();
  EXPECT_THAT(Values<int32_t>(columns[0]), ElementsAre(1, 7));
  EXPECT_THAT(Values<std::string>(columns[1]), ElementsAre("a|b", "c"));
  EXPECT_THAT(Values<float>(columns[2]), ElementsAre(0.5, 2.5));
  const std::vector<Output> chosen = DecodeCsv(root_, std::vector<std::string>{"1,2,3"},
                                               {std::vector<int32_t>{0}, std::vector<float>{0}},
                                               DecodeCsvOptions().select_cols({0, 2}));
  EXPECT_THAT(Values<float>(chosen[1]), ElementsAre(3));
}

TEST_F(IoTest, TensorsAsMessages) {
  const Output bytes = SerializeTensor(root_, {1.5f, -2.0f});
  EXPECT_THAT(
      Values<std::string>(bytes),
      ElementsAre(std::string("\x08\x01\x12\x04\x12\x02\x08\x02\"\x08\0\0\xc0?\0\0\0\xc0", 18)));
  EXPECT_THAT(Values<float>(ParseTensor(root_, bytes, DType::kFloat)), ElementsAre(1.5, -2));
  const Output example = DecodeJsonExample(
      root_, "{\"features\": {\"feature\": {\"a\": {\"int64List\": {\"value\": [3]}}}}}");
  EXPECT_THAT(Values<std::string>(example), ElementsAre("\n\x0b\n\t\n\x01"
                                                        "a\x12\x04\x1a\x02\x08\x03"));
}

TEST_F(IoTest, SparseTensorsAsMessages) {
  const SparseTensor x =
      SparseTensor::Of(root_, {{0, 1}, {2, 0}}, {5.0f, 6.0f}, std::vector<int64_t>{3, 2});
  EXPECT_EQ(Run({SerializeSparse(root_, x)})[0].shape(), Shape({3}));
  const Output rows = SerializeManySparse(root_, x);
  EXPECT_EQ(Run({rows})[0].shape(), Shape({3, 3}));
  const SparseTensor back = DeserializeManySparse(root_, rows, DType::kFloat, 2);
  EXPECT_EQ(back.rank(), 2);
  EXPECT_THAT(Values<int64_t>(back.indices), ElementsAre(0, 1, 2, 0));
  EXPECT_THAT(Values<float>(back.values), ElementsAre(5, 6));
  EXPECT_THAT(Values<int64_t>(back.dense_shape), ElementsAre(3, 2));
}

TEST_F(IoTest, ImagesUnderTheirNamesHere) {
  const Output png = EncodePng(root_, Constant(root_, 7, DType::kUInt8, Shape({2, 3, 1})));
  EXPECT_EQ(Run({DecodePng(root_, png)})[0].shape(), Shape({2, 3, 1}));
}

// message Point { float x = 1; repeated string tags = 2; } of the package demo.
const std::string& PointMessage() {
  static const auto* const message = new std::string(
      std::string("bytes://") +
      std::string("\n=\n\x0bpoint.proto\x12\x04"
                  "demo\" \n\x05Point\x12\t\n\x01x\x18\x01 \x01(\x02\x12\x0c\n\x04tags\x18\x02 \x03"
                  "(\tb\x06proto3"));
  return *message;
}

TEST_F(IoTest, MessagesOfPrograms) {
  const std::vector<std::string> messages = {std::string("\r\0\0\xc0?\x12\x01"
                                                         "a\x12\x02"
                                                         "bc",
                                                         12),
                                             "\x12\x01z"};
  const DecodedProto points = DecodeProto(root_, messages, "demo.Point", {"x", "tags"},
                                          {DType::kFloat, DType::kString}, PointMessage());
  ASSERT_EQ(points.values.size(), 2u) << root_.status();
  EXPECT_THAT(Values<int32_t>(points.sizes), ElementsAre(1, 2, 0, 1));
  EXPECT_THAT(Values<float>(points.values[0]), ElementsAre(1.5, 0));
  EXPECT_THAT(Values<std::string>(points.values[1]), ElementsAre("a", "bc", "z", ""));
  const Output again =
      EncodeProto(root_, points.sizes, points.values, {"x", "tags"}, "demo.Point", PointMessage());
  EXPECT_THAT(Values<std::string>(again), ElementsAre(messages[0], messages[1]));
  ClientSession session(root_);
  const DecodedProto none =
      DecodeProto(root_, messages, "demo.Line", {"x"}, {DType::kFloat}, PointMessage());
  EXPECT_FALSE(session.Run({none.sizes}).ok());
}

TEST_F(IoTest, AfterAnErrorEverythingIsThere) {
  root_.Fail(InvalidArgument("something before"));
  EXPECT_FALSE(DecodeProto(root_, "", "a", {"x"}, {DType::kFloat}).values[0].valid());
  EXPECT_FALSE(DecodeCsv(root_, "1", {0.0f})[0].valid());
  EXPECT_FALSE(MatchFilenamesOnce(root_, "*").valid());
  EXPECT_FALSE(DeserializeManySparse(root_, "", DType::kFloat).valid());
}

}  // namespace
}  // namespace io
}  // namespace frontend
}  // namespace warpbeam
