#include "runtime/dist/cluster/execution_order.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "runtime/comm/communicator.h"

namespace warpbeam {
namespace {

using ::testing::HasSubstr;

class ExecutionOrderTest : public ::testing::Test {
 protected:
  struct Answer {
    int times = 0;
    StatusOr<ExecutionOrder::Place> place = ExecutionOrder::Place();
  };
  std::shared_ptr<Answer> Arrive(const Execution& execution, int rank,
                                 const ExecutionOrder::Terms& terms) {
    auto answer = std::make_shared<Answer>();
    order_.Arrive(execution, rank, terms, [answer](StatusOr<ExecutionOrder::Place> place) {
      ++answer->times;
      answer->place = std::move(place);
    });
    return answer;
  }
  static ExecutionOrder::Terms Sum(const Shape& shape = Shape({3})) {
    return {kReduction, DType::kFloat, shape, false};
  }
  static ExecutionOrder::Terms Broadcast(bool has_source) {
    return {kBroadcast, DType::kFloat, Shape({3}), has_source};
  }
  static Execution At(int64_t step, int32_t instance, int64_t round = 0) {
    return {step, round, instance};
  }

  ExecutionOrder order_{{"/job:worker/replica:0/task:0", "/job:worker/replica:0/task:1"}};
};

TEST_F(ExecutionOrderTest, TheOrderIsThatInWhichTheLastTasksArrive) {
  const auto a0 = Arrive(At(1, 1), 0, Sum()), b0 = Arrive(At(1, 2), 0, Sum());
  const auto next0 = Arrive(At(1, 1, 1), 0, Sum()), other0 = Arrive(At(2, 1), 0, Sum());
  EXPECT_EQ(a0->times + b0->times + next0->times + other0->times, 0);
  const auto b1 = Arrive(At(1, 2), 1, Sum());
  const auto other1 = Arrive(At(2, 1), 1, Sum());
  const auto a1 = Arrive(At(1, 1), 1, Sum());
  const auto next1 = Arrive(At(1, 1, 1), 1, Sum());
  int64_t number = 0;
  for (const auto& [first, second] :
       {std::pair(b0, b1), {other0, other1}, {a0, a1}, {next0, next1}}) {
    ++number;
    for (const auto& answer : {first, second}) {
      EXPECT_EQ(answer->times, 1);
      ASSERT_TRUE(answer->place.ok()) << answer->place.status();
      EXPECT_EQ(answer->place->number, number);
    }
  }
}

TEST_F(ExecutionOrderTest, DifferencesAreErrorsForAll) {
  const std::vector<std::pair<ExecutionOrder::Terms, const char*>> cases = {
      {Sum(Shape({4})), "Shape mismatch in the collective instance"},
      {{kGather, DType::kFloat, Shape({3}), false}, "expected type 0"},
      {{kReduction, DType::kDouble, Shape({3}), false}, "data_type 1 but got type 0"},
      {{kReduction, DType::kFloat, Shape({3}), false, 6}, "in a step of collective_graph_key 6"},
  };
  int32_t instance = 0;
  for (const auto& [terms, text] : cases) {
    const auto one = Arrive(At(1, ++instance), 0, Sum());
    const auto other = Arrive(At(1, instance), 1, terms);
    for (const auto& answer : {one, other}) {
      EXPECT_EQ(answer->times, 1);
      EXPECT_THAT(std::string(answer->place.status().message()), HasSubstr(text));
    }
    // Whoever comes later learns it, too.
    EXPECT_EQ(Arrive(At(1, instance), 0, Sum())->place.status(), one->place.status());
  }
  // An error takes no number.
  Arrive(At(2, 1), 0, Sum());
  EXPECT_EQ(Arrive(At(2, 1), 1, Sum())->place->number, 1);
}

TEST_F(ExecutionOrderTest, ABroadcastHasOneSource) {
  Arrive(At(1, 1), 0, Broadcast(false));
  EXPECT_EQ(Arrive(At(1, 1), 1, Broadcast(true))->place->source, 1);
  Arrive(At(1, 2), 0, Broadcast(false));
  EXPECT_THAT(std::string(Arrive(At(1, 2), 1, Broadcast(false))->place.status().message()),
              HasSubstr("found no source for broadcast"));
  Arrive(At(1, 3), 0, Broadcast(true));
  EXPECT_THAT(std::string(Arrive(At(1, 3), 1, Broadcast(true))->place.status().message()),
              HasSubstr("already has source 0, received second claim from 1"));
}

TEST_F(ExecutionOrderTest, WhatIsWithdrawnIsNotExecuted) {
  const auto one = Arrive(At(1, 1), 0, Sum());
  order_.Withdraw(At(1, 1), Aborted("left"));
  // Whoever was there learns who was not.
  EXPECT_EQ(one->place.status().message(), "left (not there yet: /job:worker/replica:0/task:1)");
  EXPECT_EQ(Arrive(At(1, 1), 1, Sum())->place.status().message(), "left");
  // It may come before what it takes back.
  order_.Withdraw(At(1, 2), Aborted("left early"));
  EXPECT_EQ(Arrive(At(1, 2), 0, Sum())->place.status().message(), "left early");
  // Too late.
  const auto here = Arrive(At(1, 3), 0, Sum());
  Arrive(At(1, 3), 1, Sum());
  order_.Withdraw(At(1, 3), Aborted("too late"));
  EXPECT_TRUE(here->place.ok());
  EXPECT_EQ(here->times, 1);
}

TEST_F(ExecutionOrderTest, NobodyArrivesTwiceOrFromElsewhere) {
  const auto one = Arrive(At(1, 1), 0, Sum());
  const auto stranger = Arrive(At(1, 1), 2, Sum());
  EXPECT_EQ(stranger->place.status().code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(one->times, 0);
  const auto again = Arrive(At(1, 1), 0, Sum());
  EXPECT_THAT(std::string(again->place.status().message()), HasSubstr("twice"));
  EXPECT_EQ(again->times, 1);
}

TEST_F(ExecutionOrderTest, TheEndAnswersAllThatWaitAndAllThatCome) {
  const auto waits = Arrive(At(1, 1), 0, Sum());
  order_.End(Unavailable("gone"));
  EXPECT_EQ(waits->place.status().message(), "gone");
  EXPECT_EQ(Arrive(At(1, 2), 0, Sum())->place.status().message(), "gone");
}

TEST_F(ExecutionOrderTest, GoesFromGpuToGpuWhereThatHoldsForAllTasks) {
  int32_t instance = 0;
  for (const bool first : {false, true}) {
    for (const bool second : {false, true}) {
      ExecutionOrder::Terms terms[] = {Broadcast(false), Broadcast(true)};
      terms[0].on_gpus = first;
      terms[1].on_gpus = second;
      terms[1].source_member = 3;
      const auto a = Arrive(At(1, ++instance), 0, terms[0]);
      const auto b = Arrive(At(1, instance), 1, terms[1]);
      for (const auto& answer : {a, b}) {
        ASSERT_TRUE(answer->place.ok()) << answer->place.status();
        EXPECT_EQ(answer->place->on_gpus, first && second);
        EXPECT_EQ(answer->place->source, 1);
        EXPECT_EQ(answer->place->source_member, 3);
      }
    }
  }
}

}  // namespace
}  // namespace warpbeam
