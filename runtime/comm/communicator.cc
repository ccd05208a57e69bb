#include "runtime/comm/communicator.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <numeric>
#include <thread>
#include <tuple>
#include <utility>

#include "absl/strings/str_join.h"
#include "graph/types/shown_name.h"
#include "runtime/comm/rendezvous.h"
#include "runtime/comm/waiting_resource.h"
#include "runtime/device/device.h"
#include "runtime/thread/new_thread.h"

namespace warpbeam {
namespace {

// One meeting.
class Round {
 public:
  Round(std::string key, const CollectiveCall& first) : key_(std::move(key)), terms_(first) {}

  const std::string& key() const { return key_; }
  const CollectiveCall& terms() const { return terms_; }
  bool is_full() const { return static_cast<int64_t>(members_.size()) == terms_.group_size; }
  // With the lock of the groups held, until it is closed: complete, failed or given up. Returns the
  // member's number.
  size_t Add(CollectiveMember member) {
    members_.push_back(std::move(member));
    return members_.size() - 1;
  }
  void Close(Status status) {
    std::lock_guard<std::mutex> lock(mutex_);
    status_ = std::move(status);
    closed_.store(true, std::memory_order_release);
    closing_.notify_all();
  }

  // With the lock of the groups held; none once there is a result.
  const std::vector<CollectiveMember>& members() const { return members_; }
  bool is_closed() const { return closed_.load(std::memory_order_acquire); }
  bool WaitUntilClosed(double seconds) {
    std::unique_lock<std::mutex> lock(mutex_);
    return closing_.wait_for(lock, std::chrono::duration<double>(seconds),
                             [this] { return is_closed(); });
  }
  // After it has been closed: that of the member of this number. `ctx` is that of whichever member
  // comes first.
  StatusOr<Tensor> Result(KernelContext& ctx, size_t number) {
    std::lock_guard<std::mutex> lock(mutex_);
    WB_RETURN_IF_ERROR(status_);
    if (!std::exchange(has_result_, true)) Combine(ctx);
    if (!result_.ok() || !HasShares(terms_.kind)) return result_;
    return ShareAt(*result_, places_[number], terms_.group_size);
  }

 private:
  void Combine(KernelContext& ctx) {
    std::vector<size_t> order(members_.size());
    std::iota(order.begin(), order.end(), 0);
    std::sort(order.begin(), order.end(),
              [this](size_t a, size_t b) { return ComesBefore(members_[a], members_[b]); });
    std::vector<CollectiveMember> in_order;
    places_.resize(order.size());
    for (size_t place = 0; place < order.size(); ++place) {
      places_[order[place]] = static_cast<int64_t>(place);
      in_order.push_back(std::move(members_[order[place]]));
    }
    members_.clear();
    result_ = terms_.combine(ctx, in_order);
  }

  const std::string key_;
  const CollectiveCall terms_;             // the first member's
  std::vector<CollectiveMember> members_;  // by number
  std::vector<int64_t> places_;            // by number, once there is a result
  std::atomic<bool> closed_{false};
  std::mutex mutex_;
  std::condition_variable closing_;
  Status status_;  // for all members
  bool has_result_ = false;
  StatusOr<Tensor> result_ = Tensor();
};

class LocalCommunicator final : public WaitingResource {
 public:
  std::string DebugString() const override { return "the other members of a collective"; }

  void Join(KernelContext& ctx, CollectiveCall call, AsyncKernel::Done done) {
    const auto self = std::static_pointer_cast<LocalCommunicator>(shared_from_this());
    const double timeout = call.timeout_seconds;
    const CollectiveCall::Take take = call.take;
    // What the member is part of, from the first attempt on.
    const auto place = std::make_shared<Place>();
    const auto coming = std::make_shared<CollectiveCall>(std::move(call));
    const std::string step = absl::StrCat(ctx.step() == nullptr ? 0 : ctx.step()->step_id());
    std::shared_ptr<Round> round;
    Attempt(
        ctx.step(),
        [this, place, coming, step, &round](Status*) {
          if (place->round == nullptr) {
            *place = Enter(step, std::move(*coming));
            round = place->round;
          }
          return place->round->is_closed();
        },
        [self, place, take, &ctx, done = std::move(done)](Status s) {
          if (!s.ok()) {
            self->GiveUp(place->round, s);
            return done(std::move(s));
          }
          StatusOr<Tensor> result = place->round->Result(ctx, place->number);
          if (result.ok() && take != nullptr) result = take(ctx, *std::move(result));
          if (result.ok()) ctx.set_output(0, *std::move(result));
          done(result.status());
        });
    if (timeout > 0 && !round->is_closed()) self->Watch(round, timeout);
  }

 private:
  struct Place {
    std::shared_ptr<Round> round;
    size_t number = 0;  // the member's
  };

  // With the lock held.
  Place Enter(const std::string& step, CollectiveCall call) {
    const std::string key = absl::StrCat(step, ";", call.group, ";", call.instance);
    std::shared_ptr<Round>& open = open_[key];
    if (open == nullptr) open = std::make_shared<Round>(key, call);
    const std::shared_ptr<Round> round = open;
    const Status status = CheckAgreement(round->terms(), call);
    const size_t number = round->Add(std::move(call.member));
    if (round->is_full() || !status.ok()) CloseLocked(*round, status);
    return {round, number};
  }
  void CloseLocked(Round& round, Status status) {
    open_.erase(round.key());
    round.Close(std::move(status));
  }
  void GiveUp(const std::shared_ptr<Round>& round, const Status& why) {
    // Ending a meeting cannot fail.
    Now([&] {
      if (!round->is_closed()) CloseLocked(*round, why);
      return OkStatus();
    }).IgnoreError();
  }
  void Watch(const std::shared_ptr<Round>& round, double seconds) {
    const auto self = std::static_pointer_cast<LocalCommunicator>(shared_from_this());
    StatusOr<std::thread> thread = NewThread([self, round, seconds] {
      if (round->WaitUntilClosed(seconds)) return;
      std::vector<CollectiveMember> came;
      self->Now([&] {
            came = round->members();
            return OkStatus();
          })
          .IgnoreError();
      self->GiveUp(round, TimedOut(round->terms(), came));
    });
    if (!thread.ok()) return GiveUp(round, thread.status());
    thread->detach();
  }

  std::map<std::string, std::shared_ptr<Round>> open_;
};

}  // namespace

// In words which programs and people look for.
Status CheckAgreement(const CollectiveCall& first, const CollectiveCall& call) {
  const std::string& device = call.member.device;
  if (call.group_size != first.group_size) {
    return Internal(kAbortedBy, "Device ", device, " is joining a group with size", call.group_size,
                    ", but that group has size ", first.group_size, " (group_key=", call.group,
                    ")");
  }
  if (call.graph_key != first.graph_key) {
    return InvalidArgument(kAbortedBy, "Device ", device, " joins the collective instance ",
                           call.instance, " (group_key=", call.group,
                           ") in a step of collective_graph_key ", call.graph_key,
                           ", another member in one of ", first.graph_key, kSameGraphKey);
  }
  if (call.kind != first.kind || call.dtype != first.dtype) {
    return Internal(kAbortedBy, "Collective instance ", call.instance, " expected type ",
                    first.kind, " and data_type ", static_cast<int>(first.dtype), " but got type ",
                    call.kind, " and data_type ", static_cast<int>(call.dtype));
  }
  if (call.shape != first.shape) {
    return InvalidArgument(kAbortedBy, "Shape mismatch in the collective instance ", call.instance,
                           ". Op at device ", device, " expected shape ", call.shape.ToString(),
                           " but another member in the group expected shape ",
                           first.shape.ToString(),
                           ". This is likely due to different input shapes at different members of "
                           "the collective op.");
  }
  return OkStatus();
}

Status TimedOut(const CollectiveCall& terms, const std::vector<CollectiveMember>& came) {
  return DeadlineExceeded(
      "Collective has timed out waiting for other workers. Of the ", terms.group_size,
      " members of group_key=", terms.group, ", instance ", terms.instance, ", ", came.size(),
      " have come here: ", absl::StrJoin(came, ", ", [](std::string* out, const auto& member) {
        absl::StrAppend(out, "'", ShownName(member.node), "' at ", member.device);
      }));
}

bool ComesBefore(const CollectiveMember& a, const CollectiveMember& b) {
  return std::tuple(a.device.size(), a.device, a.node) <
         std::tuple(b.device.size(), b.device, b.node);
}

void JoinCollective(KernelContext& ctx, CollectiveCall call, AsyncKernel::Done done) {
  if (call.group_size <= 0) {
    return done(InvalidArgument("group_size must be positive, got ", call.group_size));
  }
  if (ctx.device() != nullptr) call.member.device = ctx.device()->name().ToString();
  const bool has_rendezvous = ctx.step() != nullptr && ctx.step()->rendezvous() != nullptr;
  Collectives* const of_tasks = has_rendezvous ? ctx.step()->rendezvous()->collectives() : nullptr;
  if (of_tasks != nullptr && !call.is_within_task) {
    return of_tasks->Join(ctx, std::move(call), std::move(done));
  }
  static auto* const process =
      new std::shared_ptr<LocalCommunicator>(std::make_shared<LocalCommunicator>());
  (*process)->Join(ctx, std::move(call), std::move(done));
}

}  // namespace warpbeam
