#include "frontend/monitored/checkpoint_saver_hook.h"

#include <filesystem>
#include <utility>

#include "frontend/monitored/global_step_reader.h"
#include "frontend/monitored/shared_file_writer.h"
#include "graph/io/graph_export.h"
#include "runtime/checkpoint/durable_file.h"

namespace warpbeam {
namespace frontend {
namespace train {

CheckpointSaverHook::CheckpointSaverHook(const std::string& checkpoint_dir, const Every& every,
                                         CheckpointSaverOptions options)
    : directory_(checkpoint_dir), options_(std::move(options)), timer_(every) {}

Status CheckpointSaverHook::Begin(const Scope& scope) {
  WB_RETURN_IF_ERROR(timer_.Check("CheckpointSaverHook"));
  WB_ASSIGN_OR_RETURN(step_, GlobalStepOf(scope, "CheckpointSaverHook"));
  scope_ = scope;
  std::error_code error;
  std::filesystem::create_directories(directory_, error);
  if (error) {
    return FailedPrecondition("cannot make the checkpoint directory '", directory_,
                              "': ", error.message());
  }
  WB_ASSIGN_OR_RETURN(writer_, SharedFileWriter(directory_));
  for (const auto& listener : options_.listeners) WB_RETURN_IF_ERROR(listener->Begin(scope));
  return OkStatus();
}

StatusOr<Saver*> CheckpointSaverHook::FindSaver() {
  if (options_.saver == nullptr && options_.scaffold != nullptr) {
    options_.saver = options_.scaffold->saver();
  }
  if (options_.saver == nullptr) {
    WB_ASSIGN_OR_RETURN(options_.saver, SaverOfGraph(*scope_));
  }
  if (options_.saver != nullptr) return options_.saver.get();
  return FailedPrecondition(
      "CheckpointSaverHook has no saver: the graph has no variables or its collection 'savers' is "
      "empty; give one in the options");
}

Status CheckpointSaverHook::WriteGraph() const {
  WB_ASSIGN_OR_RETURN(const std::string text, ExportGraphText(*scope_->graph()));
  WB_ASSIGN_OR_RETURN(auto file, DurableFile::Create(directory_ + "/graph.pbtxt"));
  WB_RETURN_IF_ERROR(file->Append(text));
  return file->Commit();
}

Status CheckpointSaverHook::AfterCreateSession(ClientSession& session, Coordinator&) {
  WB_ASSIGN_OR_RETURN(const int64_t step, ReadStep(session, step_));
  WB_RETURN_IF_ERROR(WriteGraph());
  WB_RETURN_IF_ERROR(writer_->AddGraph(*scope_));
  WB_RETURN_IF_ERROR(Save(session, step).status());
  timer_.Update(step);
  return OkStatus();
}

StatusOr<RunArgs> CheckpointSaverHook::BeforeRun(RunContext&) {
  return RunArgs{{step_}, {}, false};
}

Status CheckpointSaverHook::AfterRun(RunContext& context, const RunValues& values) {
  if (started_ && !options_.saver->IsSaving()) {
    WB_ASSIGN_OR_RETURN(const bool stops, FinishStarted(context.session(), 0));
    if (stops) context.RequestStop();
  }
  // The step may have been read before or after the update; the exact one costs a run of its own.
  if (!timer_.IsDue(StepValue(values.results[0]) + 1)) return OkStatus();
  WB_ASSIGN_OR_RETURN(const int64_t step, ReadStep(context.session(), step_));
  if (!timer_.IsDue(step)) return OkStatus();
  timer_.Update(step);
  WB_ASSIGN_OR_RETURN(const bool stops, Save(context.session(), step));
  if (stops) context.RequestStop();
  return OkStatus();
}

Status CheckpointSaverHook::End(ClientSession& session) {
  // Whatever became of the one before, the last one is saved; unless the disk does not answer.
  const Status before = FinishStarted(session, options_.save_grace_secs).status();
  if (IsDeadlineExceeded(before)) return before;
  WB_ASSIGN_OR_RETURN(const int64_t step, ReadStep(session, step_));
  if (timer_.last_step() != step || !before.ok()) {
    timer_.Update(step);
    WB_RETURN_IF_ERROR(Save(session, step).status());
    WB_RETURN_IF_ERROR(FinishStarted(session, options_.save_grace_secs).status());
  }
  for (const auto& listener : options_.listeners) {
    WB_RETURN_IF_ERROR(listener->End(session, step));
  }
  WB_RETURN_IF_ERROR(writer_->Flush());
  return before;
}

StatusOr<bool> CheckpointSaverHook::Save(ClientSession& session, int64_t step) {
  WB_ASSIGN_OR_RETURN(Saver * saver, FindSaver());
  WB_ASSIGN_OR_RETURN(bool stops, FinishStarted(session, 0));
  for (const auto& listener : options_.listeners) {
    WB_RETURN_IF_ERROR(listener->BeforeSave(session, step));
  }
  const std::string path = absl::StrCat(directory_, "/", options_.basename);
  if (options_.in_background) {
    WB_ASSIGN_OR_RETURN(std::string prefix, saver->SaveInBackground(session, path, step));
    started_ = Started{step, std::move(prefix)};
    return stops;
  }
  WB_ASSIGN_OR_RETURN(std::string prefix, saver->Save(session, path, step));
  WB_ASSIGN_OR_RETURN(const bool stops_now, TellSaved(session, {step, std::move(prefix)}));
  return stops || stops_now;
}

StatusOr<bool> CheckpointSaverHook::FinishStarted(ClientSession& session, double timeout_secs) {
  if (!started_) return false;
  const Started saved = *std::exchange(started_, std::nullopt);
  WB_RETURN_IF_ERROR(options_.saver->Wait(timeout_secs));
  return TellSaved(session, saved);
}

StatusOr<bool> CheckpointSaverHook::TellSaved(ClientSession& session, const Started& saved) {
  WB_RETURN_IF_ERROR(
      writer_->AddSessionLog(summary::SessionStatus::kCheckpoint, saved.step, saved.prefix));
  bool stops = false;
  for (const auto& listener : options_.listeners) {
    WB_ASSIGN_OR_RETURN(const bool wants_stop, listener->AfterSave(session, saved.step));
    stops = stops || wants_stop;
  }
  return stops;
}

}  // namespace train
}  // namespace frontend
}  // namespace warpbeam
