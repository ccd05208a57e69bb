#include "runtime/dist/collective/step_buffers.h"

#include <memory>

#include "gtest/gtest.h"

namespace warpbeam {
namespace {

class StepBuffersTest : public ::testing::Test {
 protected:
  struct Told {
    int times = 0;
    Status status;
    float value = 0;
    int64_t number = 0;
  };
  std::shared_ptr<Told> Offer(int64_t step, const std::string& key, float value) {
    auto told = std::make_shared<Told>();
    buffers_.Offer(step, key, Tensor::Scalar(value), [told](const Status& status) {
      ++told->times;
      told->status = status;
    });
    return told;
  }
  std::shared_ptr<Told> Take(int64_t step, const std::string& key,
                             const std::string& device = "taker") {
    auto told = std::make_shared<Told>();
    told->number = buffers_.Take(step, key, device, [told](StatusOr<Tensor> piece) {
      ++told->times;
      told->status = piece.status();
      if (piece.ok()) told->value = piece->scalar<float>();
    });
    return told;
  }

  StepBuffers buffers_;
};

TEST_F(StepBuffersTest, WhatIsOfferedIsTakenOnce) {
  const auto offer = Offer(1, "a", 3);
  EXPECT_EQ(offer->times, 0);
  const auto early = Take(1, "b"), other_step = Take(2, "a");
  const auto take = Take(1, "a");
  EXPECT_EQ(take->times + offer->times, 2);
  EXPECT_EQ(take->value, 3);
  EXPECT_TRUE(offer->status.ok());
  const auto late = Offer(1, "b", 4);
  EXPECT_EQ(early->times + late->times, 2);
  EXPECT_EQ(early->value, 4);
  EXPECT_EQ(other_step->times, 0);
}

TEST_F(StepBuffersTest, ASecondOneUnderAKeyIsAnError) {
  Offer(1, "a", 3);
  EXPECT_EQ(Offer(1, "a", 4)->status.code(), StatusCode::kInternal);
  EXPECT_EQ(Take(1, "a")->value, 3);
  Take(1, "b");
  EXPECT_EQ(Take(1, "b")->status.code(), StatusCode::kInternal);
}

TEST_F(StepBuffersTest, WhoHasGoneTakesNothing) {
  const auto gone = Take(1, "a");
  EXPECT_FALSE(buffers_.Forget(1, "a", gone->number + 1));
  EXPECT_TRUE(buffers_.Forget(1, "a", gone->number));
  EXPECT_FALSE(buffers_.Forget(1, "a", gone->number));
  const auto offer = Offer(1, "a", 3);
  EXPECT_EQ(gone->times + offer->times, 0);
  EXPECT_EQ(Take(1, "a")->value, 3);
}

TEST_F(StepBuffersTest, AFailureIsToldToAllUntilTheStepEndsOrBeginsAgain) {
  buffers_.Begin(1);
  const auto offer = Offer(1, "a", 3), take = Take(1, "b"), other = Offer(2, "a", 3);
  buffers_.Fail(1, Aborted("why"));
  EXPECT_EQ(offer->status.code(), StatusCode::kAborted);
  EXPECT_EQ(take->status.code(), StatusCode::kAborted);
  EXPECT_EQ(other->times, 0);
  EXPECT_EQ(Take(1, "c")->status.code(), StatusCode::kAborted);
  EXPECT_EQ(Offer(1, "d", 1)->status.code(), StatusCode::kAborted);
  buffers_.Begin(1);
  EXPECT_EQ(Take(1, "c")->times, 0);
  EXPECT_EQ(Offer(1, "c", 5)->times, 1);
  buffers_.Fail(1, Aborted("why"));
  buffers_.End(1, Aborted("cleanup"));
  const auto late = Take(1, "c");
  EXPECT_EQ(late->times, 0);
  buffers_.End(1, Aborted("cleanup"));
  EXPECT_EQ(late->status.message(), "cleanup");
  // A step that nobody has begun has nothing that could fail.
  buffers_.Fail(7, Aborted("why"));
  EXPECT_EQ(Take(7, "a")->times, 0);
}

TEST_F(StepBuffersTest, ACollectiveThatHasFailedIsToldAfterTheEnd) {
  buffers_.Begin(1);
  buffers_.FailCollective(1, Internal("differs"), "who told");
  buffers_.End(1, Aborted("cleanup"));
  EXPECT_EQ(Take(1, "a")->status.message(), "differs");
  const auto knows = Take(1, "b", "who told");
  EXPECT_EQ(knows->times, 0);
  buffers_.Begin(1);
  EXPECT_EQ(Take(1, "a")->times, 0);
  Offer(1, "b", 4);
  EXPECT_EQ(knows->value, 4);
}

TEST_F(StepBuffersTest, TheEndOfAll) {
  const auto take = Take(1, "a");
  buffers_.EndAll(Cancelled("stopped"));
  EXPECT_EQ(take->status.code(), StatusCode::kCancelled);
  EXPECT_EQ(Offer(2, "a", 1)->status.code(), StatusCode::kCancelled);
}

}  // namespace
}  // namespace warpbeam
