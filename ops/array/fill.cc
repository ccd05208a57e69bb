// Fill, Empty, ZerosLike, OnesLike: tensors made of one value.
#include <complex>

#include "graph/gradients/gradient_registry.h"
#include "graph/op/op_registry.h"
#include "graph/op/shape_context.h"
#include "ops/array/index/index_argument.h"
#include "ops/array/kernel_types.h"
#include "ops/array/moving_kernel.h"
#include "ops/launch/dispatch.h"
#include "runtime/kernel/gpu_catalog.h"
#include "runtime/kernel/kernel_registry.h"
#include "runtime/memory/string_memory.h"

namespace warpbeam {
namespace {

Status FillShape(ShapeContext& c) {
  WB_RETURN_IF_ERROR(c.WithRank(1, 0).status());
  WB_ASSIGN_OR_RETURN(PartialShape shape, c.ShapeFromInput(0));
  c.set_output(0, std::move(shape));
  return OkStatus();
}

Status EmptyShape(ShapeContext& c) {
  WB_ASSIGN_OR_RETURN(PartialShape shape, c.ShapeFromInput(0));
  c.set_output(0, std::move(shape));
  return OkStatus();
}

Status RunFill(KernelContext& ctx, StridedCopier& copier) {
  WB_ASSIGN_OR_RETURN(Shape shape, ReadShape(ctx.input(0), "dims", /*scalar_is_vector=*/true));
  const Tensor& value = ctx.input(1);
  if (value.num_elements() != 1 || value.rank() > 1) {
    return InvalidArgument("'value' must be a scalar, not of shape ", value.shape().ToString());
  }
  WB_RETURN_IF_ERROR(StringMemory::CheckRoomForCopies(value, shape));
  WB_ASSIGN_OR_RETURN(Tensor * y, ctx.Allocate(0, shape));
  return copier.Copy(y->dtype(), y->raw_data(), value.raw_data(), {{y->num_elements(), 0, 1}});
}

// `init` asks for zeros; memory left uninitialised would show what other steps wrote.
Status RunEmpty(KernelContext& ctx, StridedCopier& copier) {
  WB_ASSIGN_OR_RETURN(Shape shape, ReadShape(ctx.input(0), "shape"));
  WB_ASSIGN_OR_RETURN(Tensor * y, ctx.Allocate(0, shape));
  return copier.Zero(y->dtype(), y->raw_data(), y->num_elements());
}

Status RunZerosLike(KernelContext& ctx, StridedCopier& copier) {
  const Tensor& x = ctx.input(0);
  WB_ASSIGN_OR_RETURN(Tensor * y, ctx.ForwardOrAllocate({0}, 0, x.shape()));
  return copier.Zero(y->dtype(), y->raw_data(), y->num_elements());
}

Status RunOnesLike(KernelContext& ctx, StridedCopier& copier) {
  const Tensor& x = ctx.input(0);
  WB_ASSIGN_OR_RETURN(Tensor * y, ctx.ForwardOrAllocate({0}, 0, x.shape()));
  if (y->dtype() == DType::kBool) {
    const bool one = true;
    return copier.Fill(y->dtype(), y->raw_data(), &one, y->num_elements());
  }
  return DispatchTypes(NumberTypeList{}, y->dtype(), [&](auto tag) -> Status {
    using T = typename decltype(tag)::type;
    const T one(1.0f);
    return copier.Fill(y->dtype(), y->raw_data(), &one, y->num_elements());
  });
}

WB_OP("Fill")
    .Input("dims: index_type")
    .Input("value: T")
    .Output("output: T")
    .Attr("T: type")
    .Attr("index_type: {int32, int64} = int32")
    .Shape(FillShape);
WB_KERNEL("Fill", MovingKernel<FunctionOp<RunFill>>)
    .Cpu({{"T",
           kPlainTypes | kQuantizedTypes | kObjectTypes | TypeSet{DType::kInt4, DType::kUInt4}},
          {"index_type", kIndexTypes}})
    .Gpu({{"T", kFloatingTypes | kComplexTypes |
                    TypeSet{DType::kBool, DType::kInt16, DType::kInt4, DType::kInt64, DType::kInt8,
                            DType::kUInt16, DType::kUInt4, DType::kUInt8}},
          {"index_type", kIndexTypes}})
    .HostMemory({"dims"});
WB_KERNEL("Fill", MovingKernel<FunctionOp<RunFill>>)
    .Gpu({{"T", TypeSet{DType::kInt32}}, {"index_type", TypeSet{DType::kInt32}}})
    .HostMemory({"dims", "value", "output"});
WB_GPU_KERNEL("Fill", MovingKernelOnGpu<FunctionOp<RunFill>>);

WB_OP("Empty")
    .Input("shape: int32")
    .Output("output: dtype")
    .Attr("dtype: type")
    .Attr("init: bool = false")
    .Stateful()
    .Shape(EmptyShape);
WB_KERNEL("Empty", MovingKernel<FunctionOp<RunEmpty>>)
    .Cpu({{"dtype", kPlainTypes | TypeSet{DType::kString}}})
    .Gpu({{"dtype",
           kFloatingTypes | kIndexTypes | TypeSet{DType::kInt8, DType::kUInt64, DType::kUInt8}}})
    .HostMemory({"shape"});
WB_GPU_KERNEL("Empty", MovingKernelOnGpu<FunctionOp<RunEmpty>>);

// ZerosLike of variants is in ops/list.
WB_OP("ZerosLike").Input("x: T").Output("y: T").Attr("T: type").Shape(shapes::Unchanged);
WB_KERNEL("ZerosLike", MovingKernel<FunctionOp<RunZerosLike>>)
    .Cpu({{"T", kPlainTypes | TypeSet{DType::kString}}})
    .Gpu({{"T", kPlainTypesButInt32}});
WB_KERNEL("ZerosLike", MovingKernel<FunctionOp<RunZerosLike>>)
    .Gpu({{"T", TypeSet{DType::kInt32}}})
    .HostMemory({"y"});
WB_GPU_KERNEL("ZerosLike", MovingKernelOnGpu<FunctionOp<RunZerosLike>>);

WB_OP("OnesLike")
    .Input("x: T")
    .Output("y: T")
    .Attr(
        "T: {bfloat16, half, float, double, int8, uint8, int16, uint16, int32, uint32, int64, "
        "uint64, complex64, complex128, bool}")
    .Shape(shapes::Unchanged);
WB_KERNEL("OnesLike", MovingKernel<FunctionOp<RunOnesLike>>)
    .Cpu({{"T", kPlainTypes}})
    .Gpu({{"T", kPlainTypesButInt32}});
WB_KERNEL("OnesLike", MovingKernel<FunctionOp<RunOnesLike>>)
    .Gpu({{"T", TypeSet{DType::kInt32}}})
    .HostMemory({"y"});
WB_GPU_KERNEL("OnesLike", MovingKernelOnGpu<FunctionOp<RunOnesLike>>);

// Of int32 the result lies in host memory, and of the argument only the shape is read.
bool LikesLieOnHost(const OpSchema& schema, const AttrMap& attrs) {
  return (schema.name == "ZerosLike" || schema.name == "OnesLike") &&
         attrs.GetOr<DType>("T", DType::kInvalid) == DType::kInt32;
}
const GpuCodeRegistration likes_on_host(&LikesLieOnHost);

Status FillGradient(GradContext& c) {
  const OutputRef axes =
      c.Folded(c.Emit("Range", {c.Scalar<int32_t>(0), c.RankOf(c.dy(0)), c.Scalar<int32_t>(1)}));
  c.set_dx(1, c.Emit("Sum", {c.dy(0), axes}));
  return OkStatus();
}
WB_GRADIENT("Fill", FillGradient);
WB_NO_GRADIENT("ZerosLike");
WB_NO_GRADIENT("OnesLike");

}  // namespace
}  // namespace warpbeam
