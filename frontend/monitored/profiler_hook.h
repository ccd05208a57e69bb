// ProfilerHook: traces a step every so often (tf.train.ProfilerHook).
//
//   hooks.push_back(std::make_shared<ProfilerHook>(Every::Steps(1000), "/tmp/train"));
//
// Writes "DIR/timeline-STEP.json", which Perfetto and chrome://tracing open, and the run metadata
// into the directory's event file as "step_STEP", which TensorBoard and `warpbeam report` show. The
// first step is never traced: compiling it would be most of the picture.
//
// Ownership: shares the event file. Thread safety: one thread. Errors: those of files;
// FAILED_PRECONDITION where the graph has no global step.
#ifndef WARPBEAM_FRONTEND_MONITORED_PROFILER_HOOK_H_
#define WARPBEAM_FRONTEND_MONITORED_PROFILER_HOOK_H_

#include <memory>
#include <string>

#include "frontend/monitored/session_run_hook.h"
#include "frontend/monitored/step_timer.h"
#include "frontend/summary/file_writer.h"

namespace warpbeam {
namespace frontend {
namespace train {

class ProfilerHook : public SessionRunHook {
 public:
  ProfilerHook(const Every& every, std::string output_dir)
      : directory_(std::move(output_dir)), timer_(every) {}

  Status Begin(const Scope& scope) override;
  StatusOr<RunArgs> BeforeRun(RunContext& context) override;
  Status AfterRun(RunContext& context, const RunValues& values) override;
  Status End(ClientSession& session) override;

 private:
  const std::string directory_;
  StepTimer timer_;
  Variable step_;
  std::optional<int64_t> next_step_;
  bool is_asked_ = false;
  std::shared_ptr<summary::FileWriter> writer_;
};

}  // namespace train
}  // namespace frontend
}  // namespace warpbeam

#endif  // WARPBEAM_FRONTEND_MONITORED_PROFILER_HOOK_H_
