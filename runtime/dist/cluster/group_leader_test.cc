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
    bool is_warpbeam = true;
    std::string gpu = "";
    int64_t nccl_version = 22809;
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
    if (asks.is_warpbeam) {
      request.mutable_warpbeam()->set_scope(asks.scope);
      request.mutable_warpbeam()->set_index(asks.index);
      request.mutable_warpbeam()->set_given_up_generation(asks.given_up);
      request.mutable_warpbeam()->set_gpu(asks.gpu);
      request.mutable_warpbeam()->set_nccl_version(asks.nccl_version);
    }
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
  request.mutable_device_attributes()->set_name("/device:CPU:0");
  EXPECT_EQ(leader_.CompleteGroup(request, keep), 0);
  EXPECT_EQ(status.code(), StatusCode::kInvalidArgument) << status;
}

TEST_F(GroupLeaderTest, AGroupWithATaskOfTensorFlowsIsOneForEver) {
  const auto own = Ask({.task = 0, .scope = ""});
  const auto other = Ask({.task = 1, .is_warpbeam = false});
  for (const auto& answer : {own, other}) {
    ASSERT_TRUE(answer->has_come);
    EXPECT_TRUE(answer->status.ok()) << answer->status;
    EXPECT_THAT(answer->Devices(), ElementsAre(Device(0), Device(1)));
    EXPECT_EQ(answer->group.generation(), 0);
  }
  // Whoever asks again gets the same, and other groups are other groups.
  EXPECT_TRUE(Ask({.task = 0, .scope = ""})->has_come);
  EXPECT_FALSE(Ask({.task = 0})->has_come);
  EXPECT_EQ(Ask({.task = 0, .size = 3, .scope = ""})->status.code(), StatusCode::kInternal);
  // The task of TensorFlow's may come back as another, and then all have to.
  EXPECT_FALSE(Ask({.task = 1, .incarnation = 8, .is_warpbeam = false})->has_come);
  EXPECT_TRUE(Ask({.task = 0, .scope = ""})->has_come);
  // Not this one: the other one would not ask again.
  EXPECT_EQ(Ask({.task = 0, .incarnation = 8, .scope = ""})->status.code(),
            StatusCode::kFailedPrecondition);
}

TEST_F(GroupLeaderTest, WhatACollectiveIsIsToldToMembers) {
  tensorflow::CompleteInstanceRequest request;
  request.set_group_key(1);
  request.set_instance_key(5);
  request.set_type(1);  // a broadcast
  request.set_data_type(tensorflow::DT_FLOAT);
  request.set_device(Device(1));
  request.set_is_source(true);
  int times = 0, source = -2;
  Status status;
  const auto keep = [&](Status s, const tensorflow::CompleteInstanceResponse& response) {
    ++times;
    status = std::move(s);
    source = response.source_rank();
    EXPECT_EQ(response.instance_key(), 5);
  };
  leader_.CompleteInstance(request, keep);
  EXPECT_EQ(status.code(), StatusCode::kFailedPrecondition) << status;
  Ask({.task = 0, .scope = ""});
  Ask({.task = 1, .is_warpbeam = false});
  leader_.CompleteInstance(request, keep);
  EXPECT_EQ(times, 1);
  request.set_device(Device(0));
  request.set_is_source(false);
  leader_.CompleteInstance(request, keep);
  EXPECT_EQ(times, 3);
  EXPECT_TRUE(status.ok()) << status;
  EXPECT_EQ(source, 1);
  request.set_device(Device(2));
  leader_.CompleteInstance(request, keep);
  EXPECT_EQ(status.code(), StatusCode::kFailedPrecondition) << status;
}

TEST_F(GroupLeaderTest, TheEndAnswersAllThatWait) {
  const auto waits = Ask({});
  leader_.EndAll(Unavailable("the server is stopping"));
  EXPECT_EQ(waits->status.code(), StatusCode::kUnavailable);
  EXPECT_THAT(waits->Devices(), IsEmpty());
}

TEST_F(GroupLeaderTest, TellsAllWhetherEachMemberHasAGpuOfItsOwnAndTheSameNccl) {
  struct Case {
    const char* first;
    const char* second;
    int64_t second_version;
    bool has_gpus;
  };
  for (const Case& c : {Case{"GPU 0", "GPU 1", 22809, true},
                        {"GPU 0", "GPU 0", 22809, false},
                        {"GPU 0", "", 22809, false},
                        {"GPU 0", "GPU 1", 22810, false}}) {
    Asks first, second;
    first.scope = second.scope = absl::StrCat(c.first, c.second, c.second_version);
    first.gpu = c.first;
    second.gpu = c.second;
    second.task = 1;
    second.nccl_version = c.second_version;
    const auto answer0 = Ask(first), answer1 = Ask(second);
    ASSERT_TRUE(answer0->has_come && answer1->has_come);
    EXPECT_EQ(answer0->group.has_gpus(), c.has_gpus) << first.scope;
    EXPECT_EQ(answer1->group.has_gpus(), c.has_gpus) << first.scope;
  }
}

}  // namespace
}  // namespace warpbeam
