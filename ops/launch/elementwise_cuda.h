// The GPU pass of elementwise ops: grid-stride kernels over functors. Included by nvcc only;
// include ops/launch/elementwise.h.
//
#ifndef WARPBEAM_OPS_LAUNCH_ELEMENTWISE_CUDA_H_
#define WARPBEAM_OPS_LAUNCH_ELEMENTWISE_CUDA_H_

#include <cuda_runtime.h>

// Functors compare numbers of every type with zero, unsigned ones too.
#pragma nv_diag_suppress 186

#include "ops/launch/gpu_launch.h"
#include "ops/launch/math.h"

namespace warpbeam::cuda_pass {

inline unsigned GridSize(int64_t count) {
  // Enough threads to fill any GPU; each walks over the rest with a stride.
  constexpr int64_t kThreads = 256, kMaxBlocks = 132 * 8;
  const int64_t blocks = (count + kThreads - 1) / kThreads;
  return static_cast<unsigned>(blocks < kMaxBlocks ? blocks : kMaxBlocks);
}

// A GPU cannot refuse values: what fails on the host gives some value here.
template <class Out, class Fn, class... In>
__device__ Out Apply(const Fn& fn, const In&... x) {
  bool unused = false;
  return static_cast<Out>(internal::Call(fn, unused, static_cast<ComputeType<In>>(x)...));
}

template <class Fn, class Out, class In>
__global__ void UnaryGrid(Fn fn, const In* __restrict__ x, Out* y, int64_t count) {
  const int64_t step = int64_t{blockDim.x} * gridDim.x;
  for (int64_t i = int64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count; i += step) {
    y[i] = Apply<Out>(fn, x[i]);
  }
}
template <class Fn, class Out, class In>
__global__ void BinaryGrid(Fn fn, const In* a, const In* b, Out* y, int64_t count) {
  const int64_t step = int64_t{blockDim.x} * gridDim.x;
  for (int64_t i = int64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count; i += step) {
    y[i] = Apply<Out>(fn, a[i], b[i]);
  }
}
template <class Fn, class Out, class In>
__global__ void BroadcastGrid(Fn fn, const In* a, const In* b, Out* y, Broadcast plan) {
  const int64_t step = int64_t{blockDim.x} * gridDim.x;
  for (int64_t i = int64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < plan.count; i += step) {
    int64_t at[Broadcast::kMaxInputs];
    plan.Locate(i, at);
    y[i] = Apply<Out>(fn, a[at[0]], b[at[1]]);
  }
}

template <class Fn, class Out, class In>
int LaunchUnary(const GpuElementwiseArgs& args) {
  if (args.count == 0) return 0;
  UnaryGrid<<<GridSize(args.count), 256, 0, static_cast<cudaStream_t>(args.stream)>>>(
      *static_cast<const Fn*>(args.functor), static_cast<const In*>(args.inputs[0]),
      static_cast<Out*>(args.output), args.count);
  return cudaGetLastError();
}
template <class Fn, class Out, class In>
int LaunchBinary(const GpuElementwiseArgs& args) {
  if (args.count == 0) return 0;
  const Fn& fn = *static_cast<const Fn*>(args.functor);
  const In* a = static_cast<const In*>(args.inputs[0]);
  const In* b = static_cast<const In*>(args.inputs[1]);
  Out* y = static_cast<Out*>(args.output);
  const auto stream = static_cast<cudaStream_t>(args.stream);
  if (args.broadcasts) {
    BroadcastGrid<<<GridSize(args.count), 256, 0, stream>>>(fn, a, b, y, args.plan);
  } else {
    BinaryGrid<<<GridSize(args.count), 256, 0, stream>>>(fn, a, b, y, args.count);
  }
  return cudaGetLastError();
}

// One static entry per element type, put on the list by the constructor. `Op` is a type of the op's
// own. Complex types have no GPU code.
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
    if constexpr (!kIsComplex<T>) {
      static GpuElementwiseEntry entry{op, DTypeOf<T>::value, variant, Launches::template kFor<T>,
                                       nullptr};
      RegisterGpuElementwise(&entry);
    }
  }
};

template <class Fn, template <class> class Out>
struct UnaryLaunches {
  template <class T>
  static constexpr GpuElementwiseLaunch kFor = &LaunchUnary<Fn, Out<T>, T>;
};
template <class Fn, template <class> class Out>
struct BinaryLaunches {
  template <class T>
  static constexpr GpuElementwiseLaunch kFor = &LaunchBinary<Fn, Out<T>, T>;
};

}  // namespace warpbeam::cuda_pass

#endif  // WARPBEAM_OPS_LAUNCH_ELEMENTWISE_CUDA_H_
