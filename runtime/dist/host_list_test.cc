#include "runtime/dist/host_list.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace warpbeam {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;

TEST(HostListTest, Expands) {
  const auto hosts = ExpandHostList("n[1-2],m5,o[3-4,6,7-9]");
  ASSERT_TRUE(hosts.ok()) << hosts.status();
  EXPECT_THAT(*hosts, ElementsAre("n1", "n2", "m5", "o3", "o4", "o6", "o7", "o8", "o9"));
  EXPECT_THAT(*ExpandHostList("n[08-11]"), ElementsAre("n08", "n09", "n10", "n11"));
  EXPECT_THAT(*ExpandHostList("r[1-2]n[01-02]-ib"),
              ElementsAre("r1n01-ib", "r1n02-ib", "r2n01-ib", "r2n02-ib"));
  EXPECT_THAT(*ExpandHostList("one.example"), ElementsAre("one.example"));
  EXPECT_THAT(*ExpandHostList("[1-2]"), ElementsAre("1", "2"));
}

TEST(HostListTest, RefusesWhatIsNone) {
  for (const char* list :
       {"", "a,", ",a", "a[1", "a1]", "a[]", "a[1-]", "a[-1]", "a[2-1]", "a[x]", "a[1-2-3]",
        "a[1,]", "a[0-99999999]", "a[1-1000000]b[1-1000000]", "a[1-2[3]]", "a[99999999999]"}) {
    const Status status = ExpandHostList(list).status();
    EXPECT_EQ(status.code(), StatusCode::kInvalidArgument) << list;
    EXPECT_THAT(std::string(status.message()), HasSubstr(absl::StrCat("'", list, "'")));
  }
}

TEST(HostListTest, TasksPerNode) {
  EXPECT_THAT(*ExpandTasksPerNode("3(x2),2,1"), ElementsAre(3, 3, 2, 1));
  EXPECT_THAT(*ExpandTasksPerNode("4"), ElementsAre(4));
  for (const char* list : {"", "a", "2(x", "2(x)", "2(3)", "(x2)", "2,", "-1", "1(x99999999)"}) {
    EXPECT_EQ(ExpandTasksPerNode(list).status().code(), StatusCode::kInvalidArgument) << list;
  }
}

TEST(HostListTest, SlotsOfHosts) {
  EXPECT_THAT(*ExpandHostSlots("a:2,b", 3), ElementsAre(Pair("a", 2), Pair("b", 1)));
  EXPECT_THAT(*ExpandHostSlots("n[1-2]:2", 3), ElementsAre(Pair("n1", 2), Pair("n2", 1)));
  EXPECT_THAT(*ExpandHostSlots("a,b", 4), ElementsAre(Pair("a", 2), Pair("b", 2)));
  EXPECT_THAT(*ExpandHostSlots("a,b", 1), ElementsAre(Pair("a", 1), Pair("b", 0)));
  for (const char* list : {"", "a:", "a:x", "a,b,c", "a:1,b:2"}) {
    EXPECT_EQ(ExpandHostSlots(list, 4).status().code(), StatusCode::kInvalidArgument) << list;
  }
}

}  // namespace
}  // namespace warpbeam
