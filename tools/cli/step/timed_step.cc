#include "tools/cli/step/timed_step.h"

#include "absl/strings/match.h"
#include "tools/cli/path_check.h"

namespace warpbeam {
namespace cli {

StatusOr<TimedStep> TimedStep::Read(const StepFlags& flags, const std::string& path) {
  TimedStep timed;
  timed.flags_ = flags;
  timed.is_spec_ = absl::EndsWith(path, ".json");
  if (timed.is_spec_) {
    WB_ASSIGN_OR_RETURN(timed.spec_, ReadSpec(path));
    return timed;
  }
  WB_RETURN_IF_ERROR(flags.Check(path));
  WB_RETURN_IF_ERROR(CheckPath(path, Wanted::kGraph));
  timed.spec_.graph_path = path;
  timed.spec_.init = flags.init;
  timed.spec_.fetches = flags.fetches;
  timed.spec_.targets = flags.targets;
  return timed;
}

const std::string& TimedStep::path() const {
  return spec_.saved_model.empty() ? spec_.graph_path : spec_.saved_model;
}

Status TimedStep::Open(const SessionOptions& session, const ImportOptions& import,
                       Console& console) {
  WB_ASSIGN_OR_RETURN(runnable_, flags_.Open(path(), session, import, console));
  if (is_spec_) return OkStatus();
  WB_ASSIGN_OR_RETURN(NamedStep step, flags_.StepOf(runnable_));
  spec_.feeds = std::move(step.feeds);
  spec_.fetches = std::move(step.fetches);
  spec_.targets = std::move(step.targets);
  return OkStatus();
}

Status TimedStep::Initialise(Console& console) {
  WB_RETURN_IF_ERROR(runnable_.Initialise(spec_.init, RunOptions(), console));
  return runners_->Start(&runnable_.session(), spec_.queue_runners);
}

Status TimedStep::Run(const RunOptions& options, RunMetadata* metadata) {
  return runnable_.session().Run(options, spec_.feeds, spec_.fetches, spec_.targets, &fetched_,
                                 metadata);
}

Status TimedStep::RunTarget(const std::string& target) {
  return runnable_.session().Run(RunOptions(), {}, {}, {target}, nullptr);
}

}  // namespace cli
}  // namespace warpbeam
