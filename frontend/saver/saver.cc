#include "frontend/saver/saver.h"

#include <algorithm>
#include <chrono>
#include <filesystem>

#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "frontend/collections.h"
#include "frontend/saver/meta_graph.h"
#include "frontend/saver/saver_nodes.h"
#include "runtime/checkpoint/bundle_reader.h"
#include "runtime/checkpoint/durable_file.h"
#include "runtime/session/session.h"

namespace warpbeam {
namespace frontend {
namespace train {
namespace {

constexpr double kSecondsPerHour = 3600;

double SecondsNow() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration<double>(now).count();
}

std::map<std::string, Variable> ByName(const std::vector<Variable>& variables) {
  std::map<std::string, Variable> by_name;
  for (const Variable& variable : variables) {
    if (variable.valid()) by_name.emplace(variable.name(), variable);
  }
  return by_name;
}

// "save/restore_all" of "save/restore_all:0", for names that stand for operations.
std::string OpName(const std::string& tensor) { return tensor.substr(0, tensor.find(':')); }

}  // namespace

Saver::Saver(ScopeRef scope, const SaverOptions& options)
    : scope_(scope.scope()), options_(options) {
  Build(scope_, ByName(GlobalVariables(scope_)));
}

Saver::Saver(ScopeRef scope, const std::vector<Variable>& variables, const SaverOptions& options)
    : scope_(scope.scope()), options_(options) {
  Build(scope_, ByName(variables));
}

Saver::Saver(ScopeRef scope, const std::map<std::string, Variable>& variables,
             const SaverOptions& options)
    : scope_(scope.scope()), options_(options) {
  Build(scope_, variables);
}

Saver::Saver(const Scope& scope, SaverNames names, const SaverOptions& options)
    : scope_(scope), options_(options), names_(std::move(names)) {}

void Saver::Build(const Scope& scope, const Variables& variables) {
  if (!scope.ok()) return;
  if (variables.empty()) {
    scope.Fail(InvalidArgument("a Saver needs variables: there are none to save"));
    return;
  }
  for (const auto& [name, variable] : variables) {
    if (variable.valid() && !name.empty()) continue;
    scope.Fail(InvalidArgument("a Saver cannot save under the name '", name,
                               "': ", name.empty() ? "it is empty" : "the variable is not valid"));
    return;
  }
  variables_ = variables;
  names_ = BuildSaverNodes(scope, options_.name_value, variables, options_.is_sharded);
}

absl::StatusOr<std::string> Saver::Save(ClientSession& session, const std::string& path,
                                        std::optional<int64_t> global_step,
                                        const SaveOptions& options) {
  WB_RETURN_IF_ERROR(scope_.status());
  WB_RETURN_IF_ERROR(session.status());
  std::string prefix = path;
  if (global_step && options_.pads_step) absl::StrAppendFormat(&prefix, "-%08d", *global_step);
  if (global_step && !options_.pads_step) absl::StrAppend(&prefix, "-", *global_step);
  const std::string directory = DirectoryOf(prefix);
  std::error_code error;
  if (!std::filesystem::is_directory(directory, error)) {
    return NotFound("cannot save '", prefix, "': '", directory, "' is no directory; make it first");
  }
  std::shared_ptr<WriterLock>& lock = locks_[path];
  if (lock == nullptr) {
    WB_ASSIGN_OR_RETURN(lock, WriterLock::Take(path));
  }
  std::lock_guard<std::mutex> turn(lock->turns());
  std::vector<Tensor> saved;
  WB_RETURN_IF_ERROR(session.session()->Run(
      RunOptions(), {{names_.filename_tensor, Tensor::Scalar<std::string>(prefix)}},
      {names_.save_tensor}, {}, &saved));
  if (options.write_meta_graph) {
    WB_RETURN_IF_ERROR(ExportMetaGraph(scope_, prefix + ".meta", this));
  }
  if (options.write_state) WB_RETURN_IF_ERROR(Keep(prefix, options));
  return prefix;
}

// Lists the checkpoint before older ones go: whoever looks always finds one that is whole.
absl::Status Saver::Keep(const std::string& prefix, const SaveOptions& options) {
  const double now = SecondsNow();
  if (!next_preserved_) next_preserved_ = now + options_.keep_hours * kSecondsPerHour;
  kept_.erase(std::remove_if(kept_.begin(), kept_.end(),
                             [&](const SavedCheckpoint& c) { return c.prefix == prefix; }),
              kept_.end());
  kept_.push_back({prefix, now});
  CheckpointState state;
  const size_t limit = options_.max_to_keep_value > 0
                           ? static_cast<size_t>(options_.max_to_keep_value)
                           : kept_.size();
  state.all.assign(kept_.end() - static_cast<std::ptrdiff_t>(std::min(limit, kept_.size())),
                   kept_.end());
  state.last_preserved = last_preserved_;
  WB_RETURN_IF_ERROR(WriteCheckpointState(DirectoryOf(prefix), state, options.state_file));
  return RemoveOld();
}

absl::Status Saver::RemoveOld() {
  if (options_.max_to_keep_value <= 0) return absl::OkStatus();
  while (kept_.size() > static_cast<size_t>(options_.max_to_keep_value)) {
    const SavedCheckpoint oldest = kept_.front();
    kept_.erase(kept_.begin());
    if (oldest.time > *next_preserved_) {
      *next_preserved_ += options_.keep_hours * kSecondsPerHour;
      last_preserved_ = oldest.time;
      continue;
    }
    WB_RETURN_IF_ERROR(RemoveCheckpoint(oldest.prefix));
  }
  return absl::OkStatus();
}

absl::Status Saver::CheckFits(const std::string& prefix) const {
  WB_ASSIGN_OR_RETURN(auto reader, BundleReader::Open(prefix));
  std::vector<std::string> problems;
  for (const auto& [name, variable] : variables_) {
    const auto entry = reader->Find(name);
    if (!entry.ok()) {
      problems.push_back(absl::StrCat("'", name, "' is not in it"));
      continue;
    }
    if (entry->dtype != variable.dtype() || entry->shape != variable.shape()) {
      problems.push_back(absl::StrCat("'", name, "' is ", DTypeName(entry->dtype),
                                      entry->shape.ToString(), " there, the variable is ",
                                      DTypeName(variable.dtype()), variable.shape().ToString()));
    }
  }
  if (problems.empty()) return absl::OkStatus();
  return InvalidArgument(
      "the checkpoint '", prefix,
      "' does not fit the graph, nothing was restored: ", absl::StrJoin(problems, "; "));
}

absl::Status Saver::Restore(ClientSession& session, const std::string& prefix) {
  WB_RETURN_IF_ERROR(scope_.status());
  WB_RETURN_IF_ERROR(session.status());
  if (!CheckpointExists(prefix)) {
    return NotFound("'", prefix, "' is no checkpoint: there is no file '", prefix, ".index'");
  }
  WB_RETURN_IF_ERROR(CheckFits(prefix));
  return session.session()->Run(RunOptions(),
                                {{names_.filename_tensor, Tensor::Scalar<std::string>(prefix)}}, {},
                                {OpName(names_.restore_op)}, nullptr);
}

}  // namespace train
}  // namespace frontend
}  // namespace warpbeam
