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

class GpuMeeting final : public CallUnderWay, public std::enable_shared_from_this<GpuMeeting> {
 public:
  GpuMeeting(const CollectiveCall& terms, std::vector<MeetingMember> members, GpuTasks tasks)
      : terms_(terms),
        members_(std::move(members)),
        first_rank_(tasks.first_rank),
        source_(tasks.source),
        explain_(std::move(tasks.explain)),
        communicator_(std::move(tasks.communicator)),
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
      return Answer(enqueued, /*names_who=*/true);
    }
    for (size_t i = 0; until_ != Clock::time_point::max() && i < call.ranks.size(); ++i) {
      WhenPassed(*call.ranks[i].stream, [self = shared_from_this(), i](const Status&) {
        std::lock_guard<std::mutex> lock(self->mutex_);
        self->has_come_[i] = true;
      });
    }
    const std::shared_ptr<GpuCommunicator> communicator = communicator_;
    if (call.count > 0) enqueued = communicator->Enqueue(call);
    // What has been enqueued is waited for, whatever has failed; without other tasks members are
    // told then.
    if (!enqueued.ok() && Fails(enqueued)) {
      explain_ != nullptr ? Answer(enqueued, /*names_who=*/false) : Abort();
    }
    for (size_t i = 0; i < call.ranks.size(); ++i) {
      WhenPassed(*call.ranks[i].stream,
                 [self = shared_from_this(), i](const Status& s) { self->Passed(i, s); });
    }
  }

  bool Look() override {
    std::unique_lock<std::mutex> lock(mutex_);
    if (still_to_tell_ == 0 || communicator_ == nullptr) return false;
    if (explain_ != nullptr && !status_.ok()) return true;  // the answer will come
    const Status broken = communicator_->status();
    if (!broken.ok() && status_.ok()) {
      lock.unlock();
      return End(broken, /*names_who=*/false);
    }
    for (size_t i = 0; i < members_.size(); ++i) {
      if (is_cancelled_ || is_told_[i] || !members_[i].ctx->IsCancelled()) continue;
      is_cancelled_ = true;
      until_ = std::min(until_, Clock::now() + kGrace);
    }
    if (Clock::now() < until_) return true;
    bool names_who = false;
    const Status late = Late(&names_who);
    lock.unlock();
    return End(late, names_who);
  }

 private:
  Status MakeCall(GpuCall* call) {
    call->kind = terms_.kind;
    call->dtype = terms_.dtype;
    call->count = terms_.shape.num_elements();
    call->merge_op = terms_.merge_op;
    call->merge = terms_.merge;
    call->divide = terms_.divide;
    call->source = source_;
    for (const MeetingMember& m : members_) {
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
  Status Late(bool* names_who) const {
    std::string missing, waiting;
    for (size_t i = 0; i < members_.size(); ++i) {
      std::string* const names = has_come_[i] ? &waiting : &missing;
      if (is_told_[i]) continue;
      absl::StrAppend(names, names->empty() ? "" : ", ", "rank ", first_rank_ + i, " '",
                      ShownName(members_[i].member.node), "' at ", members_[i].member.device);
    }
    *names_who = !missing.empty() || is_cancelled_;
    const Status late = DeadlineExceeded(
        "Collective has timed out waiting for GPUs. Of the ", terms_.group_size,
        " members of group_key=", terms_.group, ", instance ", terms_.instance,
        missing.empty() ? "" : ", the GPUs of these have not come to it, or it has not ended: ",
        missing, waiting.empty() ? "" : "; these wait for them: ", waiting);
    return is_cancelled_ ? Cancelled("the step is over. ", late.message()) : late;
  }

  // Whether nothing had failed before.
  bool Fails(const Status& why) {
    std::lock_guard<std::mutex> lock(mutex_);
    if (!status_.ok()) return false;
    status_ = why;
    return true;
  }
  // Whether it is still to be looked at.
  bool End(const Status& why, bool names_who) {
    const bool is_first = Fails(why);
    if (explain_ == nullptr) {
      Abort();
      TellAll();
      return false;
    }
    if (is_first) Answer(why, names_who);
    return true;
  }
  // Tells all members; other tasks may know more of what has happened.
  void Answer(const Status& why, bool names_who) {
    if (explain_ == nullptr) return TellAll();
    explain_(why, names_who, [self = shared_from_this()](const Status& status) {
      {
        std::lock_guard<std::mutex> lock(self->mutex_);
        self->status_ = status;
      }
      self->TellAll();
    });
  }
  // Ends what is under way; an end may wait for what hangs.
  void Abort() {
    std::shared_ptr<GpuCommunicator> communicator;
    {
      std::lock_guard<std::mutex> lock(mutex_);
      communicator = communicator_;
    }
    if (communicator == nullptr) return;
    StatusOr<std::thread> thread = NewThread([communicator] { communicator->Abort(); });
    if (thread.ok()) thread->detach();
  }

  // The stream of a member has come by: nothing uses its tensors any more.
  void Passed(size_t i, const Status& passed) {
    std::shared_ptr<GpuCommunicator> ended;
    Status error;
    bool waits_for_answer = false;
    {
      std::lock_guard<std::mutex> lock(mutex_);
      if (status_.ok()) status_ = error = passed.ok() ? communicator_->status() : passed;
      waits_for_answer = explain_ != nullptr && !status_.ok();
      if (--still_to_pass_ == 0) ended = std::move(communicator_);
    }
    ended = nullptr;
    members_[i].member.input = Tensor();
    if (!error.ok() && waits_for_answer) Answer(error, /*names_who=*/false);
    if (!waits_for_answer) Tell(i);
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
  std::vector<MeetingMember> members_;  // in the order of their ranks
  const size_t first_rank_, source_;
  const std::function<void(const Status&, bool, const GpuTasks::Told&)> explain_;  // or null
  std::mutex mutex_;                               // of what follows
  std::shared_ptr<GpuCommunicator> communicator_;  // until all streams have come by
  std::vector<bool> has_come_;  // where there is a timeout: whose streams have come to the call
  std::vector<bool> is_told_;
  size_t still_to_pass_, still_to_tell_;
  Clock::time_point until_ = Clock::time_point::max();
  bool is_cancelled_ = false;
  Status status_;  // the first error; where other tasks know more of it, what they say
};

// Between the GPUs of these members, within the time that the collective has.
StatusOr<std::shared_ptr<GpuCommunicator>> Connect(const CollectiveCall& terms,
                                                   const std::vector<MeetingMember>& members) {
  const double seconds = SecondsToConnect(terms.timeout_seconds);
  const auto until = Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                        std::chrono::duration<double>(seconds));
  const auto is_over = [&] {
    return std::any_of(members.begin(), members.end(),
                       [](const MeetingMember& m) { return m.ctx->IsCancelled(); });
  };
  std::vector<GpuEndpoint*> ranks;
  for (const MeetingMember& m : members) ranks.push_back(m.member.gpu);
  auto connected =
      ranks[0]->CommunicatorOf(ranks, [&] { return is_over() || Clock::now() >= until; });
  if (!IsAborted(connected.status())) return connected;
  if (is_over()) return Cancelled("the step is over, before its GPUs were connected");
  std::string names;
  for (size_t i = 0; i < members.size(); ++i) {
    absl::StrAppend(&names, i == 0 ? "" : ", ", "rank ", i, " '", ShownName(members[i].member.node),
                    "' at ", members[i].member.device);
  }
  return DeadlineExceeded("Collective has timed out connecting GPUs by NCCL. In ", seconds,
                          " s these have not been connected: ", names, "; ",
                          connected.status().message());
}

}  // namespace

bool MayMeetOnGpus(const CollectiveCall& terms, const std::vector<const MeetingMember*>& members) {
  std::set<const Device*> devices;
  int64_t sources = 0;
  for (const MeetingMember* m : members) {
    if (m->member.gpu == nullptr || m->take != nullptr) return false;
    if (!devices.insert(&m->member.gpu->device()).second) return false;
    sources += m->member.is_source ? 1 : 0;
  }
  switch (terms.kind) {
    case kReduction:
    case kReduceScatter:
      return terms.merge != nullptr;
    case kBroadcast:
      return sources <= 1;
    case kGather:
    case kAllToAll:
      return true;
    default:
      return false;
  }
}

bool MeetOnGpus(const CollectiveCall& terms, std::vector<MeetingMember>* members) {
  std::vector<const MeetingMember*> all;
  GpuTasks none;
  size_t sources = 0;
  for (const MeetingMember& m : *members) {
    if (m.member.is_source) none.source = all.size();
    sources += m.member.is_source ? 1 : 0;
    all.push_back(&m);
  }
  if (!MayMeetOnGpus(terms, all) || (terms.kind == kBroadcast && sources != 1)) return false;
  StatusOr<std::shared_ptr<GpuCommunicator>> communicator = Connect(terms, *members);
  if (IsUnimplemented(communicator.status())) return false;
  if (!communicator.ok()) {
    for (const MeetingMember& m : *members) m.done(communicator.status());
    return true;
  }
  none.communicator = *std::move(communicator);
  std::make_shared<GpuMeeting>(terms, std::move(*members), std::move(none))->Begin();
  return true;
}

void MeetOnGpusOfTasks(const CollectiveCall& terms, std::vector<MeetingMember> members,
                       GpuTasks tasks) {
  std::make_shared<GpuMeeting>(terms, std::move(members), std::move(tasks))->Begin();
}

}  // namespace warpbeam
