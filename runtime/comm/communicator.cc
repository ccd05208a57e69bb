#include "runtime/comm/communicator.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <thread>
#include <tuple>
#include <utility>

#include "absl/strings/str_join.h"
#include "graph/types/shown_name.h"
#include "runtime/comm/gpu_endpoint.h"
#include "runtime/comm/meeting.h"
#include "runtime/comm/rendezvous.h"
#include "runtime/comm/staged_member.h"
#include "runtime/comm/waiting_resource.h"
#include "runtime/device/device.h"
#include "runtime/thread/new_thread.h"

namespace warpbeam {
namespace {

// One meeting.
class Round {
 public:
  Round(std::string key, const CollectiveCall& first) : key_(std::move(key)), terms_(first) {
    terms_.member = CollectiveMember();
  }

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

  // With the lock of the groups held, until it is closed.
  const std::vector<CollectiveMember>& members() const { return members_; }
  bool is_closed() const { return closed_.load(std::memory_order_acquire); }
  bool WaitUntilClosed(double seconds) {
    std::unique_lock<std::mutex> lock(mutex_);
    return closing_.wait_for(lock, std::chrono::duration<double>(seconds),
                             [this] { return is_closed(); });
  }
  // After it has been closed: a member goes on, and all of them with the last one.
  void GoOn(size_t number, MeetingMember member) {
    Status status;
    std::vector<MeetingMember> all;
    {
      std::lock_guard<std::mutex> lock(mutex_);
      status = status_;
      if (status_.ok()) {
        member.member = std::move(members_[number]);
        meeting_.push_back(std::move(member));
        if (meeting_.size() < members_.size()) return;
        all.swap(meeting_);
      }
    }
    if (!status.ok()) return member.done(status);
    Meet(terms_, std::move(all));
  }

 private:
  const std::string key_;
  CollectiveCall terms_;                   // the first member's
  std::vector<CollectiveMember> members_;  // by number
  std::vector<MeetingMember> meeting_;     // those that go on
  std::atomic<bool> closed_{false};
  std::mutex mutex_;
  std::condition_variable closing_;
  Status status_;  // for all members
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
          place->round->GoOn(place->number, {CollectiveMember(), &ctx, take, done});
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
            if (!round->is_closed()) came = round->members();
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

StatusOr<Shape> OutputShape(const CollectiveCall& call) {
  if (call.kind != kGather && call.kind != kReduceScatter) return call.shape;
  const int64_t rows = call.shape.dim(0);
  return call.shape.WithDim(0,
                            call.kind == kGather ? call.group_size * rows : rows / call.group_size);
}

namespace {

// On the thread of the member's kernel: no other makes a stream wait for those of its GPU, which it
// may be recording.
Status ArriveOnGpu(CollectiveCall* call) {
  CollectiveMember& member = call->member;
  WB_ASSIGN_OR_RETURN(Stream * stream, member.gpu->stream());
  Device& device = member.gpu->device();
  if (member.is_source) {
    member.output = member.input;
  } else {
    WB_ASSIGN_OR_RETURN(const Shape shape, OutputShape(*call));
    WB_ASSIGN_OR_RETURN(member.output, Tensor::Allocate(call->dtype, shape, device.allocator()));
  }
  // Its input may not be there yet, and its output may be what kernels still read.
  return device.OrderBehindKernels(*stream);
}

void JoinInProcess(KernelContext& ctx, CollectiveCall call, AsyncKernel::Done done) {
  static auto* const process =
      new std::shared_ptr<LocalCommunicator>(std::make_shared<LocalCommunicator>());
  (*process)->Join(ctx, std::move(call), std::move(done));
}

// The tasks of the member's step, where it may meet members on others; or null.
Collectives* TasksOf(const KernelContext& ctx, const CollectiveCall& call) {
  const bool has_rendezvous = ctx.step() != nullptr && ctx.step()->rendezvous() != nullptr;
  return has_rendezvous && !call.is_within_task ? ctx.step()->rendezvous()->collectives() : nullptr;
}

void JoinArrived(KernelContext& ctx, CollectiveCall call, AsyncKernel::Done done);

// With a member in host memory for one that lies on a GPU.
void JoinStaged(KernelContext& ctx, CollectiveCall call, AsyncKernel::Done done) {
  MeetingMember member = {std::move(call.member), &ctx, nullptr, done};
  const auto staged = std::make_shared<CollectiveCall>(std::move(call));
  StageOnHost(std::move(member), [staged, done](StatusOr<MeetingMember> host) {
    if (!host.ok()) return done(host.status());
    staged->member = std::move(host->member);
    JoinArrived(*host->ctx, std::move(*staged), std::move(host->done));
  });
}

void JoinArrived(KernelContext& ctx, CollectiveCall call, AsyncKernel::Done done) {
  Collectives* const tasks = TasksOf(ctx, call);
  if (call.member.gpu != nullptr && call.pack != nullptr) {
    return JoinStaged(ctx, std::move(call), std::move(done));
  }
  if (call.pack != nullptr) {
    StatusOr<Tensor> packed = call.pack(ctx, call.member.input);
    if (!packed.ok()) return done(packed.status());
    call.member.input = *std::move(packed);
  }
  if (tasks != nullptr) return tasks->Join(ctx, std::move(call), std::move(done));
  JoinInProcess(ctx, std::move(call), std::move(done));
}

}  // namespace

void JoinCollective(KernelContext& ctx, CollectiveCall call, AsyncKernel::Done done) {
  if (call.group_size <= 0) {
    return done(InvalidArgument("group_size must be positive, got ", call.group_size));
  }
  Device*& placed_on = call.member.placed_on;
  if (placed_on == nullptr) placed_on = ctx.device();
  if (placed_on != nullptr) call.member.device = placed_on->name().ToString();
  if (call.member.gpu != nullptr) {
    Status arrived = ArriveOnGpu(&call);
    if (!arrived.ok()) return done(std::move(arrived));
  }
  JoinArrived(ctx, std::move(call), std::move(done));
}

}  // namespace warpbeam
