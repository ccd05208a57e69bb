#include "examples/farewell.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "frontend/build.h"
#include "frontend/monitored/stop_signals.h"

namespace warpbeam {
namespace examples {
namespace {

namespace wb = warpbeam::frontend;

// Short enough that a signal is seen soon.
constexpr int64_t kLookMs = 500;

}  // namespace

Farewell::Farewell(const wb::Scope& scope, int num_ps, int num_workers)
    : num_workers_(num_workers) {
  const auto queue = [&](const std::string& job, int task, int on_ps) {
    const wb::Scope s = scope.NoControlDependencies()
                            .NameScope(absl::StrCat("ended_", job, "_", task))
                            .NoDevice()
                            .Device(absl::StrCat("/job:ps/task:", on_ps, "/cpu:0"));
    const std::vector<wb::DType> types = {wb::DType::kInt32};
    const wb::Output handle =
        wb::BuildOutput(s, "FIFOQueueV2", {},
                        wb::OpAttrs()
                            .Set("component_types", types)
                            .Set("shared_name", absl::StrCat("ended_", job, "_", task)));
    Ended ended;
    ended.tell = wb::BuildOp(s, "QueueEnqueueV2", {handle, wb::InputList({wb::Constant(s, 1)})});
    ended.hear =
        wb::BuildOp(s, "QueueDequeueV2", {handle}, wb::OpAttrs().Set("component_types", types));
    return ended;
  };
  for (int task = 0; task < num_ps; ++task) ps_.push_back(queue("ps", task, task));
  for (int task = 0; task < num_workers; ++task) workers_.push_back(queue("worker", task, 0));
}

wb::Status Farewell::HearAll(wb::ClientSession& session, const Ended& ended) const {
  wb::SessionRunOptions options;
  options.timeout_in_ms = kLookMs;
  for (int heard = 0; heard < num_workers_;) {
    const wb::Status status = session.Run({}, {ended.hear}, options, nullptr).status();
    if (wb::train::StopOnSignals::Received() != 0) return OkStatus();
    if (status.ok()) ++heard;
    if (!status.ok() && !IsDeadlineExceeded(status)) return status;
  }
  return OkStatus();
}

wb::Status Farewell::Leave(wb::ClientSession& session, int worker) const {
  for (const Ended& other : workers_) {
    WB_RETURN_IF_ERROR(session.Run({other.tell}).status());
  }
  WB_RETURN_IF_ERROR(HearAll(session, workers_[static_cast<size_t>(worker)]));
  // The last word that a server hears may end it before it has answered.
  for (const Ended& ps : ps_) session.Run({ps.tell}).IgnoreError();
  return OkStatus();
}

wb::Status Farewell::AwaitWorkers(wb::ClientSession& session, int ps) const {
  return HearAll(session, ps_[static_cast<size_t>(ps)]);
}

}  // namespace examples
}  // namespace warpbeam
