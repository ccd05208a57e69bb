#include "frontend/saver/saver.h"

#include <filesystem>
#include <utility>

#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "frontend/collections.h"
#include "frontend/finalize.h"
#include "frontend/host_tensor/host_tensor.h"
#include "frontend/model/object_restore.h"
#include "frontend/saver/background_saves.h"
#include "frontend/saver/kept_checkpoints.h"
#include "frontend/saver/meta_graph.h"
#include "frontend/saver/saver_nodes.h"
#include "frontend/saver/variable_snapshot.h"
#include "frontend/saver/writer_lock.h"
#include "runtime/checkpoint/bundle_reader.h"
#include "runtime/checkpoint/durable_file.h"
#include "runtime/session/session.h"

namespace warpbeam {
namespace frontend {
namespace train {
namespace {

std::shared_ptr<KeptCheckpoints> NewList(const SaverOptions& options) {
  return std::make_shared<KeptCheckpoints>(options.max_to_keep_value, options.keep_hours);
}

// "save/restore_all" of "save/restore_all:0", for names that stand for operations.
std::string OpName(const std::string& tensor) { return tensor.substr(0, tensor.find(':')); }

}  // namespace

Saver::Saver(ScopeRef scope, const SaverOptions& options)
    : scope_(scope.scope()),
      options_(options),
      kept_(NewList(options)),
      background_(std::make_shared<BackgroundSaves>()) {
  Build(scope_, SavedVariables(GlobalVariables(scope_)));
}

Saver::Saver(ScopeRef scope, const std::vector<Variable>& variables, const SaverOptions& options)
    : scope_(scope.scope()),
      options_(options),
      kept_(NewList(options)),
      background_(std::make_shared<BackgroundSaves>()) {
  Build(scope_, SavedVariables(variables));
}

Saver::Saver(ScopeRef scope, const std::map<std::string, Variable>& variables,
             const SaverOptions& options)
    : scope_(scope.scope()),
      options_(options),
      kept_(NewList(options)),
      background_(std::make_shared<BackgroundSaves>()) {
  Build(scope_, SavedVariables(variables));
}

Saver::Saver(const Scope& scope, SaverNames names, const SaverOptions& options)
    : scope_(scope),
      options_(options),
      names_(std::move(names)),
      kept_(NewList(options)),
      background_(std::make_shared<BackgroundSaves>()) {}

bool Saver::IsSaving() const { return background_->IsWriting(); }
Status Saver::Wait(double timeout_secs) { return background_->Wait(timeout_secs); }
void Saver::WaitUntilIdle() const { background_->WaitUntilIdle(); }

std::vector<SavedCheckpoint> Saver::last_checkpoints() const { return kept_->all(); }
void Saver::RecoverLastCheckpoints(const CheckpointState& state) { kept_->Recover(state.all); }
void Saver::SetLastCheckpoints(std::vector<SavedCheckpoint> all) { kept_->Recover(std::move(all)); }

void Saver::Build(const Scope& scope, std::vector<SavedVariable> variables) {
  if (!scope.ok()) return;
  if (variables.empty()) {
    scope.Fail(InvalidArgument("a Saver needs variables: there are none to save"));
    return;
  }
  for (const SavedVariable& saved : variables) {
    if (saved.variable.ref().valid() && !saved.name.empty()) continue;
    scope.Fail(InvalidArgument("a Saver cannot save under the name '", saved.name, "': ",
                               saved.name.empty() ? "it is empty" : "the variable is not valid"));
    return;
  }
  names_ = BuildSaverNodes(scope, options_.name_value, variables, options_.is_sharded);
  variables_ = std::move(variables);
}

StatusOr<Saver::Target> Saver::Prepare(ClientSession& session, const std::string& path,
                                       std::optional<int64_t> global_step,
                                       const SaveOptions& options) {
  WB_RETURN_IF_ERROR(scope_.status());
  WB_RETURN_IF_ERROR(session.status());
  WB_RETURN_IF_ERROR(Wait());
  Target target;
  target.prefix = path;
  if (global_step && options_.pads_step) {
    absl::StrAppendFormat(&target.prefix, "-%08d", *global_step);
  } else if (global_step) {
    absl::StrAppend(&target.prefix, "-", *global_step);
  }
  const std::string directory = DirectoryOf(target.prefix);
  std::error_code error;
  if (!std::filesystem::is_directory(directory, error)) {
    return NotFound("cannot save '", target.prefix, "': '", directory,
                    "' is no directory; make it first");
  }
  if (options.write_meta_graph) {
    if (graph_bytes_ == nullptr || !IsFinalized(scope_)) {
      WB_ASSIGN_OR_RETURN(std::string bytes, SerializeMetaGraphNodes(scope_));
      graph_bytes_ = std::make_shared<const std::string>(std::move(bytes));
    }
    target.graph = graph_bytes_;
    WB_ASSIGN_OR_RETURN(target.collections, SerializeMetaGraphCollections(scope_, this));
  }
  std::shared_ptr<WriterLock>& lock = locks_[path];
  if (lock == nullptr) {
    WB_ASSIGN_OR_RETURN(lock, WriterLock::Take(path));
  }
  target.lock = lock;
  return target;
}

Status Saver::Finish(const Target& target, const SaveOptions& options, KeptCheckpoints& kept) {
  if (target.graph != nullptr) {
    const std::string path = target.prefix + ".meta";
    WB_ASSIGN_OR_RETURN(auto file, DurableFile::Create(path));
    WB_RETURN_IF_ERROR(file->Append(*target.graph));
    WB_RETURN_IF_ERROR(file->Append(target.collections));
    WB_RETURN_IF_ERROR(file->Commit());
    WB_RETURN_IF_ERROR(SyncDirectoryOf(path));
  }
  return options.write_state ? kept.Add(target.prefix, options.state_file) : OkStatus();
}

StatusOr<std::string> Saver::Save(ClientSession& session, const std::string& path,
                                  std::optional<int64_t> global_step, const SaveOptions& options) {
  WB_ASSIGN_OR_RETURN(const Target target, Prepare(session, path, global_step, options));
  std::lock_guard<std::mutex> turn(target.lock->turns());
  std::vector<Tensor> saved;
  WB_RETURN_IF_ERROR(session.session()->Run(
      RunOptions(), {{names_.filename_tensor, Tensor::Scalar<std::string>(target.prefix)}},
      {names_.save_tensor}, {}, &saved));
  WB_RETURN_IF_ERROR(Finish(target, options, *kept_));
  return target.prefix;
}

StatusOr<std::string> Saver::Save(ClientSession& session, const std::string& path,
                                  const Variable& global_step, const SaveOptions& options) {
  WB_RETURN_IF_ERROR(Wait());
  if (!global_step.valid()) return InvalidArgument("the global step is no valid variable");
  WB_ASSIGN_OR_RETURN(const std::vector<Tensor> step, session.Run({global_step}));
  if (step[0].dtype() == DType::kInt32) {
    WB_ASSIGN_OR_RETURN(const int32_t value, ValueOf<int32_t>(step[0]));
    return Save(session, path, int64_t{value}, options);
  }
  WB_ASSIGN_OR_RETURN(const int64_t value, ValueOf<int64_t>(step[0]));
  return Save(session, path, value, options);
}

StatusOr<std::string> Saver::SaveInBackground(ClientSession& session, const std::string& path,
                                              std::optional<int64_t> global_step,
                                              const SaveOptions& options) {
  WB_ASSIGN_OR_RETURN(const Target target, Prepare(session, path, global_step, options));
  auto taken = TakeSnapshot(*session.session(), *scope_.graph(), names_, target.prefix);
  if (IsUnimplemented(taken.status())) return Save(session, path, global_step, options);
  WB_RETURN_IF_ERROR(taken.status());
  auto snapshot = std::make_shared<VariableSnapshot>(*std::move(taken));
  WB_RETURN_IF_ERROR(background_->Start(
      target.prefix, [target, options, snapshot = std::move(snapshot), kept = kept_] {
        std::lock_guard<std::mutex> turn(target.lock->turns());
        WB_RETURN_IF_ERROR(WriteSnapshot(std::move(*snapshot), target.prefix));
        return Finish(target, options, *kept);
      }));
  return target.prefix;
}

Status Saver::CheckFits(const std::string& prefix) const {
  WB_ASSIGN_OR_RETURN(auto reader, BundleReader::Open(prefix));
  std::vector<std::string> names;
  for (const SavedVariable& saved : variables_) names.push_back(saved.name);
  WB_ASSIGN_OR_RETURN(const std::vector<std::string> keys, KeysIn(*reader, std::move(names)));
  std::vector<std::string> problems;
  auto key = keys.begin();
  std::string last;
  for (const SavedVariable& saved : variables_) {
    // The parts of one variable have one problem.
    const bool is_told = saved.is_part && saved.name == last;
    last = saved.name;
    const auto entry = reader->Find(*key++);
    if (is_told) continue;
    if (!entry.ok()) {
      problems.push_back(absl::StrCat("'", saved.name, "' is not in it"));
      continue;
    }
    const DType dtype = saved.variable.dtype();
    if (entry->dtype != dtype || entry->shape != saved.shape()) {
      problems.push_back(absl::StrCat("'", saved.name, "' is ", DTypeName(entry->dtype),
                                      entry->shape.ToString(), " there, the variable is ",
                                      DTypeName(dtype), saved.shape().ToString()));
    }
  }
  if (problems.empty()) return OkStatus();
  return InvalidArgument(
      "the checkpoint '", prefix,
      "' does not fit the graph, nothing was restored: ", absl::StrJoin(problems, "; "));
}

Status Saver::Restore(ClientSession& session, const std::string& prefix) {
  WB_RETURN_IF_ERROR(scope_.status());
  WB_RETURN_IF_ERROR(session.status());
  WaitUntilIdle();
  if (!CheckpointExists(prefix)) {
    return NotFound("'", prefix, "' is no checkpoint: there is no file '", prefix, ".index'");
  }
  WB_RETURN_IF_ERROR(CheckFits(prefix));
  const std::string restore_op = OpName(names_.restore_op);
  WB_ASSIGN_OR_RETURN(NamedTensors feeds, MapToObjects(prefix, *scope_.graph(), restore_op));
  feeds.emplace_back(names_.filename_tensor, Tensor::Scalar<std::string>(prefix));
  return session.session()->Run(RunOptions(), feeds, {}, {restore_op}, nullptr);
}

}  // namespace train
}  // namespace frontend
}  // namespace warpbeam
