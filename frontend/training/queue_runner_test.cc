// Coordinators, queue runners and the input pipelines made of them.
#include "frontend/training/queue_runner.h"

#include <algorithm>
#include <atomic>

#include "frontend/build.h"
#include "frontend/training/input_pipeline.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace warpbeam {
namespace frontend {
namespace train {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::UnorderedElementsAre;
using Code = absl::StatusCode;

TEST(Coordinators, TheFirstErrorReachesTheMainThread) {
  Coordinator coordinator;
  std::atomic<int> ended{0};
  for (int i = 0; i < 3; ++i) {
    coordinator.Launch("worker", [&] {
      coordinator.WaitForStop();
      ++ended;
      return Status(absl::InternalError("what follows from stopping"));
    });
  }
  coordinator.Launch("failing", [] { return Status(absl::NotFoundError("the file is gone")); });
  const Status s = coordinator.Join();
  EXPECT_EQ(s.code(), Code::kNotFound);
  EXPECT_TRUE(coordinator.ShouldStop());
  EXPECT_EQ(ended, 3);
}

TEST(Coordinators, TheEndOfTheInputIsNoError) {
  Coordinator coordinator;
  EXPECT_FALSE(coordinator.WaitForStop(1));
  coordinator.RequestStop(absl::OutOfRangeError("the end"));
  EXPECT_TRUE(coordinator.WaitForStop());
  EXPECT_TRUE(coordinator.Join().ok());
  coordinator.ClearStop();
  EXPECT_FALSE(coordinator.ShouldStop());
  coordinator.Launch("worker", [] { return Status(); });
  EXPECT_TRUE(coordinator.Join().ok());
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
