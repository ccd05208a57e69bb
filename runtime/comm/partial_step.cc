#include "runtime/comm/partial_step.h"

#include <chrono>
#include <string>
#include <utility>

#include "runtime/kernel/kernel_context.h"

namespace warpbeam {
namespace {

std::string FeedKey(int feed) { return absl::StrCat("feed ", feed); }
std::string FetchKey(int fetch) { return absl::StrCat("fetch ", fetch); }

class PartialFeedKernel final : public AsyncKernel {
 public:
  explicit PartialFeedKernel(int feed) : key_(FeedKey(feed)) {}
  void ComputeAsync(KernelContext& ctx, Done done) override {
    ctx.step()->rendezvous()->Receive(
        key_, [&ctx, done = std::move(done)](StatusOr<Rendezvous::Value> value) {
          if (value.ok()) ctx.set_output(0, std::move(value->tensor));
          done(value.status());
        });
  }

 private:
  const std::string key_;
};

class PartialFetchKernel final : public Kernel {
 public:
  explicit PartialFetchKernel(int fetch) : key_(FetchKey(fetch)) {}
  Status Compute(KernelContext& ctx) override {
    Rendezvous::Value value;
    value.is_dead = ctx.input_is_dead(0) || !ctx.input(0).has_value();
    if (!value.is_dead) value.tensor = ctx.input(0);
    return ctx.step()->rendezvous()->Send(key_, std::move(value));
  }

 private:
  const std::string key_;
};

}  // namespace

PartialStep::PartialStep(int64_t step_id, ResourceStore* resources, FunctionRunner* functions,
                         std::shared_ptr<Rendezvous> meeting)
    : StepContext(step_id, resources, functions, std::move(meeting)) {
  OnCancel([this] { rendezvous()->Abort(Cancelled("the partial run has ended")); });
}

void PartialStep::Feed(int feed, Tensor value) {
  // It is refused only where the step has been cancelled, which a fetch tells.
  rendezvous()->Send(FeedKey(feed), {std::move(value), false}).IgnoreError();
}

Status PartialStep::Fetch(int fetch, int64_t timeout_ms, Tensor* value) {
  StatusOr<Rendezvous::Value> sent = rendezvous()->ReceiveWithin(FetchKey(fetch), timeout_ms);
  if (IsDeadlineExceeded(sent.status())) {
    return DeadlineExceeded("the fetch was not computed within ", timeout_ms, " ms");
  }
  // Whoever has been let go learns why from the step.
  if (!sent.ok()) {
    WB_RETURN_IF_ERROR(WaitForEnd(timeout_ms));
    return sent.status();
  }
  if (sent->is_dead) {
    return InvalidArgument("the fetch does not have a value: it is on a branch that was not taken");
  }
  *value = std::move(sent->tensor);
  return OkStatus();
}

Status PartialStep::WaitForEnd(int64_t timeout_ms) {
  std::unique_lock<std::mutex> lock(mutex_);
  const auto has_ended = [&] { return ended_; };
  if (timeout_ms <= 0) {
    changed_.wait(lock, has_ended);
  } else if (!changed_.wait_for(lock, std::chrono::milliseconds(timeout_ms), has_ended)) {
    return DeadlineExceeded("the partial run did not end within ", timeout_ms, " ms");
  }
  return status_;
}

void PartialStep::End(Status status) {
  {
    std::lock_guard<std::mutex> lock(mutex_);
    ended_ = true;
    status_ = status;
    changed_.notify_all();
  }
  // A fetch that was not sent by now never will be.
  if (!status.ok()) rendezvous()->Abort(std::move(status));
}

std::unique_ptr<Kernel> NewPartialFeedKernel(int feed) {
  return std::make_unique<PartialFeedKernel>(feed);
}

std::unique_ptr<Kernel> NewPartialFetchKernel(int fetch) {
  return std::make_unique<PartialFetchKernel>(fetch);
}

}  // namespace warpbeam
