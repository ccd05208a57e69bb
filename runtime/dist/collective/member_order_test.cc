#include "runtime/dist/collective/member_order.h"

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace warpbeam {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

MemberOrder::Member At(int task, const std::string& device, bool has_links = false) {
  return {absl::StrCat("/job:worker/replica:0/task:", task, "/device:", device), 7, has_links, ""};
}

std::vector<std::string> DevicesOf(const MemberOrder& order) {
  std::vector<std::string> names;
  for (const MemberOrder::Member& member : order.members) names.push_back(member.device);
  return names;
}

TEST(MemberOrderTest, TasksGoByTheirNamesAndDevicesByTheirNumbers) {
  const auto order = OrderMembers({At(2, "CPU:0"),
                                   At(10, "CPU:10"),
                                   At(10, "CPU:9"),
                                   {"/job:ps/replica:0/task:0/device:CPU:0", 7, false, ""}});
  ASSERT_TRUE(order.ok()) << order.status();
  EXPECT_THAT(DevicesOf(*order), ElementsAre("/job:ps/replica:0/task:0/device:CPU:0",
                                             "/job:worker/replica:0/task:10/device:CPU:9",
                                             "/job:worker/replica:0/task:10/device:CPU:10",
                                             "/job:worker/replica:0/task:2/device:CPU:0"));
  EXPECT_THAT(order->task_sizes, ElementsAre(1, 2, 1));
  EXPECT_EQ(order->members[3].task, "/job:worker/replica:0/task:2");
  EXPECT_EQ(order->RankOf("/job:worker/replica:0/task:10/device:CPU:10"), 2);
  EXPECT_EQ(order->RankOf("/job:worker/replica:0/task:3/device:CPU:0"), -1);
}

TEST(MemberOrderTest, DevicesThatAreNoneOrComeTwiceAreErrors) {
  EXPECT_EQ(OrderMembers({{"/device:CPU:0", 7, false, ""}}).status().code(),
            StatusCode::kInvalidArgument);
  const Status twice = OrderMembers({At(1, "CPU:0"), At(1, "CPU:0")}).status();
  EXPECT_EQ(twice.code(), StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(twice.message()), HasSubstr("twice"));
}

TEST(MemberOrderTest, LinksBetweenGpusOfATaskAreNotThere) {
  EXPECT_TRUE(OrderMembers({At(1, "GPU:0", true), At(2, "GPU:0", true)}).ok());
  EXPECT_EQ(OrderMembers({At(1, "GPU:0", true), At(1, "GPU:1", true)}).status().code(),
            StatusCode::kUnimplemented);
}

}  // namespace
}  // namespace warpbeam
