#include "runtime/comm/meeting.h"

#include <algorithm>
#include <memory>
#include <mutex>
#include <utility>

#include "runtime/comm/gpu_endpoint.h"
#include "runtime/comm/gpu_meeting.h"
#include "runtime/comm/host_context.h"

namespace warpbeam {
namespace {

// Through host memory.
class HostMeeting : public std::enable_shared_from_this<HostMeeting> {
 public:
  HostMeeting(const CollectiveCall& terms, std::vector<MeetingMember> members)
      : terms_(terms), members_(std::move(members)) {}

  void Begin() {
    const auto is_on_gpu = [](const MeetingMember& m) {
      return m.member.gpu != nullptr && m.member.input.has_value();
    };
    missing_ = std::count_if(members_.begin(), members_.end(), is_on_gpu);
    if (missing_ == 0) return Combine();
    // The last copy may combine while this goes on.
    const auto self = shared_from_this();
    std::vector<size_t> on_gpus;
    for (size_t i = 0; i < members_.size(); ++i) {
      if (is_on_gpu(members_[i])) on_gpus.push_back(i);
    }
    for (const size_t i : on_gpus) {
      const CollectiveMember& member = members_[i].member;
      CopyToHost(*member.gpu, member.input, [self, i](StatusOr<Tensor> copied) {
        if (self->HasCome(i, std::move(copied))) self->Combine();
      });
    }
  }

 private:
  // Whether it was the last one.
  bool HasCome(size_t i, StatusOr<Tensor> copied) {
    std::lock_guard<std::mutex> lock(mutex_);
    if (copied.ok()) {
      members_[i].member.input = *std::move(copied);
    } else if (status_.ok()) {
      status_ = copied.status();
    }
    return --missing_ == 0;
  }

  void Combine() {
    const StatusOr<Tensor> result = Combined();
    for (size_t i = 0; i < members_.size(); ++i) Give(i, result);
  }

  StatusOr<Tensor> Combined() {
    WB_RETURN_IF_ERROR(status_);
    std::vector<CollectiveMember> inputs;
    for (MeetingMember& m : members_) {
      inputs.push_back(m.member);
      m.member.input = Tensor();
    }
    const auto on_host = std::find_if(members_.begin(), members_.end(),
                                      [](const auto& m) { return m.member.gpu == nullptr; });
    if (on_host != members_.end()) return terms_.combine(*on_host->ctx, inputs);
    HostContext host(*members_[0].ctx);
    return terms_.combine(host.context(), inputs);
  }

  void Give(size_t i, StatusOr<Tensor> result) {
    MeetingMember& m = members_[i];
    if (result.ok() && HasShares(terms_.kind)) {
      result = ShareAt(*result, static_cast<int64_t>(i), static_cast<int64_t>(members_.size()));
    }
    if (result.ok() && m.take != nullptr) result = m.take(*m.ctx, *std::move(result));
    if (!result.ok()) return Tell(i, result.status());
    if (m.member.gpu == nullptr) {
      m.member.output = *std::move(result);
      return Tell(i, OkStatus());
    }
    if (m.member.is_source) return Tell(i, OkStatus());
    CopyToGpu(*m.member.gpu, *std::move(result), m.member.output,
              [self = shared_from_this(), i](const Status& s) { self->Tell(i, s); });
  }

  // Whoever reads the output next may take its memory: nobody else holds it.
  void Tell(size_t i, const Status& status) {
    MeetingMember& m = members_[i];
    if (status.ok()) m.ctx->set_output(0, std::move(m.member.output));
    m.member.output = Tensor();
    const AsyncKernel::Done done = std::move(m.done);
    done(status);
  }

  const CollectiveCall terms_;
  std::vector<MeetingMember> members_;  // in order
  std::mutex mutex_;
  int64_t missing_ = 0;  // copies to the host
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
