// ConditionalAccumulator and ResourceConditionalAccumulator with their ops: dense gradients of
// several workers summed up until enough have come; and what all kinds of accumulators are asked.
#include "graph/op/op_registry.h"
#include "ops/array/function_kernel.h"
#include "ops/launch/dispatch.h"
#include "ops/state/accumulator.h"
#include "ops/state/elementwise_update.h"

namespace warpbeam {
namespace {

class DenseAccumulator final : public Accumulator {
 public:
  DenseAccumulator(DType dtype, PartialShape shape, bool mean)
      : Accumulator(dtype, std::move(shape), mean, /*sparse=*/false) {}

 protected:
  Status Add(KernelContext& ctx, const Gradient& gradient, int64_t count) override {
    if (!shape().IsCompatibleWith(gradient[0].shape())) {
      return InvalidArgument("the accumulator is for gradients of ", DTypeName(dtype()),
                             shape().ToString(), ", not ", DTypeName(gradient[0].dtype()),
                             gradient[0].shape().ToString());
    }
    if (count > 0) return UpdateElementwise(ctx, ScatterOp::kAdd, sum_, gradient[0]);
    WB_ASSIGN_OR_RETURN(sum_, gradient[0].Clone());
    return OkStatus();
  }
  Finish Release(int64_t count) override {
    Tensor sum = std::move(sum_);
    sum_ = Tensor();
    if (!mean()) return [sum] { return Gradient{sum}; };
    return [sum, count]() mutable -> StatusOr<Gradient> {
      WB_RETURN_IF_ERROR(Divide(count, &sum));
      return Gradient{sum};
    };
  }

 private:
  static Status Divide(int64_t by, Tensor* t) {
    return DispatchTypes<Half, float, double>(t->dtype(), [&](auto tag) -> Status {
      using T = typename decltype(tag)::type;
      using V = ComputeType<T>;
      for (T& x : t->flat<T>()) x = static_cast<T>(static_cast<V>(x) / static_cast<V>(by));
      return OkStatus();
    });
  }

  Tensor sum_;
};

Status RunApply(KernelContext& ctx) {
  WB_ASSIGN_OR_RETURN(std::shared_ptr<Accumulator> accumulator, AccumulatorOf(ctx));
  WB_ASSIGN_OR_RETURN(int64_t local_step, AccumulatorScalar(ctx, 1, "local_step"));
  WB_RETURN_IF_ERROR(accumulator->CheckKind(/*sparse=*/false, ctx.input(2).dtype()));
  return accumulator->Apply(ctx, local_step, {ctx.input(2)});
}

Status RunCount(KernelContext& ctx) {
  WB_ASSIGN_OR_RETURN(std::shared_ptr<Accumulator> accumulator, AccumulatorOf(ctx));
  WB_ASSIGN_OR_RETURN(Tensor * out, ctx.Allocate(0, Shape()));
  *out->data<int32_t>() = accumulator->count();
  return OkStatus();
}

Status RunSetGlobalStep(KernelContext& ctx) {
  WB_ASSIGN_OR_RETURN(std::shared_ptr<Accumulator> accumulator, AccumulatorOf(ctx));
  WB_ASSIGN_OR_RETURN(int64_t step, AccumulatorScalar(ctx, 1, "new_global_step"));
  accumulator->SetGlobalStep(step);
  return OkStatus();
}

Status TakeShape(ShapeContext& c) {
  WB_RETURN_IF_ERROR(c.WithRank(1, 0).status());
  return OkStatus();
}

WB_OP("ConditionalAccumulator")
    .Output("handle: Ref(string)")
    .Attr("dtype: numbertype")
    .Attr("shape: shape")
    .Attr("container: string = ''")
    .Attr("shared_name: string = ''")
    .Attr("reduction_type: {'MEAN', 'SUM'} = 'MEAN'")
    .Stateful()
    .Shape(AccumulatorHandleShape);
WB_KERNEL("ConditionalAccumulator", AccumulatorKernel<DenseAccumulator>)
    .Cpu({{"dtype", TypeSet{DType::kDouble, DType::kFloat, DType::kHalf}}})
    .Cheap();

WB_OP("AccumulatorApplyGradient")
    .Effect(StateEffect::kFill)
    .Input("handle: Ref(string)")
    .Input("local_step: int64")
    .Input("gradient: dtype")
    .Attr("dtype: numbertype")
    .Shape(shapes::NoOutputs);
WB_KERNEL("AccumulatorApplyGradient", FunctionKernel<RunApply>).Cpu();

WB_OP("AccumulatorNumAccumulated")
    .Effect(StateEffect::kRead)
    .DependsOn(Chance::kProgress)
    .Input("handle: Ref(string)")
    .Output("num_accumulated: int32")
    .Shape(shapes::Scalar);
WB_KERNEL("AccumulatorNumAccumulated", FunctionKernel<RunCount>).Cpu().Cheap();

WB_OP("AccumulatorSetGlobalStep")
    .Input("handle: Ref(string)")
    .Input("new_global_step: int64")
    .Shape(shapes::NoOutputs);
WB_KERNEL("AccumulatorSetGlobalStep", FunctionKernel<RunSetGlobalStep>).Cpu().Cheap();

WB_OP("AccumulatorTakeGradient")
    .Effect(StateEffect::kDrain)
    .Input("handle: Ref(string)")
    .Input("num_required: int32")
    .Output("average: dtype")
    .Attr("dtype: numbertype")
    .Shape(TakeShape);
WB_KERNEL("AccumulatorTakeGradient", TakeGradientKernel).Cpu().Async().Unbounded();

WB_OP("ResourceConditionalAccumulator")
    .Output("handle: resource")
    .Attr("dtype: numbertype")
    .Attr("shape: shape")
    .Attr("container: string = ''")
    .Attr("shared_name: string = ''")
    .Attr("reduction_type: {'MEAN', 'SUM'} = 'MEAN'")
    .Stateful()
    .Shape(AccumulatorHandleShape);
WB_KERNEL("ResourceConditionalAccumulator", AccumulatorKernel<DenseAccumulator>)
    .Cpu({{"dtype", TypeSet{DType::kDouble, DType::kFloat, DType::kHalf}}})
    .Cheap();

WB_OP("ResourceAccumulatorApplyGradient")
    .Effect(StateEffect::kFill)
    .Input("handle: resource")
    .Input("local_step: int64")
    .Input("gradient: dtype")
    .Attr("dtype: numbertype")
    .Stateful()
    .Shape(shapes::NoOutputs);
WB_KERNEL("ResourceAccumulatorApplyGradient", FunctionKernel<RunApply>).Cpu();

WB_OP("ResourceAccumulatorNumAccumulated")
    .Effect(StateEffect::kRead)
    .DependsOn(Chance::kProgress)
    .Input("handle: resource")
    .Output("num_accumulated: int32")
    .Stateful()
    .Shape(shapes::Scalar);
WB_KERNEL("ResourceAccumulatorNumAccumulated", FunctionKernel<RunCount>).Cpu().Cheap();

WB_OP("ResourceAccumulatorSetGlobalStep")
    .Input("handle: resource")
    .Input("new_global_step: int64")
    .Stateful()
    .Shape(shapes::NoOutputs);
WB_KERNEL("ResourceAccumulatorSetGlobalStep", FunctionKernel<RunSetGlobalStep>).Cpu().Cheap();

WB_OP("ResourceAccumulatorTakeGradient")
    .Effect(StateEffect::kDrain)
    .Input("handle: resource")
    .Input("num_required: int32")
    .Output("average: dtype")
    .Attr("dtype: numbertype")
    .Stateful();
WB_KERNEL("ResourceAccumulatorTakeGradient", TakeGradientKernel).Cpu().Async().Unbounded();

}  // namespace
}  // namespace warpbeam
