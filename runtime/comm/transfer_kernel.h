// TransferKernel: what sends a value out of a step, or receives one, each iteration of a loop under
// a key of its own.
//
// A step runs one that sends even when its input is dead, because its branch was not taken: that is
// sent, too, so that nobody waits for it. One that receives a dead value leaves its output empty,
// and the step takes it for dead.
//
//   class SendKernel final : public TransferKernel { … };      // ops/comm/send_recv.cc
//   FrameStep: transfer->Transfer(ctx, {frame, iteration}, done);   // others: {0, 0}
//
// Thread safety and errors: as Kernel.
#ifndef WARPBEAM_RUNTIME_COMM_TRANSFER_KERNEL_H_
#define WARPBEAM_RUNTIME_COMM_TRANSFER_KERNEL_H_

#include <cstdint>
#include <string>

#include "runtime/kernel/kernel.h"

namespace warpbeam {

// An iteration of a loop, of all that a step may run. Outside of loops both are 0.
struct LoopPlace {
  uint64_t frame = 0;
  int64_t iteration = 0;
};
// The number of the loop `name` that is entered in an iteration of `outer`, 0 outside of all. Each
// task finds the same: it is made of the names and iterations around the loop, as TensorFlow's keys
// have it.
uint64_t EnterLoop(const std::string& name, int64_t outer_iteration, uint64_t outer);

class TransferKernel : public AsyncKernel {
 public:
  explicit TransferKernel(bool sends) : sends_(sends) {}
  bool sends() const { return sends_; }
  void ComputeAsync(KernelContext& ctx, Done done) final {
    Transfer(ctx, LoopPlace(), std::move(done));
  }
  virtual void Transfer(KernelContext& ctx, const LoopPlace& place, Done done) = 0;

 private:
  const bool sends_;
};

}  // namespace warpbeam

#endif  // WARPBEAM_RUNTIME_COMM_TRANSFER_KERNEL_H_
