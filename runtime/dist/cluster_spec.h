// ClusterSpec: the tasks of a cluster by job, with their addresses (tf.train.ClusterSpec).
//
//   WB_ASSIGN_OR_RETURN(ClusterSpec c, ClusterSpec::Parse("ps=a:1,a:2;worker=b:1"));
//   WB_ASSIGN_OR_RETURN(c, ClusterSpec::Create({{"ps", {"a:1", "a:2"}}, {"worker", {"b:1"}}}));
//   WB_ASSIGN_OR_RETURN(std::string address, c.task_address("ps", 1));        // "a:2"
//
// The numbers of a job's tasks may have gaps, as where a worker is told of itself and the ps alone.
// Addresses are "host:port", IPv6 ones "[::1]:port"; each belongs to one task.
//
// Thread safety: values. Errors: INVALID_ARGUMENT quoting what is wrong; NOT_FOUND for a job or
// task that is not in it.
#ifndef WARPBEAM_RUNTIME_DIST_CLUSTER_SPEC_H_
#define WARPBEAM_RUNTIME_DIST_CLUSTER_SPEC_H_

#include <map>
#include <string>
#include <vector>

#include "graph/types/status_or.h"

namespace warpbeam {

class ClusterSpec {
 public:
  // By number: "host:port".
  using Tasks = std::map<int, std::string>;
  using Jobs = std::map<std::string, Tasks>;

  ClusterSpec() = default;  // of no tasks

  // Any of "ps=host:port,host:port;worker=host:port", TensorFlow's
  // "ps|host:port;host:port,worker|host:port", and the JSON that ToJson writes.
  static StatusOr<ClusterSpec> Parse(const std::string& text);
  // The tasks of each job, from number 0.
  static StatusOr<ClusterSpec> Create(const std::map<std::string, std::vector<std::string>>& jobs);
  static StatusOr<ClusterSpec> CreateSparse(const Jobs& jobs);

  // {"ps": ["a:1", "a:2"], "worker": {"1": "b:1"}}: an object where numbers are missing.
  std::string ToJson() const;

  const Jobs& jobs() const { return jobs_; }
  bool has_job(const std::string& job) const { return jobs_.count(job) > 0; }
  // Of all jobs, and of one.
  int num_tasks() const;
  StatusOr<int> num_tasks(const std::string& job) const;
  StatusOr<std::vector<int>> task_indices(const std::string& job) const;
  // By number; "" for those that are missing.
  StatusOr<std::vector<std::string>> job_tasks(const std::string& job) const;
  StatusOr<std::string> task_address(const std::string& job, int task) const;

  friend bool operator==(const ClusterSpec& a, const ClusterSpec& b) { return a.jobs_ == b.jobs_; }
  friend bool operator!=(const ClusterSpec& a, const ClusterSpec& b) { return !(a == b); }

 private:
  StatusOr<const Tasks*> TasksOf(const std::string& job) const;

  Jobs jobs_;  // none of them empty
};

// "host:port", taken apart: {"::1", 2222} of "[::1]:2222".
struct HostAndPort {
  std::string host;
  int port = 0;
};
StatusOr<HostAndPort> ParseAddress(const std::string& address);
// The other way round.
std::string AddressOf(const std::string& host, int port);

}  // namespace warpbeam

#endif  // WARPBEAM_RUNTIME_DIST_CLUSTER_SPEC_H_
