// Queue ops in a session: both kinds of handles, batches, padding, steps that wait.
#include <thread>

#include "gmock/gmock.h"
#include "graph/build/node_builder.h"
#include "gtest/gtest.h"
#include "runtime/session/session.h"

namespace warpbeam {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Code = StatusCode;

class QueueOpsTest : public ::testing::Test {
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
  OutputRef Const(const char* name, Tensor value) {
    return {(*AddConstant(&graph(), name, std::move(value)))->id(), 0};
  }
  OutputRef QueueNode(const char* op, std::vector<DType> types, std::vector<PartialShape> shapes,
                      int64_t capacity = -1) {
    return Built(NodeBuilder(&graph(), op)
                     .Name("queue")
                     .Attr("component_types", std::move(types))
                     .Attr("shapes", std::move(shapes))
                     .Attr("capacity", capacity));
  }
  Status Run(const std::vector<std::string>& fetches, const std::vector<std::string>& targets,
             const NamedTensors& feeds = {}, int64_t timeout_ms = 0) {
    if (session_ == nullptr) {
      auto made = Session::Create({}, graph_);
      EXPECT_TRUE(made.ok()) << made.status();
      session_ = *std::move(made);
    }
    RunOptions options;
    options.timeout_ms = timeout_ms;
    out_.clear();
    return session_->Run(options, feeds, fetches, targets, &out_, nullptr);
  }
  // enqueue, enqueue_many (of "x"), dequeue, dequeue_many, dequeue_up_to (of "n"), close, size.
  void AddOps(OutputRef queue, bool v2, const std::vector<DType>& types,
              const std::vector<OutputRef>& values) {
    const std::string suffix = v2 ? "V2" : "";
    n_ = Built(NodeBuilder(&graph(), "Placeholder").Name("n").Attr("dtype", DType::kInt32));
    for (const char* op : {"QueueEnqueue", "QueueEnqueueMany"}) {
      BuildTarget(NodeBuilder(&graph(), op + suffix).Name(op).Input(queue).Input(values));
    }
    BuildTarget(NodeBuilder(&graph(), "QueueDequeue" + suffix)
                    .Name("QueueDequeue")
                    .Input(queue)
                    .Attr("component_types", types));
    for (const char* op : {"QueueDequeueMany", "QueueDequeueUpTo"}) {
      BuildTarget(NodeBuilder(&graph(), op + suffix)
                      .Name(op)
                      .Input(queue)
                      .Input(n_)
                      .Attr("component_types", types));
    }
    BuildTarget(NodeBuilder(&graph(), "QueueClose" + suffix).Name("QueueClose").Input(queue));
    BuildTarget(NodeBuilder(&graph(), "QueueSize" + suffix).Name("QueueSize").Input(queue));
    BuildTarget(NodeBuilder(&graph(), "QueueIsClosed" + suffix).Name("QueueIsClosed").Input(queue));
  }
  static NamedTensors N(int32_t n) { return {{"n", Tensor::Scalar<int32_t>(n)}}; }
  template <typename T>
  std::vector<T> Values(int i = 0) {
    return std::vector<T>(out_[i].data<T>(), out_[i].data<T>() + out_[i].num_elements());
  }
  int32_t Size() {
    EXPECT_TRUE(Run({"QueueSize"}, {}).ok());
    return out_[0].scalar<int32_t>();
  }

  std::shared_ptr<Graph> graph_ = std::make_shared<Graph>();
  std::unique_ptr<Session> session_;
  std::vector<Tensor> out_;
  OutputRef n_;
};

class BothHandles : public QueueOpsTest, public ::testing::WithParamInterface<bool> {};

TEST_P(BothHandles, FromEnqueueToTheEnd) {
  const std::vector<DType> types = {DType::kString, DType::kInt32};
  const OutputRef queue = QueueNode(GetParam() ? "FIFOQueueV2" : "FIFOQueue", types,
                                    {PartialShape(Shape()), PartialShape({2})});
  const OutputRef words = Const("words", Tensor::Vector<std::string>({"a", "b", "c"}));
  const OutputRef pairs =
      Const("pairs", Tensor::FromValues<int32_t>(Shape({3, 2}), {1, 2, 3, 4, 5, 6}));
  AddOps(queue, GetParam(), types, {words, pairs});
  EXPECT_EQ(Run({}, {"QueueEnqueue"}).code(), Code::kInvalidArgument);  // shapes are of a batch
  ASSERT_TRUE(Run({}, {"QueueEnqueueMany"}).ok());
  ASSERT_TRUE(Run({}, {"QueueEnqueueMany"}).ok());
  EXPECT_EQ(Size(), 6);
  ASSERT_TRUE(Run({"QueueDequeue:0", "QueueDequeue:1"}, {}).ok());
  EXPECT_THAT(Values<std::string>(0), ElementsAre("a"));
  EXPECT_THAT(Values<int32_t>(1), ElementsAre(1, 2));
  ASSERT_TRUE(Run({"QueueDequeueMany:0", "QueueDequeueMany:1"}, {}, N(3)).ok());
  EXPECT_THAT(Values<std::string>(0), ElementsAre("b", "c", "a"));
  EXPECT_EQ(out_[1].shape(), Shape({3, 2}));
  EXPECT_THAT(Values<int32_t>(1), ElementsAre(3, 4, 5, 6, 1, 2));
  ASSERT_TRUE(Run({"QueueDequeueMany:1"}, {}, N(0)).ok());
  EXPECT_EQ(out_[0].shape(), Shape({0, 2}));
  EXPECT_EQ(Run({"QueueDequeueMany:1"}, {}, N(-1)).code(), Code::kInvalidArgument);
  ASSERT_TRUE(Run({}, {"QueueClose"}).ok());
  const Status s = Run({"QueueDequeueMany:1"}, {}, N(3));
  EXPECT_EQ(s.code(), Code::kOutOfRange);
  EXPECT_THAT(std::string(s.message()), HasSubstr("requested 3, current size 2"));
  ASSERT_TRUE(Run({"QueueDequeueUpTo:0", "QueueIsClosed"}, {}, N(3)).ok());
  EXPECT_THAT(Values<std::string>(0), ElementsAre("b", "c"));
  EXPECT_TRUE(out_[1].scalar<bool>());
  EXPECT_EQ(Run({"QueueDequeue:0"}, {}).code(), Code::kOutOfRange);
  EXPECT_EQ(Run({}, {"QueueEnqueueMany"}).code(), Code::kCancelled);
}
INSTANTIATE_TEST_SUITE_P(Handles, BothHandles, ::testing::Bool());

TEST_F(QueueOpsTest, ElementsOfDifferentSizesArePadded) {
  const OutputRef queue = QueueNode("PaddingFIFOQueueV2", {DType::kInt32}, {PartialShape({-1, 2})});
  const OutputRef x =
      Built(NodeBuilder(&graph(), "Placeholder").Name("x").Attr("dtype", DType::kInt32));
  AddOps(queue, true, {DType::kInt32}, {x});
  const auto put = [&](Shape shape, std::initializer_list<int32_t> values) {
    return Run({}, {"QueueEnqueue"}, {{"x", Tensor::FromValues<int32_t>(shape, values)}});
  };
  ASSERT_TRUE(put({1, 2}, {1, 2}).ok());
  ASSERT_TRUE(put({2, 2}, {3, 4, 5, 6}).ok());
  ASSERT_TRUE(put({0, 2}, {}).ok());
  EXPECT_EQ(put({1, 3}, {1, 2, 3}).code(), Code::kInvalidArgument);
  EXPECT_EQ(put({2}, {1, 2}).code(), Code::kInvalidArgument);
  ASSERT_TRUE(Run({"QueueDequeueMany"}, {}, N(3)).ok());
  EXPECT_EQ(out_[0].shape(), Shape({3, 2, 2}));
  EXPECT_THAT(Values<int32_t>(), ElementsAre(1, 2, 0, 0, 3, 4, 5, 6, 0, 0, 0, 0));
  ASSERT_TRUE(Run({"QueueDequeueMany"}, {}, N(0)).ok());
  EXPECT_EQ(out_[0].shape(), Shape({0, 0, 2}));
}

// The order of equal priorities is TensorFlow's.
TEST_F(QueueOpsTest, TheSmallestPriorityComesFirst) {
  const OutputRef queue = QueueNode("PriorityQueueV2", {DType::kString}, {PartialShape(Shape())});
  AddOps(queue, true, {DType::kInt64, DType::kString},
         {Const("p", Tensor::Vector<int64_t>({3, 1, 2, 1, 3, 2, 1})),
          Const("v", Tensor::Vector<std::string>({"a", "b", "c", "d", "e", "f", "g"}))});
  ASSERT_TRUE(Run({}, {"QueueEnqueueMany"}).ok());
  ASSERT_TRUE(Run({"QueueDequeueMany:0", "QueueDequeueMany:1"}, {}, N(7)).ok());
  EXPECT_THAT(Values<int64_t>(0), ElementsAre(1, 1, 1, 2, 2, 3, 3));
  EXPECT_THAT(Values<std::string>(1), ElementsAre("b", "g", "d", "f", "c", "a", "e"));
}

// Who takes before enough is there waits for it, and then gets it all in order.
TEST_F(QueueOpsTest, ManyComeOutInOrderHoweverTheyCameIn) {
  const OutputRef queue = QueueNode("PriorityQueueV2", {DType::kString}, {PartialShape(Shape())});
  AddOps(queue, true, {DType::kInt64, DType::kString},
         {Const("p", Tensor::Vector<int64_t>({3, 1})),
          Const("v", Tensor::Vector<std::string>({"a", "b"}))});
  ASSERT_EQ(Size(), 0);
  std::thread feeder([&] {
    for (int i = 0; i < 2; ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      std::vector<Tensor> none;
      const auto s = session_->Run({}, {}, {}, {"QueueEnqueueMany"}, &none, nullptr);
      EXPECT_TRUE(s.ok()) << s;
    }
  });
  EXPECT_TRUE(Run({"QueueDequeueMany:0"}, {}, N(4)).ok());
  feeder.join();
  EXPECT_THAT(Values<int64_t>(0), ElementsAre(1, 1, 3, 3));
}

TEST_F(QueueOpsTest, AStepWaitsForAnotherOne) {
  const OutputRef queue = QueueNode("FIFOQueueV2", {DType::kInt32}, {PartialShape(Shape())}, 1);
  AddOps(queue, true, {DType::kInt32}, {Const("x", Tensor::Scalar<int32_t>(7))});
  ASSERT_EQ(Size(), 0);
  std::thread feeder([&] {
    for (int i = 0; i < 100; ++i) {
      std::vector<Tensor> none;
      const auto s = session_->Run({}, {}, {}, {"QueueEnqueue"}, &none, nullptr);
      EXPECT_TRUE(s.ok()) << s;
    }
  });
  for (int i = 0; i < 25; ++i) {
    ASSERT_TRUE(Run({"QueueDequeueMany"}, {}, N(4)).ok());
    EXPECT_THAT(Values<int32_t>(), ElementsAre(7, 7, 7, 7));
  }
  feeder.join();
  EXPECT_EQ(Size(), 0);
}

TEST_F(QueueOpsTest, ADeadlineEndsTheWaitAndLosesNothing) {
  const OutputRef queue = QueueNode("FIFOQueueV2", {DType::kInt32}, {PartialShape(Shape())}, 2);
  AddOps(queue, true, {DType::kInt32}, {Const("x", Tensor::Scalar<int32_t>(7))});
  ASSERT_TRUE(Run({}, {"QueueEnqueue"}).ok());
  const Status s = Run({"QueueDequeueMany"}, {}, N(2), /*timeout_ms=*/50);
  EXPECT_EQ(s.code(), Code::kDeadlineExceeded);
  EXPECT_THAT(std::string(s.message()), HasSubstr("QueueDequeueMany"));
  EXPECT_EQ(Size(), 1);
  ASSERT_TRUE(Run({}, {"QueueEnqueue"}).ok());
  EXPECT_EQ(Run({}, {"QueueEnqueue"}, {}, 50).code(), Code::kDeadlineExceeded);
  ASSERT_TRUE(Run({"QueueDequeueMany"}, {}, N(2), 1000).ok());
  EXPECT_THAT(Values<int32_t>(), ElementsAre(7, 7));
}

// Nothing fills the queue: who asks for some rows waits for ever, if nobody ends that.
TEST_F(QueueOpsTest, WhatCouldNeverEndIsRefusedOnlyThen) {
  const OutputRef queue = QueueNode("FIFOQueueV2", {DType::kInt32}, {PartialShape(Shape())});
  const OutputRef fed =
      Built(NodeBuilder(&graph(), "Placeholder").Name("n").Attr("dtype", DType::kInt32));
  const std::pair<const char*, OutputRef> kTakes[] = {
      {"none", Const("zero", Tensor::Scalar<int32_t>(0))},
      {"two", Const("two_rows", Tensor::Scalar<int32_t>(2))},
      {"fed", fed}};
  for (const auto& [name, count] : kTakes) {
    BuildTarget(NodeBuilder(&graph(), "QueueDequeueManyV2")
                    .Name(name)
                    .Input(queue)
                    .Input(count)
                    .Attr("component_types", std::vector<DType>{DType::kInt32}));
  }
  ASSERT_TRUE(Run({"none"}, {}).ok());
  EXPECT_EQ(out_[0].shape(), Shape({0}));
  ASSERT_TRUE(Run({"fed"}, {}, N(0)).ok());
  EXPECT_EQ(out_[0].shape(), Shape({0}));
  EXPECT_EQ(Run({"two"}, {}).code(), Code::kFailedPrecondition);
  EXPECT_EQ(Run({"two"}, {}, {}, /*timeout_ms=*/20).code(), Code::kDeadlineExceeded);
  EXPECT_EQ(Run({"fed"}, {}, N(2), 20).code(), Code::kDeadlineExceeded);
  ASSERT_TRUE(Run({"two"}, {}, {{"two_rows", Tensor::Scalar<int32_t>(0)}}).ok());
}

TEST_F(QueueOpsTest, ATimeoutIsRefused) {
  const OutputRef queue = QueueNode("FIFOQueueV2", {DType::kInt32}, {PartialShape(Shape())});
  const OutputRef x = Const("x", Tensor::Scalar<int32_t>(7));
  BuildTarget(NodeBuilder(&graph(), "QueueEnqueueV2")
                  .Name("put")
                  .Input(queue)
                  .Input(std::vector<OutputRef>{x})
                  .Attr("timeout_ms", int64_t{5}));
  BuildTarget(NodeBuilder(&graph(), "QueueDequeueV2")
                  .Name("take")
                  .Input(queue)
                  .Attr("component_types", std::vector<DType>{DType::kInt32})
                  .Attr("timeout_ms", int64_t{5}));
  for (const char* op : {"put", "take"}) {
    EXPECT_EQ(Run({}, {op}, {}, 1000).code(), Code::kInvalidArgument) << op;
  }
}

TEST_F(QueueOpsTest, ClosingTheSessionEndsTheWait) {
  const OutputRef queue = QueueNode("FIFOQueueV2", {DType::kInt32}, {PartialShape(Shape())});
  AddOps(queue, true, {DType::kInt32}, {Const("x", Tensor::Scalar<int32_t>(7))});
  ASSERT_EQ(Size(), 0);
  Status s;
  std::thread taker([&] {
    std::vector<Tensor> out;
    s = session_->Run({}, {}, {"QueueDequeue"}, {}, &out, nullptr);
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  EXPECT_TRUE(session_->Close().ok());
  taker.join();
  EXPECT_EQ(s.code(), Code::kCancelled);
}

TEST_F(QueueOpsTest, OneStepPutsAndTakesManyTimes) {
  const OutputRef queue = QueueNode("FIFOQueueV2", {DType::kInt32}, {}, 1);
  const OutputRef x = Const("x", Tensor::Scalar<int32_t>(5));
  const Node* last = nullptr;
  for (int i = 0; i < 20000; ++i) {
    NodeBuilder put(&graph(), "QueueEnqueueV2");
    put.Name(absl::StrCat("put", i)).Input(queue).Input(std::vector<OutputRef>{x});
    if (last != nullptr) put.ControlInput(last->id());
    auto made = put.Build();
    ASSERT_TRUE(made.ok()) << made.status();
    NodeBuilder take(&graph(), "QueueDequeueV2");
    take.Name(absl::StrCat("take", i))
        .Input(queue)
        .Attr("component_types", std::vector<DType>{DType::kInt32})
        .ControlInput((*made)->id());
    auto taken = take.Build();
    ASSERT_TRUE(taken.ok()) << taken.status();
    last = *taken;
  }
  ASSERT_TRUE(Run({last->name()}, {}).ok());
  EXPECT_THAT(Values<int32_t>(), ElementsAre(5));
}

TEST_F(QueueOpsTest, ShapesBehindTheHandleAreKnown) {
  const OutputRef queue = QueueNode("FIFOQueueV2", {DType::kFloat}, {PartialShape({3})});
  const OutputRef n = Const("n", Tensor::Scalar<int32_t>(4));
  const OutputRef many = Built(NodeBuilder(&graph(), "QueueDequeueManyV2")
                                   .Input(queue)
                                   .Input(n)
                                   .Attr("component_types", std::vector<DType>{DType::kFloat}));
  EXPECT_EQ(graph().node(many.node).output_shape(0), PartialShape({4, 3}));
  const OutputRef minus = Const("minus", Tensor::Scalar<int32_t>(-1));
  EXPECT_EQ(NodeBuilder(&graph(), "QueueDequeueManyV2")
                .Input(queue)
                .Input(minus)
                .Attr("component_types", std::vector<DType>{DType::kFloat})
                .Build()
                .status()
                .code(),
            Code::kInvalidArgument);
}

TEST_F(QueueOpsTest, SessionsDoNotShareQueues) {
  const OutputRef queue = Built(NodeBuilder(&graph(), "FIFOQueueV2")
                                    .Name("queue")
                                    .Attr("component_types", std::vector<DType>{DType::kInt32})
                                    .Attr("shared_name", "all"));
  const OutputRef same = Built(NodeBuilder(&graph(), "FIFOQueueV2")
                                   .Name("same")
                                   .Attr("component_types", std::vector<DType>{DType::kInt32})
                                   .Attr("shared_name", "all"));
  AddOps(queue, true, {DType::kInt32}, {Const("x", Tensor::Scalar<int32_t>(7))});
  BuildTarget(NodeBuilder(&graph(), "QueueSizeV2").Name("size_of_same").Input(same));
  ASSERT_TRUE(Run({}, {"QueueEnqueue"}).ok());
  ASSERT_TRUE(Run({"size_of_same"}, {}).ok());
  EXPECT_EQ(out_[0].scalar<int32_t>(), 1);
  session_ = nullptr;
  EXPECT_EQ(Size(), 0);
}

}  // namespace
}  // namespace warpbeam
