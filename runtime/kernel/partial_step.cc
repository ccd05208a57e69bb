#include "runtime/kernel/partial_step.h"

#include <chrono>
#include <utility>

#include "runtime/kernel/kernel_context.h"

namespace warpbeam {
namespace {

class PartialFeedKernel final : public AsyncKernel {
 public:
  explicit PartialFeedKernel(int feed) : feed_(feed) {}
  void ComputeAsync(KernelContext& ctx, Done done) override {
    static_cast<PartialStep*>(ctx.step())->Await(feed_, &ctx.output(0), std::move(done));
  }

 private:
  const int feed_;
};

class PartialFetchKernel final : public Kernel {
 public:
  explicit PartialFetchKernel(int fetch) : fetch_(fetch) {}
  absl::Status Compute(KernelContext& ctx) override {
    auto* step = static_cast<PartialStep*>(ctx.step());
    if (ctx.input_is_dead(0) || !ctx.input(0).has_value()) {
      step->Deliver(fetch_, InvalidArgument("the fetch does not have a value: it is on a branch "
                                            "that was not taken"));
    } else {
      step->Deliver(fetch_, ctx.input(0));
    }
    return absl::OkStatus();
  }

 private:
  const int fetch_;
};

absl::Status NotThereYet() { return absl::UnavailableError("the fetch has not been computed yet"); }

}  // namespace

PartialStep::PartialStep(int64_t step_id, ResourceStore* resources, FunctionRunner* functions,
                         int num_feeds, int num_fetches)
    : StepContext(step_id, resources, functions),
      feeds_(num_feeds),
      fetches_(num_fetches, NotThereYet()) {
  OnCancel([this] { CancelWaiting(); });
}

void PartialStep::Feed(int feed, Tensor value) {
  Kernel::Done done;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    Feeding& f = feeds_[feed];
    f.value = std::move(value);
    done = std::exchange(f.done, nullptr);
    if (done != nullptr) *f.slot = std::move(f.value);
  }
  if (done != nullptr) done(absl::OkStatus());
}

void PartialStep::Await(int feed, Tensor* slot, Kernel::Done done) {
  absl::Status s;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    Feeding& f = feeds_[feed];
    if (f.value.has_value()) {
      *slot = std::move(f.value);
      f.value.Reset();
    } else if (IsCancelled()) {
      s = Cancelled("the partial run has ended");
    } else {
      f.slot = slot;
      f.done = std::move(done);
      return;
    }
  }
  done(std::move(s));
}

void PartialStep::CancelWaiting() {
  std::vector<Kernel::Done> waiting;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    for (Feeding& f : feeds_) {
      if (f.done != nullptr) waiting.push_back(std::exchange(f.done, nullptr));
    }
  }
  for (const Kernel::Done& done : waiting) done(Cancelled("the partial run has ended"));
}

void PartialStep::Deliver(int fetch, absl::StatusOr<Tensor> value) {
  std::lock_guard<std::mutex> lock(mutex_);
  fetches_[fetch] = std::move(value);
  changed_.notify_all();
}

bool PartialStep::WaitFor(std::unique_lock<std::mutex>& lock, int64_t timeout_ms,
                          absl::FunctionRef<bool()> holds) {
  if (timeout_ms > 0) {
    return changed_.wait_for(lock, std::chrono::milliseconds(timeout_ms), holds);
  }
  changed_.wait(lock, holds);
  return true;
}

absl::Status PartialStep::Fetch(int fetch, int64_t timeout_ms, Tensor* value) {
  std::unique_lock<std::mutex> lock(mutex_);
  const auto is_there = [&] { return ended_ || !absl::IsUnavailable(fetches_[fetch].status()); };
  if (!WaitFor(lock, timeout_ms, is_there)) {
    return DeadlineExceeded("the fetch was not computed within ", timeout_ms, " ms");
  }
  if (ended_ && !status_.ok()) return status_;
  if (!fetches_[fetch].ok()) return fetches_[fetch].status();
  *value = *std::exchange(fetches_[fetch], NotThereYet());
  return absl::OkStatus();
}

absl::Status PartialStep::WaitForEnd(int64_t timeout_ms) {
  std::unique_lock<std::mutex> lock(mutex_);
  if (!WaitFor(lock, timeout_ms, [&] { return ended_; })) {
    return DeadlineExceeded("the partial run did not end within ", timeout_ms, " ms");
  }
  return status_;
}

void PartialStep::End(absl::Status status) {
  std::lock_guard<std::mutex> lock(mutex_);
  ended_ = true;
  status_ = std::move(status);
  changed_.notify_all();
}

std::unique_ptr<Kernel> NewPartialFeedKernel(int feed) {
  return std::make_unique<PartialFeedKernel>(feed);
}

std::unique_ptr<Kernel> NewPartialFetchKernel(int fetch) {
  return std::make_unique<PartialFetchKernel>(fetch);
}

}  // namespace warpbeam
