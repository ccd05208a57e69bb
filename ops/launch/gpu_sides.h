// GpuSides: who computes on GPUs what libraries compute: a library on real ones, the CPU's own code
// on simulated ones.
//
// Kernels see one interface and ask for the side of the stream that they are on. Libraries enqueue
// on the driver's stream, so theirs is taken where a driver has the stream. It has CUDA's stand-in
// of the tests, too (tests/cuda_stand_in), whose other kernels are host code. The side of real GPUs
// exists in builds with CUDA only.
//
//   GpuSides<GpuProducts> sides("matrix products");             // in the interface's own file
//   sides.Register(GpuSide::kSimulated, &products);             // by registrations, before main
//   WB_ASSIGN_OR_RETURN(GpuProducts * side, sides.Of(stream));  // in a kernel
//
// Ownership: sides are the registrars' and live as long as the process. Thread safety: registration
// before main only, everything else from any thread. Errors: UNIMPLEMENTED for a side that this
// build does not have.
#ifndef WARPBEAM_OPS_LAUNCH_GPU_SIDES_H_
#define WARPBEAM_OPS_LAUNCH_GPU_SIDES_H_

#include "graph/types/errors.h"
#include "ops/launch/gpu_launch.h"
#include "runtime/kernel/gpu_kernel.h"

namespace warpbeam {

inline GpuSide GpuSideOf(const GpuStream& stream) {
  return stream.has_driver() ? GpuSide::kReal : GpuSide::kSimulated;
}

template <class Interface>
class GpuSides {
 public:
  // `what` they compute, in the plural. Objects of namespaces are initialised at compile time:
  // registrations in other files may run before anything else here.
  constexpr explicit GpuSides(const char* what) : what_(what) {}

  void Register(GpuSide side, Interface* computes) {
    (side == GpuSide::kReal ? real_ : simulated_) = computes;
  }
  StatusOr<Interface*> Of(const GpuStream& stream) const {
    Interface* const side = GpuSideOf(stream) == GpuSide::kReal ? real_ : simulated_;
    if (side == nullptr) return Unimplemented("this build has no ", what_, " for this GPU");
    return side;
  }
  Interface* real() const { return real_; }  // null: this build has none

 private:
  const char* const what_;
  Interface* real_ = nullptr;
  Interface* simulated_ = nullptr;
};

}  // namespace warpbeam

#endif  // WARPBEAM_OPS_LAUNCH_GPU_SIDES_H_
