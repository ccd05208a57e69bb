#include "runtime/dist/cluster/group_leader.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "proto/worker.pb.h"

namespace warpbeam {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class GroupLeaderTest : public ::testing::Test {
 protected:
  struct Answer {
    bool has_come = false;
    Status status;
    tensorflow::CompleteGroupResponse group;
    int64_t number = 0;

    std::vector<std::string> Devices() const {
      std::vector<std::string> names;
      for (const auto& device : group.device_attributes()) names.push_back(device.name());
      return names;
    }
  };
  struct Asks {
    int task = 0;
    int size = 2;
    int index = 0;
    uint64_t incarnation = 7;
    int64_t given_up = 0;
    std::string scope = "session";
  };

  static std::string Device(int task) {
    return absl::StrCat("/job:worker/replica:0/task:", task, "/device:CPU:0");
  }
  std::shared_ptr<Answer> Ask(const Asks& asks) {
    tensorflow::CompleteGroupRequest request;
    request.set_group_key(1);
    request.set_group_size(asks.size);
    request.set_device_type("CPU");
    request.mutable_device_attributes()->set_name(Device(asks.task));
    request.mutable_device_attributes()->set_incarnation(asks.incarnation);
    request.mutable_warpbeam()->set_scope(asks.scope);
    request.mutable_warpbeam()->set_index(asks.index);
    request.mutable_warpbeam()->set_given_up_generation(asks.given_up);
    auto answer = std::make_shared<Answer>();
    answer->number = leader_.CompleteGroup(
        request, [answer](Status status, const tensorflow::CompleteGroupResponse& group) {
          EXPECT_FALSE(answer->has_come);
          answer->has_come = true;
          answer->status = std::move(status);
          answer->group = group;
        });
    return answer;
  }

  GroupLeader leader_{"/job:worker/replica:0/task:0"};
};

TEST_F(GroupLeaderTest, AllGetTheSameGroupWhenTheLastHasCome) {
  // Ten comes after nine.
  const auto ten = Ask({.task = 10, .size = 4}), nine = Ask({.task = 9, .size = 4});
  const auto second = Ask({.task = 9, .size = 4, .index = 1});
  EXPECT_FALSE(ten->has_come || nine->has_come || second->has_come);
  const auto last = Ask({.task = 0, .size = 4});
  for (const auto& answer : {ten, nine, second, last}) {
    ASSERT_TRUE(answer->has_come);
    EXPECT_TRUE(answer->status.ok()) << answer->status;
    EXPECT_THAT(answer->Devices(), ElementsAre(Device(0), Device(9), Device(9), Device(10)));
    EXPECT_EQ(answer->group.generation(), last->group.generation());
    EXPECT_EQ(answer->group.num_tasks(), 3);
    EXPECT_EQ(answer->group.group_size(), 4);
  }
  EXPECT_NE(last->group.generation(), 0);
  // One that asks again learns the same.
  EXPECT_EQ(Ask({.task = 9, .size = 4})->group.generation(), last->group.generation());
}

TEST_F(GroupLeaderTest, SessionsHaveGroupsOfTheirOwn) {
  const auto one = Ask({.task = 0, .scope = "one"});
  const auto other = Ask({.task = 1, .scope = "other"});
  EXPECT_FALSE(one->has_come || other->has_come);
  leader_.EndScope("one");
  EXPECT_EQ(one->status.code(), StatusCode::kCancelled);
  EXPECT_FALSE(other->has_come);
}

TEST_F(GroupLeaderTest, OneThatWasStartedAnewOpensAnotherGeneration) {
  Ask({.task = 0});
  const auto old = Ask({.task = 1});
  const auto restarted = Ask({.task = 1, .incarnation = 8});
  EXPECT_FALSE(restarted->has_come);
  const auto survivor = Ask({.task = 0, .given_up = old->group.generation()});
  ASSERT_TRUE(restarted->has_come && survivor->has_come);
  EXPECT_NE(restarted->group.generation(), old->group.generation());
  EXPECT_EQ(restarted->group.device_attributes(1).incarnation(), 8);
}

TEST_F(GroupLeaderTest, WhoHasGivenUpAGroupWaitsForAnother) {
  Ask({.task = 0});
  const int64_t old = Ask({.task = 1})->group.generation();
  const auto one = Ask({.task = 0, .given_up = old});
  EXPECT_FALSE(one->has_come);
  const auto other = Ask({.task = 1, .given_up = old});
  EXPECT_TRUE(one->has_come && other->has_come);
  EXPECT_NE(one->group.generation(), old);
}

TEST_F(GroupLeaderTest, DifferentSizesAreAnErrorForAll) {
  const auto two = Ask({.task = 0, .size = 2}), three = Ask({.task = 1, .size = 3});
  for (const auto& answer : {two, three}) {
    ASSERT_TRUE(answer->has_come);
    EXPECT_EQ(answer->status.code(), StatusCode::kInternal);
    EXPECT_THAT(std::string(answer->status.message()),
                HasSubstr("is joining a group with size3, but that group has size 2"));
  }
  // Both may try again.
  Ask({.task = 0});
  EXPECT_TRUE(Ask({.task = 1})->status.ok());
  const auto third = Ask({.task = 2});
  EXPECT_THAT(std::string(third->status.message()), HasSubstr("no member of the group 1"));
}

TEST_F(GroupLeaderTest, WhoHasGoneIsNoMember) {
  const auto gone = Ask({.task = 0});
  EXPECT_TRUE(leader_.Forget(gone->number));
  EXPECT_FALSE(leader_.Forget(gone->number));
  EXPECT_FALSE(Ask({.task = 1})->has_come);
  EXPECT_FALSE(gone->has_come);
  // It asks twice, and leaves once.
  const auto first = Ask({.task = 2, .size = 2, .scope = "s"});
  const auto again = Ask({.task = 2, .size = 2, .scope = "s"});
  EXPECT_TRUE(leader_.Forget(first->number));
  EXPECT_TRUE(Ask({.task = 3, .size = 2, .scope = "s"})->has_come);
  EXPECT_TRUE(again->has_come);
}

TEST_F(GroupLeaderTest, RequestsThatAreNoneAreErrors) {
  EXPECT_EQ(Ask({.size = 0})->status.code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(Ask({.size = -3})->status.code(), StatusCode::kInvalidArgument);
  tensorflow::CompleteGroupRequest request;
  Status status;
  const auto keep = [&](Status s, const tensorflow::CompleteGroupResponse&) {
    status = std::move(s);
  };
  request.set_group_size(2);
  EXPECT_EQ(leader_.CompleteGroup(request, keep), 0);
  EXPECT_EQ(status.code(), StatusCode::kUnimplemented) << status;  // TensorFlow's
  request.mutable_warpbeam();
  request.mutable_device_attributes()->set_name("/device:CPU:0");
  EXPECT_EQ(leader_.CompleteGroup(request, keep), 0);
  EXPECT_EQ(status.code(), StatusCode::kInvalidArgument) << status;
}

TEST_F(GroupLeaderTest, AllWhoAskForAGraphsStepsGetTheSameNumber) {
  tensorflow::GetStepSequenceRequest request;
  tensorflow::GetStepSequenceResponse one, other;
  request.add_graph_key(5);
  request.add_graph_key(6);
  EXPECT_TRUE(leader_.GetStepSequence(request, &one).ok());
  EXPECT_TRUE(leader_.GetStepSequence(request, &other).ok());
  ASSERT_EQ(one.step_sequence_size(), 2);
  for (const int i : {0, 1}) {
    EXPECT_EQ(one.step_sequence(i).graph_key(), 5 + i);
    EXPECT_GT(one.step_sequence(i).next_step_id(), 0);
    EXPECT_EQ(one.step_sequence(i).next_step_id(), other.step_sequence(i).next_step_id());
  }
}

TEST_F(GroupLeaderTest, TheEndAnswersAllThatWait) {
  const auto waits = Ask({});
  leader_.EndAll(Unavailable("the server is stopping"));
  EXPECT_EQ(waits->status.code(), StatusCode::kUnavailable);
  EXPECT_THAT(waits->Devices(), IsEmpty());
}

}  // namespace
}  // namespace warpbeam
