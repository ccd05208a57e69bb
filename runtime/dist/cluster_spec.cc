#include "runtime/dist/cluster_spec.h"

#include <algorithm>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "graph/types/errors.h"
#include "runtime/dist/cluster_json.h"

namespace warpbeam {
namespace {

// Jobs are parts of device names.
Status CheckJob(const std::string& job) {
  const auto may_follow = [](char c) { return absl::ascii_isalnum(c) || c == '_'; };
  if (!job.empty() && absl::ascii_isalpha(job[0]) &&
      std::all_of(job.begin(), job.end(), may_follow)) {
    return OkStatus();
  }
  return InvalidArgument("'", job,
                         "' is no name of a job: those have letters, digits and '_', and begin "
                         "with a letter");
}

// The jobs of a text in which these characters stand between job and tasks, tasks, and jobs.
StatusOr<ClusterSpec> ParseJobs(absl::string_view text, char after_job, char after_task,
                                char between_jobs) {
  std::map<std::string, std::vector<std::string>> jobs;
  for (const absl::string_view part : absl::StrSplit(text, between_jobs)) {
    const std::vector<absl::string_view> halves = absl::StrSplit(part, after_job);
    if (halves.size() != 2) {
      return InvalidArgument("'", part, "' in the cluster is not of the form job",
                             std::string(1, after_job), "host:port", std::string(1, after_task),
                             "host:port");
    }
    const std::string job(absl::StripAsciiWhitespace(halves[0]));
    std::vector<std::string> tasks;
    for (const absl::string_view task : absl::StrSplit(halves[1], after_task)) {
      tasks.emplace_back(absl::StripAsciiWhitespace(task));
    }
    if (!jobs.emplace(job, std::move(tasks)).second) {
      return InvalidArgument("the cluster names the job '", job, "' twice");
    }
  }
  return ClusterSpec::Create(jobs);
}

bool HasGaps(const ClusterSpec::Tasks& tasks) {
  return tasks.rbegin()->first + 1 != static_cast<int>(tasks.size());
}

}  // namespace

StatusOr<HostAndPort> ParseAddress(const std::string& text) {
  const absl::string_view address = text;
  const auto refuse = [&](absl::string_view why) {
    return InvalidArgument("'", address, "' is not of the form host:port: ", why);
  };
  if (absl::StrContains(address, "://")) return refuse("it has no scheme");
  const size_t colon = address.rfind(':');
  if (colon == absl::string_view::npos) return refuse("there is no port");
  HostAndPort parts;
  const absl::string_view port = address.substr(colon + 1);
  const bool is_number =
      !port.empty() && std::all_of(port.begin(), port.end(), absl::ascii_isdigit);
  if (!is_number || !absl::SimpleAtoi(port, &parts.port) || parts.port < 1 || parts.port > 65535) {
    return refuse("ports are numbers from 1 to 65535");
  }
  absl::string_view host = address.substr(0, colon);
  if (absl::StartsWith(host, "[") && absl::EndsWith(host, "]")) {
    host = host.substr(1, host.size() - 2);
    const auto is_part = [](char c) { return absl::ascii_isxdigit(c) || c == ':' || c == '.'; };
    const absl::string_view number = host.substr(0, host.find('%'));  // the rest is a zone
    if (!absl::StrContains(number, ':') || !std::all_of(number.begin(), number.end(), is_part)) {
      return refuse("brackets are for IPv6 addresses, as in [::1]:2222");
    }
  } else if (absl::StrContains(host, ':')) {
    return refuse("an IPv6 address stands in brackets, as in [::1]:2222");
  }
  if (host.empty()) return refuse("there is no host");
  for (const char c : host) {
    if (!absl::ascii_isalnum(c) && !absl::StrContains("-._:%", std::string(1, c))) {
      return refuse("a host has letters, digits, '-', '.' and '_'");
    }
  }
  parts.host = std::string(host);
  return parts;
}

std::string AddressOf(const std::string& host, int port) {
  if (absl::StrContains(host, ':')) return absl::StrCat("[", host, "]:", port);
  return absl::StrCat(host, ":", port);
}

StatusOr<ClusterSpec> ClusterSpec::Parse(const std::string& spec) {
  const absl::string_view text = absl::StripAsciiWhitespace(spec);
  if (absl::StartsWith(text, "{")) return ClusterFromJson(text);
  if (absl::StrContains(text, '|')) return ParseJobs(text, '|', ';', ',');
  return ParseJobs(text, '=', ',', ';');
}

StatusOr<ClusterSpec> ClusterSpec::Create(
    const std::map<std::string, std::vector<std::string>>& jobs) {
  Jobs sparse;
  for (const auto& [job, addresses] : jobs) {
    Tasks& tasks = sparse[job];
    for (const std::string& address : addresses) {
      tasks.emplace(static_cast<int>(tasks.size()), address);
    }
  }
  return CreateSparse(sparse);
}

StatusOr<ClusterSpec> ClusterSpec::CreateSparse(const Jobs& jobs) {
  std::map<std::string, std::string> task_at;  // by address
  for (const auto& [job, tasks] : jobs) {
    WB_RETURN_IF_ERROR(CheckJob(job));
    if (tasks.empty()) return InvalidArgument("the job '", job, "' of the cluster has no tasks");
    for (const auto& [task, address] : tasks) {
      if (task < 0) return InvalidArgument("the job '", job, "' has a task ", task);
      const std::string name = absl::StrCat("task ", task, " of job '", job, "'");
      WB_RETURN_IF_ERROR(Annotate(ParseAddress(address).status(), name));
      const auto [other, is_new] = task_at.emplace(address, name);
      if (!is_new) {
        return InvalidArgument("the cluster has the address '", address, "' twice: ", other->second,
                               " and ", name);
      }
    }
  }
  ClusterSpec cluster;
  cluster.jobs_ = jobs;
  return cluster;
}

std::string ClusterSpec::ToJson() const {
  // Nothing in names and addresses needs to be escaped.
  std::vector<std::string> jobs;
  for (const auto& [job, tasks] : jobs_) {
    const bool has_gaps = HasGaps(tasks);
    std::vector<std::string> entries;
    for (const auto& [task, address] : tasks) {
      entries.push_back(
          absl::StrCat(has_gaps ? absl::StrCat("\"", task, "\": ") : "", "\"", address, "\""));
    }
    jobs.push_back(absl::StrCat("\"", job, "\": ", has_gaps ? "{" : "[",
                                absl::StrJoin(entries, ", "), has_gaps ? "}" : "]"));
  }
  return absl::StrCat("{", absl::StrJoin(jobs, ", "), "}");
}

StatusOr<const ClusterSpec::Tasks*> ClusterSpec::TasksOf(const std::string& job) const {
  const auto found = jobs_.find(job);
  if (found != jobs_.end()) return &found->second;
  const auto name = [](std::string* out, const Jobs::value_type& entry) {
    absl::StrAppend(out, entry.first);
  };
  return NotFound("the cluster has no job '", job,
                  "'; its jobs: ", absl::StrJoin(jobs_, ", ", name));
}

int ClusterSpec::num_tasks() const {
  size_t all = 0;
  for (const auto& [job, tasks] : jobs_) all += tasks.size();
  return static_cast<int>(all);
}

StatusOr<int> ClusterSpec::num_tasks(const std::string& job) const {
  WB_ASSIGN_OR_RETURN(const Tasks* tasks, TasksOf(job));
  return static_cast<int>(tasks->size());
}

StatusOr<std::vector<int>> ClusterSpec::task_indices(const std::string& job) const {
  WB_ASSIGN_OR_RETURN(const Tasks* tasks, TasksOf(job));
  std::vector<int> indices;
  for (const auto& [task, address] : *tasks) indices.push_back(task);
  return indices;
}

StatusOr<std::vector<std::string>> ClusterSpec::job_tasks(const std::string& job) const {
  WB_ASSIGN_OR_RETURN(const Tasks* tasks, TasksOf(job));
  std::vector<std::string> addresses(tasks->rbegin()->first + 1);
  for (const auto& [task, address] : *tasks) addresses[task] = address;
  return addresses;
}

StatusOr<std::string> ClusterSpec::task_address(const std::string& job, int task) const {
  WB_ASSIGN_OR_RETURN(const Tasks* tasks, TasksOf(job));
  const auto found = tasks->find(task);
  if (found != tasks->end()) return found->second;
  return NotFound("the job '", job, "' has ", tasks->size(), " tasks, but no task ", task);
}

}  // namespace warpbeam
