// Coordinators, queue runners and the input pipelines made of them.
#include "frontend/training/queue_runner.h"

#include <algorithm>
#include <atomic>

#include "frontend/array.h"
#include "frontend/build.h"
#include "frontend/training/input_pipeline.h"
#include "gmock/gmock.h"
#include "graph/types/errors.h"
#include "gtest/gtest.h"

namespace warpbeam {
namespace frontend {
namespace train {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::UnorderedElementsAre;
using Code = StatusCode;

TEST(Coordinators, TheFirstErrorReachesTheMainThread) {
  Coordinator coordinator;
  std::atomic<int> ended{0};
  for (int i = 0; i < 3; ++i) {
    coordinator.Launch("worker", [&] {
      coordinator.WaitForStop();
      ++ended;
      return Status(Internal("what follows from stopping"));
    });
  }
  coordinator.Launch("failing", [] { return Status(NotFound("the file is gone")); });
  const Status s = coordinator.Join();
  EXPECT_EQ(s.code(), Code::kNotFound);
  EXPECT_TRUE(coordinator.ShouldStop());
  EXPECT_EQ(ended, 3);
}

TEST(Coordinators, TheEndOfTheInputIsNoError) {
  Coordinator coordinator;
  EXPECT_FALSE(coordinator.WaitForStop(1));
  coordinator.RequestStop(OutOfRange("the end"));
  EXPECT_TRUE(coordinator.WaitForStop());
  EXPECT_TRUE(coordinator.Join().ok());
  EXPECT_TRUE(coordinator.joined());
  coordinator.ClearStop();
  EXPECT_FALSE(coordinator.ShouldStop());
  coordinator.Launch("worker", [] { return Status(); });
  EXPECT_FALSE(coordinator.joined());
  EXPECT_TRUE(coordinator.Join().ok());
  EXPECT_TRUE(coordinator.joined());
}

TEST(Coordinators, AThreadThatDoesNotEndIsNamed) {
  std::atomic<bool> end{false}, ended{false};
  {
    Coordinator coordinator;
    coordinator.Launch("the stubborn one", [&] {
      while (!end) std::this_thread::yield();
      ended = true;
      return Status();
    });
    coordinator.RequestStop();
    const Status s = coordinator.Join(/*stop_grace_ms=*/20);
    EXPECT_EQ(s.code(), Code::kDeadlineExceeded);
    EXPECT_THAT(std::string(s.message()), HasSubstr("the stubborn one"));
    EXPECT_FALSE(coordinator.joined());
    end = true;
    while (!ended) std::this_thread::yield();
  }
}

TEST(QueueRunners, ThroughTheirProto) {
  QueueRunner runner;
  runner.queue_name = "q";
  runner.enqueue_op_names = {"a", "a"};
  runner.close_op_name = "close";
  runner.cancel_op_name = "cancel";
  runner.queue_closed_codes = {1, 11};
  const auto read = QueueRunner::Parse(runner.Serialize());
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(read->queue_name, "q");
  EXPECT_THAT(read->enqueue_op_names, ElementsAre("a", "a"));
  EXPECT_EQ(read->close_op_name, "close");
  EXPECT_EQ(read->cancel_op_name, "cancel");
  EXPECT_THAT(read->queue_closed_codes, ElementsAre(1, 11));
  EXPECT_EQ(QueueRunner::Parse("\xff\xff").status().code(), Code::kInvalidArgument);
}

class Pipelines : public ::testing::Test {
 protected:
  // Runs `fetches` until the end; the strings of the first one.
  std::vector<std::string> Drain(const std::vector<Output>& fetches, Status* joined) {
    EXPECT_TRUE(root_.ok()) << root_.status();
    ClientSession session(root_);
    const Operation init = LocalVariablesInitializer(root_);
    auto ran = session.Run({init});
    EXPECT_TRUE(ran.ok()) << ran.status();
    Coordinator coordinator;
    const Status started = StartQueueRunners(root_, session, coordinator);
    EXPECT_TRUE(started.ok()) << started;
    std::vector<std::string> values;
    while (!coordinator.ShouldStop()) {
      auto out = session.Run({fetches[0]});
      if (!out.ok()) {
        coordinator.RequestStop(out.status());
        break;
      }
      const Tensor& t = (*out)[0];
      values.insert(values.end(), t.data<std::string>(), t.data<std::string>() + t.num_elements());
    }
    *joined = coordinator.Join();
    EXPECT_TRUE(session.Close().ok());
    return values;
  }

  Output Dequeue(const Output& queue, DType dtype) {
    return BuildOutput(root_, "QueueDequeueV2", {queue},
                       OpAttrs().Set("component_types", std::vector<DType>{dtype}));
  }

  Output StringJoin(const std::vector<Output>& strings) {
    return BuildOutput(root_, "StringJoin", {InputList(strings)});
  }

  Scope root_ = Scope::NewRoot();
};

TEST_F(Pipelines, EpochsOfFilesInBatches) {
  const Output files = StringInputProducer(root_, {"a", "b", "c"},
                                           InputProducerOptions().num_epochs(2).shuffle(false));
  const Output name =
      BuildOutput(root_, "QueueDequeueV2", {files},
                  OpAttrs().Set("component_types", std::vector<DType>{DType::kString}));
  const std::vector<Output> batch =
      Batch(root_, {name}, 4, BatchOptions().allow_smaller_final_batch(true));
  EXPECT_EQ(files.op().name(), "input_producer");
  EXPECT_EQ(batch[0].op().name(), "batch");
  EXPECT_EQ(GetCollectionItems(root_, GraphKeys::kQueueRunners).size(), 2u);
  Status joined;
  EXPECT_THAT(Drain(batch, &joined), ElementsAre("a", "b", "c", "a", "b", "c"));
  EXPECT_TRUE(joined.ok()) << joined;
}

TEST_F(Pipelines, ShuffledWithSeveralThreads) {
  const Output files =
      StringInputProducer(root_, {"a", "b", "c", "d"}, InputProducerOptions().num_epochs(1));
  const Output name =
      BuildOutput(root_, "QueueDequeueV2", {files},
                  OpAttrs().Set("component_types", std::vector<DType>{DType::kString}));
  const std::vector<Output> batch = ShuffleBatch(
      root_, {name}, 2, BatchOptions().capacity(10).min_after_dequeue(2).num_threads(3));
  EXPECT_EQ(batch[0].op().name(), "shuffle_batch");
  EXPECT_EQ(batch[0].shape(), PartialShape({2}));
  Status joined;
  EXPECT_THAT(Drain(batch, &joined), UnorderedElementsAre("a", "b", "c", "d"));
  EXPECT_TRUE(joined.ok()) << joined;
}

TEST_F(Pipelines, SlicesStayTogether) {
  const Output names = Constant(root_, {"a", "b", "c"});
  const Output numbers = Constant(root_, {0, 1, 2});
  const std::vector<Output> rows = SliceInputProducer(
      root_, {names, numbers}, InputProducerOptions().num_epochs(2).shuffle(false));
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0].shape(), PartialShape(Shape()));
  const Output both = StringJoin({rows[0], BuildOutput(root_, "AsString", {rows[1]})});
  Status joined;
  EXPECT_THAT(Drain({both}, &joined), ElementsAre("a0", "b1", "c2", "a0", "b1", "c2"));
  EXPECT_TRUE(joined.ok()) << joined;
}

TEST_F(Pipelines, NumbersOfARange) {
  const Output queue =
      RangeInputProducer(root_, 3, InputProducerOptions().num_epochs(1).shuffle(false));
  const Output number = Dequeue(queue, DType::kInt32);
  Status joined;
  EXPECT_THAT(Drain({BuildOutput(root_, "AsString", {number})}, &joined),
              ElementsAre("0", "1", "2"));
  EXPECT_TRUE(joined.ok()) << joined;
}

TEST_F(Pipelines, SeveralSourcesAreJoined) {
  std::vector<std::vector<Output>> sources;
  for (const char* prefix : {"a", "b"}) {
    const std::vector<std::string> names = {prefix + std::string("0"), prefix + std::string("1")};
    const Output queue = StringInputProducer(root_, names, InputProducerOptions().num_epochs(1));
    sources.push_back({Dequeue(queue, DType::kString)});
  }
  const std::vector<Output> batch =
      BatchJoin(root_, sources, 3, BatchOptions().allow_smaller_final_batch(true));
  EXPECT_EQ(batch[0].op().name(), "batch_join");
  EXPECT_EQ(batch[0].shape(), PartialShape({-1}));
  Status joined;
  EXPECT_THAT(Drain(batch, &joined), UnorderedElementsAre("a0", "a1", "b0", "b1"));
  EXPECT_TRUE(joined.ok()) << joined;
}

TEST_F(Pipelines, EachTowerGetsAnotherPrefetchedElement) {
  const Output files =
      StringInputProducer(root_, {"a", "b", "c", "d"}, InputProducerOptions().num_epochs(1));
  const PrefetchQueue queue(root_, {Dequeue(files, DType::kString)},
                            PrefetchQueueOptions().capacity(2));
  const Output first = queue.Dequeue(root_.NameScope("tower_0"))[0];
  const Output second = queue.Dequeue(root_.NameScope("tower_1"))[0];
  EXPECT_EQ(second.op().name(), "tower_1/fifo_queue_Dequeue");
  EXPECT_EQ(GetCollectionItems(root_, GraphKeys::kSummaries).size(), 2u);
  Status joined;
  EXPECT_THAT(Drain({Stack(root_, {first, second})}, &joined),
              UnorderedElementsAre("a", "b", "c", "d"));
  EXPECT_TRUE(joined.ok()) << joined;
}

TEST_F(Pipelines, SourcesThatDifferAreRefused) {
  BatchJoin(root_, {{Constant(root_, 1)}, {Constant(root_, 1.0f)}}, 2);
  EXPECT_THAT(std::string(root_.status().message()), HasSubstr("of source 1"));
}

TEST_F(Pipelines, AQueueMustHoldMoreThanStaysInIt) {
  ShuffleBatch(root_, {Constant(root_, 1)}, 2, BatchOptions().capacity(5).min_after_dequeue(5));
  EXPECT_THAT(std::string(root_.status().message()), HasSubstr("must be more than the 5 elements"));
}

TEST_F(Pipelines, AnErrorOfAReaderEndsTheProgramWithIt) {
  const Output files = StringInputProducer(root_, {"/no/such/file"});
  const Output contents = BuildOutput(
      root_, "ReadFile",
      {BuildOutput(root_, "QueueDequeueV2", {files},
                   OpAttrs().Set("component_types", std::vector<DType>{DType::kString}))});
  const std::vector<Output> batch = Batch(root_, {contents}, 4);
  Status joined;
  EXPECT_TRUE(Drain(batch, &joined).empty());
  EXPECT_EQ(joined.code(), Code::kNotFound);
  EXPECT_THAT(std::string(joined.message()), HasSubstr("/no/such/file"));
}

TEST_F(Pipelines, WhatHasNoShapeIsRefused) {
  const Output x = BuildOutput(root_, "Placeholder", {}, OpAttrs().Set("dtype", DType::kFloat));
  Batch(root_, {x}, 4);
  EXPECT_EQ(root_.status().code(), Code::kInvalidArgument);
  EXPECT_THAT(std::string(root_.status().message()), HasSubstr("All shapes must be fully defined"));
}

}  // namespace
}  // namespace train
}  // namespace frontend
}  // namespace warpbeam
