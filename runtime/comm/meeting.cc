#include "runtime/comm/meeting.h"

#include <algorithm>
#include <utility>

#include "runtime/comm/gpu_meeting.h"
#include "runtime/comm/staged_member.h"
#include "runtime/device/device.h"

namespace warpbeam {
namespace {

// Of members whose tensors lie in host memory.
class HostMeeting {
 public:
  HostMeeting(const CollectiveCall& terms, std::vector<MeetingMember> members)
      : terms_(terms), members_(std::move(members)) {}

  // `staged`: whether all tensors have come there.
  void Combine(const Status& staged) {
    const StatusOr<Tensor> result = staged.ok() ? Combined() : staged;
    for (size_t i = 0; i < members_.size(); ++i) Give(i, result);
  }

 private:
  // By the threads of a member's device, if one is on a CPU.
  StatusOr<Tensor> Combined() {
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

  const CollectiveCall& terms_;
  std::vector<MeetingMember> members_;  // in order
};

}  // namespace

void Meet(const CollectiveCall& terms, std::vector<MeetingMember> members) {
  std::sort(members.begin(), members.end(), [](const MeetingMember& a, const MeetingMember& b) {
    return ComesBefore(a.member, b.member);
  });
  if (MeetOnGpus(terms, &members)) return;
  StageAllOnHost(std::move(members),
                 [terms](const Status& staged, std::vector<MeetingMember> on_host) {
                   HostMeeting(terms, std::move(on_host)).Combine(staged);
                 });
}

}  // namespace warpbeam
