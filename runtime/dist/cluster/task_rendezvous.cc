#include "runtime/dist/cluster/task_rendezvous.h"

#include <utility>

#include "proto/worker.pb.h"
#include "runtime/dist/cluster/remote_status.h"
#include "runtime/dist/cluster/rendezvous_key.h"
#include "runtime/dist/cluster/task_name.h"
#include "runtime/dist/requests/request_id.h"

namespace warpbeam {

std::shared_ptr<TaskRendezvous> TaskRendezvous::Create(int64_t step_id,
                                                       std::shared_ptr<const TaskIdentity> identity,
                                                       std::shared_ptr<TransferLog> transfers) {
  return std::shared_ptr<TaskRendezvous>(
      new TaskRendezvous(step_id, std::move(identity), std::move(transfers)));
}

void TaskRendezvous::BelongTo(std::shared_ptr<const TaskIdentity> identity) {
  std::lock_guard<std::mutex> lock(asked_mutex_);
  identity_ = std::move(identity);
}

std::shared_ptr<const TaskIdentity> TaskRendezvous::identity() {
  std::lock_guard<std::mutex> lock(asked_mutex_);
  return identity_;
}

void TaskRendezvous::Receive(absl::string_view key, Receiver receiver) {
  const absl::string_view sender = TaskOfDevice(key.substr(0, key.find(';')));
  if (sender.empty()) return ReceiveHere(key, std::move(receiver));
  const std::shared_ptr<const TaskIdentity> own = identity();
  if (sender == own->task) return ReceiveHere(key, std::move(receiver));
  Ask(own->peers->Find(sender), key, std::move(receiver));
}

void TaskRendezvous::Ask(const StatusOr<std::shared_ptr<WorkerPeer>>& peer, absl::string_view key,
                         Receiver receiver) {
  if (!peer.ok()) return receiver(peer.status());
  int64_t number = 0;
  {
    std::lock_guard<std::mutex> lock(asked_mutex_);
    if (ended_.ok()) {
      number = next_number_++;
      Asked& asked = asked_[number];
      asked.receiver = std::move(receiver);
      asked.key = std::string(key);
      if (transfers_ != nullptr) asked.begin_micros = transfers_->Begin();
    }
  }
  if (number == 0) return receiver(ended_);
  tensorflow::RecvTensorRequest request;
  request.set_step_id(step_id_);
  request.set_rendezvous_key(std::string(key));
  request.set_request_id(NewRequestId());
  std::shared_ptr<WorkerPeer::PendingCall> call = (*peer)->RecvTensor(
      std::move(request), [self = shared_from_this(), number](StatusOr<Value> value) {
        self->Answer(number, std::move(value));
      });
  bool is_late = false;
  {
    std::lock_guard<std::mutex> lock(asked_mutex_);
    const auto found = asked_.find(number);
    if (found != asked_.end()) {
      found->second.call = call;
    } else {
      is_late = !ended_.ok();
    }
  }
  // Whoever ended the step meanwhile did not know the call.
  if (is_late && call != nullptr) call->Cancel();
}

void TaskRendezvous::Answer(int64_t number, StatusOr<Value> value) {
  Asked asked;
  {
    std::lock_guard<std::mutex> lock(asked_mutex_);
    const auto found = asked_.find(number);
    if (found == asked_.end()) return;  // the step has ended, and the receiver knows
    asked = std::move(found->second);
    asked_.erase(found);
  }
  if (asked.begin_micros > 0 && value.ok()) {
    const int64_t bytes =
        value->tensor.has_value() ? static_cast<int64_t>(value->tensor.bytes()) : 0;
    transfers_->Record(step_id_, asked.key, asked.begin_micros, bytes);
  }
  asked.receiver(std::move(value));
}

std::vector<std::string> TaskRendezvous::Awaited() const {
  std::lock_guard<std::mutex> lock(asked_mutex_);
  std::vector<std::string> all;
  for (const auto& [number, asked] : asked_)
    all.push_back(RendezvousKey::Parse(asked.key).ToString());
  return all;
}

void TaskRendezvous::Abort(Status why) {
  std::map<int64_t, Asked> left;
  {
    std::lock_guard<std::mutex> lock(asked_mutex_);
    if (ended_.ok()) ended_ = why;
    left.swap(asked_);
  }
  for (auto& [number, asked] : left) asked.receiver(why);
  for (auto& [number, asked] : left) {
    if (asked.call != nullptr) asked.call->Cancel();
  }
  Rendezvous::Abort(std::move(why));
}

EndsWithStep::EndsWithStep(const std::string& task, StepContext* context,
                           std::shared_ptr<TaskRendezvous> rendezvous)
    : context_(*context),
      token_(context->OnCancel([task, context, rendezvous = std::move(rendezvous)] {
        // Whoever waits for what this part would have sent learns why it will not come.
        const Status error = context->first_error();
        rendezvous->Abort(error.ok() ? context->cancel_reason() : ToldBy(task, error));
      })) {}

}  // namespace warpbeam
