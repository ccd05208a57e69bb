// Activation functions and their gradients: functions of one feature each, none of which keeps an
// attribute but LeakyRelu's slope. The gradients of rectifiers multiply by 0 or 1 instead of
// choosing, so that a NaN or infinite gradient shows even where the feature was cut off.

#include "ops/nn/functors/activations.h"

#include "ops/launch/elementwise_table.h"

namespace warpbeam::WB_PASS {

using GpuRelu = ConcatTypes<FloatTypeList, UnsignedTypeList, TypeList<int8_t, int16_t, int64_t>>;
using GpuSoft = TypeList<Half, float, double>;

#if WB_HOST_PASS
#define WB_ACTIVATION_SCHEMA(op, types, ...)                  \
  WB_OP(op)                                                   \
      .Input("features: T")                                   \
      .Output("activations: T") __VA_ARGS__.Attr("T: " types) \
      .Shape(::warpbeam::shapes::Unchanged)
#define WB_ACTIVATION_GRAD_SCHEMA(op, second, types, ...)   \
  WB_OP(op)                                                 \
      .Input("gradients: T")                                \
      .Input(second ": T")                                  \
      .Output("backprops: T") __VA_ARGS__.Attr("T: " types) \
      .Shape(::warpbeam::shapes::MergeInputs)
#else
#define WB_ACTIVATION_SCHEMA(op, types, ...) static_assert(true)
#define WB_ACTIVATION_GRAD_SCHEMA(op, second, types, ...) static_assert(true)
#endif
#define WB_REAL \
  "float, double, int32, uint8, int16, int8, int64, bfloat16, uint16, half, uint32, uint64"
#define WB_FLOATS "{half, bfloat16, float, double}"

WB_ACTIVATION_SCHEMA("Relu", "{" WB_REAL ", qint8}");
WB_UNARY_KERNEL("Relu", ReluFn, SameType, RealTypeList, GpuRelu);
WB_ACTIVATION_SCHEMA("Relu6", "{" WB_REAL "}");
WB_UNARY_KERNEL("Relu6", Relu6Fn, SameType, RealTypeList, FloatTypeList);
WB_ACTIVATION_SCHEMA("LeakyRelu", WB_FLOATS " = float", .Attr("alpha: float = 0.2"));
WB_UNARY_KERNEL("LeakyRelu", LeakyReluFn, SameType, FloatTypeList, FloatTypeList);
WB_ACTIVATION_SCHEMA("Elu", WB_FLOATS);
WB_UNARY_KERNEL("Elu", EluFn, SameType, FloatTypeList, FloatTypeList);
WB_ACTIVATION_SCHEMA("Selu", WB_FLOATS);
WB_UNARY_KERNEL("Selu", SeluFn, SameType, FloatTypeList, FloatTypeList);
WB_ACTIVATION_SCHEMA("Softplus", WB_FLOATS);
WB_UNARY_KERNEL("Softplus", SoftplusFn, SameType, FloatTypeList, GpuSoft);
WB_ACTIVATION_SCHEMA("Softsign", WB_FLOATS);
WB_UNARY_KERNEL("Softsign", SoftsignFn, SameType, FloatTypeList, GpuSoft);

WB_ACTIVATION_GRAD_SCHEMA("ReluGrad", "features", "{" WB_REAL "}");
WB_BINARY_KERNEL("ReluGrad", ReluGradFn, SameType, RealTypeList, FloatTypeList);
WB_ACTIVATION_GRAD_SCHEMA("Relu6Grad", "features", "{" WB_REAL "}");
WB_BINARY_KERNEL("Relu6Grad", Relu6GradFn, SameType, RealTypeList, FloatTypeList);
WB_ACTIVATION_GRAD_SCHEMA("LeakyReluGrad", "features", WB_FLOATS " = float",
                          .Attr("alpha: float = 0.2"));
WB_BINARY_KERNEL("LeakyReluGrad", LeakyReluGradFn, SameType, FloatTypeList, FloatTypeList);
WB_ACTIVATION_GRAD_SCHEMA("EluGrad", "outputs", WB_FLOATS);
WB_BINARY_KERNEL("EluGrad", EluGradFn, SameType, FloatTypeList, FloatTypeList);
WB_ACTIVATION_GRAD_SCHEMA("SeluGrad", "outputs", WB_FLOATS);
WB_BINARY_KERNEL("SeluGrad", SeluGradFn, SameType, FloatTypeList, FloatTypeList);
WB_ACTIVATION_GRAD_SCHEMA("SoftplusGrad", "features", WB_FLOATS);
WB_BINARY_KERNEL("SoftplusGrad", SoftplusGradFn, SameType, FloatTypeList, FloatTypeList);
WB_ACTIVATION_GRAD_SCHEMA("SoftsignGrad", "features", WB_FLOATS);
WB_BINARY_KERNEL("SoftsignGrad", SoftsignGradFn, SameType, FloatTypeList, FloatTypeList);

#if WB_HOST_PASS

namespace {

// TensorFlow's GPU takes Relu of qint8, which compares like int8.
struct QuantizedReluKernel {
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) {
    ElementwiseSpec spec;
    spec.loop = &UnaryLoop<ReluFn, int8_t, int8_t>;
    return NewElementwiseKernel(spec, init);
  }
};

// dy and a tensor of the forward op give the gradient; `extra` passes LeakyRelu's slope on.
Status Through(GradContext& c, const char* op, OutputRef x) {
  c.set_dx(0, c.Emit(op, {c.dy(0), x}));
  return OkStatus();
}
Status ReluGradient(GradContext& c) { return Through(c, "ReluGrad", c.y(0)); }
Status Relu6Gradient(GradContext& c) { return Through(c, "Relu6Grad", c.y(0)); }
Status EluGradient(GradContext& c) { return Through(c, "EluGrad", c.y(0)); }
Status SeluGradient(GradContext& c) { return Through(c, "SeluGrad", c.y(0)); }
Status SoftplusGradient(GradContext& c) { return Through(c, "SoftplusGrad", c.x(0)); }
Status SoftsignGradient(GradContext& c) { return Through(c, "SoftsignGrad", c.x(0)); }
OutputRef LeakySlope(GradContext& c, OutputRef x) {
  return c.Emit("LeakyReluGrad", {c.dy(0), x}, {{"alpha", c.attr_or<float>("alpha", 0.2f)}});
}
Status LeakyReluGradient(GradContext& c) {
  c.set_dx(0, LeakySlope(c, c.x(0)));
  return OkStatus();
}

// Rectifiers' gradients are linear in dy and piecewise constant in the feature.
Status ReluGradGradient(GradContext& c) {
  c.set_dx(0, c.Emit("ReluGrad", {c.dy(0), c.x(1)}));
  c.set_dx(1, c.ZerosLike(c.x(1)));
  return OkStatus();
}
Status Relu6GradGradient(GradContext& c) {
  c.set_dx(0, c.Emit("Relu6Grad", {c.dy(0), c.x(1)}));
  c.set_dx(1, c.ZerosLike(c.x(1)));
  return OkStatus();
}
Status LeakyReluGradGradient(GradContext& c) {
  c.set_dx(0, LeakySlope(c, c.x(1)));
  c.set_dx(1, c.ZerosLike(c.x(1)));
  return OkStatus();
}
Status ExponentialGradGradient(GradContext& c, const char* op) {
  const OutputRef dy = c.x(0), y = c.x(1), g = c.dy(0);
  c.set_dx(0, c.Emit(op, {g, y}));
  const OutputRef negative = c.Emit("Less", {y, c.ScalarLike(y, 0)});
  c.set_dx(1, c.Emit("SelectV2", {negative, c.Mul(g, dy), c.ZerosLike(y)}));
  return OkStatus();
}
Status EluGradGradient(GradContext& c) { return ExponentialGradGradient(c, "EluGrad"); }
Status SeluGradGradient(GradContext& c) { return ExponentialGradGradient(c, "SeluGrad"); }
Status SoftplusGradGradient(GradContext& c) {
  const OutputRef dy = c.x(0), x = c.x(1), g = c.dy(0);
  c.set_dx(0, c.Emit("SoftplusGrad", {g, x}));
  const OutputRef both = c.Add(c.Emit("Exp", {c.Neg(x)}), c.Emit("Exp", {x}));
  c.set_dx(1, c.Div(c.Mul(g, dy), c.Add(both, c.ScalarLike(x, 2))));
  return OkStatus();
}

}  // namespace

WB_KERNEL("Relu", QuantizedReluKernel).Gpu({{"T", {DType::kQInt8}}});
WB_GRADIENT("Relu", ReluGradient);
WB_GRADIENT("Relu6", Relu6Gradient);
WB_GRADIENT("LeakyRelu", LeakyReluGradient);
WB_GRADIENT("Elu", EluGradient);
WB_GRADIENT("Selu", SeluGradient);
WB_GRADIENT("Softplus", SoftplusGradient);
WB_GRADIENT("Softsign", SoftsignGradient);
WB_GRADIENT("ReluGrad", ReluGradGradient);
WB_GRADIENT("Relu6Grad", Relu6GradGradient);
WB_GRADIENT("LeakyReluGrad", LeakyReluGradGradient);
WB_GRADIENT("EluGrad", EluGradGradient);
WB_GRADIENT("SeluGrad", SeluGradGradient);
WB_GRADIENT("SoftplusGrad", SoftplusGradGradient);

#else

static const GpuElementwiseRegistration quantized_relu("Relu", DType::kQInt8,
                                                       &LaunchElementwise<ReluFn, int8_t, int8_t>);

#endif  // WB_HOST_PASS

}  // namespace warpbeam::WB_PASS
