// Divisions and remainders. Integer divisions round towards zero (Div, TruncateDiv) or down
// (FloorDiv), their remainders go with them, and dividing an integer by zero is an error.

#include "ops/math/functors/binary_division.h"

#include "ops/launch/elementwise_table.h"

namespace warpbeam::WB_PASS {

using FloatComplex = ConcatTypes<FloatTypeList, ComplexTypeList>;
using GpuInteger = ConcatTypes<TypeList<int8_t, int16_t, int64_t>, UnsignedTypeList>;
using GpuReal = ConcatTypes<FloatTypeList, GpuInteger>;
using GpuDivisible = ConcatTypes<GpuReal, ComplexTypeList>;
using GpuNoBFloat16 = ConcatTypes<TypeList<Half, float, double>, GpuInteger>;
using Modulo = TypeList<float, double, int32_t, int64_t>;
using None = TypeList<>;

#define WB_DIVISIBLE                                                                           \
  "{bfloat16, half, float, double, uint8, int8, uint16, int16, int32, uint32, uint64, int64, " \
  "complex64, complex128}"

WB_BROADCAST_OP("Div", DivFn, WB_DIVISIBLE, NumberTypeList, GpuDivisible);
WB_BROADCAST_OP("RealDiv", RealDivFn, WB_DIVISIBLE, FloatComplex, FloatComplex);
WB_BROADCAST_OP("DivNoNan", DivNoNanFn, "{half, float, bfloat16, double, complex64, complex128}",
                FloatComplex, FloatComplex);
WB_BROADCAST_OP("TruncateDiv", TruncateDivFn, WB_DIVISIBLE, RealTypeList, GpuNoBFloat16);
WB_BROADCAST_OP("FloorDiv", FloorDivFn, WB_DIVISIBLE, RealTypeList, GpuReal);
WB_BROADCAST_OP("FloorMod", FloorModFn,
                "{int8, int16, int32, int64, uint8, uint16, uint32, uint64, bfloat16, half, "
                "float, double}",
                RealTypeList, GpuNoBFloat16);

WB_BINARY_KERNEL_ON_HOST("Div", DivFn, SameType, int32_t, "x", "y", "z");
WB_BINARY_KERNEL_ON_HOST("FloorDiv", FloorDivFn, SameType, int32_t, "x", "y", "z");
WB_BINARY_KERNEL_ON_HOST("FloorMod", FloorModFn, SameType, int32_t, "x", "y", "z");
WB_BINARY_KERNEL_ON_HOST("Mod", TruncateModFn, SameType, int32_t, "x", "y", "z");
WB_BINARY_KERNEL_ON_HOST("TruncateMod", TruncateModFn, SameType, int32_t, "x", "y", "z");

#if WB_HOST_PASS

WB_OP("Mod")
    .Input("x: T")
    .Input("y: T")
    .Output("z: T")
    .Attr("T: {int32, int64, half, half, bfloat16, float, double}")
    .Shape(shapes::BroadcastBinary);
WB_OP("TruncateMod")
    .Input("x: T")
    .Input("y: T")
    .Output("z: T")
    .Attr("T: {int32, int64, bfloat16, half, float, double}")
    .Shape(shapes::BroadcastBinary);
using ModKernel = BinaryKernel<TruncateModFn, Modulo>;
WB_KERNEL("Mod", ModKernel).Cpu({{"T", TypeSetOf(Modulo{})}});
WB_KERNEL("TruncateMod", ModKernel).Cpu({{"T", TypeSetOf(Modulo{})}});

namespace {

Status QuotientGradient(GradContext& c, const char* op) {
  const OutputRef x = c.Conj(c.x(0)), y = c.Conj(c.x(1));
  const OutputRef square = c.Emit(op, {c.Emit(op, {c.Neg(x), y}), y});
  c.set_dx_broadcast(c.Emit(op, {c.dy(0), y}), c.Mul(c.dy(0), square));
  return OkStatus();
}
Status RealDivGradient(GradContext& c) { return QuotientGradient(c, "RealDiv"); }
Status DivNoNanGradient(GradContext& c) { return QuotientGradient(c, "DivNoNan"); }
Status FloorModGradient(GradContext& c) {
  const OutputRef quotient = c.Emit("FloorDiv", {c.x(0), c.x(1)});
  c.set_dx_broadcast(c.dy(0), c.Mul(c.dy(0), c.Neg(quotient)));
  return OkStatus();
}

// Steps are flat: nothing flows back, and asking is no error.
Status NoFlow(GradContext&) { return OkStatus(); }

}  // namespace

WB_GRADIENT("Div", RealDivGradient);
WB_GRADIENT("RealDiv", RealDivGradient);
WB_GRADIENT("DivNoNan", DivNoNanGradient);
WB_GRADIENT("FloorMod", FloorModGradient);
WB_GRADIENT("FloorDiv", NoFlow);
WB_GRADIENT("TruncateDiv", NoFlow);

#endif  // WB_HOST_PASS

}  // namespace warpbeam::WB_PASS
