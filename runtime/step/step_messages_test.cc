// What a step says of feeds that do not fit, of the node that failed, and of who holds memory.
#include <algorithm>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "runtime/memory/pool_allocator.h"
#include "runtime/step/failed_node.h"
#include "runtime/step/feed_check.h"
#include "runtime/step/live_tensors.h"

namespace warpbeam {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using Code = StatusCode;

TEST(FailedNodeTest, IsTheOutermostNode) {
  const std::pair<const char*, const char*> cases[] = {
      {"node 'x' (Div) on /cpu:0: division by zero", "x"},
      {"copy of 'a/b' to /gpu:0: out of memory", "a/b"},
      {"node 'call' (F) on /cpu:0: node 'inner' (Div) on /cpu:0: no", "call"},
      {"node '' (Div) on /cpu:0: no", ""},
      {"node 'cut off", ""},
      {"the step did not end within 5 ms; running: node 'x' (Div) on /cpu:0", ""},
      {"", ""},
  };
  for (const auto& [message, node] : cases) {
    EXPECT_EQ(FailedNode(InvalidArgument(message)), node) << message;
  }
  EXPECT_EQ(FailedNode(OkStatus()), "");
}

TEST(FeedCheckTest, AFeedHasTheTypeOfTheOutput) {
  EXPECT_TRUE(CheckFeed("x:0", DType::kFloat, Tensor::Scalar(1.0f)).ok());
  const Status other = CheckFeed("x:0", DType::kFloat, Tensor::Scalar<int64_t>(1));
  EXPECT_EQ(other, InvalidArgument("the feed 'x:0' must be float, not int64"));
  EXPECT_EQ(CheckFeed("x:0", DType::kFloat, Tensor()),
            InvalidArgument("the feed 'x:0' has no value"));
  const Status named = CheckFeed(std::string(5000, 'n'), DType::kFloat, Tensor());
  EXPECT_LT(named.message().size(), 400u);
}

TEST(FeedCheckTest, AFeedHasTheShapeOfThePlaceholder) {
  const Tensor value = Tensor::FromValues<float>(Shape({1, 2}), {1, 2});
  struct Case {
    PartialShape shape;
    bool fits;
  };
  const Case cases[] = {{PartialShape(), true},          {PartialShape({-1, 2}), true},
                        {PartialShape({1, 2}), true},    {PartialShape({1, 3}), false},
                        {PartialShape({-1}), false},     {PartialShape(Shape()), false},
                        {PartialShape({1, 2, 1}), false}};
  for (const Case& c : cases) {
    const Status s = CheckFedShape("x:0", c.shape, value);
    EXPECT_EQ(s.ok(), c.fits) << c.shape.ToString();
    if (s.ok()) continue;
    EXPECT_EQ(s.code(), Code::kInvalidArgument);
    EXPECT_THAT(std::string(s.message()), HasSubstr(c.shape.ToString() + ", as its placeholder"));
    EXPECT_THAT(std::string(s.message()), HasSubstr("not [1,2]"));
  }
}

Tensor OfBytes(int64_t bytes) {
  auto made = Tensor::Allocate(DType::kInt8, Shape({bytes}), PoolAllocator::Process());
  EXPECT_TRUE(made.ok());
  return made.ok() ? *made : Tensor();
}

Status OutOf(const char* memory) {
  return ResourceExhausted("node 'x' (Op) on /cpu:0: out of memory in '", memory,
                           "': 10 bytes are wanted");
}

TEST(LiveTensorsTest, OtherLimitsAreNotMemory) {
  EXPECT_TRUE(LiveTensors::IsOutOfMemory(OutOf("cpu")));
  EXPECT_FALSE(LiveTensors::IsOutOfMemory(ResourceExhausted("the queue is full")));
  EXPECT_FALSE(LiveTensors::IsOutOfMemory(Internal("out of memory in 'cpu'")));
  EXPECT_FALSE(LiveTensors::IsOutOfMemory(OkStatus()));
}

TEST(LiveTensorsTest, TheLargestComeFirstAndEachBufferOnce) {
  Status error = OutOf("cpu");
  error.SetPayload("key", "value");
  LiveTensors live(error, nullptr);
  const Tensor large = OfBytes(300'000), small = OfBytes(64);
  live.Add("'small' (Op)", nullptr, small);
  live.Add("'large' (Op)", nullptr, large);
  live.Add("'view' (Op)", nullptr, large.Rows(0, 1000));
  live.Add("'none' (Op)", nullptr, Tensor());
  const Status s = live.Explain(error, nullptr);
  EXPECT_EQ(s.code(), Code::kResourceExhausted);
  ASSERT_NE(s.FindPayload("key"), nullptr);
  EXPECT_EQ(*s.FindPayload("key"), "value");
  const std::string text(s.message());
  EXPECT_EQ(text.find(std::string(error.message())), 0u) << text;
  EXPECT_THAT(text, HasSubstr("2 tensors of the step are alive"));
  EXPECT_THAT(text, HasSubstr("the largest: 'large' (Op) int8[300000]"));
  EXPECT_THAT(text, HasSubstr(", 'small' (Op) int8[64]"));
  EXPECT_THAT(text, Not(HasSubstr("'view'")));
}

TEST(LiveTensorsTest, AnotherMemoryDoesNotCount) {
  LiveTensors live(OutOf("GPU:0"), nullptr);
  live.Add("'host' (Op)", nullptr, OfBytes(1000));
  const Status s = live.Explain(OutOf("GPU:0"), nullptr);
  EXPECT_THAT(std::string(s.message()), HasSubstr("0 tensors of the step are alive, of 0 bytes"));
  EXPECT_THAT(std::string(s.message()), Not(HasSubstr("the largest")));
}

TEST(LiveTensorsTest, EightAreListed) {
  LiveTensors live(OutOf("host"), nullptr);
  std::vector<Tensor> held;
  for (int i = 0; i < 20; ++i) {
    held.push_back(OfBytes(1000 * (i + 1)));
    live.Add("'t" + std::to_string(i) + "' (Op)", nullptr, held.back());
  }
  const Status s = live.Explain(OutOf("host"), nullptr);
  const std::string text(s.message());
  EXPECT_THAT(text, HasSubstr("20 tensors of the step are alive"));
  for (int i = 0; i < 20; ++i) {
    EXPECT_EQ(text.find("'t" + std::to_string(i) + "'") != std::string::npos, i >= 12) << i;
  }
}

// An error that came through many steps is explained by them again and again, up to a length.
TEST(LiveTensorsTest, AVeryLongMessageStays) {
  const Status error = ResourceExhausted("out of memory in 'cpu': ", std::string(9000, 'x'));
  LiveTensors live(error, nullptr);
  live.Add("'a' (Op)", nullptr, OfBytes(10));
  EXPECT_EQ(live.Explain(error, nullptr), error);
}

}  // namespace
}  // namespace warpbeam
