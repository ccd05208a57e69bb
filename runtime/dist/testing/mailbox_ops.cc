#include "runtime/dist/testing/mailbox_ops.h"

#include <chrono>
#include <deque>
#include <mutex>
#include <thread>

#include "graph/op/op_registry.h"
#include "runtime/kernel/kernel_context.h"
#include "runtime/kernel/kernel_registry.h"

namespace warpbeam {

std::atomic<int> takers{0};

namespace {

std::mutex mailbox_mutex;
std::deque<Tensor> mailbox;

WB_OP("Put").Input("x: float").Stateful();
WB_OP("Take").Output("y: float").Stateful();

class PutKernel final : public Kernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit&) {
    return std::make_unique<PutKernel>();
  }
  Status Compute(KernelContext& ctx) override {
    std::lock_guard<std::mutex> lock(mailbox_mutex);
    mailbox.push_back(ctx.input(0));
    return OkStatus();
  }
};

class TakeKernel final : public AsyncKernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit&) {
    return std::make_unique<TakeKernel>();
  }
  void ComputeAsync(KernelContext& ctx, Done done) override {
    std::thread([&ctx, done] {
      ++takers;
      const Status status = Take(ctx);
      --takers;
      done(status);
    }).detach();
  }

 private:
  static Status Take(KernelContext& ctx) {
    while (!ctx.IsCancelled()) {
      {
        std::lock_guard<std::mutex> lock(mailbox_mutex);
        if (!mailbox.empty()) {
          ctx.set_output(0, mailbox.front());
          mailbox.pop_front();
          return OkStatus();
        }
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    return Cancelled("nothing was put");
  }
};

WB_KERNEL("Put", PutKernel).Cpu();
WB_KERNEL("Take", TakeKernel).Cpu().Async().Unbounded();

}  // namespace
}  // namespace warpbeam
