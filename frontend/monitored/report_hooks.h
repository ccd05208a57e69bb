// Hooks that tell how training goes: summaries for TensorBoard, lines of text, steps a second.
//
//   hooks.push_back(std::make_shared<SummarySaverHook>("/tmp/train", Every::Steps(100), all));
//   hooks.push_back(std::make_shared<LoggingTensorHook>(LoggingTensorHook::Tensors{{"loss", loss}},
//                                                       Every::Steps(100)));
//   hooks.push_back(std::make_shared<StepCounterHook>(Every::Steps(100), "/tmp/train"));
//
// MonitoredTrainingSession adds the first and the last by itself. Lines go to the standard error
// output unless a hook is given somewhere else.
//
// Ownership: share the event file of a directory. Thread safety: one thread. Errors: those of
// FileWriter; FAILED_PRECONDITION where the graph has no global step; INVALID_ARGUMENT for an
// interval that is none.
#ifndef WARPBEAM_FRONTEND_MONITORED_REPORT_HOOKS_H_
#define WARPBEAM_FRONTEND_MONITORED_REPORT_HOOKS_H_

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "frontend/monitored/scaffold.h"
#include "frontend/monitored/session_run_hook.h"
#include "frontend/monitored/step_timer.h"
#include "frontend/summary/file_writer.h"

namespace warpbeam {
namespace frontend {
namespace train {

// Where lines of text go.
using LineSink = std::function<void(const std::string& line)>;
LineSink StandardErrorLines();

// tf.train.SummarySaverHook.
class SummarySaverHook : public SessionRunHook {
 public:
  // `summary_op` not valid: that of the scaffold; if that has none either, nothing is written.
  SummarySaverHook(std::string output_dir, const Every& every, const Output& summary_op,
                   std::shared_ptr<Scaffold> scaffold = nullptr);

  Status Begin(const Scope& scope) override;
  StatusOr<RunArgs> BeforeRun(RunContext& context) override;
  Status AfterRun(RunContext& context, const RunValues& values) override;
  Status End(ClientSession& session) override;

 private:
  const std::string directory_;
  StepTimer timer_;
  Output summary_op_;
  const std::shared_ptr<Scaffold> scaffold_;
  Variable step_;
  std::optional<int64_t> next_step_;
  bool is_asked_ = false;
  std::shared_ptr<summary::FileWriter> writer_;
};

// tf.train.LoggingTensorHook: "loss = 0.5, step = 100 (1.234 sec)".
class LoggingTensorHook : public SessionRunHook {
 public:
  using Tensors = std::vector<std::pair<std::string, Output>>;  // by the name that is shown
  // Every().steps and secs both 0: only at the end.
  LoggingTensorHook(Tensors tensors, const Every& every, bool at_end = false,
                    LineSink lines = StandardErrorLines());

  Status Begin(const Scope& scope) override;
  StatusOr<RunArgs> BeforeRun(RunContext& context) override;
  Status AfterRun(RunContext& context, const RunValues& values) override;
  Status End(ClientSession& session) override;

 private:
  void Log(const std::vector<Tensor>& values);
  std::vector<Fetch> Fetches() const;

  const Tensors tensors_;
  const bool only_at_end_, at_end_;
  const LineSink lines_;
  StepTimer timer_;
  int64_t runs_ = 0;
  bool is_asked_ = false;
};

// tf.train.StepCounterHook: the summary and the line "global_step/sec".
class StepCounterHook : public SessionRunHook {
 public:
  // An empty directory: only lines.
  explicit StepCounterHook(const Every& every, std::string output_dir = "",
                           LineSink lines = StandardErrorLines());

  Status Begin(const Scope& scope) override;
  StatusOr<RunArgs> BeforeRun(RunContext& context) override;
  Status AfterRun(RunContext& context, const RunValues& values) override;

 private:
  const std::string directory_;
  const LineSink lines_;
  StepTimer timer_;
  Variable step_;
  std::shared_ptr<summary::FileWriter> writer_;
};

}  // namespace train
}  // namespace frontend
}  // namespace warpbeam

#endif  // WARPBEAM_FRONTEND_MONITORED_REPORT_HOOKS_H_
