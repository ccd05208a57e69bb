// Operations on the bits of integers. Shifts by fewer than 0 or more than all bits are as by 0 and
// by all but one.

#include "ops/launch/elementwise_table.h"

namespace warpbeam::WB_PASS {

struct BitwiseAndFn {
  template <class V>
  WB_HD V operator()(V x, V y) const {
    return static_cast<V>(x & y);
  }
};
struct BitwiseOrFn {
  template <class V>
  WB_HD V operator()(V x, V y) const {
    return static_cast<V>(x | y);
  }
};
struct BitwiseXorFn {
  template <class V>
  WB_HD V operator()(V x, V y) const {
    return static_cast<V>(x ^ y);
  }
};
struct InvertFn {
  template <class V>
  WB_HD V operator()(V x) const {
    return static_cast<V>(~x);
  }
};
template <class V>
WB_HD int ShiftDistance(V y) {
  constexpr int kLast = static_cast<int>(sizeof(V)) * 8 - 1;
  if (y < V(0)) return 0;
  return y > V(kLast) ? kLast : static_cast<int>(y);
}
struct LeftShiftFn {
  template <class V>
  WB_HD V operator()(V x, V y) const {
    return static_cast<V>(static_cast<WrapType<V>>(x) << ShiftDistance(y));
  }
};
struct RightShiftFn {
  template <class V>
  WB_HD V operator()(V x, V y) const {
    return static_cast<V>(x >> ShiftDistance(y));
  }
};
struct PopulationCountFn {
  template <class V>
  WB_HD uint8_t operator()(V x) const {
    const auto bits = static_cast<std::make_unsigned_t<V>>(x);
#ifdef __CUDA_ARCH__
    return static_cast<uint8_t>(__popcll(bits));
#else
    return static_cast<uint8_t>(__builtin_popcountll(bits));
#endif
  }
};
template <class T>
using ByteType = uint8_t;

using GpuCountable = TypeList<int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t>;

#define WB_INTEGER "{int8, int16, int32, int64, uint8, uint16, uint32, uint64}"

#if WB_HOST_PASS
#define WB_BITWISE_OP(op, Fn, ...)                                            \
  WB_OP(op).Input("x: T").Input("y: T").Output("z: T").Attr("T: " WB_INTEGER) \
      __VA_ARGS__.Shape(shapes::BroadcastBinary);                             \
  WB_NO_GRADIENT(op);                                                         \
  WB_BINARY_KERNEL(op, Fn, SameType, IntegerTypeList, IntegerTypeList)
#else
#define WB_BITWISE_OP(op, Fn, ...) \
  WB_BINARY_KERNEL(op, Fn, SameType, IntegerTypeList, IntegerTypeList)
#endif

WB_BITWISE_OP("BitwiseAnd", BitwiseAndFn, .Commutative());
WB_BITWISE_OP("BitwiseOr", BitwiseOrFn, .Commutative());
WB_BITWISE_OP("BitwiseXor", BitwiseXorFn, .Commutative());
WB_BITWISE_OP("LeftShift", LeftShiftFn);
WB_BITWISE_OP("RightShift", RightShiftFn);
WB_UNARY_OP("Invert", InvertFn, WB_INTEGER, IntegerTypeList, IntegerTypeList);
WB_GPU_CODE(Unary, "PopulationCount", PopulationCountFn, ByteType, GpuCountable);

#if WB_HOST_PASS

WB_NO_GRADIENT("Invert");
WB_OP("PopulationCount")
    .Input("x: T")
    .Output("y: uint8")
    .Attr("T: " WB_INTEGER)
    .Shape(shapes::Unchanged);
using PopulationCountKernel = UnaryKernel<PopulationCountFn, IntegerTypeList, ByteType>;
WB_KERNEL("PopulationCount", PopulationCountKernel)
    .Cpu({{"T", kIntegerTypes}})
    .Gpu({{"T", TypeSetOf(GpuCountable{})}});
WB_NO_GRADIENT("PopulationCount");

#endif  // WB_HOST_PASS

}  // namespace warpbeam::WB_PASS
