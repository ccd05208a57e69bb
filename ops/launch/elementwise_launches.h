// The passes of elementwise ops for GPUs, real and simulated ones: launches of functors. Include
// ops/launch/elementwise.h.
//
// Thread safety: registrations before main only, launches from any thread. Errors: those of
// launches (ops/launch/gpu_launch.h).
#ifndef WARPBEAM_OPS_LAUNCH_ELEMENTWISE_LAUNCHES_H_
#define WARPBEAM_OPS_LAUNCH_ELEMENTWISE_LAUNCHES_H_

#if WB_CUDA_PASS
// Functors compare numbers of every type with zero, unsigned ones too.
#pragma nv_diag_suppress 186
#endif

#include "ops/launch/complex_functions.h"
#include "ops/launch/elementwise_block.h"
#include "ops/launch/gpu_function.h"

namespace warpbeam::WB_PASS {

inline constexpr GpuSide kSide = WB_CUDA_PASS ? GpuSide::kReal : GpuSide::kSimulated;

template <class Fn, class Out, class... In>
int LaunchElementwise(const GpuElementwiseArgs& args) {
  using Block = ElementwiseBlock<Fn, Out, In...>;
  return LaunchInParts(args, Block::kLayout, [](const GpuElementwiseArgs& part) {
    const Block block(part);
    return LaunchBlocks<Block>(&block, Block::Grid(part.count), part.stream);
  });
}

// Puts a single launch on the list, for an element type that is not what the functor computes with.
struct GpuElementwiseRegistration {
  GpuElementwiseRegistration(const char* op, DType dtype, GpuElementwiseLaunch launch)
      : entry{op, dtype, DType::kInvalid, launch, nullptr} {
    RegisterGpuElementwise(kSide, &entry);
  }
  GpuElementwiseEntry entry;
};

// One static entry per element type, put on the list by the constructor. `Op` is a type of the op's
// own. Complex elements are ComplexNumbers.
template <class Op, class Launches, class Types>
struct GpuRegistration;
template <class Op, class Launches, class... Ts>
struct GpuRegistration<Op, Launches, TypeList<Ts...>> {
  explicit GpuRegistration(const char* op, DType variant = DType::kInvalid) {
    (Add<Ts>(op, variant), ...);
  }

 private:
  template <class T>
  static void Add(const char* op, DType variant) {
    static GpuElementwiseEntry entry{op, DTypeOf<T>::value, variant, Launches::template kFor<T>,
                                     nullptr};
    RegisterGpuElementwise(kSide, &entry);
  }
};

template <class Fn, template <class> class Out>
struct UnaryLaunches {
  template <class T>
  static constexpr GpuElementwiseLaunch kFor =
      &LaunchElementwise<Fn, GpuElement<Out<T>>, GpuElement<T>>;
};
template <class Fn, template <class> class Out>
struct BinaryLaunches {
  template <class T>
  static constexpr GpuElementwiseLaunch kFor =
      &LaunchElementwise<Fn, GpuElement<Out<T>>, GpuElement<T>, GpuElement<T>>;
};
template <class Fn, template <class> class Out>
struct TernaryLaunches {
  template <class T>
  static constexpr GpuElementwiseLaunch kFor =
      &LaunchElementwise<Fn, GpuElement<Out<T>>, GpuElement<T>, GpuElement<T>, GpuElement<T>>;
};

}  // namespace warpbeam::WB_PASS

#endif  // WARPBEAM_OPS_LAUNCH_ELEMENTWISE_LAUNCHES_H_
