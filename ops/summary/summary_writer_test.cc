// Event files that ops write: what is in them, when it can be read, and what is refused.
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>

#include "ops/launch/op_record.h"
#include "proto/event.pb.h"
#include "proto/graph.pb.h"
#include "runtime/record/record_reader.h"

namespace warpbeam {
namespace {

using Code = StatusCode;

std::vector<tensorflow::Event> EventsOf(const std::string& path) {
  std::vector<tensorflow::Event> events;
  auto reader = RecordReader::Open(path);
  EXPECT_TRUE(reader.ok()) << reader.status();
  absl::string_view record;
  while (reader.ok() && *(*reader)->Next(&record)) {
    events.emplace_back();
    EXPECT_TRUE(events.back().ParseFromString(std::string(record)));
  }
  return events;
}

class SummaryWriterTest : public ::testing::Test {
 protected:
  void SetUp() override {
    directory_ = ::testing::TempDir() + "/" +
                 ::testing::UnitTest::GetInstance()->current_test_info()->name();
    std::filesystem::remove_all(directory_);
    writer_ = *OpRunner("SummaryWriter")
                   .Attr("shared_name", std::string("w"))
                   .Resources(&store_)
                   .RunOne();
  }
  Status Create(const std::string& directory, int32_t max_queue = 10) {
    return OpRunner("CreateSummaryFileWriter")
        .Resources(&store_)
        .Input(writer_)
        .Input(Tensor::Scalar<std::string>(directory))
        .Input(Tensor::Scalar<int32_t>(max_queue))
        .Input(Tensor::Scalar<int32_t>(1000000))
        .Input(Tensor::Scalar<std::string>(".x"))
        .Run()
        .status();
  }
  // The writer, the step, and what the op is given besides.
  OpRunner Op(const char* op, std::vector<Tensor> inputs) {
    OpRunner run(op);
    run.Resources(&store_).Input(writer_).Input(Tensor::Scalar<int64_t>(7));
    for (Tensor& t : inputs) run.Input(std::move(t));
    return run;
  }
  Status Write(const char* op, std::vector<Tensor> inputs) {
    return Op(op, std::move(inputs)).Run().status();
  }
  Status Scalar(float value) { return Write("WriteScalarSummary", {Text("a"), Float(value)}); }
  Status OnWriter(const char* op) {
    return OpRunner(op).Resources(&store_).Input(writer_).Run().status();
  }
  static Tensor Text(std::string s) { return Tensor::Scalar<std::string>(std::move(s)); }
  static Tensor Float(float x) { return Tensor::Scalar<float>(x); }

  // All events that can be read now.
  std::vector<tensorflow::Event> Events() {
    for (const auto& file : std::filesystem::directory_iterator(directory_)) {
      path_ = file.path().string();
    }
    return EventsOf(path_);
  }

  ResourceStore store_;
  std::string directory_, path_;
  Tensor writer_;
};

TEST_F(SummaryWriterTest, Lifetime) {
  EXPECT_EQ(Scalar(1).code(), Code::kNotFound);
  EXPECT_EQ(OnWriter("FlushSummaryWriter").code(), Code::kNotFound);
  EXPECT_EQ(OnWriter("CloseSummaryWriter").code(), Code::kNotFound);
  ASSERT_TRUE(Create(directory_).ok());
  ASSERT_EQ(Events().size(), 1u);
  EXPECT_EQ(Events()[0].file_version(), "brain.Event:2");
  EXPECT_NE(path_.find("/events.out.tfevents."), std::string::npos);
  EXPECT_EQ(path_.substr(path_.size() - 2), ".x");
  // The first writer stays.
  ASSERT_TRUE(Create(directory_ + "/other").ok());
  EXPECT_FALSE(std::filesystem::exists(directory_ + "/other"));
  ASSERT_TRUE(Scalar(1.5f).ok());
  EXPECT_EQ(Events().size(), 1u);
  ASSERT_TRUE(OnWriter("FlushSummaryWriter").ok());
  EXPECT_EQ(Events().size(), 2u);
  ASSERT_TRUE(Scalar(2.5f).ok());
  ASSERT_TRUE(OnWriter("CloseSummaryWriter").ok());
  const auto events = Events();
  ASSERT_EQ(events.size(), 3u);
  EXPECT_EQ(events[2].step(), 7);
  EXPECT_GT(events[2].wall_time(), 1e9);
  EXPECT_EQ(events[2].summary().value(0).simple_value(), 2.5f);
  EXPECT_EQ(Scalar(1).code(), Code::kNotFound);
}

// More events than the queue may hold are flushed.
TEST_F(SummaryWriterTest, Queue) {
  ASSERT_TRUE(Create(directory_, 1).ok());
  for (const size_t readable : {1u, 3u, 3u, 5u}) {
    ASSERT_TRUE(Scalar(1).ok());
    EXPECT_EQ(Events().size(), readable);
  }
}

TEST_F(SummaryWriterTest, WhatIsWritten) {
  ASSERT_TRUE(Create(directory_, 0).ok());
  ASSERT_TRUE(Write("WriteScalarSummary", {Text("b"), Tensor::Vector<int32_t>({7, 8})}).ok());
  ASSERT_TRUE(
      Write("WriteHistogramSummary", {Text("h"), Tensor::Vector<bool>({true, false, true})}).ok());
  ASSERT_TRUE(Write("WriteImageSummary",
                    {Text("i"), OpTest::Make<float>({2, 2, 2, 1}, {0, 1, 2, 3, 4, 5, 6, 7}),
                     Tensor::Vector<uint8_t>({255, 0, 0, 255})})
                  .ok());
  ASSERT_TRUE(
      Write("WriteAudioSummary", {Text("s"), OpTest::Make<float>({1, 3}, {0, 1, 0}), Float(8000)})
          .ok());
  tensorflow::SummaryMetadata metadata;
  metadata.set_display_name("shown");
  ASSERT_TRUE(Write("WriteSummary",
                    {Tensor::Vector<float>({1, 2}), Text("t"), Text(metadata.SerializeAsString())})
                  .ok());
  ASSERT_TRUE(Write("WriteSummary", {Tensor::Vector<float>({1, 2}), Text("t"), Text("")}).ok());
  tensorflow::Summary raw;
  raw.add_value()->set_tag("raw");
  const std::string bytes = raw.SerializeAsString();
  ASSERT_TRUE(Write("WriteRawProtoSummary", {Tensor::Vector<std::string>({bytes, bytes})}).ok());
  tensorflow::GraphDef graph;
  graph.mutable_versions()->set_producer(9);
  ASSERT_TRUE(Write("WriteGraphSummary", {Text(graph.SerializeAsString())}).ok());
  tensorflow::Event event;
  event.set_step(11);
  event.set_file_version("zz");
  ASSERT_TRUE(OpRunner("ImportEvent")
                  .Resources(&store_)
                  .Input(writer_)
                  .Input(Text(event.SerializeAsString()))
                  .Run()
                  .ok());
  const auto events = Events();
  ASSERT_EQ(events.size(), 10u);
  EXPECT_EQ(events[1].summary().value(0).simple_value(), 7);
  EXPECT_EQ(events[2].summary().value(0).histo().sum(), 2);
  EXPECT_EQ(events[3].summary().value(1).tag(), "i/image/1");
  EXPECT_EQ(events[3].summary().value(1).image().width(), 2);
  EXPECT_EQ(events[4].summary().value(0).tag(), "s/audio/0");
  EXPECT_EQ(events[4].summary().value(0).audio().length_frames(), 3);
  EXPECT_EQ(events[5].summary().value(0).metadata().display_name(), "shown");
  EXPECT_EQ(events[5].summary().value(0).tensor().tensor_content().size(), 8u);
  EXPECT_FALSE(events[6].summary().value(0).has_metadata());
  EXPECT_EQ(events[7].summary().value_size(), 2);
  EXPECT_EQ(events[8].graph_def(), graph.SerializeAsString());
  EXPECT_EQ(events[9].step(), 11);
  EXPECT_EQ(events[9].file_version(), "zz");
}

TEST_F(SummaryWriterTest, Refusals) {
  ASSERT_TRUE(Create(directory_, 0).ok());
  const Tensor none = OpTest::Make<float>({0}, {}), two = Tensor::Vector<std::string>({"a", "b"});
  const Tensor color = Tensor::Vector<uint8_t>({1}), image = OpTest::Make<float>({1, 1, 1, 1}, {1});
  const auto code = [&](const char* op, std::vector<Tensor> inputs) {
    return Write(op, std::move(inputs)).code();
  };
  EXPECT_EQ(code("WriteScalarSummary", {Text("a"), none}), Code::kInvalidArgument);
  EXPECT_EQ(code("WriteScalarSummary", {two, Float(1)}), Code::kInvalidArgument);
  EXPECT_EQ(code("WriteHistogramSummary", {Text("h"), Float(NAN)}), Code::kInvalidArgument);
  EXPECT_EQ(code("WriteHistogramSummary", {Text("h"), Float(INFINITY)}), Code::kInvalidArgument);
  EXPECT_EQ(code("WriteImageSummary", {Text("i"), Float(1), color}), Code::kInvalidArgument);
  EXPECT_EQ(code("WriteImageSummary", {Text("i"), image, Tensor::Scalar<uint8_t>(1)}),
            Code::kInvalidArgument);
  EXPECT_EQ(
      code("WriteImageSummary", {Text("i"), OpTest::Make<float>({1, 1, 1, 3}, {1, 1, 1}), color}),
      Code::kInvalidArgument);
  EXPECT_EQ(code("WriteAudioSummary", {Text("s"), OpTest::Make<float>({1, 1}, {1}), Float(0)}),
            Code::kInvalidArgument);
  EXPECT_EQ(code("WriteRawProtoSummary", {Text("\xff\xff")}), Code::kDataLoss);
  EXPECT_EQ(code("WriteGraphSummary", {Text("\xff\xff")}), Code::kDataLoss);
  EXPECT_EQ(code("WriteGraphSummary", {two}), Code::kInvalidArgument);
  EXPECT_EQ(OpRunner("ImportEvent")
                .Resources(&store_)
                .Input(writer_)
                .Input(Text("\xff\xff"))
                .Run()
                .status()
                .code(),
            Code::kDataLoss);
  EXPECT_EQ(Events().size(), 1u);
  OpRunner steps("WriteScalarSummary");
  steps.Resources(&store_).Input(writer_).Input(Tensor::Vector<int64_t>({1, 2}));
  EXPECT_EQ(steps.Input(Text("a")).Input(Float(1)).Run().status().code(), Code::kInvalidArgument);
  ASSERT_TRUE(OnWriter("CloseSummaryWriter").ok());
  EXPECT_EQ(Create(path_ + "/below").code(), Code::kFailedPrecondition);
}

}  // namespace
}  // namespace warpbeam
