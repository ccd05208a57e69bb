#include "frontend/training/queue_runner.h"

#include <algorithm>
#include <atomic>
#include <memory>
#include <mutex>
#include <set>
#include <utility>

#include "frontend/build.h"
#include "runtime/kernel/cancellation.h"
#include "runtime/session/session.h"

namespace warpbeam {
namespace frontend {
namespace train {
namespace {

Status RunTarget(Session* session, const std::string& target,
                 Cancellation* cancellation = nullptr) {
  RunOptions options;
  options.cancellation = cancellation;
  std::vector<Tensor> none;
  return session->Run(options, {}, {}, {target}, &none, nullptr);
}

// The steps of a runner's threads, which end together. A step may wait for something else than
// room in the queue, and closing the queue does not end it.
class RunnerSteps {
 public:
  Status Run(Session* session, const std::string& target) {
    // One for each step: it keeps what its steps have taken.
    Cancellation cancellation;
    {
      std::lock_guard<std::mutex> lock(mutex_);
      if (is_cancelled_) return Cancelled("the queue runner has been stopped");
      running_.insert(&cancellation);
    }
    const Status status = RunTarget(session, target, &cancellation);
    std::lock_guard<std::mutex> lock(mutex_);
    running_.erase(&cancellation);
    return status;
  }

  void Cancel() {
    // Under the lock, which keeps what is in the set alive; steps end without it.
    std::lock_guard<std::mutex> lock(mutex_);
    is_cancelled_ = true;
    for (Cancellation* step : running_) step->Cancel(Cancelled("the queue runner was stopped"));
  }

 private:
  std::mutex mutex_;  // guards what follows
  bool is_cancelled_ = false;
  std::set<Cancellation*> running_;
};

// The name without its scopes.
std::string ShortName(const std::string& name) { return name.substr(name.rfind('/') + 1); }

}  // namespace

void QueueRunner::Start(Session* session, Coordinator& coordinator) const {
  const auto self = std::make_shared<const QueueRunner>(*this);
  const auto left = std::make_shared<std::atomic<size_t>>(enqueue_op_names.size());
  const auto steps = std::make_shared<RunnerSteps>();
  for (const std::string& name : enqueue_op_names) {
    coordinator.Launch("QueueRunner of " + name, [self, left, steps, session, name, &coordinator] {
      Status status;
      while (status.ok() && !coordinator.ShouldStop()) status = steps->Run(session, name);
      const std::vector<int>& closed = self->queue_closed_codes;
      const bool is_end =
          std::count(closed.begin(), closed.end(), static_cast<int>(status.code())) > 0;
      // Only a queue whose input has ended everywhere is closed: others may be filled again.
      if (left->fetch_sub(1) == 1 && is_end) RunTarget(session, self->close_op_name).IgnoreError();
      return is_end ? Status() : status;
    });
  }
  if (cancel_op_name.empty()) return;
  coordinator.Launch(
      "close of " + queue_name,
      [self, steps, session, &coordinator] {
        coordinator.WaitForStop();
        // The session may have been closed already, which ends the enqueues too.
        RunTarget(session, self->cancel_op_name).IgnoreError();
        steps->Cancel();
        return Status();
      },
      /*waits_for_stop=*/true);
}

QueueRunner MakeQueueRunner(ScopeRef scope_ref, const Output& queue,
                            const std::vector<Operation>& enqueue_ops) {
  const Scope scope = scope_ref.scope();
  QueueRunner runner;
  if (!scope.ok()) return runner;
  const Scope close = scope.NoControlDependencies().Named(ShortName(queue.op().name()) + "_Close");
  runner.queue_name = queue.op().name();
  for (const Operation& op : enqueue_ops) runner.enqueue_op_names.push_back(op.name());
  runner.close_op_name =
      BuildOp(close, "QueueCloseV2", {queue}, OpAttrs().Set("cancel_pending_enqueues", false))
          .name();
  runner.cancel_op_name =
      BuildOp(close, "QueueCloseV2", {queue}, OpAttrs().Set("cancel_pending_enqueues", true))
          .name();
  return runner;
}

void AddQueueRunner(const Scope& scope, const QueueRunner& runner, const std::string& collection) {
  if (scope.ok()) AddToCollection(scope, collection, runner.Serialize());
}

Status StartQueueRunners(const Scope& scope, ClientSession& session, Coordinator& coordinator,
                         const std::string& collection) {
  WB_RETURN_IF_ERROR(scope.status());
  WB_RETURN_IF_ERROR(session.status());
  std::vector<QueueRunner> runners;
  for (const CollectionItem& item : GetCollectionItems(scope, collection)) {
    const std::string* bytes = item.get<std::string>();
    if (bytes == nullptr) {
      return InvalidArgument("the collection '", collection, "' holds '", item.name(),
                             "', which is no queue runner");
    }
    WB_ASSIGN_OR_RETURN(QueueRunner runner, QueueRunner::Parse(*bytes));
    runners.push_back(std::move(runner));
  }
  for (const QueueRunner& runner : runners) runner.Start(session.session(), coordinator);
  return Status();
}

}  // namespace train
}  // namespace frontend
}  // namespace warpbeam
