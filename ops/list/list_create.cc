// EmptyTensorList, TensorListReserve, TensorListLength, TensorListElementShape, TensorListResize:
// lists, and what is to be known of them.
#include <utility>

#include "graph/gradients/gradient_registry.h"
#include "graph/op/op_registry.h"
#include "ops/array/function_kernel.h"
#include "ops/array/index/index_argument.h"
#include "ops/list/list_shapes.h"
#include "ops/list/tensor_list.h"
#include "runtime/kernel/kernel_registry.h"

namespace warpbeam {
namespace {

template <class Derived>
class ElementTypeKernel : public Kernel {
 public:
  explicit ElementTypeKernel(DType dtype) : dtype_(dtype) {}
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) {
    WB_ASSIGN_OR_RETURN(const DType dtype, init.attr<DType>("element_dtype"));
    return std::make_unique<Derived>(dtype);
  }

 protected:
  const DType dtype_;
};

class EmptyListKernel final : public ElementTypeKernel<EmptyListKernel> {
 public:
  using ElementTypeKernel::ElementTypeKernel;
  Status Compute(KernelContext& ctx) override {
    WB_ASSIGN_OR_RETURN(PartialShape shape, ReadPartialShape(ctx.input(0)));
    if (ctx.input(1).rank() != 0) {
      return InvalidArgument("'max_num_elements' must be a scalar, not of shape ",
                             ctx.input(1).shape().ToString());
    }
    const int64_t max_elements = *ctx.input(1).data<int32_t>();
    ctx.set_output(0, ListToTensor(TensorList(dtype_, std::move(shape), max_elements)));
    return OkStatus();
  }
};

class ReserveKernel final : public ElementTypeKernel<ReserveKernel> {
 public:
  using ElementTypeKernel::ElementTypeKernel;
  Status Compute(KernelContext& ctx) override {
    WB_ASSIGN_OR_RETURN(PartialShape shape, ReadPartialShape(ctx.input(0)));
    if (ctx.input(1).rank() != 0) {
      return InvalidArgument("'num_elements' must be a scalar, not of shape ",
                             ctx.input(1).shape().ToString());
    }
    WB_ASSIGN_OR_RETURN(const int64_t size, ReadIndex(ctx.input(1), "num_elements"));
    if (size < 0) return InvalidArgument("'num_elements' must be >= 0, not ", size);
    TensorList list(dtype_, std::move(shape));
    WB_RETURN_IF_ERROR(list.Resize(size));
    ctx.set_output(0, ListToTensor(std::move(list)));
    return OkStatus();
  }
};

Status RunLength(KernelContext& ctx) {
  WB_ASSIGN_OR_RETURN(const TensorList* list, ListInput(ctx, 0));
  ctx.set_output(0, Tensor::Scalar<int32_t>(static_cast<int32_t>(list->size())));
  return OkStatus();
}

Status RunElementShape(KernelContext& ctx) {
  WB_ASSIGN_OR_RETURN(const TensorList* list, ListInput(ctx, 0));
  const PartialShape& shape = list->element_shape;
  const Shape of_shape = shape.has_rank() ? Shape({shape.rank()}) : Shape();
  WB_ASSIGN_OR_RETURN(Tensor * out, ctx.Allocate(0, of_shape));
  if (shape.has_rank()) return WriteIndices(shape.dims(), out);
  return WriteIndices({-1}, out);
}

Status RunResize(KernelContext& ctx) {
  if (ctx.input(1).rank() != 0) {
    return InvalidArgument("'size' must be a scalar, not of shape ",
                           ctx.input(1).shape().ToString());
  }
  WB_ASSIGN_OR_RETURN(const int64_t size, ReadIndex(ctx.input(1), "size"));
  if (size < 0)
    return InvalidArgument("TensorListSlice expects size to be non-negative. Got: ", size);
  WB_ASSIGN_OR_RETURN(MutableList list, MutableList::Of(ctx, 0));
  WB_RETURN_IF_ERROR(list->Resize(size));
  list.SetOutput(ctx, 0);
  return OkStatus();
}

Status CreateShape(ShapeContext& c) {
  WB_RETURN_IF_ERROR(c.WithRank(1, 0).status());
  WB_ASSIGN_OR_RETURN(PartialShape element, c.ShapeFromInput(0));
  return SetListOutput(c, std::move(element));
}

Status LengthShape(ShapeContext& c) {
  WB_RETURN_IF_ERROR(c.WithRank(0, 0).status());
  return shapes::Scalar(c);
}

Status ElementShapeShape(ShapeContext& c) {
  WB_ASSIGN_OR_RETURN(const PartialShape element, ListElementShape(c, 0));
  // A scalar where the list does not know the rank, which the handle need not tell.
  if (element.has_rank()) c.set_output(0, PartialShape({element.rank()}));
  return OkStatus();
}

Status ResizeShape(ShapeContext& c) {
  WB_RETURN_IF_ERROR(c.WithRank(0, 0).status());
  WB_RETURN_IF_ERROR(c.WithRank(1, 0).status());
  return SameList(c);
}

Status ResizeGradient(GradContext& c) {
  c.set_dx(0, c.Emit("TensorListResize", {c.dy(0), c.Emit("TensorListLength", {c.x(0)})}));
  return OkStatus();
}

WB_OP("EmptyTensorList")
    .Input("element_shape: shape_type")
    .Input("max_num_elements: int32")
    .Output("handle: variant")
    .Attr("element_dtype: type")
    .Attr("shape_type: {int32, int64}")
    .Shape(CreateShape);
WB_KERNEL("EmptyTensorList", EmptyListKernel)
    .Cpu()
    .Gpu()
    .HostMemory({"element_shape", "max_num_elements"})
    .Cheap();

WB_OP("TensorListReserve")
    .Input("element_shape: shape_type")
    .Input("num_elements: int32")
    .Output("handle: variant")
    .Attr("element_dtype: type")
    .Attr("shape_type: {int32, int64}")
    .Shape(CreateShape);
WB_KERNEL("TensorListReserve", ReserveKernel)
    .Cpu()
    .Gpu()
    .HostMemory({"element_shape", "num_elements"});

WB_OP("TensorListLength").Input("input_handle: variant").Output("length: int32").Shape(LengthShape);
WB_KERNEL("TensorListLength", FunctionKernel<RunLength>).Cpu().Gpu().HostMemory({"length"}).Cheap();
WB_NO_GRADIENT("TensorListLength");

WB_OP("TensorListElementShape")
    .Input("input_handle: variant")
    .Output("element_shape: shape_type")
    .Attr("shape_type: {int32, int64}")
    .Shape(ElementShapeShape);
WB_KERNEL("TensorListElementShape", FunctionKernel<RunElementShape>)
    .Cpu()
    .Gpu()
    .HostMemory({"element_shape"})
    .Cheap();
WB_NO_GRADIENT("TensorListElementShape");

WB_OP("TensorListResize")
    .Input("input_handle: variant")
    .Input("size: int32")
    .Output("output_handle: variant")
    .Shape(ResizeShape);
WB_KERNEL("TensorListResize", FunctionKernel<RunResize>).Cpu().Gpu().HostMemory({"size"});
WB_GRADIENT("TensorListResize", ResizeGradient);

}  // namespace
}  // namespace warpbeam
