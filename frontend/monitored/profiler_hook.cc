#include "frontend/monitored/profiler_hook.h"

#include "frontend/monitored/global_step_reader.h"
#include "frontend/monitored/shared_file_writer.h"
#include "runtime/record/file.h"
#include "runtime/session/session.h"
#include "runtime/trace/chrome_trace.h"
#include "runtime/trace/run_metadata_proto.h"

namespace warpbeam {
namespace frontend {
namespace train {

Status ProfilerHook::Begin(const Scope& scope) {
  WB_RETURN_IF_ERROR(timer_.Check("ProfilerHook"));
  WB_ASSIGN_OR_RETURN(step_, GlobalStepOf(scope, "ProfilerHook"));
  WB_ASSIGN_OR_RETURN(writer_, SharedFileWriter(directory_));
  next_step_.reset();
  return OkStatus();
}

StatusOr<RunArgs> ProfilerHook::BeforeRun(RunContext&) {
  is_asked_ = next_step_ && timer_.IsDue(*next_step_);
  return RunArgs{{step_}, {}, is_asked_};
}

Status ProfilerHook::AfterRun(RunContext& context, const RunValues& values) {
  int64_t step = StepValue(values.results[0]) + 1;
  if (!next_step_) timer_.Update(step);
  if (is_asked_) {
    WB_ASSIGN_OR_RETURN(step, ReadStep(context.session(), step_));
    timer_.Update(step);
    const StepStats& stats = values.metadata->step_stats;
    WB_RETURN_IF_ERROR(WriteStringToFile(absl::StrCat(directory_, "/timeline-", step, ".json"),
                                         ChromeTrace(stats)));
    WB_ASSIGN_OR_RETURN(const std::string bytes, SerializeRunMetadata(stats, CostGraph(), {}));
    WB_RETURN_IF_ERROR(writer_->AddRunMetadata(bytes, absl::StrCat("step_", step), step));
  }
  next_step_ = step + 1;
  return OkStatus();
}

Status ProfilerHook::End(ClientSession&) { return writer_->Flush(); }

}  // namespace train
}  // namespace frontend
}  // namespace warpbeam
