#include "runtime/dist/collective/instance_records.h"

#include <memory>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "runtime/comm/communicator.h"

namespace warpbeam {
namespace {

using ::testing::HasSubstr;

class InstanceRecordsTest : public ::testing::Test {
 protected:
  struct Answer {
    int times = 0;
    Status status;
    int source = -2;
  };
  std::shared_ptr<Answer> Ask(int rank, InstanceRecords::Terms terms, int32_t instance = 1) {
    terms.rank = rank;
    terms.device = absl::StrCat("/job:worker/replica:0/task:", rank, "/device:CPU:0");
    auto answer = std::make_shared<Answer>();
    records_.Complete({0, instance}, std::move(terms), [answer](const Status& status, int source) {
      ++answer->times;
      answer->status = status;
      answer->source = source;
    });
    return answer;
  }
  static InstanceRecords::Terms Sum(const Shape& shape) {
    return {0, "", kReduction, DType::kFloat, shape, false};
  }
  static InstanceRecords::Terms Broadcast(bool is_source) {
    return {0, "", kBroadcast, DType::kFloat, Shape({2}), is_source};
  }

  InstanceRecords records_{7, 2};
};

TEST_F(InstanceRecordsTest, AReductionWaitsForNobody) {
  for (int step = 0; step < 2; ++step) {
    for (int rank = 0; rank < 2; ++rank) {
      const auto answer = Ask(rank, Sum(Shape({3})));
      EXPECT_EQ(answer->times, 1);
      EXPECT_TRUE(answer->status.ok());
      EXPECT_EQ(answer->source, -1);
    }
  }
}

TEST_F(InstanceRecordsTest, ABroadcastWaitsForAllOnce) {
  const auto first = Ask(1, Broadcast(true));
  EXPECT_EQ(first->times, 0);
  const auto second = Ask(0, Broadcast(false));
  EXPECT_EQ(first->times + second->times, 2);
  EXPECT_EQ(first->source, 1);
  EXPECT_EQ(second->source, 1);
  EXPECT_EQ(Ask(0, Broadcast(false))->source, 1);
}

TEST_F(InstanceRecordsTest, DifferencesAreErrorsUntilAllHaveBeenTold) {
  EXPECT_TRUE(Ask(0, Sum(Shape({3})))->status.ok());
  const auto other = Ask(1, Sum(Shape({4})));
  EXPECT_EQ(other->status.code(), StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(other->status.message()), HasSubstr("Shape mismatch"));
  EXPECT_TRUE(Ask(1, Sum(Shape({4})))->status.ok());
  // A broadcast and a sum; the one that waits is told, too.
  const auto waits = Ask(0, Broadcast(true), 2);
  const auto sum = Ask(1, Sum(Shape({2})), 2);
  for (const auto& answer : {waits, sum}) {
    EXPECT_EQ(answer->times, 1);
    EXPECT_EQ(answer->status.code(), StatusCode::kInternal) << answer->status;
  }
}

TEST_F(InstanceRecordsTest, ABroadcastHasOneSource) {
  const auto none = Ask(0, Broadcast(false));
  EXPECT_EQ(Ask(1, Broadcast(false))->status.code(), StatusCode::kInternal);
  EXPECT_THAT(std::string(none->status.message()), HasSubstr("found no source for broadcast"));
  const auto one = Ask(0, Broadcast(true), 2), other = Ask(1, Broadcast(true), 2);
  EXPECT_THAT(std::string(one->status.message()), HasSubstr("already has source 0"));
  EXPECT_EQ(other->status.code(), StatusCode::kInternal);
}

TEST_F(InstanceRecordsTest, TheEndAnswersThoseThatWait) {
  const auto waits = Ask(0, Broadcast(true));
  records_.End(Cancelled("stopped"));
  EXPECT_EQ(waits->status.code(), StatusCode::kCancelled);
}

}  // namespace
}  // namespace warpbeam
