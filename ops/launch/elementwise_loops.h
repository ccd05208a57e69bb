// The innermost loops of elementwise kernels, and the kernel classes made of them. Host pass only;
// include ops/launch/elementwise.h. Nothing here keeps state: kernels of any thread may call the
// loops, each with its own ranges; they cannot fail.
#ifndef WARPBEAM_OPS_LAUNCH_ELEMENTWISE_LOOPS_H_
#define WARPBEAM_OPS_LAUNCH_ELEMENTWISE_LOOPS_H_

#include <algorithm>
#include <memory>

#include "ops/launch/dispatch.h"
#include "ops/launch/elementwise_kernel.h"
#include "ops/launch/math.h"

namespace warpbeam::host_pass {

namespace internal {

template <class Fn, class = void>
inline constexpr bool kVectorized = false;
template <class Fn>
inline constexpr bool kVectorized<Fn, std::void_t<decltype(Fn::kVectorized)>> = true;
template <class Fn, class = void>
inline constexpr int kPicoseconds = 250;
template <class Fn>
inline constexpr int kPicoseconds<Fn, std::void_t<decltype(Fn::kPicoseconds)>> = Fn::kPicoseconds;

template <class Fn, class = void>
inline constexpr bool kSameShape = false;
template <class Fn>
inline constexpr bool kSameShape<Fn, std::void_t<decltype(Fn::kSameShape)>> = Fn::kSameShape;

template <class Fn, class Out, class... In>
inline constexpr bool kUseVec = kVectorized<Fn>&& kIsFloat<Out> && (kIsFloat<In> && ...);

// Types that a loop may copy a block of.
template <class T>
inline constexpr bool kIsBlockable = std::is_trivially_copyable_v<T> && sizeof(T) <= 8;

template <class Fn, class Out, class... In>
Out Apply(const Fn& fn, bool& failed, const In&... x) {
  if constexpr ((std::is_same_v<ComputeType<In>, In> && ...)) {
    return static_cast<Out>(Call(fn, failed, x...));
  } else {
    return static_cast<Out>(Call(fn, failed, static_cast<ComputeType<In>>(x)...));
  }
}

}  // namespace internal

template <class Fn, class Out, class In>
bool UnaryLoop(const void* functor, const void* const* inputs, unsigned, void* output,
               int64_t count) {
  const Fn fn = *static_cast<const Fn*>(functor);  // a copy stays in registers
  const In* x = static_cast<const In*>(inputs[0]);
  Out* y = static_cast<Out*>(output);
  bool failed = false;
  if constexpr (internal::kUseVec<Fn, Out, In>) {
    constexpr int64_t kLanes = Vec<ComputeType<In>>::kLanes;
    int64_t i = 0;
    for (; i + kLanes <= count; i += kLanes) StoreVec(fn(LoadVec(x + i)), y + i);
    if (i < count) StoreVecN(fn(LoadVecN(x + i, count - i)), y + i, count - i);
  } else {
#pragma GCC ivdep
    for (int64_t i = 0; i < count; ++i) y[i] = internal::Apply<Fn, Out>(fn, failed, x[i]);
  }
  return !failed;
}

namespace internal {

template <class Fn, class Out, class A, class B>
void BinaryVecLoop(const Fn& fn, const A* a, const B* b, unsigned scalars, Out* y, int64_t count) {
  using V = Vec<ComputeType<A>>;
  constexpr int64_t kLanes = V::kLanes;
  bool unused = false;
  const auto f = [&](V p, V q) { return Call(fn, unused, p, q); };
  int64_t i = 0;
  if (scalars == 0) {
    for (; i + kLanes <= count; i += kLanes) StoreVec(f(LoadVec(a + i), LoadVec(b + i)), y + i);
    if (i < count) {
      StoreVecN(f(LoadVecN(a + i, count - i), LoadVecN(b + i, count - i)), y + i, count - i);
    }
  } else if (scalars == 1) {
    const V av(static_cast<ComputeType<A>>(*a));
    for (; i + kLanes <= count; i += kLanes) StoreVec(f(av, LoadVec(b + i)), y + i);
    if (i < count) StoreVecN(f(av, LoadVecN(b + i, count - i)), y + i, count - i);
  } else {
    const V bv(static_cast<ComputeType<B>>(*b));
    for (; i + kLanes <= count; i += kLanes) StoreVec(f(LoadVec(a + i), bv), y + i);
    if (i < count) StoreVecN(f(LoadVecN(a + i, count - i), bv), y + i, count - i);
  }
}

}  // namespace internal

template <class Fn, class Out, class A, class B>
bool BinaryLoop(const void* functor, const void* const* inputs, unsigned scalars, void* output,
                int64_t count) {
  const Fn fn = *static_cast<const Fn*>(functor);  // a copy stays in registers
  const A* a = static_cast<const A*>(inputs[0]);
  const B* b = static_cast<const B*>(inputs[1]);
  Out* y = static_cast<Out*>(output);
  bool failed = false;
  if constexpr (internal::kUseVec<Fn, Out, A, B>) {
    internal::BinaryVecLoop(fn, a, b, scalars, y, count);
  } else if (scalars == 0) {
#pragma GCC ivdep
    for (int64_t i = 0; i < count; ++i) y[i] = internal::Apply<Fn, Out>(fn, failed, a[i], b[i]);
  } else if (scalars == 1) {
    const A av = *a;
#pragma GCC ivdep
    for (int64_t i = 0; i < count; ++i) y[i] = internal::Apply<Fn, Out>(fn, failed, av, b[i]);
  } else {
    const B bv = *b;
#pragma GCC ivdep
    for (int64_t i = 0; i < count; ++i) y[i] = internal::Apply<Fn, Out>(fn, failed, a[i], bv);
  }
  return !failed;
}

// Three inputs are rarer: those that do not change stay in the first element of their array.
template <class Fn, class Out, class A, class B, class C>
bool TernaryLoop(const void* functor, const void* const* inputs, unsigned scalars, void* output,
                 int64_t count) {
  const Fn fn = *static_cast<const Fn*>(functor);  // a copy stays in registers
  const A* a = static_cast<const A*>(inputs[0]);
  const B* b = static_cast<const B*>(inputs[1]);
  const C* c = static_cast<const C*>(inputs[2]);
  Out* y = static_cast<Out*>(output);
  bool failed = false;
  if (scalars == 0) {
#pragma GCC ivdep
    for (int64_t i = 0; i < count; ++i) {
      y[i] = internal::Apply<Fn, Out>(fn, failed, a[i], b[i], c[i]);
    }
    return !failed;
  }
  const int64_t sa = (scalars & 1) == 0, sb = (scalars & 2) == 0, sc = (scalars & 4) == 0;
#pragma GCC ivdep
  for (int64_t i = 0; i < count; ++i) {
    y[i] = internal::Apply<Fn, Out>(fn, failed, a[i * sa], b[i * sb], c[i * sc]);
  }
  return !failed;
}

namespace internal {

template <class Fn, class = void>
struct MakeFunctor {
  static StatusOr<Fn> From(const AttrMap&) { return Fn(); }
};
template <class Fn>
struct MakeFunctor<Fn, std::void_t<decltype(&Fn::FromAttrs)>> {
  static StatusOr<Fn> From(const AttrMap& attrs) { return Fn::FromAttrs(attrs); }
};

}  // namespace internal

// Kernel classes. The element type is that of the last input. `CreateOnHost` makes kernels whose
// tensors are in host memory whatever the device.
template <class Fn, class Types, template <class> class Out, template <class, class> class Loop,
          int kInputs>
struct FunctorKernel {
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) {
    return Make(init, /*on_host=*/false);
  }
  static StatusOr<std::unique_ptr<Kernel>> CreateOnHost(KernelInit& init) {
    return Make(init, /*on_host=*/true);
  }

 private:
  static StatusOr<std::unique_ptr<Kernel>> Make(KernelInit& init, bool on_host) {
    ElementwiseSpec spec;
    WB_RETURN_IF_ERROR(DispatchTypes(Types{}, init.input_types[kInputs - 1], [&](auto tag) {
      using T = typename decltype(tag)::type;
      spec.loop = Loop<Fn, Out<T>>::template kFor<T>;
      return OkStatus();
    }));
    static_assert(std::is_trivially_copyable_v<Fn>);
    static_assert(sizeof(Fn) <= ElementwiseSpec::kMaxFunctorBytes);
    spec.num_inputs = kInputs;
    spec.same_shape = internal::kSameShape<Fn>;
    spec.on_host = on_host;
    spec.picoseconds = internal::kPicoseconds<Fn>;
    spec.failure = internal::kFailure<Fn>;
    WB_ASSIGN_OR_RETURN(const Fn fn, internal::MakeFunctor<Fn>::From(init.attrs));
    memcpy(spec.functor, &fn, sizeof(Fn));
    return NewElementwiseKernel(spec, init);
  }
};

namespace internal {
template <class Fn, class Out>
struct Unary {
  template <class T>
  static constexpr ElementwiseLoop kFor = &UnaryLoop<Fn, Out, T>;
};
template <class Fn, class Out>
struct Binary {
  template <class T>
  static constexpr ElementwiseLoop kFor = &BinaryLoop<Fn, Out, T, T>;
};
template <class Fn, class Out>
struct Ternary {
  template <class T>
  static constexpr ElementwiseLoop kFor = &TernaryLoop<Fn, Out, T, T, T>;
};
}  // namespace internal

template <class Fn, class Types, template <class> class Out = SameType>
using UnaryKernel = FunctorKernel<Fn, Types, Out, internal::Unary, 1>;
template <class Fn, class Types, template <class> class Out = SameType>
using BinaryKernel = FunctorKernel<Fn, Types, Out, internal::Binary, 2>;
template <class Fn, class Types, template <class> class Out = SameType>
using TernaryKernel = FunctorKernel<Fn, Types, Out, internal::Ternary, 3>;

}  // namespace warpbeam::host_pass

#endif  // WARPBEAM_OPS_LAUNCH_ELEMENTWISE_LOOPS_H_
