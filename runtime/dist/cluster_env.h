// The cluster that a process is started in, as its environment tells: TF_CONFIG, Slurm, OpenMPI or
// MPICH.
//
//   WB_ASSIGN_OR_RETURN(const auto found, FindCluster(ProcessEnvironment(), ClusterRules()));
//   if (found.has_value()) Start(found->cluster, found->job, found->task);
//
// TF_CONFIG counts first, then Slurm, then MPI, for which the hosts must be given. TF_CONFIG is
// TensorFlow's: {"cluster": {"chief": ["a:1"], "ps": ["b:1"]}, "task": {"type": "ps", "index": 0}};
// tasks may have gaps in their numbers. An "evaluator" is no part of the cluster.
//
// Slurm and MPI know tasks by their rank alone. The ranks are given to jobs in the order of the
// jobs' names, as TensorFlow gives them under Slurm, and lie on the nodes one after the other, in
// the nodes' order (srun's --distribution=block, mpirun's --map-by slot). The first task of a
// node has the port `port_base`, the next one the port after it.
//
// Thread safety: pure functions, but for ProcessEnvironment. Errors: INVALID_ARGUMENT naming the
// variable and what is wrong with it; FAILED_PRECONDITION for ranks that are distributed otherwise;
// UNIMPLEMENTED for a TF_CONFIG that wants to talk over something else than gRPC.
#ifndef WARPBEAM_RUNTIME_DIST_CLUSTER_ENV_H_
#define WARPBEAM_RUNTIME_DIST_CLUSTER_ENV_H_

#include <map>
#include <optional>
#include <string>

#include "runtime/dist/cluster_spec.h"

namespace warpbeam {

using Environment = std::map<std::string, std::string>;
Environment ProcessEnvironment();

// How many tasks a job has, where ranks are given to jobs.
inline constexpr int kAllOtherTasks = -1;  // at most one job has them
using JobCounts = std::map<std::string, int>;
// "ps:1,worker:-".
StatusOr<JobCounts> ParseJobCounts(const std::string& text);

// What the environment does not tell.
struct ClusterRules {
  JobCounts jobs = {{"worker", kAllOtherTasks}};
  int port_base = 8888;
  // For MPI: "a:2,b:2" or "a,b" (runtime/dist/host_list.h). Empty: MPI is not looked for.
  std::string hosts;
};

struct ClusterTask {
  ClusterSpec cluster;
  std::string job;  // "" where TF_CONFIG tells of a cluster that this process is no task of
  int task = 0;
  std::string source;  // what told: "TF_CONFIG", "Slurm", "OpenMPI", "MPICH"

  // Not for evaluators and those that are no task.
  bool is_in_cluster() const { return cluster.has_job(job); }
  // Who initialises variables and saves: the chief, or master, or else the first worker.
  bool is_chief() const;
};

// None where nothing tells of a cluster.
StatusOr<std::optional<ClusterTask>> FindCluster(const Environment& environment,
                                                 const ClusterRules& rules);

}  // namespace warpbeam

#endif  // WARPBEAM_RUNTIME_DIST_CLUSTER_ENV_H_
