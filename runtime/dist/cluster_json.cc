#include "runtime/dist/cluster_json.h"

#include <string>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "google/protobuf/struct.pb.h"
#include "google/protobuf/util/json_util.h"
#include "graph/types/errors.h"

namespace warpbeam {
namespace {

using google::protobuf::ListValue;
using google::protobuf::Struct;
using google::protobuf::Value;

// A list with room for that many would be made of it (ClusterSpec::job_tasks).
constexpr int kMostTasks = 1 << 20;

StatusOr<std::string> AddressOfTask(const std::string& job, const Value& value) {
  if (value.kind_case() == Value::kStringValue) return value.string_value();
  return InvalidArgument("an address in the job '", job, "' of the cluster is no text");
}

StatusOr<ClusterSpec::Tasks> TasksOf(const std::string& job, const Value& value) {
  ClusterSpec::Tasks tasks;
  if (value.kind_case() == Value::kListValue) {
    for (const Value& task : value.list_value().values()) {
      WB_ASSIGN_OR_RETURN(tasks[static_cast<int>(tasks.size())], AddressOfTask(job, task));
    }
    return tasks;
  }
  if (value.kind_case() != Value::kStructValue) {
    return InvalidArgument("the job '", job,
                           "' of the cluster is neither a list of addresses nor an object of them");
  }
  for (const auto& [number, task] : value.struct_value().fields()) {
    int index = 0;
    if (!absl::SimpleAtoi(number, &index) || index < 0 || index >= kMostTasks) {
      return InvalidArgument("the job '", job, "' of the cluster has a task '", number,
                             "': tasks are numbers from 0");
    }
    WB_ASSIGN_OR_RETURN(std::string address, AddressOfTask(job, task));
    if (!tasks.emplace(index, std::move(address)).second) {
      return InvalidArgument("the job '", job, "' of the cluster has the task ", index, " twice");
    }
  }
  return tasks;
}

}  // namespace

Status ParseJsonObject(absl::string_view text, Struct* object) {
  const auto parsed = google::protobuf::util::JsonStringToMessage(std::string(text), object);
  if (parsed.ok()) return OkStatus();
  return InvalidArgument("this is no JSON object: ", std::string(parsed.message()));
}

StatusOr<ClusterSpec> ClusterFromStruct(const Struct& object) {
  ClusterSpec::Jobs jobs;
  for (const auto& [job, tasks] : object.fields()) {
    WB_ASSIGN_OR_RETURN(jobs[job], TasksOf(job, tasks));
  }
  return ClusterSpec::CreateSparse(jobs);
}

StatusOr<ClusterSpec> ClusterFromJson(absl::string_view text) {
  Struct object;
  WB_RETURN_IF_ERROR(ParseJsonObject(text, &object));
  return ClusterFromStruct(object);
}

}  // namespace warpbeam
