#include "runtime/comm/gpu_meeting.h"

#include <algorithm>
#include <chrono>
#include <memory>
#include <mutex>
#include <set>
#include <thread>
#include <utility>

#include "absl/strings/str_cat.h"
#include "graph/types/shown_name.h"
#include "runtime/comm/calls_under_way.h"
#include "runtime/comm/gpu_endpoint.h"
#include "runtime/thread/new_thread.h"

namespace warpbeam {
namespace {

using Clock = std::chrono::steady_clock;

// How long GPUs may go on with what a step has begun that is over: less than what a step that was
// cancelled is given before it is left behind.
constexpr std::chrono::milliseconds kGrace(100);

// Of all communicators: all devices get all calls in one order, so that none waits for another
// that waits for it.
std::mutex& EnqueueMutex() {
  static auto* const mutex = new std::mutex;
  return *mutex;
}

class GpuMeeting final : public CallUnderWay, public std::enable_shared_from_this<GpuMeeting> {
 public:
  GpuMeeting(const CollectiveCall& terms, std::vector<MeetingMember> members,
             std::shared_ptr<GpuCommunicator> communicator)
      : terms_(terms),
        members_(std::move(members)),
        communicator_(std::move(communicator)),
        has_come_(members_.size(), false),
        is_told_(members_.size(), false),
        still_to_pass_(members_.size()),
        still_to_tell_(members_.size()) {
    const auto timeout = std::chrono::duration<double>(terms.timeout_seconds);
    if (terms.timeout_seconds > 0 && timeout < std::chrono::hours(1 << 20)) {
      until_ = Clock::now() + std::chrono::duration_cast<Clock::duration>(timeout);
    }
  }

  void Begin() {
    GpuCall call;
    Status enqueued = MakeCall(&call);
    if (enqueued.ok()) enqueued = CallsUnderWay::Process().Add(shared_from_this());
    if (!enqueued.ok()) {
      status_ = enqueued;
      return TellAll();
    }
    for (size_t i = 0; until_ != Clock::time_point::max() && i < call.ranks.size(); ++i) {
      WhenPassed(*call.ranks[i].stream, [self = shared_from_this(), i](const Status&) {
        std::lock_guard<std::mutex> lock(self->mutex_);
        self->has_come_[i] = true;
      });
    }
    if (call.count > 0) {
      std::lock_guard<std::mutex> lock(EnqueueMutex());
      enqueued = communicator_->Enqueue(call);
    }
    if (!enqueued.ok()) Fail(enqueued);
    // What has been enqueued is waited for, whatever has failed.
    for (size_t i = 0; i < call.ranks.size(); ++i) {
      WhenPassed(*call.ranks[i].stream,
                 [self = shared_from_this(), i](const Status& s) { self->Passed(i, s); });
    }
  }

  bool Look() override {
    std::unique_lock<std::mutex> lock(mutex_);
    if (still_to_tell_ == 0 || communicator_ == nullptr) return false;
    const Status broken = communicator_->status();
    if (!broken.ok() && status_.ok()) {
      lock.unlock();
      return End(broken);
    }
    for (size_t i = 0; i < members_.size(); ++i) {
      if (is_cancelled_ || is_told_[i] || !members_[i].ctx->IsCancelled()) continue;
      is_cancelled_ = true;
      until_ = std::min(until_, Clock::now() + kGrace);
    }
    if (Clock::now() < until_) return true;
    const Status late = Late();
    lock.unlock();
    return End(late);
  }

 private:
  Status MakeCall(GpuCall* call) {
    call->kind = terms_.kind;
    call->dtype = terms_.dtype;
    call->count = terms_.shape.num_elements();
    call->merge_op = terms_.merge_op;
    call->merge = terms_.merge;
    call->divide = terms_.divide;
    for (const MeetingMember& m : members_) {
      if (m.member.is_source) call->source = call->ranks.size();
      GpuRank rank;
      rank.device = &m.member.gpu->device();
      WB_ASSIGN_OR_RETURN(rank.stream, m.member.gpu->stream());
      rank.in = m.member.input.has_value() ? m.member.input.raw_data() : nullptr;
      rank.out = const_cast<void*>(std::as_const(m.member.output).raw_data());
      call->ranks.push_back(rank);
    }
    return OkStatus();
  }

  // With the lock held. Those that have not come keep the others from going on.
  Status Late() const {
    std::string missing, waiting;
    for (size_t i = 0; i < members_.size(); ++i) {
      std::string* const names = has_come_[i] ? &waiting : &missing;
      if (is_told_[i]) continue;
      absl::StrAppend(names, names->empty() ? "" : ", ", "rank ", i, " '",
                      ShownName(members_[i].member.node), "' at ", members_[i].member.device);
    }
    const Status late = DeadlineExceeded(
        "Collective has timed out waiting for GPUs. Of the ", terms_.group_size,
        " members of group_key=", terms_.group, ", instance ", terms_.instance,
        missing.empty() ? "" : ", the GPUs of these have not come to it, or it has not ended: ",
        missing, waiting.empty() ? "" : "; these wait for them: ", waiting);
    return is_cancelled_ ? Cancelled("the step is over. ", late.message()) : late;
  }

  bool End(const Status& why) {
    Fail(why);
    TellAll();
    return false;
  }

  // Notes what has gone wrong and ends what is under way; an end may wait for what hangs.
  void Fail(const Status& why) {
    std::shared_ptr<GpuCommunicator> communicator;
    {
      std::lock_guard<std::mutex> lock(mutex_);
      if (status_.ok()) status_ = why;
      communicator = communicator_;
    }
    if (communicator == nullptr) return;
    StatusOr<std::thread> thread = NewThread([communicator] { communicator->Abort(); });
    if (thread.ok()) thread->detach();
  }

  // The stream of a member has come by: nothing uses its tensors any more.
  void Passed(size_t i, const Status& passed) {
    std::shared_ptr<GpuCommunicator> ended;
    {
      std::lock_guard<std::mutex> lock(mutex_);
      if (status_.ok()) status_ = passed.ok() ? communicator_->status() : passed;
      if (--still_to_pass_ == 0) ended = std::move(communicator_);
    }
    ended = nullptr;
    members_[i].member.input = Tensor();
    Tell(i);
    members_[i].member.output = Tensor();
  }

  // Whoever still waits is told; the tensors stay until the streams have come by.
  void TellAll() {
    for (size_t i = 0; i < members_.size(); ++i) Tell(i);
  }
  void Tell(size_t i) {
    Status status;
    {
      std::lock_guard<std::mutex> lock(mutex_);
      if (is_told_[i]) return;
      is_told_[i] = true;
      --still_to_tell_;
      status = status_;
    }
    MeetingMember& m = members_[i];
    if (status.ok()) m.ctx->set_output(0, std::move(m.member.output));
    const AsyncKernel::Done done = std::move(m.done);
    done(status);
  }

  const CollectiveCall terms_;
  std::vector<MeetingMember> members_;             // in the order of their ranks
  std::mutex mutex_;                               // of what follows
  std::shared_ptr<GpuCommunicator> communicator_;  // until all streams have come by
  std::vector<bool> has_come_;  // where there is a timeout: whose streams have come to the call
  std::vector<bool> is_told_;
  size_t still_to_pass_, still_to_tell_;
  Clock::time_point until_ = Clock::time_point::max();
  bool is_cancelled_ = false;
  Status status_;
};

bool MayMeetOnGpus(const CollectiveCall& terms, const std::vector<MeetingMember>& members) {
  std::set<const Device*> devices;
  int64_t sources = 0;
  for (const MeetingMember& m : members) {
    if (m.member.gpu == nullptr || m.take != nullptr) return false;
    if (!devices.insert(&m.member.gpu->device()).second) return false;
    sources += m.member.is_source ? 1 : 0;
  }
  switch (terms.kind) {
    case kReduction:
    case kReduceScatter:
      return terms.merge != nullptr;
    case kBroadcast:
      return sources == 1;
    case kGather:
    case kAllToAll:
      return true;
    default:
      return false;
  }
}

}  // namespace

bool MeetOnGpus(const CollectiveCall& terms, std::vector<MeetingMember>* members) {
  if (!MayMeetOnGpus(terms, *members)) return false;
  std::vector<GpuEndpoint*> ranks;
  for (const MeetingMember& m : *members) ranks.push_back(m.member.gpu);
  StatusOr<std::shared_ptr<GpuCommunicator>> communicator = ranks[0]->CommunicatorOf(ranks);
  if (IsUnimplemented(communicator.status())) return false;
  if (!communicator.ok()) {
    for (const MeetingMember& m : *members) m.done(communicator.status());
    return true;
  }
  std::make_shared<GpuMeeting>(terms, std::move(*members), *std::move(communicator))->Begin();
  return true;
}

}  // namespace warpbeam
