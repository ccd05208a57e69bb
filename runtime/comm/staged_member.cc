#include "runtime/comm/staged_member.h"

#include <memory>
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

}  // namespace

void StageOnHost(MeetingMember on_gpu, std::function<void(StatusOr<MeetingMember> host)> then) {
  std::make_shared<StagedMember>(std::move(on_gpu))->Begin(std::move(then));
}

}  // namespace warpbeam
