#include "runtime/dist/cluster/mixed_execution.h"

#include <chrono>
#include <cstring>
#include <utility>

#include "proto/worker.pb.h"
#include "runtime/dist/cluster/remote_status.h"
#include "runtime/dist/requests/request_id.h"

namespace warpbeam {
namespace {

using Action = MemberPlan::Action;

// How long nothing happens before those that are to take something are asked whether they are
// there, and how long they have to answer.
constexpr std::chrono::seconds kQuiet{2};
constexpr int64_t kAnswerMs = 4500;

// What another task tells. That its step was cancelled is an error in this one's.
Status FromTask(const std::string& task, const Status& status) {
  const StatusCode code = IsCancelled(status) ? StatusCode::kAborted : status.code();
  const std::string text(status.message());
  return text.find(task) != std::string::npos ? Status(code, text)
                                              : Status(code, absl::StrCat(task, ": ", text));
}

}  // namespace

void MixedExecution::Post(Event event) {
  std::lock_guard<std::mutex> lock(mutex_);
  if (has_ended_) return;
  events_.push_back(std::move(event));
  changed_.notify_all();
}

void MixedExecution::Cancel(const Status& why) {
  std::lock_guard<std::mutex> lock(mutex_);
  if (cancelled_.ok()) cancelled_ = why;
  changed_.notify_all();
}

int64_t MixedExecution::BeginCall() {
  std::lock_guard<std::mutex> lock(mutex_);
  calls_[next_call_] = nullptr;
  return next_call_++;
}

void MixedExecution::Keep(int64_t number, std::shared_ptr<WorkerPeer::PendingCall> call) {
  if (call == nullptr) return;
  std::lock_guard<std::mutex> lock(mutex_);
  const auto found = calls_.find(number);
  if (found != calls_.end()) found->second = std::move(call);
}

void MixedExecution::EndCall(int64_t number) {
  std::lock_guard<std::mutex> lock(mutex_);
  calls_.erase(number);
}

Status MixedExecution::RunEvents() {
  while (left_ > 0) {
    Event event;
    {
      std::unique_lock<std::mutex> lock(mutex_);
      changed_.wait_for(lock, kQuiet, [this] { return !events_.empty() || !cancelled_.ok(); });
      WB_RETURN_IF_ERROR(cancelled_);
      if (!events_.empty()) {
        event = std::move(events_.front());
        events_.pop_front();
      }
    }
    WB_RETURN_IF_ERROR(event != nullptr ? event() : LookAfterOthers());
  }
  return OkStatus();
}

Status MixedExecution::Fail(Status why) {
  std::map<int64_t, std::shared_ptr<WorkerPeer::PendingCall>> calls;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    has_ended_ = true;
    events_.clear();
    calls.swap(calls_);
  }
  for (const auto& [number, call] : calls) {
    if (call != nullptr) call->Cancel();
  }
  // Who waits for this one's pieces, or comes later, would wait for ever.
  const Status told = ToldBy(environment_.identity->task, why);
  if (IsCancelled(why)) {
    environment_.buffers->Fail(environment_.step, told);
  } else {
    environment_.buffers->FailCollective(environment_.step, told, knows_);
  }
  return why;
}

StatusOr<int> MixedExecution::Agree(
    const std::vector<tensorflow::CompleteInstanceRequest>& requests, const AskLeader& ask) {
  left_ = requests.size();
  const auto source = std::make_shared<int>(-1);
  for (const tensorflow::CompleteInstanceRequest& request : requests) {
    const int64_t number = BeginCall();
    Keep(number, ask(request, [self = shared_from_this(), number, source](
                                  const Status& status,
                                  const tensorflow::CompleteInstanceResponse& response) {
           self->EndCall(number);
           self->Post([self = self.get(), status, source, rank = response.source_rank()] {
             --self->left_;
             *source = rank;
             return IsCancelled(status) ? Aborted(status.message()) : status;
           });
         }));
  }
  if (Status agreed = RunEvents(); !agreed.ok()) return Fail(std::move(agreed));
  return *source;
}

Status MixedExecution::Transfer(std::vector<Member> members, Work work) {
  members_ = std::move(members);
  work_ = std::move(work);
  for (Member& member : members_) {
    for (const MemberPlan::Chain& chain : member.plan.chains) {
      chains_.push_back(std::make_unique<Progress>(Progress{&member, &chain, 0, 0}));
    }
  }
  left_ = chains_.size();
  Status status;
  for (const auto& progress : chains_) {
    if (status.ok()) status = Advance(progress.get());
  }
  if (status.ok()) status = RunEvents();
  return status.ok() ? status : Fail(std::move(status));
}

Tensor MixedExecution::PieceOf(const Progress& progress) const {
  const MemberPlan::Act& act = (*progress.chain)[progress.next];
  Tensor& tensor = progress.member->tensor;
  auto* const begin = static_cast<char*>(tensor.raw_data()) +
                      act.offset * static_cast<int64_t>(DTypeSize(tensor.dtype()));
  return Tensor(tensor.dtype(), Shape({act.count}), tensor.buffer(), begin);
}

Status MixedExecution::Advance(Progress* progress) {
  for (; progress->next < progress->chain->size(); ++progress->next) {
    switch ((*progress->chain)[progress->next].action) {
      case Action::kReceive:
      case Action::kMerge:
        return Receive(progress);
      case Action::kFinish:
        WB_RETURN_IF_ERROR(work_.finish(PieceOf(*progress)));
        break;
      case Action::kGive:
        Give(progress);
        return OkStatus();
    }
  }
  --left_;
  return OkStatus();
}

Status MixedExecution::Receive(Progress* progress) {
  const MemberPlan::Act& act = (*progress->chain)[progress->next];
  const MemberOrder::Member& from = environment_.order->members[static_cast<size_t>(act.ranks[0])];
  const int own = progress->member->rank;
  const std::string& own_device = environment_.order->members[static_cast<size_t>(own)].device;
  if (from.task == environment_.identity->task) {
    environment_.buffers->Take(
        environment_.step, act.keys[0], own_device,
        [self = shared_from_this(), progress](const StatusOr<Tensor>& piece) {
          self->Post([self = self.get(), progress, piece] {
            WB_RETURN_IF_ERROR(piece.status());
            return self->Received(progress, std::as_const(*piece).raw_data(), piece->bytes());
          });
        });
    return OkStatus();
  }
  WB_ASSIGN_OR_RETURN(const std::shared_ptr<WorkerPeer> peer,
                      environment_.identity->peers->Find(from.task));
  awaited_.insert(act.ranks[0]);
  tensorflow::RecvBufRequest request;
  request.set_step_id(environment_.step);
  request.set_buf_rendezvous_key(act.keys[0]);
  request.set_num_bytes(static_cast<int64_t>(PieceOf(*progress).bytes()));
  request.set_src_device(from.device);
  request.set_src_incarnation(from.incarnation);
  request.set_dst_device(own_device);
  request.set_request_id(NewRequestId());
  const int64_t number = BeginCall();
  Keep(number, peer->RecvBuf(std::move(request), [self = shared_from_this(), progress, number,
                                                  &from](StatusOr<std::string> come) {
    self->EndCall(number);
    // An event is copied, what has come is not.
    const auto bytes = std::make_shared<StatusOr<std::string>>(std::move(come));
    self->Post([self = self.get(), progress, bytes, &from] {
      if (!bytes->ok()) {
        self->knows_ = from.device;
        return FromTask(from.task, bytes->status());
      }
      self->awaited_.erase(self->awaited_.find(self->environment_.order->RankOf(from.device)));
      return self->Received(progress, (*bytes)->data(), (*bytes)->size());
    });
  }));
  return OkStatus();
}

Status MixedExecution::Received(Progress* progress, const void* bytes, size_t size) {
  const MemberPlan::Act& act = (*progress->chain)[progress->next];
  Tensor piece = PieceOf(*progress);
  if (size != piece.bytes()) {
    return Internal("a piece of ", size, " bytes has come under the key '", act.keys[0], "' from ",
                    environment_.order->members[static_cast<size_t>(act.ranks[0])].device,
                    ", not of ", piece.bytes());
  }
  if (act.action == Action::kMerge) {
    work_.merge(piece.raw_data(), piece.raw_data(), bytes, act.count);
  } else {
    memcpy(piece.raw_data(), bytes, size);
  }
  ++progress->next;
  return Advance(progress);
}

void MixedExecution::Give(Progress* progress) {
  const MemberPlan::Act& act = (*progress->chain)[progress->next];
  progress->untaken = act.keys.size();
  for (size_t i = 0; i < act.keys.size(); ++i) {
    const int to = act.ranks[i];
    awaited_.insert(to);
    environment_.buffers->Offer(environment_.step, act.keys[i], PieceOf(*progress),
                                [self = shared_from_this(), progress, to](const Status& taken) {
                                  self->Post([self = self.get(), progress, to, taken] {
                                    WB_RETURN_IF_ERROR(taken);
                                    self->awaited_.erase(self->awaited_.find(to));
                                    if (--progress->untaken > 0) return OkStatus();
                                    ++progress->next;
                                    return self->Advance(progress);
                                  });
                                });
  }
}

void MixedExecution::AskWhetherItStands(const std::string& task, WorkerPeer& peer) {
  if (environment_.standing == nullptr || !asked_.insert(task).second) return;
  const int64_t number = BeginCall();
  Keep(number,
       peer.CompleteGroup(*environment_.standing,
                          [self = shared_from_this(), number, task](
                              const Status& status, const tensorflow::CompleteGroupResponse&) {
                            self->EndCall(number);
                            self->Post([self = self.get(), task, status] {
                              self->asked_.erase(task);
                              return status.ok() ? status : FromTask(task, status);
                            });
                          }));
}

Status MixedExecution::LookAfterOthers() {
  std::set<std::string> looked_at = {environment_.identity->task};
  for (const int rank : awaited_) {
    const MemberOrder::Member& other = environment_.order->members[static_cast<size_t>(rank)];
    if (!looked_at.insert(other.task).second) continue;
    WB_ASSIGN_OR_RETURN(const std::shared_ptr<WorkerPeer> peer,
                        environment_.identity->peers->Find(other.task));
    tensorflow::GetStatusResponse response;
    const Status there = peer->GetStatus({}, kAnswerMs, &response);
    if (!there.ok()) {
      return Unavailable("the collective waits for ", other.task,
                         ", which is gone: ", there.message());
    }
    for (const tensorflow::DeviceAttributes& device : response.device_attributes()) {
      if (device.name() != other.device || device.incarnation() == other.incarnation) continue;
      return Unavailable("the collective waits for ", other.device, ", which was started anew");
    }
    if (!response.is_warpbeam()) AskWhetherItStands(other.task, *peer);
  }
  return OkStatus();
}

}  // namespace warpbeam
