// Readers in a session, fed by a queue; whole files.
#include <thread>

#include "gmock/gmock.h"
#include "graph/build/node_builder.h"
#include "gtest/gtest.h"
#include "ops/launch/op_record.h"
#include "runtime/record/file.h"
#include "runtime/record/record_writer.h"
#include "runtime/session/session.h"

namespace warpbeam {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Code = StatusCode;

std::string TempFile(const std::string& name, const std::string& contents) {
  const std::string path = ::testing::TempDir() + "/" + name;
  EXPECT_TRUE(WriteStringToFile(path, contents).ok());
  return path;
}

class ReaderTest : public ::testing::Test {
 protected:
  Graph& graph() { return *graph_; }
  OutputRef Built(NodeBuilder& builder) {
    auto made = builder.BuildOutput();
    EXPECT_TRUE(made.ok()) << made.status();
    return made.ok() ? *made : OutputRef();
  }
  void BuildTarget(NodeBuilder& builder) {
    const auto made = builder.Build();
    EXPECT_TRUE(made.ok()) << made.status();
  }
  // A queue of `works`, "put" and "close"; "read" and "read_up_to" (of "n") of the reader.
  void Build(NodeBuilder&& reader_node, const std::vector<std::string>& works, bool v2 = true) {
    const std::string suffix = v2 ? "V2" : "";
    const OutputRef reader = Built(reader_node);
    const OutputRef queue = Built(NodeBuilder(&graph(), "FIFOQueue" + suffix)
                                      .Attr("component_types", std::vector<DType>{DType::kString}));
    const Tensor names = Tensor::Vector<std::string>(MakeConstSpan(works));
    const OutputRef list = {(*AddConstant(&graph(), "works", names))->id(), 0};
    BuildTarget(NodeBuilder(&graph(), "QueueEnqueueMany" + suffix)
                    .Name("put")
                    .Input(queue)
                    .Input(std::vector<OutputRef>{list}));
    BuildTarget(NodeBuilder(&graph(), "QueueClose" + suffix).Name("close").Input(queue));
    BuildTarget(
        NodeBuilder(&graph(), "ReaderRead" + suffix).Name("read").Input(reader).Input(queue));
    const OutputRef n =
        Built(NodeBuilder(&graph(), "Placeholder").Name("n").Attr("dtype", DType::kInt64));
    BuildTarget(NodeBuilder(&graph(), "ReaderReadUpTo" + suffix)
                    .Name("read_up_to")
                    .Input(reader)
                    .Input(queue)
                    .Input(n));
    BuildTarget(
        NodeBuilder(&graph(), "ReaderNumRecordsProduced" + suffix).Name("records").Input(reader));
    BuildTarget(
        NodeBuilder(&graph(), "ReaderNumWorkUnitsCompleted" + suffix).Name("units").Input(reader));
    BuildTarget(NodeBuilder(&graph(), "ReaderReset" + suffix).Name("reset").Input(reader));
    BuildTarget(NodeBuilder(&graph(), "ReaderSerializeState" + suffix).Name("save").Input(reader));
    const OutputRef state =
        Built(NodeBuilder(&graph(), "Placeholder").Name("state").Attr("dtype", DType::kString));
    BuildTarget(NodeBuilder(&graph(), "ReaderRestoreState" + suffix)
                    .Name("restore")
                    .Input(reader)
                    .Input(state));
    auto made = Session::Create({}, graph_);
    EXPECT_TRUE(made.ok()) << made.status();
    session_ = *std::move(made);
  }
  Status Run(const std::vector<std::string>& fetches, const std::vector<std::string>& targets,
             const NamedTensors& feeds = {}, int64_t timeout_ms = 0) {
    RunOptions options;
    options.timeout_ms = timeout_ms;
    out_.clear();
    return session_->Run(options, feeds, fetches, targets, &out_, nullptr);
  }
  // "key=value" of each record until an error, which is kept.
  std::vector<std::string> ReadAll() {
    std::vector<std::string> records;
    while ((end_ = Run({"read:0", "read:1"}, {})).ok()) {
      records.push_back(out_[0].scalar<std::string>() + "=" + out_[1].scalar<std::string>());
    }
    return records;
  }
  int64_t Count(const std::string& fetch) {
    EXPECT_TRUE(Run({fetch}, {}).ok());
    return out_[0].scalar<int64_t>();
  }

  std::shared_ptr<Graph> graph_ = std::make_shared<Graph>();
  std::unique_ptr<Session> session_;
  std::vector<Tensor> out_;
  Status end_;
};

TEST_F(ReaderTest, LinesOfFilesUntilTheQueueEnds) {
  const std::string a = TempFile("lines_a", "head\none\r\ntwo\n"), empty = TempFile("empty", "");
  const std::string b = TempFile("lines_b", "head\nthree");
  Build(std::move(NodeBuilder(&graph(), "TextLineReaderV2").Attr("skip_header_lines", int64_t{1})),
        {a, empty, b});
  ASSERT_TRUE(Run({}, {"put"}).ok());
  ASSERT_TRUE(Run({}, {"close"}).ok());
  EXPECT_THAT(ReadAll(), ElementsAre(a + ":2=one", a + ":3=two", b + ":2=three"));
  EXPECT_EQ(end_.code(), Code::kOutOfRange);
  EXPECT_EQ(Count("records"), 3);
  EXPECT_EQ(Count("units"), 3);
  EXPECT_EQ(Run({"save"}, {}).code(), Code::kUnimplemented);
  ASSERT_TRUE(Run({}, {"reset"}).ok());
  EXPECT_EQ(Count("records"), 0);
}

TEST_F(ReaderTest, HandlesOfTheFirstGeneration) {
  const std::string a = TempFile("whole_a", "x\ny"), b = TempFile("whole_b", "");
  Build(NodeBuilder(&graph(), "WholeFileReader"), {a, b}, /*v2=*/false);
  ASSERT_TRUE(Run({}, {"put"}).ok());
  ASSERT_TRUE(Run({}, {"close"}).ok());
  EXPECT_THAT(ReadAll(), ElementsAre(a + "=x\ny", b + "="));
}

TEST_F(ReaderTest, RecordsAndTheirOffsets) {
  const std::string path = ::testing::TempDir() + "/records";
  auto writer = RecordWriter::Create(path);
  ASSERT_TRUE(writer.ok()) << writer.status();
  ASSERT_TRUE((*writer)->Write("abc").ok() && (*writer)->Write("d").ok());
  ASSERT_TRUE((*writer)->Close().ok());
  Build(NodeBuilder(&graph(), "TFRecordReaderV2"), {path, "/no/such/file", path});
  ASSERT_TRUE(Run({}, {"put"}).ok());
  ASSERT_TRUE(Run({}, {"close"}).ok());
  EXPECT_THAT(ReadAll(), ElementsAre(path + ":0=abc", path + ":19=d"));
  EXPECT_EQ(end_.code(), Code::kNotFound);
  EXPECT_THAT(std::string(end_.message()), HasSubstr("/no/such/file"));
  ASSERT_TRUE(Run({"read_up_to:0", "read_up_to:1"}, {}, {{"n", Tensor::Scalar<int64_t>(9)}}).ok());
  ASSERT_EQ(out_[1].shape(), Shape({2}));
  EXPECT_EQ(out_[0].data<std::string>()[1], path + ":19");
  EXPECT_EQ(out_[1].data<std::string>()[0], "abc");
}

TEST_F(ReaderTest, RecordsOfOneLength) {
  const std::string path = TempFile("fixed", "HHaabbccF");
  Build(std::move(NodeBuilder(&graph(), "FixedLengthRecordReaderV2")
                      .Attr("header_bytes", int64_t{2})
                      .Attr("record_bytes", int64_t{2})
                      .Attr("footer_bytes", int64_t{1})),
        {path});
  ASSERT_TRUE(Run({}, {"put"}).ok());
  ASSERT_TRUE(Run({}, {"close"}).ok());
  EXPECT_THAT(ReadAll(), ElementsAre(path + ":0=aa", path + ":1=bb", path + ":2=cc"));
}

TEST_F(ReaderTest, RecordsThatOverlap) {
  const std::string path = TempFile("overlap", "abcde");
  Build(std::move(NodeBuilder(&graph(), "FixedLengthRecordReaderV2")
                      .Attr("record_bytes", int64_t{3})
                      .Attr("hop_bytes", int64_t{1})),
        {path});
  ASSERT_TRUE(Run({}, {"put"}).ok());
  ASSERT_TRUE(Run({}, {"close"}).ok());
  EXPECT_THAT(ReadAll(), ElementsAre(path + ":0=abc", path + ":1=bcd", path + ":2=cde"));
}

TEST_F(ReaderTest, AReadWaitsForAName) {
  Build(NodeBuilder(&graph(), "IdentityReaderV2"), {"a", "b"});
  EXPECT_EQ(Run({"read:0"}, {}, {}, /*timeout_ms=*/30).code(), Code::kDeadlineExceeded);
  std::vector<Tensor> first, second;
  std::thread one(
      [&] { EXPECT_TRUE(session_->Run({}, {}, {"read:1"}, {}, &first, nullptr).ok()); });
  std::thread two(
      [&] { EXPECT_TRUE(session_->Run({}, {}, {"read:1"}, {}, &second, nullptr).ok()); });
  EXPECT_TRUE(Run({}, {"put"}).ok());
  one.join();
  two.join();
  EXPECT_EQ(std::min(first[0].scalar<std::string>(), second[0].scalar<std::string>()), "a");
  EXPECT_EQ(std::max(first[0].scalar<std::string>(), second[0].scalar<std::string>()), "b");
}

TEST_F(ReaderTest, StateIsSavedAndRestored) {
  Build(NodeBuilder(&graph(), "IdentityReaderV2"), {"a", "b"});
  ASSERT_TRUE(Run({}, {"put"}).ok());
  ASSERT_TRUE(Run({"read:0"}, {}).ok());
  ASSERT_TRUE(Run({"save"}, {}).ok());
  const Tensor state = out_[0];
  ASSERT_TRUE(Run({}, {"reset"}).ok());
  EXPECT_EQ(Count("records"), 0);
  ASSERT_TRUE(Run({}, {"restore"}, {{"state", state}}).ok());
  EXPECT_EQ(Count("records"), 1);
  const std::string good = state.scalar<std::string>();
  for (const std::string& bad :
       {std::string("\xff"), good.substr(1), good.substr(0, good.size() - 1), good + "ExtraJunk",
        "PREFIX" + good, "BOGUS" + good.substr(5)}) {
    const Status s = Run({}, {"restore"}, {{"state", Tensor::Scalar<std::string>(bad)}});
    EXPECT_EQ(s.code(), Code::kInvalidArgument) << s;
    EXPECT_THAT(std::string(s.message()),
                HasSubstr("Could not parse state for IdentityReader 'IdentityReaderV2'"));
  }
}

TEST(FileContents, WrittenReadAndMatched) {
  const std::string folder = ::testing::TempDir() + "/made/for/it/";
  for (const char* name : {"b.txt", "a.txt"}) {
    ASSERT_TRUE(OpRunner("WriteFile")
                    .Input(Tensor::Scalar<std::string>(folder + name))
                    .Input(Tensor::Scalar<std::string>(name))
                    .Run()
                    .ok());
  }
  auto read = OpRunner("ReadFile").Input(Tensor::Scalar<std::string>(folder + "b.txt")).RunOne();
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(read->scalar<std::string>(), "b.txt");
  EXPECT_EQ(OpRunner("ReadFile")
                .Input(Tensor::Scalar<std::string>(folder + "none"))
                .RunOne()
                .status()
                .code(),
            Code::kNotFound);
  auto names =
      OpRunner("MatchingFiles").Input(Tensor::Vector<std::string>({folder + "*.txt"})).RunOne();
  ASSERT_TRUE(names.ok()) << names.status();
  EXPECT_THAT(names->flat<std::string>(), ElementsAre(folder + "a.txt", folder + "b.txt"));
}

}  // namespace
}  // namespace warpbeam
