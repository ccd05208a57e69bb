// Comparisons, predicates of one number and boolean logic: elementwise ops with boolean results.

#include "ops/math/functors/comparison.h"

#include "ops/launch/elementwise_table.h"
#if WB_HOST_PASS
#include "runtime/device/device.h"
#endif

namespace warpbeam::WB_PASS {

using GpuReal = ConcatTypes<FloatTypeList, TypeList<int8_t, int16_t, int64_t>, UnsignedTypeList>;
using GpuEqual = ConcatTypes<GpuReal, ComplexTypeList, TypeList<bool>>;
using QuantizedTypes = TypeList<QInt8, QUInt8, QInt16, QUInt16, QInt32>;
using Comparable = ConcatTypes<NumberTypeList, TypeList<bool, std::string>, QuantizedTypes>;
using Approximable = TypeList<float, double>;

#define WB_ORDERED \
  "{float, double, int32, uint8, int16, int8, int64, bfloat16, uint16, half, uint32, uint64}"

#if WB_HOST_PASS
#define WB_COMPARISON_OP(op, Fn)                                      \
  WB_OP(op)                                                           \
      .Input("x: T")                                                  \
      .Input("y: T")                                                  \
      .Output("z: bool")                                              \
      .Attr("T: " WB_ORDERED)                                         \
      .Shape(shapes::BroadcastBinary);                                \
  WB_NO_GRADIENT(op);                                                 \
  WB_BINARY_KERNEL_ON_HOST(op, Fn, BoolType, int32_t, "x", "y", "z"); \
  WB_BINARY_KERNEL(op, Fn, BoolType, RealTypeList, GpuReal)
#else
#define WB_COMPARISON_OP(op, Fn) WB_BINARY_KERNEL(op, Fn, BoolType, RealTypeList, GpuReal)
#endif

WB_COMPARISON_OP("Less", LessFn);
WB_COMPARISON_OP("LessEqual", LessEqualFn);
WB_COMPARISON_OP("Greater", GreaterFn);
WB_COMPARISON_OP("GreaterEqual", GreaterEqualFn);
WB_UNARY_KERNEL("IsNan", IsNanFn, BoolType, FloatTypeList, FloatTypeList);
WB_UNARY_KERNEL("IsInf", IsInfFn, BoolType, FloatTypeList, FloatTypeList);
WB_UNARY_KERNEL("IsFinite", IsFiniteFn, BoolType, FloatTypeList, FloatTypeList);
WB_BINARY_KERNEL("ApproximateEqual", ApproximateEqualFn, BoolType, Approximable, Approximable);
WB_GPU_CODE(Binary, "Equal", EqualFn, BoolType, GpuEqual);
WB_GPU_CODE(Binary, "NotEqual", NotEqualFn, BoolType, GpuEqual);
WB_GPU_CODE(Binary, "LogicalAnd", LogicalAndFn, BoolType, TypeList<bool>);
WB_GPU_CODE(Binary, "LogicalOr", LogicalOrFn, BoolType, TypeList<bool>);
WB_GPU_CODE(Unary, "LogicalNot", LogicalNotFn, BoolType, TypeList<bool>);

#if WB_HOST_PASS

namespace {

bool CanBroadcast(const PartialShape& a, const PartialShape& b) {
  return ShapeContext::Broadcast(a, b).ok();
}

// With incompatible_shape_error = false, tensors of shapes that do not fit are simply not equal.
Status EqualShape(ShapeContext& c) {
  WB_ASSIGN_OR_RETURN(const bool must_fit, c.attr<bool>("incompatible_shape_error"));
  if (must_fit) return shapes::BroadcastBinary(c);
  const bool known = c.input(0).IsFullyDefined() && c.input(1).IsFullyDefined();
  if (!known) {
    c.set_output(0, PartialShape::Unknown());
  } else if (CanBroadcast(c.input(0), c.input(1))) {
    return shapes::BroadcastBinary(c);
  } else {
    c.set_output(0, PartialShape(Shape()));
  }
  return OkStatus();
}

template <class Fn>
class EqualityKernel final : public Kernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) {
    return Make(init, BinaryKernel<Fn, Comparable, BoolType>::Create(init));
  }
  static StatusOr<std::unique_ptr<Kernel>> CreateOnHost(KernelInit& init) {
    return Make(init, BinaryKernel<Fn, Comparable, BoolType>::CreateOnHost(init));
  }

  explicit EqualityKernel(std::unique_ptr<Kernel> elementwise)
      : elementwise_(std::move(elementwise)) {}

  Status Compute(KernelContext& ctx) override {
    const Shape &x = ctx.input(0).shape(), &y = ctx.input(1).shape();
    if (x == y || CanBroadcast(x, y)) return elementwise_->Compute(ctx);
    if (ctx.device() != nullptr && !ctx.device()->runs_host_code()) {
      return Unimplemented("comparing tensors of shapes that do not fit on this device");
    }
    WB_ASSIGN_OR_RETURN(Tensor * z, ctx.Allocate(0, Shape()));
    *z->data<bool>() = std::is_same_v<Fn, NotEqualFn>;
    return OkStatus();
  }

 private:
  static StatusOr<std::unique_ptr<Kernel>> Make(KernelInit& init,
                                                StatusOr<std::unique_ptr<Kernel>> elementwise) {
    WB_ASSIGN_OR_RETURN(const bool must_fit, init.attr<bool>("incompatible_shape_error"));
    if (must_fit || !elementwise.ok()) return elementwise;
    return std::make_unique<EqualityKernel>(*std::move(elementwise));
  }

  std::unique_ptr<Kernel> elementwise_;
};

}  // namespace

#define WB_EQUALITY_OP(op, Fn)                                             \
  WB_OP(op)                                                                \
      .Input("x: T")                                                       \
      .Input("y: T")                                                       \
      .Output("z: bool")                                                   \
      .Attr("T: type")                                                     \
      .Attr("incompatible_shape_error: bool = true")                       \
      .Commutative()                                                       \
      .Shape(EqualShape);                                                  \
  WB_NO_GRADIENT(op);                                                      \
  WB_KERNEL(op, EqualityKernel<Fn>)                                        \
      .Cpu({{"T", TypeSetOf(Comparable{})}})                               \
      .Gpu({{"T", TypeSetOf(GpuEqual{})}});                                \
  static const KernelRegistration WB_CONCAT(wb_host_equality_, __LINE__) = \
      KernelDeclBuilder(op, &EqualityKernel<Fn>::CreateOnHost)             \
          .Gpu({{"T", {DType::kInt32}}})                                   \
          .HostMemory({"x", "y", "z"})
WB_EQUALITY_OP("Equal", EqualFn);
WB_EQUALITY_OP("NotEqual", NotEqualFn);

WB_OP("ApproximateEqual")
    .Input("x: T")
    .Input("y: T")
    .Output("z: bool")
    .Attr(
        "T: {float, double, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, "
        "bfloat16, qint16, quint16, uint16, complex128, half, uint32, uint64}")
    .Attr("tolerance: float = 0.00001")
    .Commutative()
    .Shape(shapes::MergeInputs);
WB_NO_GRADIENT("ApproximateEqual");

#define WB_PREDICATE_OP(op)                       \
  WB_OP(op)                                       \
      .Input("x: T")                              \
      .Output("y: bool")                          \
      .Attr("T: {bfloat16, half, float, double}") \
      .Shape(shapes::Unchanged)
WB_PREDICATE_OP("IsNan");
WB_PREDICATE_OP("IsInf");
WB_PREDICATE_OP("IsFinite");

using LogicalNotKernel = UnaryKernel<LogicalNotFn, TypeList<bool>>;
using LogicalAndKernel = BinaryKernel<LogicalAndFn, TypeList<bool>>;
using LogicalOrKernel = BinaryKernel<LogicalOrFn, TypeList<bool>>;
WB_OP("LogicalNot").Input("x: bool").Output("y: bool").Shape(shapes::Unchanged);
WB_OP("LogicalAnd")
    .Input("x: bool")
    .Input("y: bool")
    .Output("z: bool")
    .Commutative()
    .Shape(shapes::BroadcastBinary);
WB_OP("LogicalOr")
    .Input("x: bool")
    .Input("y: bool")
    .Output("z: bool")
    .Commutative()
    .Shape(shapes::BroadcastBinary);
WB_KERNEL("LogicalNot", LogicalNotKernel).Cpu().Gpu();
WB_KERNEL("LogicalAnd", LogicalAndKernel).Cpu().Gpu();
WB_KERNEL("LogicalOr", LogicalOrKernel).Cpu().Gpu();
WB_NO_GRADIENT("LogicalNot");
WB_NO_GRADIENT("LogicalAnd");
WB_NO_GRADIENT("LogicalOr");

#endif  // WB_HOST_PASS

}  // namespace warpbeam::WB_PASS
