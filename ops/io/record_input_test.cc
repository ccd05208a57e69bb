// RecordInput in a session, over files written here.
#include <algorithm>

#include "gmock/gmock.h"
#include "graph/build/node_builder.h"
#include "gtest/gtest.h"
#include "ops/launch/op_record.h"
#include "runtime/record/record_writer.h"
#include "runtime/session/session.h"

namespace warpbeam {
namespace {

using ::testing::UnorderedElementsAreArray;
using Code = StatusCode;

// Three files of five records and one of none; the names of all records.
std::vector<std::string> WriteFiles(const std::string& name) {
  std::vector<std::string> all;
  for (int file = 0; file < 4; ++file) {
    auto writer = RecordWriter::Create(absl::StrCat(::testing::TempDir(), "/", name, "-", file));
    EXPECT_TRUE(writer.ok()) << writer.status();
    for (int i = 0; i < 5 && file < 3; ++i) {
      all.push_back(absl::StrCat(file, ".", i));
      EXPECT_TRUE((*writer)->Write(all.back()).ok());
    }
    EXPECT_TRUE((*writer)->Close().ok());
  }
  return all;
}

class Input {
 public:
  Input(const std::string& pattern, int64_t batch_size, int64_t buffer_size, int64_t parallelism) {
    auto graph = std::make_shared<Graph>();
    auto made = NodeBuilder(graph.get(), "RecordInput")
                    .Name("records")
                    .Attr("file_pattern", pattern)
                    .Attr("batch_size", batch_size)
                    .Attr("file_buffer_size", buffer_size)
                    .Attr("file_parallelism", parallelism)
                    .Build();
    EXPECT_TRUE(made.ok()) << made.status();
    auto session = Session::Create({}, graph);
    EXPECT_TRUE(session.ok()) << session.status();
    session_ = *std::move(session);
  }
  StatusOr<std::vector<std::string>> Next() {
    std::vector<Tensor> out;
    WB_RETURN_IF_ERROR(session_->Run({}, {}, {"records:0"}, {}, &out, nullptr));
    const auto records = out[0].flat<std::string>();
    return std::vector<std::string>(records.begin(), records.end());
  }

 private:
  std::unique_ptr<Session> session_;
};

std::string Pattern(const std::string& name) {
  return absl::StrCat(::testing::TempDir(), "/", name, "-*");
}

TEST(RecordInput, EachEpochHasEveryRecordOnce) {
  const std::vector<std::string> all = WriteFiles("epochs");
  for (const int64_t buffer_size : {1, 4, 100}) {
    for (const int64_t parallelism : {1, 2, 16}) {
      Input input(Pattern("epochs"), 15, buffer_size, parallelism);
      std::vector<std::vector<std::string>> epochs;
      for (int epoch = 0; epoch < 3; ++epoch) {
        const auto records = input.Next();
        ASSERT_TRUE(records.ok()) << records.status();
        EXPECT_THAT(*records, UnorderedElementsAreArray(all));
        epochs.push_back(*records);
      }
      EXPECT_TRUE(epochs[0] != epochs[1] || epochs[1] != epochs[2]);
    }
  }
}

TEST(RecordInput, BatchesGoAcrossEpochs) {
  const std::vector<std::string> all = WriteFiles("across");
  Input input(absl::StrCat(Pattern("across"), ",", Pattern("across")), 20, 8, 3);
  std::vector<std::string> twice;
  for (int i = 0; i < 3; ++i) {
    const auto records = input.Next();
    ASSERT_TRUE(records.ok()) << records.status();
    twice.insert(twice.end(), records->begin(), records->end());
  }
  for (const std::string& record : all) {
    EXPECT_EQ(std::count(twice.begin(), twice.end(), record), 4) << record;
  }
}

TEST(RecordInput, Refused) {
  WriteFiles("refused");
  EXPECT_EQ(Input(Pattern("there-is-none"), 1, 1, 1).Next().status().code(), Code::kNotFound);
  EXPECT_EQ(Input(Pattern("refused-3"), 1, 1, 1).Next().status().code(), Code::kNotFound);
  const std::string empty = absl::StrCat(::testing::TempDir(), "/refused-3");
  EXPECT_EQ(Input(empty, 1, 1, 1).Next().status().code(), Code::kNotFound);
  for (const char* attr : {"file_buffer_size", "file_parallelism", "batch_size"}) {
    OpTest("RecordInput")
        .Attr("file_pattern", Pattern("refused"))
        .Attr(attr, int64_t{-1})
        .ExpectError(Code::kInvalidArgument);
  }
  OpTest("RecordInput")
      .Attr("file_pattern", Pattern("refused"))
      .Attr("compression_type", std::string("LZ"))
      .ExpectError(Code::kInvalidArgument);
}

}  // namespace
}  // namespace warpbeam
