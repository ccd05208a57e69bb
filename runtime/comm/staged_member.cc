#include "runtime/comm/staged_member.h"

#include <memory>
#include <mutex>
#include <utility>

#include "runtime/comm/gpu_endpoint.h"
#include "runtime/comm/host_context.h"

namespace warpbeam {
namespace {

class StagedMember : public std::enable_shared_from_this<StagedMember> {
 public:
  explicit StagedMember(MeetingMember on_gpu) : on_gpu_(std::move(on_gpu)), host_(*on_gpu_.ctx) {}

  void Begin(std::function<void(StatusOr<MeetingMember> host)> then) {
    if (!on_gpu_.member.input.has_value()) return then(OnHost(Tensor()));
    CopyToHost(*on_gpu_.member.gpu, on_gpu_.member.input,
               [self = shared_from_this(), then = std::move(then)](StatusOr<Tensor> copied) {
                 if (!copied.ok()) return then(copied.status());
                 then(self->OnHost(*std::move(copied)));
               });
  }

 private:
  MeetingMember OnHost(Tensor input) {
    on_gpu_.member.input = Tensor();
    MeetingMember host;
    host.member.device = on_gpu_.member.device;
    host.member.node = on_gpu_.member.node;
    host.member.is_source = on_gpu_.member.is_source;
    host.member.placed_on = on_gpu_.member.placed_on;
    host.member.input = std::move(input);
    host.ctx = &host_.context();
    host.take = on_gpu_.take;
    host.done = [self = shared_from_this()](const Status& s) { self->Finish(s); };
    return host;
  }
  void Finish(const Status& made) {
    if (!made.ok() || on_gpu_.member.is_source) return Tell(made);
    CopyToGpu(*on_gpu_.member.gpu, std::move(host_.context().output(0)), on_gpu_.member.output,
              [self = shared_from_this()](const Status& s) { self->Tell(s); });
  }
  // Whoever reads the output next may take its memory: nobody else holds it.
  void Tell(const Status& s) {
    if (s.ok()) on_gpu_.ctx->set_output(0, std::move(on_gpu_.member.output));
    on_gpu_.member.output = Tensor();
    const AsyncKernel::Done done = std::move(on_gpu_.done);
    done(s);
  }

  MeetingMember on_gpu_;
  HostContext host_;
};

class StagedMembers : public std::enable_shared_from_this<StagedMembers> {
 public:
  using Then = std::function<void(const Status& staged, std::vector<MeetingMember> members)>;

  StagedMembers(std::vector<MeetingMember> members, Then then)
      : members_(std::move(members)), then_(std::move(then)) {}

  void Begin() {
    std::vector<size_t> on_gpus;
    for (size_t i = 0; i < members_.size(); ++i) {
      if (members_[i].member.gpu != nullptr) on_gpus.push_back(i);
    }
    missing_ = on_gpus.size();
    if (missing_ == 0) return then_(OkStatus(), std::move(members_));
    // The last copy may be done with the members while this goes on.
    const auto self = shared_from_this();
    for (const size_t i : on_gpus) {
      StageOnHost(members_[i],
                  [self, i](StatusOr<MeetingMember> host) { self->HasCome(i, std::move(host)); });
    }
  }

 private:
  void HasCome(size_t i, StatusOr<MeetingMember> host) {
    {
      std::lock_guard<std::mutex> lock(mutex_);
      if (host.ok()) {
        members_[i] = *std::move(host);
      } else if (staged_.ok()) {
        staged_ = host.status();
      }
      if (--missing_ > 0) return;
    }
    then_(staged_, std::move(members_));
  }

  std::vector<MeetingMember> members_;
  const Then then_;
  std::mutex mutex_;    // of what follows, and of the members
  size_t missing_ = 0;  // members whose tensors are on their way to the host
  Status staged_;       // the first error
};

}  // namespace

void StageOnHost(MeetingMember on_gpu, std::function<void(StatusOr<MeetingMember> host)> then) {
  std::make_shared<StagedMember>(std::move(on_gpu))->Begin(std::move(then));
}

void StageAllOnHost(
    std::vector<MeetingMember> members,
    std::function<void(const Status& staged, std::vector<MeetingMember> members)> then) {
  std::make_shared<StagedMembers>(std::move(members), std::move(then))->Begin();
}

}  // namespace warpbeam
