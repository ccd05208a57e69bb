#include "runtime/dist/cluster_spec.h"

#include "gtest/gtest.h"

namespace warpbeam {
namespace {

TEST(ClusterSpecTest, ReadsJobsAndTasks) {
  auto cluster = ClusterSpec::Parse("ps|a:1;b:22,worker|c:333");
  ASSERT_TRUE(cluster.ok()) << cluster.status();
  EXPECT_EQ(cluster->num_tasks(), 3);
  EXPECT_EQ(*cluster->Address("ps", 1), "b:22");
  EXPECT_EQ(*PortOf(*cluster->Address("worker", 0)), 333);
  EXPECT_EQ(cluster->Address("ps", 2).status().code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(cluster->Address("chief", 0).status().code(), absl::StatusCode::kNotFound);
}

TEST(ClusterSpecTest, RefusesWhatIsNoCluster) {
  for (const char* text : {"", "ps", "ps|", "|a:1", "ps|a", "ps|a:x", "ps|a:0", "ps|a:70000",
                           "ps|:1", "ps|a:1;", "ps|a:1,", "ps|a:1|b:2", "ps|a:1,ps|b:2"}) {
    EXPECT_EQ(ClusterSpec::Parse(text).status().code(), absl::StatusCode::kInvalidArgument) << text;
  }
}

}  // namespace
}  // namespace warpbeam
