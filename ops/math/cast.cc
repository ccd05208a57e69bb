// Cast between all number types and bool.
//
// Numbers outside the target's range give what x86's conversions give, as TensorFlow's do: floating
// to int32 and int64 the most negative integer, to narrower integers the low bits of the conversion
// to int32. A complex number casts by its real part, to bool as well.

#include "ops/launch/elementwise.h"

#if WB_HOST_PASS
#include "graph/gradients/gradient_registry.h"
#include "graph/op/op_registry.h"
#include "graph/op/shape_context.h"
#endif

namespace warpbeam::WB_PASS {

// A conversion that is defined for every value: what does not fit gives the most negative integer.
template <class I, class F>
WB_HD I ToSigned(F x) {
  constexpr F kLimit = static_cast<F>(I(1) << (sizeof(I) * 8 - 2)) * 2;
  return x >= -kLimit && x < kLimit ? static_cast<I>(x) : std::numeric_limits<I>::min();
}

template <class D, class F>
WB_HD D FloatToInteger(F x) {
  if constexpr (std::is_same_v<D, uint64_t>) {
    constexpr F kTop = static_cast<F>(9223372036854775808.0);
    if (x >= kTop && x < kTop * 2) return static_cast<uint64_t>(x);
    return static_cast<uint64_t>(ToSigned<int64_t>(x));
  } else if constexpr (sizeof(D) == 8 || std::is_same_v<D, uint32_t>) {
    return static_cast<D>(ToSigned<int64_t>(x));
  } else {
    return static_cast<D>(ToSigned<int32_t>(x));
  }
}

template <class D>
struct CastFn {
  template <class S>
  WB_HD D operator()(S x) const {
    if constexpr (kIsComplex<S>) {
      if constexpr (kIsComplex<D>) {
        using R = typename D::value_type;
        return D(static_cast<R>(x.real()), static_cast<R>(x.imag()));
      } else {
        return CastFn<D>()(x.real());
      }
    } else if constexpr (kIsComplex<D>) {
      return D(static_cast<typename D::value_type>(x));
    } else if constexpr (std::is_same_v<D, bool>) {
      return x != S(0);
    } else if constexpr (std::is_floating_point_v<S> && std::is_integral_v<D>) {
      return FloatToInteger<D>(x);
    } else if constexpr (std::is_integral_v<S> && !std::is_integral_v<D> && sizeof(D) == 2) {
      return D(static_cast<float>(x));
    } else {
      return static_cast<D>(x);
    }
  }
};

// With Truncate, floating values are cut off instead of rounded: the mantissa bits that the target
// lacks are cleared before the conversion.
template <class D>
struct TruncatingCastFn {
  template <class S>
  WB_HD D operator()(S x) const {
    constexpr int kTargetBits = std::is_same_v<D, float> ? 23 : std::is_same_v<D, Half> ? 10 : 7;
    constexpr int kSourceBits = std::is_same_v<S, double> ? 52 : 23;
    using Bits = std::conditional_t<sizeof(S) == 8, uint64_t, uint32_t>;
    constexpr Bits kKeep = ~((Bits{1} << (kSourceBits - kTargetBits)) - 1);
    if (x == x) {
      Bits bits;
      memcpy(&bits, &x, sizeof(S));
      bits &= kKeep;
      memcpy(&x, &bits, sizeof(S));
    }
    return static_cast<D>(x);
  }
};
// What the passes know it by on GPUs, beside Cast.
inline constexpr char kTruncatingCast[] = "Cast, truncating";

#if WB_HOST_PASS

namespace {

using CastTypes = ConcatTypes<NumberTypeList, TypeList<bool>>;

template <class T>
inline constexpr bool kIsShortFloat = kIsFloat<T> && sizeof(T) <= 4;

template <class S, class D>
bool CastLoop(const void*, const void* const* inputs, unsigned, void* output, int64_t count) {
  const S* x = static_cast<const S*>(inputs[0]);
  D* y = static_cast<D*>(output);
  if constexpr (kIsShortFloat<S> && kIsShortFloat<D>) {
    constexpr int64_t kLanes = Vec<float>::kLanes;
    int64_t i = 0;
    for (; i + kLanes <= count; i += kLanes) StoreVec(LoadVec(x + i), y + i);
    if (i < count) StoreVecN(LoadVecN(x + i, count - i), y + i, count - i);
  } else {
    const CastFn<D> fn;
#pragma GCC ivdep
    for (int64_t i = 0; i < count; ++i) y[i] = fn(static_cast<ComputeType<S>>(x[i]));
  }
  return true;
}

template <class S, class D>
bool TruncatingLoop(const void*, const void* const* inputs, unsigned, void* output, int64_t count) {
  const S* x = static_cast<const S*>(inputs[0]);
  D* y = static_cast<D*>(output);
  const TruncatingCastFn<D> fn;
  for (int64_t i = 0; i < count; ++i) y[i] = fn(x[i]);
  return true;
}

ElementwiseLoop FindTruncatingLoop(DType from, DType to) {
  if (from == DType::kDouble) {
    if (to == DType::kFloat) return &TruncatingLoop<double, float>;
    if (to == DType::kHalf) return &TruncatingLoop<double, Half>;
    if (to == DType::kBFloat16) return &TruncatingLoop<double, BFloat16>;
  }
  if (from == DType::kFloat) {
    if (to == DType::kHalf) return &TruncatingLoop<float, Half>;
    if (to == DType::kBFloat16) return &TruncatingLoop<float, BFloat16>;
  }
  return nullptr;
}

class NoCastKernel final : public Kernel {
 public:
  Status Compute(KernelContext& ctx) override {
    ctx.set_output(0, ctx.input(0));
    return OkStatus();
  }
};

struct CastKernel {
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) {
    if (BaseType(init.input_types[0]) == BaseType(init.output_types[0]))
      return std::make_unique<NoCastKernel>();
    const DType from = Stored(init.input_types[0]), to = Stored(init.output_types[0]);
    WB_ASSIGN_OR_RETURN(const bool truncate, init.attr<bool>("Truncate"));
    ElementwiseSpec spec;
    if (truncate) spec.loop = FindTruncatingLoop(from, to);
    if (spec.loop != nullptr) spec.gpu_name = kTruncatingCast;
    if (spec.loop == nullptr) WB_RETURN_IF_ERROR(FindLoop(from, to, &spec.loop));
    spec.gpu_variant = to;
    return NewElementwiseKernel(spec, init);
  }

 private:
  // Quantised numbers are cast as the integers that stand for them.
  static DType Stored(DType type) {
    switch (type) {
      case DType::kQInt8:
        return DType::kInt8;
      case DType::kQUInt8:
        return DType::kUInt8;
      case DType::kQInt16:
        return DType::kInt16;
      case DType::kQUInt16:
        return DType::kUInt16;
      case DType::kQInt32:
        return DType::kInt32;
      default:
        return type;
    }
  }
  static Status FindLoop(DType from, DType to, ElementwiseLoop* loop) {
    Status status = DispatchTypes(CastTypes{}, from, [&](auto source) {
      using S = typename decltype(source)::type;
      return DispatchTypes(CastTypes{}, to, [&](auto target) {
        *loop = &CastLoop<S, typename decltype(target)::type>;
        return OkStatus();
      });
    });
    if (status.ok()) return status;
    return Unimplemented("cast from ", DTypeName(from), " to ", DTypeName(to), " is not supported");
  }
};

Status CastGradient(GradContext& c) {
  constexpr TypeSet kContinuous = kFloatingTypes | kComplexTypes;
  const DType from = c.type(c.x(0)), to = c.type(c.dy(0));
  if (kContinuous.contains(from) && kContinuous.contains(to)) {
    c.set_dx(0, c.Cast(c.dy(0), from));
  }
  return OkStatus();
}

constexpr TypeSet kCast = TypeSetOf(CastTypes{});

}  // namespace

WB_OP("Cast")
    .Input("x: SrcT")
    .Output("y: DstT")
    .Attr("SrcT: type")
    .Attr("DstT: type")
    .Attr("Truncate: bool = false")
    .Shape(shapes::Unchanged);
WB_KERNEL("Cast", CastKernel).Cpu().Gpu({{"SrcT", kCast}, {"DstT", kCast}});
WB_GRADIENT("Cast", CastGradient);

#else

// One registration per target type; the source types of each are a list.
using GpuCast = ConcatTypes<NumberTypeList, TypeList<bool>>;

template <class D>
struct CastLaunches {
  template <class S>
  static constexpr GpuElementwiseLaunch kFor =
      &LaunchElementwise<CastFn<GpuElement<D>>, GpuElement<D>, GpuElement<S>>;
};
template <class... Ds>
struct CastRegistrations {
  explicit CastRegistrations(TypeList<Ds...>) {
    (GpuRegistration<CastFn<Ds>, CastLaunches<Ds>, GpuCast>("Cast", DTypeOf<Ds>::value), ...);
  }
};
static const CastRegistrations cast_registrations{GpuCast{}};

template <class D>
struct TruncatingLaunches {
  template <class S>
  static constexpr GpuElementwiseLaunch kFor =
      &LaunchElementwise<TruncatingCastFn<GpuElement<D>>, GpuElement<D>, GpuElement<S>>;
};
template <class D, class... Ss>
struct TruncatingRegistration
    : GpuRegistration<TruncatingCastFn<D>, TruncatingLaunches<D>, TypeList<Ss...>> {
  TruncatingRegistration()
      : GpuRegistration<TruncatingCastFn<D>, TruncatingLaunches<D>, TypeList<Ss...>>(
            kTruncatingCast, DTypeOf<D>::value) {}
};
static const TruncatingRegistration<float, double> truncating_to_float;
static const TruncatingRegistration<Half, float, double> truncating_to_half;
static const TruncatingRegistration<BFloat16, float, double> truncating_to_bfloat16;

#endif

}  // namespace warpbeam::WB_PASS
