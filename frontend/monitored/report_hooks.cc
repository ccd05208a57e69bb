#include "frontend/monitored/report_hooks.h"

#include <cstdio>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "frontend/monitored/global_step_reader.h"
#include "frontend/monitored/shared_file_writer.h"

namespace warpbeam {
namespace frontend {
namespace train {

LineSink StandardErrorLines() {
  return [](const std::string& line) { std::fprintf(stderr, "%s\n", line.c_str()); };
}

SummarySaverHook::SummarySaverHook(std::string output_dir, const Every& every,
                                   const Output& summary_op, std::shared_ptr<Scaffold> scaffold)
    : directory_(std::move(output_dir)),
      timer_(every),
      summary_op_(summary_op),
      scaffold_(std::move(scaffold)) {}

Status SummarySaverHook::Begin(const Scope& scope) {
  WB_RETURN_IF_ERROR(timer_.Check("SummarySaverHook"));
  WB_ASSIGN_OR_RETURN(step_, GlobalStepOf(scope, "SummarySaverHook"));
  WB_ASSIGN_OR_RETURN(writer_, SharedFileWriter(directory_));
  next_step_.reset();
  timer_.Reset();
  return OkStatus();
}

StatusOr<RunArgs> SummarySaverHook::BeforeRun(RunContext&) {
  if (!summary_op_.valid() && scaffold_ != nullptr) summary_op_ = scaffold_->parts().summary_op;
  is_asked_ = summary_op_.valid() && (!next_step_ || timer_.IsDue(*next_step_));
  RunArgs args{{step_}, {}, false};
  if (is_asked_) args.fetches.emplace_back(summary_op_);
  return args;
}

Status SummarySaverHook::AfterRun(RunContext& context, const RunValues& values) {
  int64_t step = StepValue(values.results[0]) + 1;
  if (!next_step_ || is_asked_) {
    WB_ASSIGN_OR_RETURN(step, ReadStep(context.session(), step_));
  }
  if (!next_step_) {
    WB_RETURN_IF_ERROR(writer_->AddSessionLog(summary::SessionStatus::kStart, step));
  }
  if (is_asked_) {
    timer_.Update(step);
    WB_RETURN_IF_ERROR(writer_->AddSummary(values.results[1], step));
  }
  next_step_ = step + 1;
  return OkStatus();
}

Status SummarySaverHook::End(ClientSession&) { return writer_->Flush(); }

LoggingTensorHook::LoggingTensorHook(Tensors tensors, const Every& every, bool at_end,
                                     LineSink lines)
    : tensors_(std::move(tensors)),
      only_at_end_(every.steps == 0 && every.secs == 0),
      at_end_(at_end),
      lines_(std::move(lines)),
      timer_(every) {}

Status LoggingTensorHook::Begin(const Scope&) {
  timer_.Reset();
  runs_ = 0;
  if (only_at_end_ && at_end_) return OkStatus();
  return timer_.Check("LoggingTensorHook");
}

std::vector<Fetch> LoggingTensorHook::Fetches() const {
  std::vector<Fetch> fetches;
  for (const auto& tensor : tensors_) fetches.emplace_back(tensor.second);
  return fetches;
}

StatusOr<RunArgs> LoggingTensorHook::BeforeRun(RunContext&) {
  is_asked_ = !only_at_end_ && timer_.IsDue(runs_);
  return is_asked_ ? RunArgs{Fetches(), {}, false} : RunArgs();
}

void LoggingTensorHook::Log(const std::vector<Tensor>& values) {
  std::vector<std::string> parts;
  for (size_t i = 0; i < values.size(); ++i) {
    std::string text = values[i].ToString();
    // A scalar needs no type: "float[] 0.5".
    if (values[i].rank() == 0) text.erase(0, text.find(' ') + 1);
    parts.push_back(absl::StrCat(tensors_[i].first, " = ", text));
  }
  const auto elapsed = timer_.Update(runs_);
  lines_(absl::StrCat(absl::StrJoin(parts, ", "),
                      elapsed ? absl::StrFormat(" (%.3f sec)", elapsed->secs) : ""));
}

Status LoggingTensorHook::AfterRun(RunContext&, const RunValues& values) {
  if (is_asked_) Log(values.results);
  ++runs_;
  return OkStatus();
}

Status LoggingTensorHook::End(ClientSession& session) {
  if (!at_end_) return OkStatus();
  WB_ASSIGN_OR_RETURN(const std::vector<Tensor> values, session.Run(Fetches()));
  Log(values);
  return OkStatus();
}

StepCounterHook::StepCounterHook(const Every& every, std::string output_dir, LineSink lines)
    : directory_(std::move(output_dir)), lines_(std::move(lines)), timer_(every) {}

Status StepCounterHook::Begin(const Scope& scope) {
  WB_RETURN_IF_ERROR(timer_.Check("StepCounterHook"));
  WB_ASSIGN_OR_RETURN(step_, GlobalStepOf(scope, "StepCounterHook"));
  timer_.Reset();
  if (!directory_.empty()) {
    WB_ASSIGN_OR_RETURN(writer_, SharedFileWriter(directory_));
  }
  return OkStatus();
}

StatusOr<RunArgs> StepCounterHook::BeforeRun(RunContext&) { return RunArgs{{step_}, {}, false}; }

Status StepCounterHook::AfterRun(RunContext& context, const RunValues& values) {
  if (!timer_.IsDue(StepValue(values.results[0]) + 1)) return OkStatus();
  WB_ASSIGN_OR_RETURN(const int64_t step, ReadStep(context.session(), step_));
  if (!timer_.IsDue(step)) return OkStatus();
  const auto elapsed = timer_.Update(step);
  if (!elapsed || elapsed->secs <= 0) return OkStatus();
  const double rate = static_cast<double>(elapsed->steps) / elapsed->secs;
  const std::string tag = step_.name() + "/sec";
  lines_(absl::StrFormat("%s: %g", tag, rate));
  if (writer_ == nullptr) return OkStatus();
  return writer_->AddScalar(tag, static_cast<float>(rate), step);
}

}  // namespace train
}  // namespace frontend
}  // namespace warpbeam
