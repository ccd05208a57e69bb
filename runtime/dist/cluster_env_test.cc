#include "runtime/dist/cluster_env.h"

#include <cstdlib>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace warpbeam {
namespace {

using ::testing::HasSubstr;
using ::testing::Pair;
using ::testing::UnorderedElementsAre;

StatusOr<std::optional<ClusterTask>> Find(const Environment& environment,
                                          const ClusterRules& rules = {}) {
  return FindCluster(environment, rules);
}

// Of an environment that tells of a cluster.
ClusterTask Found(const Environment& environment, const ClusterRules& rules = {}) {
  const auto found = Find(environment, rules);
  EXPECT_TRUE(found.ok()) << found.status();
  if (!found.ok()) return {};
  EXPECT_TRUE(found->has_value());
  return found->value_or(ClusterTask());
}

void ExpectRefused(const Environment& environment, const std::string& why,
                   const ClusterRules& rules = {}, StatusCode code = StatusCode::kInvalidArgument) {
  const Status status = Find(environment, rules).status();
  EXPECT_EQ(status.code(), code) << status;
  EXPECT_THAT(std::string(status.message()), HasSubstr(why));
}

TEST(ClusterEnvTest, TfConfig) {
  const std::string cluster =
      R"("cluster": {"chief": ["a:1"], "ps": ["b:1", "b:2"], "worker": {"1": "c:1"}})";
  const ClusterTask ps =
      Found({{"TF_CONFIG", "{" + cluster + R"(, "task": {"type": "ps", "index": 1}})"}});
  EXPECT_EQ(ps.cluster.ToJson(),
            R"({"chief": ["a:1"], "ps": ["b:1", "b:2"], "worker": {"1": "c:1"}})");
  EXPECT_EQ(ps.job, "ps");
  EXPECT_EQ(ps.task, 1);
  EXPECT_EQ(ps.source, "TF_CONFIG");
  EXPECT_TRUE(ps.is_in_cluster());
  EXPECT_FALSE(ps.is_chief());
  // As a text, and of a task whose job has gaps.
  const ClusterTask worker =
      Found({{"TF_CONFIG", "{" + cluster + R"(, "task": {"type": "worker", "index": "1"}})"}});
  EXPECT_EQ(worker.task, 1);
  EXPECT_TRUE(Found({{"TF_CONFIG", "{" + cluster + R"(, "task": {"type": "chief", "index": 0}})"}})
                  .is_chief());
  EXPECT_FALSE(Found({{"TF_CONFIG", "{" + cluster + "}"}}).is_in_cluster());
}

TEST(ClusterEnvTest, TheChiefIsTheFirstWorkerWhereThereIsNone) {
  const auto task = [](const std::string& jobs, const std::string& type, int index) {
    return Found({{"TF_CONFIG", absl::StrCat(R"({"cluster": {)", jobs, R"(}, "task": {"type": ")",
                                             type, R"(", "index": )", index, "}}")}});
  };
  const std::string workers = R"("worker": ["a:1", "b:1"])";
  EXPECT_TRUE(task(workers, "worker", 0).is_chief());
  EXPECT_FALSE(task(workers, "worker", 1).is_chief());
  EXPECT_FALSE(task(workers + R"(, "master": ["c:1"])", "worker", 0).is_chief());
  EXPECT_TRUE(task(workers + R"(, "master": ["c:1"])", "master", 0).is_chief());
}

TEST(ClusterEnvTest, EvaluatorsAreNoPartOfTheCluster) {
  for (const char* evaluators : {"", R"(, "evaluator": ["e:1"])"}) {
    const ClusterTask found =
        Found({{"TF_CONFIG", absl::StrCat(R"({"cluster": {"chief": ["a:1"])", evaluators,
                                          R"(}, "task": {"type": "evaluator", "index": 0}})")}});
    EXPECT_EQ(found.job, "evaluator");
    EXPECT_FALSE(found.is_in_cluster());
    EXPECT_FALSE(found.is_chief());
    EXPECT_EQ(found.cluster.num_tasks(), 1);
  }
}

TEST(ClusterEnvTest, NothingTellsOfACluster) {
  for (const Environment& environment : std::vector<Environment>{
           {},
           {{"TF_CONFIG", ""}},
           {{"TF_CONFIG", "{}"}},
           {{"TF_CONFIG", R"({"cluster": {}})"}},
           {{"TF_CONFIG", R"({"task": {"type": "worker", "index": 0}})"}},
           {{"SLURM_JOB_NODELIST", "n[1-2]"}, {"SLURM_TASKS_PER_NODE", "2(x2)"}},
           {{"SLURM_JOB_NODELIST", "n1"}, {"SLURM_TASKS_PER_NODE", "1"}, {"SLURM_PROCID", "0"}},
           {{"OMPI_COMM_WORLD_RANK", "0"}, {"OMPI_COMM_WORLD_SIZE", "2"}},
       }) {
    const auto found = Find(environment);
    ASSERT_TRUE(found.ok()) << found.status();
    EXPECT_FALSE(found->has_value());
  }
}

TEST(ClusterEnvTest, RefusesWhatIsNoTfConfig) {
  const auto refused = [](const std::string& config, const std::string& why) {
    ExpectRefused({{"TF_CONFIG", config}}, why);
    ExpectRefused({{"TF_CONFIG", config}}, "TF_CONFIG");
  };
  refused("worker", "no JSON object");
  refused(R"({"cluster": ["a:1"]})", "the cluster is no object of jobs");
  refused(R"({"cluster": {"ps": ["a"]}})", "there is no port");
  refused(R"({"cluster": {"ps": ["a:1"]}, "task": {"type": "ps"}})", "a type and an index");
  refused(R"({"cluster": {"ps": ["a:1"]}, "task": "ps"})", "a type and an index");
  refused(R"({"cluster": {"ps": ["a:1"]}, "task": {"type": "ps", "index": 1}})", "no task 1");
  refused(R"({"cluster": {"ps": ["a:1"]}, "task": {"type": "ps", "index": -1}})",
          "a number from 0");
  refused(R"({"cluster": {"ps": ["a:1"]}, "task": {"type": "ps", "index": 0.5}})",
          "a number from 0");
  refused(R"({"cluster": {"ps": ["a:1"]}, "task": {"type": "chief", "index": 0}})",
          "no job 'chief'");
  ExpectRefused({{"TF_CONFIG", R"({"cluster": {"ps": ["a:1"]}, "rpc_layer": "grpc+verbs"})"}},
                "tasks talk over grpc", {}, StatusCode::kUnimplemented);
}

Environment SlurmStep(int rank) {
  return {{"SLURM_STEP_NODELIST", "n[1-2,10]"},
          {"SLURM_STEP_TASKS_PER_NODE", "2(x2),1"},
          {"SLURM_PROCID", absl::StrCat(rank)}};
}

TEST(ClusterEnvTest, Slurm) {
  ClusterRules rules;
  rules.jobs = {{"ps", 1}, {"worker", kAllOtherTasks}};
  rules.port_base = 2000;
  const ClusterTask ps = Found(SlurmStep(0), rules);
  EXPECT_EQ(ps.cluster.ToJson(),
            R"({"ps": ["n1:2000"], "worker": ["n1:2001", "n2:2000", "n2:2001", "n10:2000"]})");
  EXPECT_EQ(ps.job, "ps");
  EXPECT_EQ(ps.task, 0);
  EXPECT_EQ(ps.source, "Slurm");
  const ClusterTask last = Found(SlurmStep(4), rules);
  EXPECT_EQ(last.job, "worker");
  EXPECT_EQ(last.task, 3);
  EXPECT_EQ(last.cluster, ps.cluster);
  // Without rules all are workers, at TensorFlow's ports.
  const ClusterTask worker = Found(SlurmStep(2));
  EXPECT_EQ(worker.job, "worker");
  EXPECT_EQ(worker.task, 2);
  EXPECT_EQ(*worker.cluster.task_address("worker", 2), "n2:8888");
  // A step's variables count before those of the whole allocation.
  Environment both = SlurmStep(0);
  both["SLURM_JOB_NODELIST"] = "n[1-9]";
  both["SLURM_TASKS_PER_NODE"] = "9(x9)";
  EXPECT_EQ(Found(both).cluster.num_tasks(), 5);
  EXPECT_EQ(Found({{"SLURM_JOB_NODELIST", "n[1-2]"},
                   {"SLURM_TASKS_PER_NODE", "1(x2)"},
                   {"SLURM_PROCID", "1"}})
                .task,
            1);
  // What TF_CONFIG says counts more.
  both["TF_CONFIG"] = R"({"cluster": {"ps": ["a:1"]}, "task": {"type": "ps", "index": 0}})";
  EXPECT_EQ(Found(both).source, "TF_CONFIG");
}

TEST(ClusterEnvTest, RefusesSlurmStepsThatDoNotFit) {
  ExpectRefused(SlurmStep(5), "the rank of this process is 5, but there are 5 tasks");
  ClusterRules rules;
  rules.jobs = {{"ps", 1}, {"worker", 3}};
  ExpectRefused(SlurmStep(0), "the jobs want 4 tasks, but 5 were started", rules);
  rules.jobs = {{"ps", 5}, {"worker", kAllOtherTasks}};
  ExpectRefused(SlurmStep(0), "the jobs want 5 tasks and more", rules);
  rules.jobs = {{"ps", kAllOtherTasks}, {"worker", kAllOtherTasks}};
  ExpectRefused(SlurmStep(0), "at most one job", rules);
  rules = {};
  rules.port_base = 65535;
  ExpectRefused(SlurmStep(0), "ports are numbers from 1 to 65535", rules);
  Environment step = SlurmStep(0);
  step["SLURM_PROCID"] = "x";
  ExpectRefused(step, "SLURM_PROCID is 'x'");
  step = SlurmStep(0);
  step["SLURM_STEP_NODELIST"] = "n[1";
  ExpectRefused(step, "SLURM_STEP_NODELIST: the list of hosts 'n[1'");
  step["SLURM_STEP_NODELIST"] = "n[1-2]";
  ExpectRefused(step, "SLURM_STEP_NODELIST has 2 nodes, but SLURM_STEP_TASKS_PER_NODE is of 3");
  // Ranks dealt out in turn.
  step = SlurmStep(1);
  step["SLURM_LOCALID"] = "1";
  EXPECT_EQ(Found(step).task, 1);
  step["SLURM_LOCALID"] = "0";
  ExpectRefused(step, "--distribution=block", {}, StatusCode::kFailedPrecondition);
}

TEST(ClusterEnvTest, Mpi) {
  ClusterRules rules;
  rules.jobs = {{"ps", 1}, {"worker", kAllOtherTasks}};
  rules.hosts = "a:2,b:2";
  const ClusterTask open = Found({{"OMPI_COMM_WORLD_RANK", "3"},
                                  {"OMPI_COMM_WORLD_SIZE", "4"},
                                  {"OMPI_COMM_WORLD_LOCAL_RANK", "1"}},
                                 rules);
  EXPECT_EQ(open.source, "OpenMPI");
  EXPECT_EQ(open.job, "worker");
  EXPECT_EQ(open.task, 2);
  EXPECT_EQ(open.cluster.ToJson(),
            R"({"ps": ["a:8888"], "worker": ["a:8889", "b:8888", "b:8889"]})");
  const ClusterTask mpich = Found({{"PMI_RANK", "0"}, {"PMI_SIZE", "2"}}, rules);
  EXPECT_EQ(mpich.source, "MPICH");
  EXPECT_EQ(mpich.job, "ps");
  EXPECT_EQ(mpich.cluster.num_tasks(), 2);
  ExpectRefused({{"PMI_RANK", "0"}, {"PMI_SIZE", "9"}}, "the hosts 'a:2,b:2' take 4 tasks", rules);
  ExpectRefused({{"PMI_RANK", "0"}}, "PMI_SIZE is ''", rules);
  ExpectRefused({{"PMI_RANK", "0"}, {"PMI_SIZE", "0"}}, "PMI_SIZE is 0", rules);
  ExpectRefused({{"OMPI_COMM_WORLD_RANK", "1"},
                 {"OMPI_COMM_WORLD_SIZE", "4"},
                 {"OMPI_COMM_WORLD_LOCAL_RANK", "0"}},
                "--map-by slot", rules, StatusCode::kFailedPrecondition);
}

TEST(ClusterEnvTest, CountsOfJobs) {
  const auto counts = ParseJobCounts("ps:2,worker:-");
  ASSERT_TRUE(counts.ok()) << counts.status();
  EXPECT_THAT(*counts, UnorderedElementsAre(Pair("ps", 2), Pair("worker", kAllOtherTasks)));
  for (const char* text : {"", "ps", "ps:", "ps:x", "ps:-1", ":1", "ps:1,ps:2", "ps:1,"}) {
    EXPECT_EQ(ParseJobCounts(text).status().code(), StatusCode::kInvalidArgument) << text;
  }
}

TEST(ClusterEnvTest, TheEnvironmentOfTheProcess) {
  ASSERT_EQ(setenv("WARPBEAM_OF_THIS_TEST", "a=b", 1), 0);
  EXPECT_EQ(ProcessEnvironment()["WARPBEAM_OF_THIS_TEST"], "a=b");
}

}  // namespace
}  // namespace warpbeam
