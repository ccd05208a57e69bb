// Elements that lie on simulated GPUs when a step asks for them.
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "frontend/array.h"
#include "frontend/build.h"
#include "frontend/client_session.h"
#include "frontend/control.h"
#include "frontend/data/dataset.h"
#include "frontend/data/multi_device_iterator.h"
#include "frontend/math.h"
#include "frontend/training/optimizer.h"
#include "frontend/training/replicate.h"
#include "frontend/variables/variable_scope.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "placement/report.h"

namespace warpbeam {
namespace frontend {
namespace data {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Code = StatusCode;

SessionConfig TwoGpus() {
  SessionConfig config;
  config.simulated_gpus = 2;
  return config;
}

// Batches {i, i + 1, i + 2} of floats, i = 0, 3, … below 3 * `count`.
Dataset Batches(const Scope& root, int64_t count) {
  return Range(root, 0, 3 * count)
      .Map([](const Scope& s, const Element& e) -> Element {
        return {Cast(s, e[0], DType::kFloat)};
      })
      .Batch(3);
}

std::string DeviceOf(ClientSession& session, const std::string& node) {
  const StatusOr<PlacementReport> report = session.Placement();
  EXPECT_TRUE(report.ok()) << report.status();
  if (!report.ok()) return "";
  for (const auto& line : report->nodes) {
    if (line.node == node) return line.assigned;
  }
  return "nowhere";
}

class PrefetchToDeviceTest : public ::testing::Test {
 protected:
  // A step on "/gpu:0" that takes the next batch and leaves what it computes there.
  struct Step {
    Output sum;
    Operation run;
  };
  Step StepOn(const Scope& gpu, const Output& batch) {
    Step step;
    step.sum = ReduceSum(gpu, Square(gpu, batch));
    step.run = Group(gpu, {step.sum.op()});
    return step;
  }

  Scope root_ = Scope::NewRoot();
};

TEST_F(PrefetchToDeviceTest, AStepCopiesNothing) {
  const Scope gpu = root_.Device("/gpu:0");
  const Element ahead =
      Batches(root_, 20).PrefetchToDevice("/gpu:0", 2).MakeOneShotIterator().GetNext();
  const Element plain = Batches(root_, 20).MakeOneShotIterator().GetNext();
  const Step with = StepOn(gpu, ahead[0]), without = StepOn(gpu, plain[0]);
  ClientSession session(root_, TwoGpus());
  for (int i = 0; i < 5; ++i) {
    SessionRunMetadata metadata;
    auto out = session.Run({}, {with.run}, {}, &metadata);
    ASSERT_TRUE(out.ok()) << out.status();
    EXPECT_EQ(metadata.host_to_device_copies, 0);
    EXPECT_EQ(metadata.bytes_copied, 0);
    ASSERT_TRUE(session.Run({}, {without.run}, {}, &metadata).ok());
    EXPECT_EQ(metadata.host_to_device_copies, 1);
  }
  EXPECT_THAT(DeviceOf(session, ahead[0].op().name()), HasSubstr("GPU:0"));
  EXPECT_THAT(DeviceOf(session, plain[0].op().name()), HasSubstr("CPU:0"));
}

TEST_F(PrefetchToDeviceTest, ValuesOrderAndEndAreThoseOfTheDataset) {
  for (const int64_t buffer : {int64_t{0}, int64_t{1}, int64_t{3}, kAutotune}) {
    SCOPED_TRACE(buffer);
    const Scope root = Scope::NewRoot();
    const Iterator iterator =
        Batches(root, 6).PrefetchToDevice("/gpu:0", buffer).MakeInitializableIterator();
    const Step step = StepOn(root.Device("/gpu:0"), iterator.GetNext()[0]);
    ClientSession session(root, TwoGpus());
    EXPECT_EQ(session.Run({step.sum}).status().code(), Code::kFailedPrecondition);
    for (int pass = 0; pass < 3; ++pass) {
      ASSERT_TRUE(session.Run({iterator.initializer()}).ok());
      // The second pass is left in the middle.
      for (int i = 0; i < (pass == 1 ? 2 : 6); ++i) {
        auto out = session.Run({step.sum});
        ASSERT_TRUE(out.ok()) << out.status();
        const float x = 3.0f * i;
        EXPECT_EQ((*out)[0].scalar<float>(), x * x + (x + 1) * (x + 1) + (x + 2) * (x + 2));
      }
      if (pass != 1) {
        EXPECT_EQ(session.Run({step.sum}).status().code(), Code::kOutOfRange);
      }
    }
  }
}

TEST_F(PrefetchToDeviceTest, StringsStayInHostMemoryBesideNumbers) {
  const Iterator iterator =
      FromTensorSlices(root_, {Constant(root_, std::vector<std::string>{"a", "b"}),
                               Constant(root_, std::vector<float>{1, 2})})
          .PrefetchToDevice("/gpu:0")
          .MakeOneShotIterator();
  const Element next = iterator.GetNext();
  const Output twice = Multiply(root_.Device("/gpu:0"), next[1], 2);
  ClientSession session(root_, TwoGpus());
  auto out = session.Run({next[0], twice});
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_EQ((*out)[0].scalar<std::string>(), "a");
  EXPECT_EQ((*out)[1].scalar<float>(), 2);
}

TEST_F(PrefetchToDeviceTest, AnErrorOfThePipelineArrivesInItsPlace) {
  const Iterator iterator =
      Range(root_, 0, 4)
          .Map([](const Scope& s, const Element& e) -> Element {
            const Output two = Constant(s, int64_t{2}, DType::kInt64);
            return {BuildOutput(s, "FloorDiv",
                                {Constant(s, int64_t{8}, DType::kInt64), Subtract(s, e[0], two)})};
          })
          .PrefetchToDevice("/gpu:0", 2)
          .MakeOneShotIterator();
  const Output next = iterator.GetNext()[0];
  ClientSession session(root_, TwoGpus());
  std::vector<std::string> got;
  for (int i = 0; i < 5; ++i) {
    auto out = session.Run({next});
    got.push_back(out.ok() ? absl::StrCat((*out)[0].scalar<int64_t>())
                           : StatusCodeName(out.status().code()));
  }
  EXPECT_THAT(got, ElementsAre("-4", "-8", "INVALID_ARGUMENT", "8", "OUT_OF_RANGE"));
}

TEST_F(PrefetchToDeviceTest, ClosingEndsAStepThatWaits) {
  // An endless search for an element.
  const Iterator iterator = Range(root_, 0, 1)
                                .Repeat()
                                .Filter([](const Scope& s, const Element& e) {
                                  return BuildOutput(s, "Greater", {e[0], e[0]});
                                })
                                .PrefetchToDevice("/gpu:0")
                                .MakeOneShotIterator();
  const Output next = iterator.GetNext()[0];
  ClientSession session(root_, TwoGpus());
  std::thread step([&] { EXPECT_EQ(session.Run({next}).status().code(), Code::kCancelled); });
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  EXPECT_TRUE(session.Close().ok());
  step.join();
}

TEST_F(PrefetchToDeviceTest, OneIteratorGoesToOnePlace) {
  const Iterator iterator =
      Batches(root_, 9).PrefetchToDevice("/gpu:0").MakeInitializableIterator();
  const Output next = iterator.GetNext()[0];
  const Output on_cpu =
      BuildOutputs(root_, "IteratorGetNext",
                   {BuildOutput(root_, "IteratorFromStringHandleV2", {iterator.string_handle()})},
                   OpAttrs()
                       .Set("output_types", std::vector<DType>{DType::kFloat})
                       .Set("output_shapes", std::vector<PartialShape>{PartialShape()}),
                   1)[0];
  ClientSession session(root_, TwoGpus());
  ASSERT_TRUE(session.Run({iterator.initializer()}).ok());
  ASSERT_TRUE(session.Run({next}).ok());
  const Status refused = session.Run({on_cpu}).status();
  EXPECT_EQ(refused.code(), Code::kFailedPrecondition);
  EXPECT_THAT(std::string(refused.message()), HasSubstr("GPU:0"));
}

TEST_F(PrefetchToDeviceTest, WithoutThatDeviceItReadsAheadInHostMemory) {
  const Iterator iterator = Batches(root_, 2).PrefetchToDevice("/gpu:0", 1).MakeOneShotIterator();
  const Output next = iterator.GetNext()[0];
  ClientSession session(root_);
  for (int i = 0; i < 2; ++i) {
    auto out = session.Run({next});
    ASSERT_TRUE(out.ok()) << out.status();
    EXPECT_EQ((*out)[0].data<float>()[0], 3.0f * i);
  }
  EXPECT_EQ(session.Run({next}).status().code(), Code::kOutOfRange);
}

TEST_F(PrefetchToDeviceTest, WhatCannotBeBuilt) {
  const auto refused = [](auto build) {
    const Scope root = Scope::NewRoot();
    build(Batches(root, 2), root);
    return std::string(root.status().message());
  };
  EXPECT_THAT(
      refused([](const Dataset& d, const Scope&) { d.PrefetchToDevice("/gpu:0").Batch(2); }),
      HasSubstr("last"));
  EXPECT_THAT(refused([](const Dataset& d, const Scope&) { d.PrefetchToDevice(""); }),
              HasSubstr("no device"));
  EXPECT_THAT(refused([](const Dataset& d, const Scope&) { d.PrefetchToDevice("/gpu:0", -3); }),
              HasSubstr("buffer_size"));
  EXPECT_THAT(refused([](const Dataset& d, const Scope&) { MultiDeviceIterator(d, {}); }),
              HasSubstr("no devices"));
  EXPECT_THAT(refused([](const Dataset& d, const Scope&) {
                MultiDeviceIterator(d, {"/gpu:0"}).GetNext(1);
              }),
              HasSubstr("no device 1 of 1"));
}

TEST_F(PrefetchToDeviceTest, EachOfSeveralDevicesHasItsOwnElements) {
  const MultiDeviceIterator iterator(Batches(root_, 7), {"/gpu:0", "/gpu:1"},
                                     MultiDeviceIteratorOptions().prefetch_buffer_size(2));
  const std::vector<Element> next = iterator.GetNext();
  ASSERT_EQ(next.size(), 2u);
  std::vector<Step> steps;
  for (int i = 0; i < 2; ++i) {
    steps.push_back(StepOn(root_.Device(absl::StrCat("/gpu:", i)), next[i][0]));
  }
  const Operation both = Group(root_, {steps[0].run, steps[1].run});
  ClientSession session(root_, TwoGpus());
  EXPECT_EQ(session.Run({both}).status().code(), Code::kFailedPrecondition);
  for (int pass = 0; pass < 2; ++pass) {
    ASSERT_TRUE(session.Run({iterator.initializer()}).ok());
    SessionRunMetadata metadata;
    ASSERT_TRUE(session.Run({}, {both}, {}, &metadata).ok());
    EXPECT_EQ(metadata.bytes_copied, 0);
    for (int i = 1; i < 3; ++i) {
      auto out = session.Run({next[0][0], next[1][0]});
      ASSERT_TRUE(out.ok()) << out.status();
      EXPECT_EQ((*out)[0].data<float>()[0], 6.0f * i);
      EXPECT_EQ((*out)[1].data<float>()[0], 6.0f * i + 3);
    }
    // The seventh batch is device 0's; device 1 has no more.
    EXPECT_EQ(session.Run({steps[1].run}).status().code(), Code::kOutOfRange);
    auto last = session.Run({next[0][0]});
    ASSERT_TRUE(last.ok()) << last.status();
    EXPECT_EQ((*last)[0].data<float>()[0], 18.0f);
    EXPECT_EQ(session.Run({steps[0].run}).status().code(), Code::kOutOfRange);
  }
  EXPECT_THAT(DeviceOf(session, next[1][0].op().name()), HasSubstr("GPU:1"));
}

// Each replica's batch lies on its device: a forward pass copies nothing.
TEST_F(PrefetchToDeviceTest, ReplicasReadTheirOwnBatches) {
  const std::vector<std::string> gpus = {"/gpu:0", "/gpu:1"};
  const MultiDeviceIterator iterator(Batches(root_, 6), gpus);
  train::Replicas replicas(root_, gpus, [&](const Scope& s, int i) {
    const Variable w = GetVariable(s, "w", {}, ConstantInitializer(2));
    return ReduceSum(s, Multiply(s, iterator.GetNext(i)[0], w));
  });
  train::GradientDescentOptimizer optimizer(0.01);
  const Operation step = replicas.Minimize(root_, optimizer);
  const Operation init = GlobalVariablesInitializer(root_);
  const Operation mirror = replicas.Mirror(root_);
  ASSERT_TRUE(root_.ok()) << root_.status();
  ClientSession session(root_, TwoGpus());
  ASSERT_TRUE(session.Run({init}).ok());
  ASSERT_TRUE(session.Run({mirror}).ok());
  ASSERT_TRUE(session.Run({iterator.initializer()}).ok());
  SessionRunMetadata metadata;
  const Operation forward[] = {replicas.losses()[0].op(), replicas.losses()[1].op()};
  ASSERT_TRUE(session.Run({}, {forward[0], forward[1]}, {}, &metadata).ok());
  EXPECT_EQ(metadata.bytes_copied, 0);
  double w = 2;
  for (int i = 1; i < 3; ++i) {
    auto out = session.Run({replicas.losses()[0], replicas.losses()[1], step});
    ASSERT_TRUE(out.ok()) << out.status();
    // Of batches {6 i, 6 i + 1, 6 i + 2} and {6 i + 3, …}.
    const double first = 18 * i + 3, second = first + 9;
    EXPECT_NEAR((*out)[0].scalar<float>(), w * first, 1e-3);
    EXPECT_NEAR((*out)[1].scalar<float>(), w * second, 1e-3);
    w -= 0.01 * (first + second) / 2;
  }
  EXPECT_EQ(session.Run({step}).status().code(), Code::kOutOfRange);
}

}  // namespace
}  // namespace data
}  // namespace frontend
}  // namespace warpbeam
