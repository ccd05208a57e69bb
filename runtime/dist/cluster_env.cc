#include "runtime/dist/cluster_env.h"

#include <unistd.h>

#include <cmath>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_split.h"
#include "google/protobuf/struct.pb.h"
#include "graph/types/errors.h"
#include "runtime/dist/cluster_json.h"
#include "runtime/dist/host_list.h"

namespace warpbeam {
namespace {

using google::protobuf::Struct;
using google::protobuf::Value;
using Found = StatusOr<std::optional<ClusterTask>>;

constexpr char kTfConfig[] = "TF_CONFIG";
constexpr char kEvaluator[] = "evaluator";

// "" where it is not set.
std::string Get(const Environment& environment, const std::string& name) {
  const auto found = environment.find(name);
  return found == environment.end() ? "" : found->second;
}

StatusOr<int> GetNumber(const Environment& environment, const std::string& name) {
  const std::string text = Get(environment, name);
  int number = 0;
  if (absl::SimpleAtoi(text, &number) && number >= 0) return number;
  return InvalidArgument(name, " is '", text, "', but must be a number from 0");
}

const Value* Field(const Struct& object, const std::string& name) {
  const auto found = object.fields().find(name);
  return found == object.fields().end() ? nullptr : &found->second;
}

// Programs write it as a number or as a text.
StatusOr<int> TaskIndex(const Value& value) {
  int index = -1;
  if (value.kind_case() == Value::kNumberValue) {
    const double number = value.number_value();
    if (number >= 0 && number <= INT32_MAX && number == std::floor(number)) {
      index = static_cast<int>(number);
    }
  } else if (value.kind_case() == Value::kStringValue) {
    if (!absl::SimpleAtoi(value.string_value(), &index)) index = -1;
  }
  if (index >= 0) return index;
  return InvalidArgument("the index of the task must be a number from 0");
}

Status ReadTask(const Struct& config, ClusterTask* found) {
  const Value* const task = Field(config, "task");
  if (task == nullptr) return OkStatus();
  const Value* const type = Field(task->struct_value(), "type");
  const Value* const index = Field(task->struct_value(), "index");
  if (type == nullptr || type->string_value().empty() || index == nullptr) {
    return InvalidArgument(
        "the task must have a type and an index, as in \"task\": {\"type\": \"worker\", "
        "\"index\": 0}");
  }
  found->job = type->string_value();
  WB_ASSIGN_OR_RETURN(found->task, TaskIndex(*index));
  if (found->job == kEvaluator) return OkStatus();
  return found->cluster.task_address(found->job, found->task).status();
}

Found ReadTfConfig(const std::string& text) {
  Struct config;
  WB_RETURN_IF_ERROR(ParseJsonObject(text, &config));
  const Value* const cluster = Field(config, "cluster");
  // Without one it tells of this process alone.
  if (cluster == nullptr) return std::nullopt;
  if (cluster->kind_case() != Value::kStructValue) {
    return InvalidArgument("the cluster is no object of jobs");
  }
  const Value* const layer = Field(config, "rpc_layer");
  if (layer != nullptr && !layer->string_value().empty() && layer->string_value() != "grpc") {
    return Unimplemented("rpc_layer is '", layer->string_value(), "'; tasks talk over grpc");
  }
  Struct jobs = cluster->struct_value();
  jobs.mutable_fields()->erase(kEvaluator);
  if (jobs.fields().empty()) return std::nullopt;
  ClusterTask found;
  found.source = kTfConfig;
  WB_ASSIGN_OR_RETURN(found.cluster, ClusterFromStruct(jobs));
  WB_RETURN_IF_ERROR(ReadTask(config, &found));
  return found;
}

Found FromTfConfig(const Environment& environment) {
  const std::string text = Get(environment, kTfConfig);
  if (text.empty()) return std::nullopt;
  Found found = ReadTfConfig(text);
  if (found.ok()) return found;
  const Status status = Annotate(found.status(), kTfConfig);
  // A task that is not there is as wrong as any other text.
  return IsNotFound(status) ? InvalidArgument(status.message()) : status;
}

// How many ranks each job has.
StatusOr<JobCounts> CountsOf(JobCounts jobs, int num_tasks) {
  int* rest = nullptr;
  int64_t counted = 0;
  for (auto& [job, count] : jobs) {
    if (count >= 0) {
      counted += count;
    } else if (std::exchange(rest, &count) != nullptr) {
      return InvalidArgument("at most one job can have all other tasks");
    }
  }
  if (rest != nullptr && counted < num_tasks) {
    *rest = static_cast<int>(num_tasks - counted);
    return jobs;
  }
  if (rest == nullptr && counted == num_tasks) return jobs;
  return InvalidArgument("the jobs want ", counted, rest != nullptr ? " tasks and more" : " tasks",
                         ", but ", num_tasks, " were started");
}

// The tasks of all ranks, and this one among them.
StatusOr<ClusterTask> OfRanks(const HostTasks& hosts, int rank, const ClusterRules& rules) {
  std::vector<std::string> addresses;
  for (const auto& [host, tasks] : hosts) {
    for (int i = 0; i < tasks; ++i) addresses.push_back(AddressOf(host, rules.port_base + i));
  }
  const int num_tasks = static_cast<int>(addresses.size());
  if (rank >= num_tasks) {
    return InvalidArgument("the rank of this process is ", rank, ", but there are ", num_tasks,
                           " tasks");
  }
  WB_ASSIGN_OR_RETURN(const JobCounts counts, CountsOf(rules.jobs, num_tasks));
  ClusterTask found;
  std::map<std::string, std::vector<std::string>> jobs;
  int first = 0;
  for (const auto& [job, count] : counts) {
    if (count == 0) continue;
    const auto begin = addresses.begin() + first;
    jobs[job].assign(begin, begin + count);
    if (rank >= first && rank < first + count) {
      found.job = job;
      found.task = rank - first;
    }
    first += count;
  }
  WB_ASSIGN_OR_RETURN(found.cluster, ClusterSpec::Create(jobs));
  return found;
}

// Whether the ranks lie as OfRanks takes it, as far as this one's number on its node tells.
Status CheckLocalRank(const Environment& environment, const std::string& variable,
                      const HostTasks& hosts, int rank, absl::string_view remedy) {
  if (Get(environment, variable).empty()) return OkStatus();
  WB_ASSIGN_OR_RETURN(const int local, GetNumber(environment, variable));
  int first = 0;
  for (const auto& [host, tasks] : hosts) {
    if (rank < first + tasks) {
      if (rank - first == local) return OkStatus();
      return FailedPrecondition("rank ", rank, " is number ", local, " of its node (", variable,
                                "), but would be number ", rank - first, " of ", host,
                                " if the ranks lay one after the other: ", remedy);
    }
    first += tasks;
  }
  return OkStatus();
}

std::string FirstSet(const Environment& environment, const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    if (!Get(environment, name).empty()) return name;
  }
  return "";
}

Found FromSlurm(const Environment& environment, const ClusterRules& rules) {
  const std::string nodes =
      FirstSet(environment, {"SLURM_STEP_NODELIST", "SLURM_JOB_NODELIST", "SLURM_NODELIST"});
  const std::string per_node =
      FirstSet(environment, {"SLURM_STEP_TASKS_PER_NODE", "SLURM_TASKS_PER_NODE"});
  // A shell in an allocation is no task of it.
  if (nodes.empty() || per_node.empty() || Get(environment, "SLURM_PROCID").empty()) {
    return std::nullopt;
  }
  WB_ASSIGN_OR_RETURN(const int rank, GetNumber(environment, "SLURM_PROCID"));
  const auto hosts = ExpandHostList(Get(environment, nodes));
  WB_RETURN_IF_ERROR(Annotate(hosts.status(), nodes));
  const auto counts = ExpandTasksPerNode(Get(environment, per_node));
  WB_RETURN_IF_ERROR(Annotate(counts.status(), per_node));
  if (hosts->size() != counts->size()) {
    return InvalidArgument(nodes, " has ", hosts->size(), " nodes, but ", per_node, " is of ",
                           counts->size());
  }
  HostTasks tasks;
  int64_t all = 0;
  for (size_t i = 0; i < hosts->size(); ++i) {
    tasks.emplace_back((*hosts)[i], (*counts)[i]);
    all += (*counts)[i];
  }
  if (all <= 1) return std::nullopt;
  WB_RETURN_IF_ERROR(CheckLocalRank(environment, "SLURM_LOCALID", tasks, rank,
                                    "start the tasks with srun --distribution=block"));
  WB_ASSIGN_OR_RETURN(ClusterTask found, OfRanks(tasks, rank, rules));
  found.source = "Slurm";
  return found;
}

struct MpiVariables {
  const char* name;
  const char* rank;
  const char* size;
  const char* local_rank;
};
constexpr MpiVariables kMpis[] = {
    {"OpenMPI", "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_LOCAL_RANK"},
    {"MPICH", "PMI_RANK", "PMI_SIZE", "MPI_LOCALRANKID"},
};

Found FromMpi(const Environment& environment, const ClusterRules& rules) {
  if (rules.hosts.empty()) return std::nullopt;
  for (const MpiVariables& mpi : kMpis) {
    if (Get(environment, mpi.rank).empty()) continue;
    WB_ASSIGN_OR_RETURN(const int rank, GetNumber(environment, mpi.rank));
    WB_ASSIGN_OR_RETURN(const int size, GetNumber(environment, mpi.size));
    if (size < 1) return InvalidArgument(mpi.size, " is 0, but this process is one");
    WB_ASSIGN_OR_RETURN(const HostTasks hosts, ExpandHostSlots(rules.hosts, size));
    WB_RETURN_IF_ERROR(CheckLocalRank(environment, mpi.local_rank, hosts, rank,
                                      "start the tasks with mpirun --map-by slot"));
    WB_ASSIGN_OR_RETURN(ClusterTask found, OfRanks(hosts, rank, rules));
    found.source = mpi.name;
    return found;
  }
  return std::nullopt;
}

}  // namespace

Environment ProcessEnvironment() {
  Environment environment;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    const std::pair<std::string, std::string> parts =
        absl::StrSplit(*entry, absl::MaxSplits('=', 1));
    environment.insert(parts);
  }
  return environment;
}

StatusOr<JobCounts> ParseJobCounts(const std::string& text) {
  JobCounts jobs;
  for (const absl::string_view part : absl::StrSplit(text, ',')) {
    const std::pair<std::string, std::string> halves =
        absl::StrSplit(part, absl::MaxSplits(':', 1));
    int count = kAllOtherTasks;
    const bool is_number = absl::SimpleAtoi(halves.second, &count) && count >= 0;
    if (halves.first.empty() || (!is_number && halves.second != "-")) {
      return InvalidArgument("'", part, "' in the numbers of tasks '", text,
                             "' is not of the form job:3, or job:- for all other tasks");
    }
    if (!jobs.emplace(halves.first, is_number ? count : kAllOtherTasks).second) {
      return InvalidArgument("the numbers of tasks '", text, "' name '", halves.first, "' twice");
    }
  }
  return jobs;
}

bool ClusterTask::is_chief() const {
  if (job == "chief" || job == "master") return true;
  return job == "worker" && task == 0 && !cluster.has_job("chief") && !cluster.has_job("master");
}

StatusOr<std::optional<ClusterTask>> FindCluster(const Environment& environment,
                                                 const ClusterRules& rules) {
  WB_ASSIGN_OR_RETURN(std::optional<ClusterTask> found, FromTfConfig(environment));
  if (found.has_value()) return found;
  WB_ASSIGN_OR_RETURN(found, FromSlurm(environment, rules));
  if (found.has_value()) return found;
  return FromMpi(environment, rules);
}

}  // namespace warpbeam
