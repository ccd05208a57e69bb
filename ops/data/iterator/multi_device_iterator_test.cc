// The ops of MultiDeviceIterator in sessions. What is given, and the errors' texts, are those of
// TensorFlow 2.21.
#include <chrono>
#include <thread>

#include "gmock/gmock.h"
#include "graph/build/node_builder.h"
#include "gtest/gtest.h"
#include "runtime/session/session.h"

namespace warpbeam {
namespace {

using ::testing::HasSubstr;
using Code = StatusCode;

class MultiDeviceIteratorTest : public ::testing::Test {
 protected:
  Node* Built(StatusOr<Node*> node) {
    EXPECT_TRUE(node.ok()) << node.status();
    return node.ok() ? *node : nullptr;
  }
  template <typename T>
  Node* Const(T v) {
    return Built(AddConstant(graph_.get(), "c", Tensor::Scalar<T>(v)));
  }
  static NodeBuilder& Typed(NodeBuilder& b, DType type = DType::kInt64) {
    return b.Attr("output_types", std::vector<DType>{type})
        .Attr("output_shapes", std::vector<PartialShape>{PartialShape(Shape())});
  }
  Node* Placeholder(const char* name, DType type) {
    return Built(NodeBuilder(graph_.get(), "Placeholder").Name(name).Attr("dtype", type).Build());
  }
  // Nodes "init", "next", "text" and "same" for the numbers below `n` on two devices.
  void Make(int64_t n, int64_t max_buffer_size = 2) {
    NodeBuilder range(graph_.get(), "RangeDataset");
    Node* dataset = Built(
        Typed(range.Input(Const<int64_t>(0)).Input(Const<int64_t>(n)).Input(Const<int64_t>(1)))
            .Build());
    NodeBuilder it(graph_.get(), "MultiDeviceIterator");
    it.Attr("devices", std::vector<std::string>{"/cpu:0", "/cpu:0"});
    it.Attr("shared_name", "").Attr("container", "");
    iterator_ = Built(Typed(it.Name("it")).Build());
    Built(NodeBuilder(graph_.get(), "MultiDeviceIteratorInit")
              .Name("init")
              .Input(dataset)
              .Input(iterator_)
              .Input(Const<int64_t>(max_buffer_size))
              .Build());
    NodeBuilder next(graph_.get(), "MultiDeviceIteratorGetNextFromShard");
    Built(Typed(next.Name("next")
                    .Input(iterator_)
                    .Input(Placeholder("shard", DType::kInt32))
                    .Input(Placeholder("incarnation", DType::kInt64)))
              .Build());
    Node* text = Built(NodeBuilder(graph_.get(), "MultiDeviceIteratorToStringHandle")
                           .Name("text")
                           .Input(iterator_)
                           .Build());
    for (const DType type : {DType::kInt64, DType::kFloat}) {
      NodeBuilder from(graph_.get(), "MultiDeviceIteratorFromStringHandle");
      from.Name(type == DType::kInt64 ? "same" : "other").Input(text);
      Built(Typed(from, type).Build());
    }
    auto session = Session::Create(SessionOptions(), graph_);
    ASSERT_TRUE(session.ok()) << session.status();
    session_ = *std::move(session);
  }
  StatusOr<int64_t> Run(const std::string& node,
                        const std::vector<std::pair<std::string, Tensor>>& feeds = {}) {
    RunOptions options;
    options.timeout_ms = 20000;
    std::vector<Tensor> fetched;
    WB_RETURN_IF_ERROR(session_->Run(options, feeds, {node}, {}, &fetched));
    return fetched[0].dtype() == DType::kInt64 ? fetched[0].scalar<int64_t>() : 0;
  }
  StatusOr<int64_t> Next(int32_t shard, int64_t incarnation = 1) {
    return Run("next", {{"shard:0", Tensor::Scalar<int32_t>(shard)},
                        {"incarnation:0", Tensor::Scalar<int64_t>(incarnation)}});
  }
  void ExpectNext(int32_t shard, int64_t want, int64_t incarnation = 1) {
    const StatusOr<int64_t> got = Next(shard, incarnation);
    ASSERT_TRUE(got.ok()) << got.status();
    EXPECT_EQ(*got, want);
  }
  void ExpectError(const Status& status, Code code, const std::string& text) {
    EXPECT_EQ(status.code(), code) << status;
    EXPECT_THAT(std::string(status.message()), HasSubstr(text));
  }

  std::shared_ptr<Graph> graph_ = std::make_shared<Graph>();
  Node* iterator_ = nullptr;
  std::unique_ptr<Session> session_;
};

TEST_F(MultiDeviceIteratorTest, ElementsGoToTheShardsInTurn) {
  Make(7);
  const auto first = Run("init");
  ASSERT_TRUE(first.ok()) << first.status();
  EXPECT_EQ(*first, 1);
  const std::pair<int32_t, int64_t> want[] = {{1, 1}, {1, 3}, {0, 0}, {0, 2},
                                              {1, 5}, {0, 4}, {0, 6}};
  for (const auto& [shard, value] : want) ExpectNext(shard, value);
  for (const int32_t shard : {1, 0}) {
    ExpectError(Next(shard).status(), Code::kOutOfRange, "End of sequence");
  }
}

TEST_F(MultiDeviceIteratorTest, AnotherPassHasAnotherIncarnation) {
  Make(7);
  ASSERT_TRUE(Run("init").ok());
  ExpectNext(0, 0);
  ExpectError(Next(0, 7).status(), Code::kInvalidArgument,
              "Invalid incarnation id. Provided: 7; Expected: 1");
  const auto second = Run("init");
  ASSERT_TRUE(second.ok()) << second.status();
  EXPECT_EQ(*second, 2);
  ExpectError(Next(0, 1).status(), Code::kInvalidArgument,
              "Invalid incarnation id. Provided: 1; Expected: 2");
  ExpectNext(1, 1, 2);
  ExpectNext(0, 0, 2);
}

TEST_F(MultiDeviceIteratorTest, WhatCannotBe) {
  Make(7);
  ExpectError(Next(0).status(), Code::kFailedPrecondition, "MultiDeviceIteratorInit");
  ASSERT_TRUE(Run("init").ok());
  for (const int32_t shard : {-1, 2}) {
    ExpectError(Next(shard).status(), Code::kInvalidArgument, "shards 0 to 1");
  }
  EXPECT_TRUE(Run("text").ok());
  EXPECT_TRUE(session_->Run({}, {}, {}, {"same"}, nullptr).ok());
  EXPECT_EQ(session_->Run({}, {}, {}, {"other"}, nullptr).code(), Code::kInvalidArgument);
}

TEST_F(MultiDeviceIteratorTest, ANegativeBufferIsRefused) {
  Make(7, -1);
  ExpectError(Run("init").status(), Code::kInvalidArgument, "max_buffer_size");
}

TEST_F(MultiDeviceIteratorTest, AShardThatWaitsForAnotherIsCancelledWithItsStep) {
  Make(100, 1);
  ASSERT_TRUE(Run("init").ok());
  // Nobody reads shard 0: once it is full, shard 1 gets nothing more.
  RunOptions options;
  options.timeout_ms = 100;
  Status status;
  for (int i = 0; i < 10 && status.ok(); ++i) {
    std::vector<Tensor> fetched;
    status = session_->Run(
        options,
        {{"shard:0", Tensor::Scalar<int32_t>(1)}, {"incarnation:0", Tensor::Scalar<int64_t>(1)}},
        {"next"}, {}, &fetched);
  }
  EXPECT_EQ(status.code(), Code::kDeadlineExceeded) << status;
  ExpectNext(0, 0);
  EXPECT_TRUE(session_->Close().ok());
}

TEST_F(MultiDeviceIteratorTest, AnonymousOnesAreDeleted) {
  NodeBuilder it(graph_.get(), "AnonymousMultiDeviceIterator");
  it.Attr("devices", std::vector<std::string>{"/cpu:0"});
  Node* iterator = Built(Typed(it).Build());
  Built(NodeBuilder(graph_.get(), "DeleteMultiDeviceIterator")
            .Name("delete")
            .Input(OutputRef{iterator->id(), 0})
            .Input(std::vector<OutputRef>{})
            .Input(OutputRef{iterator->id(), 1})
            .Attr("N", int64_t{0})
            .Build());
  NodeBuilder third(graph_.get(), "AnonymousMultiDeviceIteratorV3");
  third.Attr("devices", std::vector<std::string>{"/cpu:0"});
  Built(Typed(third.Name("third")).Build());
  auto session = Session::Create(SessionOptions(), graph_);
  ASSERT_TRUE(session.ok()) << session.status();
  const Status deleted = (*session)->Run({}, {}, {}, {"delete"}, nullptr);
  EXPECT_TRUE(deleted.ok()) << deleted;
  EXPECT_TRUE((*session)->Run({}, {}, {}, {"third"}, nullptr).ok());
}

}  // namespace
}  // namespace warpbeam
