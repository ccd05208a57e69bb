#include "runtime/dist/cluster_spec.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace warpbeam {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(ClusterSpecTest, ReadsJobsAndTasks) {
  for (const char* text : {"ps|a:1;b:22,worker|c:333", "ps=a:1,b:22;worker=c:333",
                           " ps = a:1 , b:22 ; worker = c:333 ",
                           R"({"worker": ["c:333"], "ps": {"1": "b:22", "0": "a:1"}})"}) {
    const auto cluster = ClusterSpec::Parse(text);
    ASSERT_TRUE(cluster.ok()) << text << ": " << cluster.status();
    EXPECT_EQ(cluster->num_tasks(), 3) << text;
    EXPECT_EQ(*cluster->num_tasks("ps"), 2) << text;
    EXPECT_EQ(*cluster->task_address("ps", 1), "b:22") << text;
    EXPECT_THAT(*cluster->job_tasks("ps"), ElementsAre("a:1", "b:22")) << text;
    EXPECT_EQ(cluster->ToJson(), R"({"ps": ["a:1", "b:22"], "worker": ["c:333"]})") << text;
  }
  // One job of one task is alike in both.
  EXPECT_EQ(*ClusterSpec::Parse("ps=a:1"), *ClusterSpec::Parse("ps|a:1"));
}

TEST(ClusterSpecTest, IsMadeOfMaps) {
  const auto dense = ClusterSpec::Create({{"ps", {"a:1", "b:2"}}, {"worker", {"c:3"}}});
  ASSERT_TRUE(dense.ok()) << dense.status();
  EXPECT_EQ(*dense, *ClusterSpec::Parse("ps=a:1,b:2;worker=c:3"));
  EXPECT_TRUE(dense->has_job("ps"));
  EXPECT_FALSE(dense->has_job("chief"));
  EXPECT_EQ(ClusterSpec().num_tasks(), 0);
  EXPECT_EQ(ClusterSpec().ToJson(), "{}");
  EXPECT_EQ(dense->task_address("ps", 2).status().code(), StatusCode::kNotFound);
  EXPECT_EQ(dense->task_address("ps", -1).status().code(), StatusCode::kNotFound);
  for (const Status& status :
       {dense->task_address("chief", 0).status(), dense->num_tasks("chief").status(),
        dense->job_tasks("chief").status(), dense->task_indices("chief").status()}) {
    EXPECT_EQ(status.code(), StatusCode::kNotFound);
    EXPECT_THAT(std::string(status.message()), HasSubstr("its jobs: ps, worker"));
  }
}

// As tf.train.ClusterSpec has them: num_tasks counts what is there, job_tasks has places for all.
TEST(ClusterSpecTest, TasksMayBeMissing) {
  const auto sparse = ClusterSpec::CreateSparse({{"worker", {{1, "b:1"}, {3, "d:1"}}}});
  ASSERT_TRUE(sparse.ok()) << sparse.status();
  EXPECT_EQ(*sparse->num_tasks("worker"), 2);
  EXPECT_THAT(*sparse->task_indices("worker"), ElementsAre(1, 3));
  EXPECT_THAT(*sparse->job_tasks("worker"), ElementsAre("", "b:1", "", "d:1"));
  EXPECT_EQ(*sparse->task_address("worker", 3), "d:1");
  EXPECT_EQ(sparse->task_address("worker", 0).status().code(), StatusCode::kNotFound);
  EXPECT_EQ(sparse->ToJson(), R"({"worker": {"1": "b:1", "3": "d:1"}})");
  const auto again = ClusterSpec::Parse(sparse->ToJson());
  ASSERT_TRUE(again.ok()) << again.status();
  EXPECT_EQ(*again, *sparse);
}

TEST(ClusterSpecTest, RefusesWhatIsNoCluster) {
  const struct {
    const char* text;
    const char* error;
  } kCases[] = {
      {"", "is not of the form job=host:port"},
      {"ps", "is not of the form job=host:port"},
      {"ps|", "there is no port"},
      {"|a:1", "'' is no name of a job"},
      {"p-s|a:1", "'p-s' is no name of a job"},
      {"1ps=a:1", "'1ps' is no name of a job"},
      {"ps|a", "task 0 of job 'ps': 'a' is not of the form host:port: there is no port"},
      {"ps|a:x", "ports are numbers from 1 to 65535"},
      {"ps|a:", "ports are numbers"},
      {"ps|a:-1", "ports are numbers"},
      {"ps=a:0", "ports are numbers"},
      {"ps=a:70000", "ports are numbers"},
      {"ps=a:99999999999", "ports are numbers"},
      {"ps=:1", "there is no host"},
      {"ps|a:1;", "task 1 of job 'ps': '' is not of the form host:port"},
      {"ps|a:1,", "'' in the cluster is not of the form job|host:port;host:port"},
      {"ps|a:1|b:2", "is not of the form"},
      {"ps|a:1,ps|b:2", "names the job 'ps' twice"},
      {"ps=a:1;ps=b:2", "names the job 'ps' twice"},
      {"ps=a:1;worker=b:1,a:1", "'a:1' twice: task 0 of job 'ps' and task 1 of job 'worker'"},
      {"ps=grpc://a:1", "has no scheme"},
      {"ps=::1:22", "an IPv6 address stands in brackets"},
      {"ps=[a]:22", "brackets are for IPv6"},
      {"ps=a b:22", "a host has letters"},
      {"{", "no JSON object"},
      {R"({"ps": 1})", "neither a list of addresses nor an object"},
      {R"({"ps": [1]})", "an address in the job 'ps' of the cluster is no text"},
      {R"({"ps": []})", "the job 'ps' of the cluster has no tasks"},
      {R"({"ps": {"x": "a:1"}})", "has a task 'x'"},
      {R"({"ps": {"-1": "a:1"}})", "has a task '-1'"},
      {R"({"ps": {"99999999": "a:1"}})", "has a task '99999999'"},
      {R"({"ps": {"1": "a:1", "01": "b:1"}})", "has the task 1 twice"},
  };
  for (const auto& c : kCases) {
    const Status status = ClusterSpec::Parse(c.text).status();
    EXPECT_EQ(status.code(), StatusCode::kInvalidArgument) << c.text;
    EXPECT_THAT(std::string(status.message()), HasSubstr(c.error)) << c.text;
  }
  EXPECT_EQ(ClusterSpec::CreateSparse({{"ps", {{-1, "a:1"}}}}).status().code(),
            StatusCode::kInvalidArgument);
  EXPECT_EQ(ClusterSpec::Create({{"ps", {}}}).status().code(), StatusCode::kInvalidArgument);
}

TEST(AddressTest, HasHostAndPort) {
  for (const char* address : {"a.b-c_d:1", "10.0.0.1:65535", "[::1]:2222", "[fe80::1%eth0]:22"}) {
    const auto parts = ParseAddress(address);
    ASSERT_TRUE(parts.ok()) << parts.status();
    EXPECT_EQ(AddressOf(parts->host, parts->port), address);
  }
  EXPECT_EQ(ParseAddress("[::1]:2222")->host, "::1");
  EXPECT_EQ(ParseAddress("[::1]:2222")->port, 2222);
}

}  // namespace
}  // namespace warpbeam
