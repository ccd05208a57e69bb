#include "runtime/comm/meeting.h"

#include <algorithm>
#include <memory>
#include <mutex>
#include <utility>

#include "runtime/comm/gpu_meeting.h"
#include "runtime/comm/staged_member.h"
#include "runtime/device/device.h"

namespace warpbeam {
namespace {

// Through host memory.
class HostMeeting : public std::enable_shared_from_this<HostMeeting> {
 public:
  HostMeeting(const CollectiveCall& terms, std::vector<MeetingMember> members)
      : terms_(terms), members_(std::move(members)) {}

  void Begin() {
    std::vector<size_t> on_gpus;
    for (size_t i = 0; i < members_.size(); ++i) {
      if (members_[i].member.gpu != nullptr) on_gpus.push_back(i);
    }
    missing_ = on_gpus.size();
    if (missing_ == 0) return Combine();
    // The last copy may combine while this goes on.
    const auto self = shared_from_this();
    for (const size_t i : on_gpus) {
      StageOnHost(members_[i], [self, i](StatusOr<MeetingMember> host) {
        if (self->HasCome(i, std::move(host))) self->Combine();
      });
    }
  }

 private:
  // Whether it was the last one.
  bool HasCome(size_t i, StatusOr<MeetingMember> host) {
    std::lock_guard<std::mutex> lock(mutex_);
    if (host.ok()) {
      members_[i] = *std::move(host);
    } else if (status_.ok()) {
      status_ = host.status();
    }
    return --missing_ == 0;
  }

  void Combine() {
    const StatusOr<Tensor> result = Combined();
    for (size_t i = 0; i < members_.size(); ++i) Give(i, result);
  }

  // By the threads of a member's device, if one is on a CPU.
  StatusOr<Tensor> Combined() {
    WB_RETURN_IF_ERROR(status_);
    std::vector<CollectiveMember> inputs;
    for (MeetingMember& m : members_) {
      inputs.push_back(m.member);
      m.member.input = Tensor();
    }
    const auto on_cpu = std::find_if(members_.begin(), members_.end(),
                                     [](const auto& m) { return m.ctx->device() != nullptr; });
    return terms_.combine(on_cpu != members_.end() ? *on_cpu->ctx : *members_[0].ctx, inputs);
  }

  void Give(size_t i, StatusOr<Tensor> result) {
    MeetingMember& m = members_[i];
    if (result.ok() && HasShares(terms_.kind)) {
      result = ShareAt(*result, static_cast<int64_t>(i), static_cast<int64_t>(members_.size()));
    }
    if (result.ok() && m.take != nullptr) result = m.take(*m.ctx, *std::move(result));
    const Status status = result.status();
    if (status.ok()) m.ctx->set_output(0, *std::move(result));
    m.member.output = Tensor();
    const AsyncKernel::Done done = std::move(m.done);
    done(status);
  }

  const CollectiveCall terms_;
  std::vector<MeetingMember> members_;  // in order
  std::mutex mutex_;
  size_t missing_ = 0;  // members whose tensors are on their way to the host
  Status status_;
};

}  // namespace

void Meet(const CollectiveCall& terms, std::vector<MeetingMember> members) {
  std::sort(members.begin(), members.end(), [](const MeetingMember& a, const MeetingMember& b) {
    return ComesBefore(a.member, b.member);
  });
  if (MeetOnGpus(terms, &members)) return;
  std::make_shared<HostMeeting>(terms, std::move(members))->Begin();
}

}  // namespace warpbeam
