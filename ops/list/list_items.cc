// TensorListPushBack, TensorListPopBack, TensorListGetItem, TensorListSetItem: one element of a
// list.
#include <utility>

#include "graph/gradients/gradient_registry.h"
#include "graph/op/op_registry.h"
#include "ops/array/function_kernel.h"
#include "ops/array/index/index_argument.h"
#include "ops/array/strided_copy.h"
#include "ops/list/list_shapes.h"
#include "ops/list/tensor_list.h"
#include "ops/state/elements_here.h"
#include "ops/state/same_on_gpu.h"
#include "runtime/kernel/kernel_registry.h"

namespace warpbeam {
namespace {

Status RunPushBack(KernelContext& ctx) {
  const Tensor& value = ctx.input(1);
  WB_ASSIGN_OR_RETURN(const TensorList* before, ListInput(ctx, 0, value.dtype()));
  WB_RETURN_IF_ERROR(before->CheckElement("append", value.shape()));
  if (before->max_elements >= 0 && before->size() >= before->max_elements) {
    return InvalidArgument("Tried to push item into a full list: it has ", before->size(),
                           " elements and may have no more than ", before->max_elements);
  }
  WB_ASSIGN_OR_RETURN(MutableList list, MutableList::Of(ctx, 0));
  list->elements.push_back(KeptTensor::Of(ctx, value));
  list.SetOutput(ctx, 0);
  return OkStatus();
}

// Zeros of a shape that must be fully defined by now.
Status SetZeros(KernelContext& ctx, int output, const PartialShape& known) {
  const StatusOr<Shape> shape = known.AsShape();
  if (!shape.ok()) {
    return InvalidArgument(
        "Trying to read an uninitialized tensor but element_shape is not fully defined: ",
        known.ToString());
  }
  WB_ASSIGN_OR_RETURN(Tensor * zeros, ctx.Allocate(output, *shape));
  WB_RETURN_IF_ERROR(ZeroHere(ctx, zeros->dtype(), zeros->raw_data(), zeros->num_elements()));
  return OkStatus();
}

Status RunPopBack(KernelContext& ctx) {
  WB_ASSIGN_OR_RETURN(const TensorList* before, ListInput(ctx, 0, ctx.output_type(1)));
  if (before->elements.empty()) return InvalidArgument("Trying to pop from an empty list");
  const KeptTensor& last = before->elements.back();
  if (last.has_value()) {
    WB_ASSIGN_OR_RETURN(Tensor value, last.Get(ctx));
    ctx.set_output(1, std::move(value));
  } else {
    WB_ASSIGN_OR_RETURN(const PartialShape asked, ReadPartialShape(ctx.input(1)));
    WB_ASSIGN_OR_RETURN(const PartialShape known,
                        MergeShapes(asked, before->element_shape, "element_shape"));
    WB_RETURN_IF_ERROR(SetZeros(ctx, 1, known));
  }
  WB_ASSIGN_OR_RETURN(MutableList list, MutableList::Of(ctx, 0));
  list->elements.pop_back();
  list.SetOutput(ctx, 0);
  return OkStatus();
}

Status CheckIndex(absl::string_view verb, int64_t index, int64_t size) {
  if (index >= 0 && index < size) return OkStatus();
  return InvalidArgument("Trying to ", verb, " element ", index, " in a list with ", size,
                         " elements.");
}

Status RunGetItem(KernelContext& ctx) {
  WB_ASSIGN_OR_RETURN(const TensorList* list, ListInput(ctx, 0, ctx.output_type(0)));
  WB_ASSIGN_OR_RETURN(const int64_t index, ReadIndex(ctx.input(1), "index"));
  WB_RETURN_IF_ERROR(CheckIndex("access", index, list->size()));
  const KeptTensor& element = list->elements[static_cast<size_t>(index)];
  if (element.has_value()) {
    WB_ASSIGN_OR_RETURN(Tensor value, element.Get(ctx));
    ctx.set_output(0, std::move(value));
    return OkStatus();
  }
  WB_ASSIGN_OR_RETURN(const PartialShape asked, ReadPartialShape(ctx.input(2)));
  WB_ASSIGN_OR_RETURN(PartialShape known, MergeShapes(asked, list->element_shape, "element_shape"));
  for (const KeptTensor& other : list->elements) {
    if (known.IsFullyDefined()) break;
    if (!other.has_value()) continue;
    WB_ASSIGN_OR_RETURN(known, MergeShapes(known, PartialShape(other.shape()), "elements"));
  }
  return SetZeros(ctx, 0, known);
}

class SetItemKernel final : public Kernel {
 public:
  explicit SetItemKernel(bool resizes) : resizes_(resizes) {}
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) {
    WB_ASSIGN_OR_RETURN(const bool resizes, init.attr<bool>("resize_if_index_out_of_bounds"));
    return std::make_unique<SetItemKernel>(resizes);
  }
  Status Compute(KernelContext& ctx) override {
    const Tensor& value = ctx.input(2);
    WB_ASSIGN_OR_RETURN(const TensorList* before, ListInput(ctx, 0, value.dtype()));
    WB_ASSIGN_OR_RETURN(const int64_t index, ReadIndex(ctx.input(1), "index"));
    const bool grows = resizes_ && index >= before->size();
    if (!grows) WB_RETURN_IF_ERROR(CheckIndex("modify", index, before->size()));
    WB_RETURN_IF_ERROR(before->CheckElement("set", value.shape()));
    WB_ASSIGN_OR_RETURN(MutableList list, MutableList::Of(ctx, 0));
    if (grows) WB_RETURN_IF_ERROR(list->Resize(index + 1));
    list->elements[static_cast<size_t>(index)] = KeptTensor::Of(ctx, value);
    list.SetOutput(ctx, 0);
    return OkStatus();
  }

 private:
  const bool resizes_;
};

Status PushBackShape(ShapeContext& c) {
  WB_ASSIGN_OR_RETURN(const PartialShape element, ListElementShape(c, 0));
  WB_RETURN_IF_ERROR(PartialShape::Merge(element, c.input(1)).status());
  return SetListOutput(c, element);
}

Status PopBackShape(ShapeContext& c) {
  WB_ASSIGN_OR_RETURN(const PartialShape element, ListElementShape(c, 0));
  WB_ASSIGN_OR_RETURN(const PartialShape asked, c.ShapeFromInput(1));
  WB_ASSIGN_OR_RETURN(PartialShape merged, PartialShape::Merge(asked, element));
  c.set_output(1, std::move(merged));
  return SetListOutput(c, element);
}

Status GetItemShape(ShapeContext& c) {
  WB_ASSIGN_OR_RETURN(PartialShape element, ListElementShape(c, 0, 2));
  WB_RETURN_IF_ERROR(c.WithRank(1, 0).status());
  c.set_output(0, std::move(element));
  return OkStatus();
}

Status SetItemShape(ShapeContext& c) {
  WB_ASSIGN_OR_RETURN(const PartialShape element, ListElementShape(c, 0));
  WB_RETURN_IF_ERROR(c.WithRank(1, 0).status());
  WB_RETURN_IF_ERROR(PartialShape::Merge(element, c.input(2)).status());
  return SetListOutput(c, element);
}

Status PushBackGradient(GradContext& c) {
  AttrMap attrs;
  attrs.Set("element_dtype", c.type(c.x(1)));
  const auto popped = c.EmitAll("TensorListPopBack", {c.dy(0), c.ShapeOf(c.x(1))}, attrs);
  if (popped.size() != 2) return c.status();
  c.set_dx(0, popped[0]);
  c.set_dx(1, popped[1]);
  return OkStatus();
}

Status PopBackGradient(GradContext& c) {
  const DType dtype = c.type(c.y(1));
  OutputRef list;
  if (c.has_dy(0)) {
    list = c.dy(0);
  } else {
    const OutputRef shape =
        c.Emit("TensorListElementShape", {c.y(0)}, {{"shape_type", DType::kInt32}});
    list = c.Emit("EmptyTensorList", {shape, c.Scalar<int32_t>(-1)}, {{"element_dtype", dtype}});
  }
  c.set_dx(0, c.Emit("TensorListPushBack", {list, c.dy(1)}));
  return OkStatus();
}

Status GetItemGradient(GradContext& c) {
  const OutputRef length = c.Emit("TensorListLength", {c.x(0)});
  const OutputRef shape =
      c.Emit("TensorListElementShape", {c.x(0)}, {{"shape_type", DType::kInt32}});
  const OutputRef list =
      c.Emit("TensorListReserve", {shape, length}, {{"element_dtype", c.type(c.y(0))}});
  c.set_dx(0, c.Emit("TensorListSetItem", {list, c.x(1), c.dy(0)}));
  return OkStatus();
}

Status SetItemGradient(GradContext& c) {
  const OutputRef dlist = c.dy(0);
  OutputRef rest = c.Emit("TensorListSetItem", {dlist, c.x(1), c.ZerosLike(c.x(2))});
  if (c.attr_or<bool>("resize_if_index_out_of_bounds", false)) {
    rest = c.Emit("TensorListResize", {rest, c.Emit("TensorListLength", {c.x(0)})});
  }
  c.set_dx(0, rest);
  c.set_dx(2, c.Emit("TensorListGetItem", {dlist, c.x(1), c.ShapeOf(c.x(2))},
                     {{"element_dtype", c.type(c.x(2))}}));
  return OkStatus();
}

WB_OP("TensorListPushBack")
    .Input("input_handle: variant")
    .Input("tensor: element_dtype")
    .Output("output_handle: variant")
    .Attr("element_dtype: type")
    .Shape(PushBackShape);
WB_KERNEL("TensorListPushBack", FunctionKernel<RunPushBack>).Cpu().Gpu().Cheap();
WB_GPU_KERNEL("TensorListPushBack", SameOnGpu<FunctionKernel<RunPushBack>>);
WB_GRADIENT("TensorListPushBack", PushBackGradient);

WB_OP("TensorListPopBack")
    .Input("input_handle: variant")
    .Input("element_shape: int32")
    .Output("output_handle: variant")
    .Output("tensor: element_dtype")
    .Attr("element_dtype: type")
    .Shape(PopBackShape);
WB_KERNEL("TensorListPopBack", FunctionKernel<RunPopBack>)
    .Cpu({{"element_dtype", kListTypes}})
    .Gpu({{"element_dtype", kListGpuTypes | TypeSet{DType::kVariant}}})
    .HostMemory({"element_shape"})
    .Cheap();
WB_GPU_KERNEL("TensorListPopBack", SameOnGpu<FunctionKernel<RunPopBack>>);
WB_GRADIENT("TensorListPopBack", PopBackGradient);

WB_OP("TensorListGetItem")
    .Input("input_handle: variant")
    .Input("index: int32")
    .Input("element_shape: Tshape")
    .Output("item: element_dtype")
    .Attr("element_dtype: type")
    .Attr("Tshape: {int32, int64} = int32")
    .Shape(GetItemShape);
WB_KERNEL("TensorListGetItem", FunctionKernel<RunGetItem>)
    .Cpu({{"element_dtype", kListTypes}})
    .Gpu({{"element_dtype", kListGpuTypes}})
    .HostMemory({"index", "element_shape"})
    .Cheap();
WB_GPU_KERNEL("TensorListGetItem", SameOnGpu<FunctionKernel<RunGetItem>>);
WB_GRADIENT("TensorListGetItem", GetItemGradient);

WB_OP("TensorListSetItem")
    .Input("input_handle: variant")
    .Input("index: int32")
    .Input("item: element_dtype")
    .Output("output_handle: variant")
    .Attr("element_dtype: type")
    .Attr("resize_if_index_out_of_bounds: bool = false")
    .Shape(SetItemShape);
WB_KERNEL("TensorListSetItem", SetItemKernel)
    .Cpu()
    .Gpu({{"element_dtype", kListGpuTypes}})
    .HostMemory({"index"})
    .Cheap();
WB_GPU_KERNEL("TensorListSetItem", SameOnGpu<SetItemKernel>);
WB_GRADIENT("TensorListSetItem", SetItemGradient);

}  // namespace
}  // namespace warpbeam
