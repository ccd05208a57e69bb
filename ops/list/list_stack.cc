// TensorListStack, TensorListFromTensor, TensorListGather, TensorListScatter, TensorListScatterV2,
// TensorListScatterIntoExistingList: elements as rows of one tensor.
#include <algorithm>
#include <utility>

#include "graph/gradients/gradient_registry.h"
#include "graph/op/op_registry.h"
#include "ops/array/function_kernel.h"
#include "ops/array/index/index_argument.h"
#include "ops/list/list_rows.h"
#include "ops/list/list_shapes.h"
#include "ops/state/same_on_gpu.h"
#include "runtime/kernel/kernel_registry.h"

namespace warpbeam {
namespace {

class StackKernel final : public Kernel {
 public:
  explicit StackKernel(int64_t num_elements) : num_elements_(num_elements) {}
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) {
    WB_ASSIGN_OR_RETURN(const int64_t num_elements, init.attr<int64_t>("num_elements"));
    return std::make_unique<StackKernel>(num_elements);
  }
  Status Compute(KernelContext& ctx) override {
    WB_ASSIGN_OR_RETURN(const TensorList* list, ListInput(ctx, 0, ctx.output_type(0)));
    if (num_elements_ >= 0 && num_elements_ != list->size()) {
      return InvalidArgument("the op expects a list with ", num_elements_,
                             " elements, but got one "
                             "with ",
                             list->size());
    }
    WB_ASSIGN_OR_RETURN(const PartialShape asked, ReadPartialShape(ctx.input(1)));
    WB_ASSIGN_OR_RETURN(PartialShape known,
                        MergeShapes(asked, list->element_shape, "element_shape"));
    std::vector<const KeptTensor*> elements;
    elements.reserve(list->elements.size());
    for (const KeptTensor& element : list->elements) elements.push_back(&element);
    return JoinRows(ctx, 0, "stack", elements, std::move(known));
  }

 private:
  const int64_t num_elements_;
};

Status RunGather(KernelContext& ctx) {
  WB_ASSIGN_OR_RETURN(const TensorList* list, ListInput(ctx, 0, ctx.output_type(0)));
  WB_ASSIGN_OR_RETURN(const Dims indices, ReadIndices(ctx.input(1), "indices"));
  WB_ASSIGN_OR_RETURN(const PartialShape asked, ReadPartialShape(ctx.input(2)));
  WB_ASSIGN_OR_RETURN(PartialShape known, MergeShapes(asked, list->element_shape, "element_shape"));
  std::vector<const KeptTensor*> elements;
  elements.reserve(indices.size());
  for (int64_t i : indices) {
    if (i < 0 || i >= list->size()) {
      return InvalidArgument("Trying to gather element ", i, " in a list with ", list->size(),
                             " elements.");
    }
    elements.push_back(&list->elements[static_cast<size_t>(i)]);
  }
  return JoinRows(ctx, 0, "gather", elements, std::move(known));
}

StatusOr<TensorList> NewListFor(const Tensor& rows, const Tensor& element_shape) {
  WB_RETURN_IF_ERROR(CheckHasRows(rows));
  WB_ASSIGN_OR_RETURN(PartialShape shape, ReadPartialShape(element_shape));
  TensorList list(rows.dtype(), std::move(shape));
  WB_RETURN_IF_ERROR(list.CheckElement("set", rows.shape().Remove(0)));
  return list;
}

Status RunFromTensor(KernelContext& ctx) {
  const Tensor& rows = ctx.input(0);
  WB_ASSIGN_OR_RETURN(TensorList list, NewListFor(rows, ctx.input(1)));
  WB_RETURN_IF_ERROR(list.Resize(rows.dim(0)));
  for (int64_t i = 0; i < rows.dim(0); ++i) {
    WB_ASSIGN_OR_RETURN(list.elements[static_cast<size_t>(i)], RowOf(ctx, rows, i));
  }
  ctx.set_output(0, ListToTensor(std::move(list)));
  return OkStatus();
}

// The list grows to hold the largest index.
Status ScatterRowsInto(KernelContext& ctx, const Tensor& rows, const Dims& indices,
                       TensorList* list) {
  if (rows.dim(0) != static_cast<int64_t>(indices.size())) {
    return InvalidArgument("Invalid number of rows in input tensor. Expected: ", indices.size(),
                           " Actual: ", rows.dim(0));
  }
  int64_t size = list->size();
  for (int64_t i : indices) {
    if (i < 0)
      return InvalidArgument("Indices in TensorListScatter must all be non-negative. One is ", i);
    size = std::max(size, i + 1);
  }
  if (size > list->size()) WB_RETURN_IF_ERROR(list->Resize(size));
  for (size_t k = 0; k < indices.size(); ++k) {
    WB_ASSIGN_OR_RETURN(list->elements[static_cast<size_t>(indices[k])],
                        RowOf(ctx, rows, static_cast<int64_t>(k)));
  }
  return OkStatus();
}

Status RunScatter(KernelContext& ctx) {
  const Tensor& rows = ctx.input(0);
  WB_ASSIGN_OR_RETURN(const Dims indices, ReadIndices(ctx.input(1), "indices"));
  WB_ASSIGN_OR_RETURN(TensorList list, NewListFor(rows, ctx.input(2)));
  if (ctx.num_inputs() > 3) {
    WB_ASSIGN_OR_RETURN(const int64_t size, ReadIndex(ctx.input(3), "num_elements"));
    if (size < -1)
      return InvalidArgument("TensorListScatter expects num_elements >= -1, found: ", size);
    for (int64_t i : indices) {
      if (size < 0 || i < size) continue;
      return InvalidArgument("TensorListScatter: Trying to scatter at index ", i,
                             " in list with size ", size);
    }
    if (size > 0) WB_RETURN_IF_ERROR(list.Resize(size));
  }
  WB_RETURN_IF_ERROR(ScatterRowsInto(ctx, rows, indices, &list));
  ctx.set_output(0, ListToTensor(std::move(list)));
  return OkStatus();
}

Status RunScatterInto(KernelContext& ctx) {
  const Tensor& rows = ctx.input(1);
  WB_RETURN_IF_ERROR(ListInput(ctx, 0, rows.dtype()).status());
  WB_RETURN_IF_ERROR(CheckHasRows(rows));
  WB_ASSIGN_OR_RETURN(const Dims indices, ReadIndices(ctx.input(2), "indices"));
  WB_ASSIGN_OR_RETURN(MutableList list, MutableList::Of(ctx, 0));
  WB_RETURN_IF_ERROR(list->CheckElement("set", rows.shape().Remove(0)));
  WB_RETURN_IF_ERROR(ScatterRowsInto(ctx, rows, indices, &*list));
  list.SetOutput(ctx, 0);
  return OkStatus();
}

PartialShape WithRows(const PartialShape& element, int64_t rows) {
  if (!element.has_rank()) return element;
  std::vector<int64_t> dims = element.dims();
  dims.insert(dims.begin(), rows);
  return PartialShape(std::move(dims));
}

Status StackShape(ShapeContext& c) {
  WB_ASSIGN_OR_RETURN(const PartialShape element, ListElementShape(c, 0, 1));
  WB_ASSIGN_OR_RETURN(const int64_t num_elements, c.attr<int64_t>("num_elements"));
  c.set_output(0, WithRows(element, std::max<int64_t>(num_elements, -1)));
  return OkStatus();
}

Status FromTensorShape(ShapeContext& c) {
  WB_ASSIGN_OR_RETURN(const PartialShape row, RowShape(c, 0));
  WB_ASSIGN_OR_RETURN(PartialShape element, c.ShapeFromInput(1));
  WB_RETURN_IF_ERROR(PartialShape::Merge(row, element).status());
  return SetListOutput(c, std::move(element));
}

Status GatherShape(ShapeContext& c) {
  WB_ASSIGN_OR_RETURN(const PartialShape element, ListElementShape(c, 0, 2));
  const PartialShape& indices = c.input(1);
  c.set_output(0, WithRows(element, indices.has_rank() ? indices.num_elements() : -1));
  return OkStatus();
}

Status ScatterShape(ShapeContext& c) {
  if (c.num_inputs() > 3 && c.input(3).has_rank() && c.input(3).rank() != 0) {
    return InvalidArgument("num_elements must be a scalar, not of shape ", c.input(3).ToString());
  }
  WB_ASSIGN_OR_RETURN(const PartialShape row, RowShape(c, 0));
  WB_ASSIGN_OR_RETURN(PartialShape element, c.ShapeFromInput(2));
  WB_RETURN_IF_ERROR(PartialShape::Merge(row, element).status());
  return SetListOutput(c, std::move(element));
}

Status ScatterIntoShape(ShapeContext& c) {
  WB_ASSIGN_OR_RETURN(const PartialShape element, ListElementShape(c, 0));
  WB_ASSIGN_OR_RETURN(const PartialShape row, RowShape(c, 1));
  WB_RETURN_IF_ERROR(PartialShape::Merge(row, element).status());
  return SetListOutput(c, element);
}

// The shape of the rows of `tensor`, as a vector.
OutputRef RowShapeOf(GradContext& c, OutputRef tensor) {
  return c.Emit("Slice", {c.ShapeOf(tensor), c.Ints({1}), c.Ints({-1})});
}

Status StackGradient(GradContext& c) {
  const OutputRef dy = c.dy(0);
  c.set_dx(0, c.Emit("TensorListFromTensor", {dy, RowShapeOf(c, dy)}));
  return OkStatus();
}

Status FromTensorGradient(GradContext& c) {
  const OutputRef t = c.x(0);
  const PartialShape& shape = c.shape(t);
  const int64_t rows = shape.has_rank() && shape.rank() > 0 ? shape.dim(0) : -1;
  c.set_dx(0, c.Emit("TensorListStack", {c.dy(0), RowShapeOf(c, t)},
                     {{"element_dtype", c.type(t)}, {"num_elements", rows}}));
  return OkStatus();
}

Status GatherGradient(GradContext& c) {
  const OutputRef shape =
      c.Emit("TensorListElementShape", {c.x(0)}, {{"shape_type", DType::kInt32}});
  const OutputRef length = c.Emit("TensorListLength", {c.x(0)});
  const OutputRef zeros =
      c.Emit("TensorListReserve", {shape, length}, {{"element_dtype", c.type(c.y(0))}});
  c.set_dx(0, c.Emit("TensorListScatterIntoExistingList", {zeros, c.dy(0), c.x(1)}));
  return OkStatus();
}

OutputRef GatherRows(GradContext& c, OutputRef list, OutputRef indices, OutputRef like) {
  return c.Emit("TensorListGather", {list, indices, RowShapeOf(c, like)},
                {{"element_dtype", c.type(like)}});
}

Status ScatterGradient(GradContext& c) {
  c.set_dx(0, GatherRows(c, c.dy(0), c.x(1), c.x(0)));
  return OkStatus();
}

Status ScatterIntoGradient(GradContext& c) {
  const OutputRef dlist = c.dy(0);
  c.set_dx(1, GatherRows(c, dlist, c.x(2), c.x(1)));
  c.set_dx(0, c.Emit("TensorListScatterIntoExistingList", {dlist, c.ZerosLike(c.x(1)), c.x(2)}));
  return OkStatus();
}

WB_OP("TensorListStack")
    .Input("input_handle: variant")
    .Input("element_shape: int32")
    .Output("tensor: element_dtype")
    .Attr("element_dtype: type")
    .Attr("num_elements: int = -1")
    .Shape(StackShape);
WB_KERNEL("TensorListStack", StackKernel)
    .Cpu({{"element_dtype", kListTypes}})
    .Gpu({{"element_dtype", kListGpuTypes}})
    .HostMemory({"element_shape"});
WB_GPU_KERNEL("TensorListStack", SameOnGpu<StackKernel>);
WB_GRADIENT("TensorListStack", StackGradient);

WB_OP("TensorListFromTensor")
    .Input("tensor: element_dtype")
    .Input("element_shape: shape_type")
    .Output("output_handle: variant")
    .Attr("element_dtype: type")
    .Attr("shape_type: {int32, int64}")
    .Shape(FromTensorShape);
WB_KERNEL("TensorListFromTensor", FunctionKernel<RunFromTensor>)
    .Cpu({{"element_dtype", kListTypes}})
    .Gpu({{"element_dtype", kListGpuTypes}})
    .HostMemory({"element_shape"});
WB_GPU_KERNEL("TensorListFromTensor", SameOnGpu<FunctionKernel<RunFromTensor>>);
WB_GRADIENT("TensorListFromTensor", FromTensorGradient);

WB_OP("TensorListGather")
    .Input("input_handle: variant")
    .Input("indices: int32")
    .Input("element_shape: int32")
    .Output("values: element_dtype")
    .Attr("element_dtype: type")
    .Shape(GatherShape);
WB_KERNEL("TensorListGather", FunctionKernel<RunGather>)
    .Cpu({{"element_dtype", kListTypes}})
    .Gpu({{"element_dtype", kListGpuTypes}})
    .HostMemory({"indices", "element_shape"});
WB_GPU_KERNEL("TensorListGather", SameOnGpu<FunctionKernel<RunGather>>);
WB_GRADIENT("TensorListGather", GatherGradient);

WB_OP("TensorListScatter")
    .Input("tensor: element_dtype")
    .Input("indices: int32")
    .Input("element_shape: shape_type")
    .Output("output_handle: variant")
    .Attr("element_dtype: type")
    .Attr("shape_type: {int32, int64}")
    .Shape(ScatterShape);
WB_KERNEL("TensorListScatter", FunctionKernel<RunScatter>)
    .Cpu({{"element_dtype", kListTypes}})
    .Gpu({{"element_dtype", kListGpuTypes}})
    .HostMemory({"indices", "element_shape"});
WB_GPU_KERNEL("TensorListScatter", SameOnGpu<FunctionKernel<RunScatter>>);
WB_GRADIENT("TensorListScatter", ScatterGradient);

WB_OP("TensorListScatterV2")
    .Input("tensor: element_dtype")
    .Input("indices: int32")
    .Input("element_shape: shape_type")
    .Input("num_elements: int32")
    .Output("output_handle: variant")
    .Attr("element_dtype: type")
    .Attr("shape_type: {int32, int64}")
    .Shape(ScatterShape);
WB_KERNEL("TensorListScatterV2", FunctionKernel<RunScatter>)
    .Cpu({{"element_dtype", kListTypes}})
    .Gpu({{"element_dtype", kListGpuTypes}})
    .HostMemory({"indices", "element_shape", "num_elements"});
WB_GPU_KERNEL("TensorListScatterV2", SameOnGpu<FunctionKernel<RunScatter>>);
WB_GRADIENT("TensorListScatterV2", ScatterGradient);

WB_OP("TensorListScatterIntoExistingList")
    .Input("input_handle: variant")
    .Input("tensor: element_dtype")
    .Input("indices: int32")
    .Output("output_handle: variant")
    .Attr("element_dtype: type")
    .Shape(ScatterIntoShape);
WB_KERNEL("TensorListScatterIntoExistingList", FunctionKernel<RunScatterInto>)
    .Cpu({{"element_dtype", kListTypes}})
    .Gpu({{"element_dtype", kListGpuTypes}})
    .HostMemory({"indices"});
WB_GPU_KERNEL("TensorListScatterIntoExistingList", SameOnGpu<FunctionKernel<RunScatterInto>>);
WB_GRADIENT("TensorListScatterIntoExistingList", ScatterIntoGradient);

}  // namespace
}  // namespace warpbeam
