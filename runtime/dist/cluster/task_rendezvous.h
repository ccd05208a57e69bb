// TaskRendezvous: where a task's part of a step meets the parts of other tasks.
//
// What this task sends waits here until whoever receives it asks, in this task or, by RecvTensor,
// in another. What another task sends is asked of that task, under the same key.
//
//   auto meeting = TaskRendezvous::Create(step_id, identity);
//   meeting->Receive(key, receiver);       // asks the task that `key` begins with
//   meeting->ReceiveHere(key, receiver);   // for another task: what this one sends
//
// Other tasks may ask before anybody here knows whose step it is; so who this task is in it is told
// by its part, before that begins.
//
// Ownership: shared by the step and the calls it waits for. Thread safety and errors: as
// Rendezvous, and those of the peer.
#ifndef WARPBEAM_RUNTIME_DIST_CLUSTER_TASK_RENDEZVOUS_H_
#define WARPBEAM_RUNTIME_DIST_CLUSTER_TASK_RENDEZVOUS_H_

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "runtime/comm/communicator.h"
#include "runtime/comm/rendezvous.h"
#include "runtime/dist/cluster/task_identity.h"
#include "runtime/dist/cluster/transfer_log.h"
#include "runtime/kernel/step_context.h"

namespace warpbeam {

class TaskRendezvous final : public Rendezvous,
                             public std::enable_shared_from_this<TaskRendezvous> {
 public:
  // `transfers` gets what comes from other tasks; null: nobody wants to know.
  static std::shared_ptr<TaskRendezvous> Create(int64_t step_id,
                                                std::shared_ptr<const TaskIdentity> identity,
                                                std::shared_ptr<TransferLog> transfers = nullptr);
  ~TaskRendezvous() override { Abort(Cancelled("the step has ended")); }

  void BelongTo(std::shared_ptr<const TaskIdentity> identity);
  void Receive(absl::string_view key, Receiver receiver) override;
  void ReceiveHere(absl::string_view key, Receiver receiver) {
    Rendezvous::Receive(key, std::move(receiver));
  }
  void Abort(Status why) override;
  // What is awaited of other tasks, as RendezvousKey::ToString says it.
  std::vector<std::string> Awaited() const;
  // Before this task's part of the step runs. The first ones stay.
  void set_collectives(std::shared_ptr<Collectives> collectives) {
    std::lock_guard<std::mutex> lock(asked_mutex_);
    if (collectives_ == nullptr) collectives_ = std::move(collectives);
  }
  Collectives* collectives() const override {
    std::lock_guard<std::mutex> lock(asked_mutex_);
    return collectives_.get();
  }

 private:
  // A receiver that waits for another task.
  struct Asked {
    Receiver receiver;
    std::shared_ptr<WorkerPeer::PendingCall> call;  // null: not known yet
    std::string key;
    int64_t begin_micros = 0;  // 0: nobody wants to know how long it takes
  };

  TaskRendezvous(int64_t step_id, std::shared_ptr<const TaskIdentity> identity,
                 std::shared_ptr<TransferLog> transfers)
      : step_id_(step_id), transfers_(std::move(transfers)), identity_(std::move(identity)) {}
  std::shared_ptr<const TaskIdentity> identity();
  void Ask(const StatusOr<std::shared_ptr<WorkerPeer>>& peer, absl::string_view key,
           Receiver receiver);
  void Answer(int64_t number, StatusOr<Value> value);

  const int64_t step_id_;
  const std::shared_ptr<TransferLog> transfers_;
  mutable std::mutex asked_mutex_;  // of what follows
  std::shared_ptr<const TaskIdentity> identity_;
  std::shared_ptr<Collectives> collectives_;
  Status ended_;
  int64_t next_number_ = 1;
  std::map<int64_t, Asked> asked_;
};

// Lets go of all that wait in a rendezvous when this task's part of the step is cancelled, by an
// error of its own or by others; for as long as it is there.
class EndsWithStep {
 public:
  EndsWithStep(const std::string& task, StepContext* context,
               std::shared_ptr<TaskRendezvous> rendezvous);
  ~EndsWithStep() { context_.RemoveCallback(token_); }
  EndsWithStep(const EndsWithStep&) = delete;
  EndsWithStep& operator=(const EndsWithStep&) = delete;

  bool is_too_late() const { return token_ == StepContext::kAlreadyCancelled; }

 private:
  StepContext& context_;
  const StepContext::Token token_;
};

}  // namespace warpbeam

#endif  // WARPBEAM_RUNTIME_DIST_CLUSTER_TASK_RENDEZVOUS_H_
