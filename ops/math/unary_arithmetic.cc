// Abs, Neg, Sign, roundings, powers and roots of one argument, and the gradients' own ops.

#include "ops/math/functors/unary_arithmetic.h"

#include "ops/launch/elementwise_table.h"

namespace warpbeam::WB_PASS {

using Signed = ConcatTypes<FloatTypeList, SignedTypeList>;
using FloatComplex = ConcatTypes<FloatTypeList, ComplexTypeList>;
using SignedComplex = ConcatTypes<Signed, ComplexTypeList>;
using GpuSigned = ConcatTypes<FloatTypeList, TypeList<int8_t, int16_t, int64_t>>;
using GpuSignedComplex = ConcatTypes<GpuSigned, ComplexTypeList>;
using GpuReal = ConcatTypes<GpuSigned, UnsignedTypeList>;
using Roundable = ConcatTypes<FloatTypeList, TypeList<int32_t, int64_t>>;
using Rintable = TypeList<float, double>;
using GpuRintable = TypeList<Half, float, double>;

#define WB_FLOAT "{bfloat16, half, float, double}"
#define WB_FLOAT_COMPLEX "{bfloat16, half, float, double, complex64, complex128}"
#define WB_SIGNED "{bfloat16, half, float, double, int8, int16, int32, int64}"
#define WB_SIGNED_COMPLEX \
  "{bfloat16, half, float, double, int8, int16, int32, int64, complex64, complex128}"
#define WB_NUMBER                                                                              \
  "{bfloat16, half, float, double, int8, int16, int32, int64, uint8, uint16, uint32, uint64, " \
  "complex64, complex128}"

WB_UNARY_OP("Abs", AbsFn, WB_SIGNED, Signed, GpuSigned);
WB_UNARY_OP("Neg", NegFn, WB_SIGNED_COMPLEX, SignedComplex, GpuSignedComplex);
WB_UNARY_OP("Sign", SignFn, WB_SIGNED_COMPLEX, SignedComplex, GpuSignedComplex);
WB_UNARY_OP("Inv", ReciprocalFn, WB_SIGNED_COMPLEX, FloatComplex, FloatComplex);
WB_UNARY_OP("Reciprocal", ReciprocalFn, WB_SIGNED_COMPLEX, FloatComplex, FloatComplex);
WB_UNARY_OP("Square", SquareFn, WB_NUMBER, NumberTypeList, GpuReal);
WB_UNARY_OP("Sqrt", SqrtFn, WB_FLOAT_COMPLEX, FloatComplex, FloatTypeList);
WB_UNARY_OP("Rsqrt", RsqrtFn, WB_FLOAT_COMPLEX, FloatComplex, FloatTypeList);
WB_UNARY_OP("Round", RoundFn, WB_SIGNED_COMPLEX, Roundable, Roundable);
WB_UNARY_OP("Rint", RoundFn, WB_FLOAT, Rintable, GpuRintable);
WB_UNARY_OP("Floor", FloorFn, WB_FLOAT, FloatTypeList, FloatTypeList);
WB_UNARY_OP("Ceil", CeilFn, WB_FLOAT, FloatTypeList, FloatTypeList);
WB_RESULT_GRAD_OP("InvGrad", ReciprocalGradFn, WB_FLOAT_COMPLEX, FloatComplex, FloatTypeList);
WB_RESULT_GRAD_OP("ReciprocalGrad", ReciprocalGradFn, WB_FLOAT_COMPLEX, FloatComplex,
                  FloatTypeList);
WB_RESULT_GRAD_OP("SqrtGrad", SqrtGradFn, WB_FLOAT_COMPLEX, FloatComplex, FloatTypeList);
WB_RESULT_GRAD_OP("RsqrtGrad", RsqrtGradFn, WB_FLOAT_COMPLEX, FloatComplex, FloatTypeList);

WB_UNARY_KERNEL_ON_HOST("Abs", AbsFn, SameType, int32_t, "x", "y");
WB_UNARY_KERNEL_ON_HOST("Neg", NegFn, SameType, int32_t, "x", "y");
WB_UNARY_KERNEL_ON_HOST("Sign", SignFn, SameType, int32_t, "x", "y");
WB_UNARY_KERNEL_ON_HOST("Square", SquareFn, SameType, int32_t, "x", "y");

#if WB_HOST_PASS

namespace {

Status AbsGradient(GradContext& c) {
  c.set_dx(0, c.Mul(c.dy(0), c.Emit("Sign", {c.x(0)})));
  return OkStatus();
}
Status NegGradient(GradContext& c) {
  c.set_dx(0, c.Neg(c.dy(0)));
  return OkStatus();
}
// Steps are flat: nothing flows back, and asking is no error.
Status NoFlow(GradContext&) { return OkStatus(); }
Status ZerosGradient(GradContext& c) {
  c.set_dx(0, c.ZerosLike(c.x(0)));
  return OkStatus();
}
Status ReciprocalGradient(GradContext& c) {
  c.set_dx(0, c.Emit("ReciprocalGrad", {c.y(0), c.dy(0)}));
  return OkStatus();
}
Status ReciprocalGradGradient(GradContext& c) {
  const OutputRef y = c.Conj(c.x(0)), dy = c.x(1), g = c.Conj(c.dy(0));
  c.set_dx(0, c.Mul(c.Mul(c.Mul(g, c.ScalarLike(g, -2)), dy), y));
  c.set_dx(1, c.Emit("ReciprocalGrad", {y, c.dy(0)}));
  return OkStatus();
}
Status SquareGradient(GradContext& c) {
  const OutputRef x = c.Conj(c.x(0));
  c.set_dx(0, c.Mul(c.dy(0), c.Mul(x, c.ScalarLike(x, 2))));
  return OkStatus();
}
Status SqrtGradient(GradContext& c) {
  c.set_dx(0, c.Emit("SqrtGrad", {c.y(0), c.dy(0)}));
  return OkStatus();
}
Status SqrtGradGradient(GradContext& c) {
  const OutputRef quotient = c.Div(c.dy(0), c.x(0));
  c.set_dx(0, c.Mul(c.Neg(c.Conj(quotient)), c.y(0)));
  c.set_dx(1, c.Mul(c.ScalarLike(quotient, 0.5), quotient));
  return OkStatus();
}
Status RsqrtGradient(GradContext& c) {
  c.set_dx(0, c.Emit("RsqrtGrad", {c.y(0), c.dy(0)}));
  return OkStatus();
}
Status RsqrtGradGradient(GradContext& c) {
  const OutputRef y = c.Conj(c.x(0)), dy = c.x(1), g = c.Conj(c.dy(0));
  const OutputRef scaled = c.Mul(c.Mul(c.ScalarLike(g, -1.5), g), dy);
  c.set_dx(0, c.Mul(scaled, c.Emit("Square", {y})));
  c.set_dx(1, c.Emit("RsqrtGrad", {y, c.dy(0)}));
  return OkStatus();
}

}  // namespace

WB_GRADIENT("Abs", AbsGradient);
WB_GRADIENT("Neg", NegGradient);
WB_GRADIENT("Sign", ZerosGradient);
WB_GRADIENT("Inv", ReciprocalGradient);
WB_GRADIENT("Reciprocal", ReciprocalGradient);
WB_GRADIENT("InvGrad", ReciprocalGradGradient);
WB_GRADIENT("ReciprocalGrad", ReciprocalGradGradient);
WB_GRADIENT("Square", SquareGradient);
WB_GRADIENT("Sqrt", SqrtGradient);
WB_GRADIENT("SqrtGrad", SqrtGradGradient);
WB_GRADIENT("Rsqrt", RsqrtGradient);
WB_GRADIENT("RsqrtGrad", RsqrtGradGradient);
WB_GRADIENT("Round", NoFlow);
WB_GRADIENT("Rint", NoFlow);
WB_GRADIENT("Floor", NoFlow);
WB_GRADIENT("Ceil", NoFlow);

#endif  // WB_HOST_PASS

}  // namespace warpbeam::WB_PASS
