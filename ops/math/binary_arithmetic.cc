// Sums, differences, products and what is made of them, of two arguments that broadcast.

#include "ops/math/functors/binary_arithmetic.h"

#include "ops/launch/elementwise_table.h"

namespace warpbeam::WB_PASS {

using FloatComplex = ConcatTypes<FloatTypeList, ComplexTypeList>;
using AddTypes = ConcatTypes<FloatComplex, SignedTypeList, TypeList<uint8_t>>;
using StringAddTypes = ConcatTypes<AddTypes, TypeList<std::string>>;
using GpuAdd = ConcatTypes<FloatComplex, TypeList<int8_t, int16_t, int64_t, uint8_t>>;
using GpuNumber = ConcatTypes<GpuAdd, TypeList<uint16_t, uint32_t, uint64_t>>;
using GpuReal = ConcatTypes<FloatTypeList, TypeList<int8_t, int16_t, int64_t>, UnsignedTypeList>;
using GpuMulNoNan = TypeList<Half, float, double, std::complex<float>, std::complex<double>>;
using Difference = ConcatTypes<FloatComplex, TypeList<int32_t, int64_t>>;
using GpuDifference = ConcatTypes<FloatTypeList, TypeList<int64_t>>;
using Powers = ConcatTypes<FloatComplex, SignedTypeList>;
using GpuPowers = ConcatTypes<FloatTypeList, TypeList<int8_t, int16_t, int64_t>>;

#define WB_FLOAT_COMPLEX "{bfloat16, half, float, double, complex64, complex128}"
#define WB_X_FLOAT_COMPLEX "{half, bfloat16, float, double, complex64, complex128}"

WB_BROADCAST_OP("Add", AddFn,
                "{bfloat16, half, float, double, uint8, int8, int16, int32, int64, complex64, "
                "complex128, string}",
                StringAddTypes, GpuAdd);
WB_BROADCAST_OP("AddV2", AddFn,
                "{bfloat16, half, float, double, uint8, uint16, uint32, uint64, int8, int16, "
                "int32, int64, complex64, complex128}",
                NumberTypeList, GpuNumber, .Commutative().Aggregate());
WB_BROADCAST_OP("Sub", SubFn,
                "{bfloat16, half, float, double, uint8, int8, uint16, int16, int32, int64, "
                "complex64, complex128, uint32, uint64}",
                NumberTypeList, GpuNumber);
WB_BROADCAST_OP("Mul", MulFn,
                "{bfloat16, half, float, double, uint8, int8, uint16, int16, int32, uint32, "
                "uint64, int64, complex64, complex128}",
                NumberTypeList, GpuNumber, .Commutative());
WB_BROADCAST_OP("MulNoNan", MulNoNanFn, WB_FLOAT_COMPLEX, FloatComplex, GpuMulNoNan);
WB_BROADCAST_OP("SquaredDifference", SquaredDifferenceFn,
                "{bfloat16, half, float, double, int32, int64, complex64, complex128}", Difference,
                GpuDifference, .Commutative());
WB_BROADCAST_OP("Maximum", MaximumFn,
                "{bfloat16, half, float, double, int8, uint8, int16, uint16, int32, uint32, "
                "int64, uint64}",
                RealTypeList, GpuReal);
WB_BROADCAST_OP("Minimum", MinimumFn,
                "{bfloat16, half, float, double, int8, uint8, int16, uint16, int32, uint32, "
                "int64, uint64}",
                RealTypeList, GpuReal);
WB_BROADCAST_OP("Xlogy", XlogyFn, WB_X_FLOAT_COMPLEX, FloatComplex, FloatComplex);
WB_BROADCAST_OP("Xlog1py", Xlog1pyFn, WB_X_FLOAT_COMPLEX, FloatComplex, FloatComplex);
WB_BROADCAST_OP("Xdivy", XdivyFn, WB_X_FLOAT_COMPLEX, FloatComplex, FloatComplex);
WB_BROADCAST_OP("Pow", PowFn,
                "{bfloat16, float, half, double, int8, int16, int32, int64, complex64, complex128}",
                Powers, GpuPowers);
WB_BINARY_KERNEL("Atan2", Atan2Fn, SameType, FloatTypeList, FloatTypeList);

WB_BINARY_KERNEL_ON_HOST("Add", AddFn, SameType, int32_t, "x", "y", "z");
WB_BINARY_KERNEL_ON_HOST("AddV2", AddFn, SameType, int32_t, "x", "y", "z");
WB_BINARY_KERNEL_ON_HOST("Sub", SubFn, SameType, int32_t, "x", "y", "z");
WB_BINARY_KERNEL_ON_HOST("Mul", MulFn, SameType, int32_t, "x", "y", "z");
WB_BINARY_KERNEL_ON_HOST("SquaredDifference", SquaredDifferenceFn, SameType, int32_t, "x", "y",
                         "z");
WB_BINARY_KERNEL_ON_HOST("Maximum", MaximumFn, SameType, int32_t, "x", "y", "z");
WB_BINARY_KERNEL_ON_HOST("Minimum", MinimumFn, SameType, int32_t, "x", "y", "z");

#if WB_HOST_PASS

WB_OP("Atan2")
    .Input("y: T")
    .Input("x: T")
    .Output("z: T")
    .Attr("T: {bfloat16, half, float, double}")
    .Shape(shapes::BroadcastBinary);

namespace {

Status AddGradient(GradContext& c) {
  c.set_dx_broadcast(c.dy(0), c.dy(0));
  return OkStatus();
}
Status SubGradient(GradContext& c) {
  c.set_dx_broadcast(c.dy(0), c.Neg(c.dy(0)));
  return OkStatus();
}
Status MulGradient(GradContext& c) {
  c.set_dx_broadcast(c.Mul(c.dy(0), c.Conj(c.x(1))), c.Mul(c.Conj(c.x(0)), c.dy(0)));
  return OkStatus();
}
Status MulNoNanGradient(GradContext& c) {
  c.set_dx_broadcast(c.Emit("MulNoNan", {c.dy(0), c.x(1)}), c.Emit("MulNoNan", {c.x(0), c.dy(0)}));
  return OkStatus();
}
Status SquaredDifferenceGradient(GradContext& c) {
  const OutputRef twice = c.Mul(c.ScalarLike(c.dy(0), 2), c.dy(0));
  const OutputRef dx = c.Mul(twice, c.Sub(c.x(0), c.x(1)));
  c.set_dx_broadcast(dx, c.Neg(dx));
  return OkStatus();
}
// The gradient goes to the first input where the comparison holds, else to the second.
Status ChoiceGradient(GradContext& c, const char* comparison) {
  const OutputRef first = c.Emit(comparison, {c.x(0), c.x(1)}), zeros = c.ZerosLike(c.dy(0));
  c.set_dx_broadcast(c.Emit("SelectV2", {first, c.dy(0), zeros}),
                     c.Emit("SelectV2", {first, zeros, c.dy(0)}));
  return OkStatus();
}
Status MaximumGradient(GradContext& c) { return ChoiceGradient(c, "GreaterEqual"); }
Status MinimumGradient(GradContext& c) { return ChoiceGradient(c, "LessEqual"); }

OutputRef IsNotZero(GradContext& c, OutputRef x) {
  return c.Cast(c.Emit("NotEqual", {x, c.ScalarLike(x, 0)}), c.type(x));
}
Status XlogyGradient(GradContext& c) {
  const OutputRef x = c.x(0), y = c.x(1);
  c.set_dx_broadcast(c.Mul(c.Emit("Xlogy", {IsNotZero(c, x), y}), c.dy(0)),
                     c.Mul(c.Emit("Xdivy", {x, y}), c.dy(0)));
  return OkStatus();
}
Status Xlog1pyGradient(GradContext& c) {
  const OutputRef x = c.x(0), y = c.x(1);
  c.set_dx_broadcast(c.Mul(c.Emit("Xlog1py", {IsNotZero(c, x), y}), c.dy(0)),
                     c.Mul(c.Emit("Xdivy", {x, c.Add(y, c.ScalarLike(y, 1))}), c.dy(0)));
  return OkStatus();
}
Status XdivyGradient(GradContext& c) {
  const OutputRef x = c.x(0), y = c.x(1);
  c.set_dx_broadcast(c.Mul(c.Emit("Xdivy", {IsNotZero(c, x), y}), c.dy(0)),
                     c.Mul(c.Emit("Xdivy", {c.Neg(x), c.Emit("Square", {y})}), c.dy(0)));
  return OkStatus();
}
Status PowGradient(GradContext& c) {
  const OutputRef x = c.Conj(c.x(0)), y = c.Conj(c.x(1)), z = c.Conj(c.y(0));
  const OutputRef lower = c.Emit("Pow", {x, c.Sub(y, c.ScalarLike(y, 1))});
  // log x only where it exists.
  const OutputRef valid =
      c.Emit(IsComplex(c.type(x)) ? "NotEqual" : "Greater", {x, c.ScalarLike(x, 0)});
  const OutputRef log = c.Emit("Log", {c.Emit("SelectV2", {valid, x, c.ScalarLike(x, 1)})});
  const OutputRef safe_log = c.Emit("SelectV2", {valid, log, c.ZerosLike(x)});
  c.set_dx_broadcast(c.Mul(c.Mul(c.dy(0), y), lower), c.Mul(c.Mul(c.dy(0), z), safe_log));
  return OkStatus();
}
Status Atan2Gradient(GradContext& c) {
  const OutputRef y = c.x(0), x = c.x(1);
  const OutputRef scale = c.Div(c.dy(0), c.Add(c.Emit("Square", {x}), c.Emit("Square", {y})));
  c.set_dx_broadcast(c.Mul(x, scale), c.Mul(c.Neg(y), scale));
  return OkStatus();
}

}  // namespace

WB_GRADIENT("Add", AddGradient);
WB_GRADIENT("AddV2", AddGradient);
WB_GRADIENT("Sub", SubGradient);
WB_GRADIENT("Mul", MulGradient);
WB_GRADIENT("MulNoNan", MulNoNanGradient);
WB_GRADIENT("SquaredDifference", SquaredDifferenceGradient);
WB_GRADIENT("Maximum", MaximumGradient);
WB_GRADIENT("Minimum", MinimumGradient);
WB_GRADIENT("Xlogy", XlogyGradient);
WB_GRADIENT("Xlog1py", Xlog1pyGradient);
WB_GRADIENT("Xdivy", XdivyGradient);
WB_GRADIENT("Pow", PowGradient);
WB_GRADIENT("Atan2", Atan2Gradient);

#endif  // WB_HOST_PASS

}  // namespace warpbeam::WB_PASS
