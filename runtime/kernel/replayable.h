// Replayable: of a kernel of a device that enqueues, whether its launches may be recorded once and
// played again (runtime/step/replay.h) in the place of calling it.
//
// They may where what is enqueued follows from the shapes of the inputs, the values of those in
// host memory, and the addresses of all others and of variables. A kernel that counts how often it
// was called, such as one of random numbers, says no.
//
//   class Sample final : public GpuKernel {
//    public:
//     bool is_replayable() const override { return false; }
//     …
//   };
//
// Thread safety: as Kernel. Errors: none.
#ifndef WARPBEAM_RUNTIME_KERNEL_REPLAYABLE_H_
#define WARPBEAM_RUNTIME_KERNEL_REPLAYABLE_H_

namespace warpbeam {

class Replayable {
 public:
  virtual ~Replayable() = default;
  virtual bool is_replayable() const { return true; }
};

}  // namespace warpbeam

#endif  // WARPBEAM_RUNTIME_KERNEL_REPLAYABLE_H_
