// Elementwise kernels: a functor of one, two or three scalars becomes a kernel for host and GPU.
//
//   struct SoftsignFn : Vectorized {         // in namespace warpbeam::WB_PASS
//     template <class V> WB_HD V operator()(V x) const { return x / (V(1) + Abs(x)); }
//   };
//   WB_UNARY_KERNEL("Softsign", SoftsignFn, SameType, FloatTypeList, FloatTypeList);
//
// The macros take op, functor, result type (SameType or BoolType) and the element types of the
// CPU's and of the GPU's kernels; each pass makes its half of them. Integers that stay in host
// memory on a GPU are declared with WB_UNARY_KERNEL_ON_HOST and the names of the arguments.
//
// A functor sees values of the compute type: float for 16-bit floats, else the element type itself.
// One that derives from `Vectorized` also gets Vec<float> and Vec<double> on the host. It may have
//   static constexpr int kPicoseconds   cost of an element on one core, 250 by default
//   static StatusOr<Fn> FromAttrs(const AttrMap&)   when it carries attributes
//   static constexpr bool kSameShape    when inputs of different shapes are refused
//   kFailure and a last parameter `bool& failed`          when values may be refused
//
// Inputs broadcast (ops/launch/broadcast.h); the output takes over an input's buffer where it may.
// All but the innermost loops is compiled once (elementwise_kernel.cc), whatever the functor.
//
// Thread safety: kernels are stateless. Errors: INVALID_ARGUMENT for shapes that do not fit, or
// with the functor's kFailure.
#ifndef WARPBEAM_OPS_LAUNCH_ELEMENTWISE_H_
#define WARPBEAM_OPS_LAUNCH_ELEMENTWISE_H_

#include <cstdint>
#include <cstring>
#include <type_traits>

#include "ops/launch/broadcast.h"
#include "ops/launch/math.h"
#include "ops/launch/pass.h"
#include "ops/launch/type_list.h"

namespace warpbeam::WB_PASS {

// Base of functors that compute on vectors too.
struct Vectorized {
  static constexpr bool kVectorized = true;
};

// The result type of an elementwise op: that of its input, or bool for predicates.
template <class T>
using SameType = T;
template <class T>
using BoolType = bool;

namespace internal {
template <class Fn, class = void>
inline constexpr const char* kFailure = nullptr;
template <class Fn>
inline constexpr const char* kFailure<Fn, std::void_t<decltype(Fn::kFailure)>> = Fn::kFailure;

// fn(x…), with the flag where the functor wants one.
template <class Fn, class... V>
WB_HD auto Call(const Fn& fn, bool& failed, const V&... x) {
  if constexpr (std::is_invocable_v<const Fn&, V..., bool&>) {
    return fn(x..., failed);
  } else {
    return fn(x...);
  }
}
}  // namespace internal

}  // namespace warpbeam::WB_PASS

#if WB_HOST_PASS

#include "ops/launch/elementwise_loops.h"
#include "runtime/kernel/kernel_registry.h"

#define WB_ELEMENTWISE_KERNEL(Kind, op, Fn, Out, CpuTypes, GpuTypes)                            \
  static const ::warpbeam::KernelRegistration WB_CONCAT(wb_elementwise_, __COUNTER__) =         \
      ::warpbeam::KernelDeclBuilder(                                                            \
          op,                                                                                   \
          &::warpbeam::host_pass::Kind##Kernel<Fn, ::warpbeam::ConcatTypes<CpuTypes, GpuTypes>, \
                                               ::warpbeam::host_pass::Out>::Create)             \
          .Cpu({{"T", ::warpbeam::TypeSetOf(CpuTypes{})}})                                      \
          .Gpu({{"T", ::warpbeam::TypeSetOf(GpuTypes{})}})
#define WB_ELEMENTWISE_KERNEL_ON_HOST(Kind, op, Fn, Out, T, ...)                              \
  static const ::warpbeam::KernelRegistration WB_CONCAT(wb_elementwise_, __COUNTER__) =       \
      ::warpbeam::KernelDeclBuilder(                                                          \
          op, &::warpbeam::host_pass::Kind##Kernel<Fn, ::warpbeam::TypeList<T>,               \
                                                   ::warpbeam::host_pass::Out>::CreateOnHost) \
          .Gpu({{"T", {::warpbeam::DTypeOf<T>::value}}})                                      \
          .HostMemory({__VA_ARGS__})
#define WB_GPU_CODE(Kind, op, Fn, Out, GpuTypes) static_assert(true)

#else

#include "ops/launch/elementwise_launches.h"

#define WB_ELEMENTWISE_KERNEL(Kind, op, Fn, Out, CpuTypes, GpuTypes) \
  WB_ELEMENTWISE_KERNEL_AT(__COUNTER__, Kind, op, Fn, Out, GpuTypes)
#define WB_ELEMENTWISE_KERNEL_AT(id, Kind, op, Fn, Out, GpuTypes) \
  WB_ELEMENTWISE_KERNEL_AS(id, Kind, op, Fn, Out, GpuTypes)
#define WB_ELEMENTWISE_KERNEL_AS(id, Kind, op, Fn, Out, GpuTypes)                               \
  struct WbGpuOp##id;                                                                           \
  static const ::warpbeam::WB_PASS::GpuRegistration<                                            \
      WbGpuOp##id, ::warpbeam::WB_PASS::Kind##Launches<Fn, ::warpbeam::WB_PASS::Out>, GpuTypes> \
      wb_gpu_registration_##id(op)
#define WB_ELEMENTWISE_KERNEL_ON_HOST(Kind, op, Fn, Out, T, ...) static_assert(true)
#define WB_GPU_CODE(Kind, op, Fn, Out, GpuTypes) \
  WB_ELEMENTWISE_KERNEL_AT(__COUNTER__, Kind, op, Fn, Out, GpuTypes)

#endif

#define WB_UNARY_KERNEL(...) WB_ELEMENTWISE_KERNEL(Unary, __VA_ARGS__)
#define WB_BINARY_KERNEL(...) WB_ELEMENTWISE_KERNEL(Binary, __VA_ARGS__)
#define WB_UNARY_KERNEL_ON_HOST(...) WB_ELEMENTWISE_KERNEL_ON_HOST(Unary, __VA_ARGS__)
#define WB_BINARY_KERNEL_ON_HOST(...) WB_ELEMENTWISE_KERNEL_ON_HOST(Binary, __VA_ARGS__)

#endif  // WARPBEAM_OPS_LAUNCH_ELEMENTWISE_H_
