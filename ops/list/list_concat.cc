// TensorListConcat, TensorListConcatV2, TensorListSplit: elements as parts, of lengths of their
// own, of one tensor.
#include <utility>

#include "graph/gradients/gradient_registry.h"
#include "graph/op/op_registry.h"
#include "ops/array/function_kernel.h"
#include "ops/array/index/index_argument.h"
#include "ops/array/strided_copy.h"
#include "ops/list/list_rows.h"
#include "ops/list/list_shapes.h"
#include "ops/state/elements_here.h"
#include "ops/state/same_on_gpu.h"
#include "runtime/kernel/kernel_registry.h"

namespace warpbeam {
namespace {

StatusOr<PartialShape> RowsOfShape(
    const PartialShape& shape,
    absl::string_view no_rows =
        "Concat requires elements to be at least vectors, found scalars instead") {
  if (!shape.has_rank()) return shape;
  if (shape.rank() == 0) {
    return InvalidArgument(no_rows);
  }
  return PartialShape(std::vector<int64_t>(shape.dims().begin() + 1, shape.dims().end()));
}

// What is known of the elements before they are joined.
struct Parts {
  Shape row;
  std::vector<int64_t> lengths;
};

StatusOr<Parts> Measure(const TensorList& list, const PartialShape& known,
                        Span<const int64_t> leading_dims) {
  WB_ASSIGN_OR_RETURN(PartialShape row, RowsOfShape(known));
  // How long elements are that were never set: as the shape says, or as all that were set are.
  int64_t length = known.has_rank() ? known.dim(0) : -1;
  bool lengths_differ = false;
  for (size_t i = 0; i < list.elements.size(); ++i) {
    const KeptTensor& element = list.elements[i];
    if (!element.has_value()) continue;
    if (element.shape().rank() == 0) {
      return InvalidArgument("Concat saw a scalar shape at index ", i,
                             " but requires at least vectors");
    }
    WB_ASSIGN_OR_RETURN(const PartialShape rest, RowsOfShape(PartialShape(element.shape())));
    WB_ASSIGN_OR_RETURN(row, MergeShapes(row, rest, "all but the first dimension of elements"));
    if (known.has_rank() && known.dim(0) >= 0) continue;
    lengths_differ |= length >= 0 && length != element.shape().dim(0);
    length = element.shape().dim(0);
  }
  Parts parts;
  const StatusOr<Shape> row_shape = row.AsShape();
  if (!row_shape.ok()) {
    return InvalidArgument(list.elements.empty()
                               ? "All except the first dimension must be fully defined when "
                                 "concating an empty tensor list. element_shape"
                               : "Trying to concat list with only uninitialized tensors "
                                 "but element_shape_except_first_dim is not fully defined",
                           ": ", row.ToString());
  }
  parts.row = *row_shape;
  for (size_t i = 0; i < list.elements.size(); ++i) {
    if (list.elements[i].has_value()) {
      parts.lengths.push_back(list.elements[i].shape().dim(0));
    } else if (i < leading_dims.size()) {
      if (leading_dims[i] < 0)
        return InvalidArgument("a leading dim is negative: ", leading_dims[i]);
      parts.lengths.push_back(leading_dims[i]);
    } else if (length >= 0 && !lengths_differ) {
      parts.lengths.push_back(length);
    } else {
      return InvalidArgument("List contains uninitialized tensor at index ", i,
                             " but leading_dims has only ", leading_dims.size(), " elements.");
    }
  }
  return parts;
}

Status Concat(KernelContext& ctx, const TensorList& list, const PartialShape& known,
              Span<const int64_t> leading_dims) {
  WB_ASSIGN_OR_RETURN(const Parts parts, Measure(list, known, leading_dims));
  int64_t total = 0;
  for (int64_t length : parts.lengths) total += length;
  WB_ASSIGN_OR_RETURN(const Shape shape, parts.row.Insert(0, total));
  WB_ASSIGN_OR_RETURN(Tensor * y, ctx.Allocate(0, shape));
  ctx.set_output(1, Tensor::Vector<int64_t>(Span<const int64_t>(parts.lengths)));
  int64_t at = 0;
  for (size_t i = 0; i < list.elements.size(); ++i) {
    void* to = Advance(y->raw_data(), y->dtype(), at);
    const int64_t count = parts.lengths[i] * parts.row.num_elements();
    if (list.elements[i].has_value()) {
      WB_ASSIGN_OR_RETURN(const Tensor value, list.elements[i].Get(ctx));
      WB_RETURN_IF_ERROR(CopyHere(ctx, y->dtype(), to, value.raw_data(), count));
    } else {
      WB_RETURN_IF_ERROR(ZeroHere(ctx, y->dtype(), to, count));
    }
    at += count;
  }
  return OkStatus();
}

class ConcatKernel final : public Kernel {
 public:
  explicit ConcatKernel(PartialShape element_shape) : element_shape_(std::move(element_shape)) {}
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) {
    WB_ASSIGN_OR_RETURN(PartialShape shape, init.attr<PartialShape>("element_shape"));
    return std::make_unique<ConcatKernel>(std::move(shape));
  }
  Status Compute(KernelContext& ctx) override {
    WB_ASSIGN_OR_RETURN(const TensorList* list, ListInput(ctx, 0, ctx.output_type(0)));
    WB_ASSIGN_OR_RETURN(const PartialShape known,
                        MergeShapes(element_shape_, list->element_shape, "element_shape"));
    return Concat(ctx, *list, known, {});
  }

 private:
  const PartialShape element_shape_;
};

Status RunConcatV2(KernelContext& ctx) {
  WB_ASSIGN_OR_RETURN(const TensorList* list, ListInput(ctx, 0, ctx.output_type(0)));
  WB_ASSIGN_OR_RETURN(const PartialShape asked, ReadPartialShape(ctx.input(1)));
  WB_ASSIGN_OR_RETURN(const PartialShape known,
                      MergeShapes(asked, list->element_shape, "element_shape"));
  return Concat(ctx, *list, known, ctx.input(2).flat<int64_t>());
}

Status RunSplit(KernelContext& ctx) {
  const Tensor& tensor = ctx.input(0);
  const Tensor& lengths = ctx.input(2);
  WB_RETURN_IF_ERROR(CheckHasRows(tensor));
  if (lengths.rank() != 1) {
    return InvalidArgument("Expected lengths to be a vector, received shape: ",
                           lengths.shape().ToString());
  }
  WB_ASSIGN_OR_RETURN(PartialShape element, ReadPartialShape(ctx.input(1)));
  WB_ASSIGN_OR_RETURN(
      const PartialShape row,
      RowsOfShape(element,
                  "TensorListSplit requires element_shape to be at least of rank 1, but saw: []"));
  if (!row.IsCompatibleWith(PartialShape(tensor.shape().Remove(0)))) {
    return InvalidArgument("tensor shape ", tensor.shape().ToString(),
                           " is not compatible with element_shape ", element.ToString());
  }
  TensorList list(tensor.dtype(), std::move(element));
  list.elements.reserve(static_cast<size_t>(lengths.num_elements()));
  int64_t at = 0;
  for (int64_t length : lengths.flat<int64_t>()) {
    if (length < 0) return InvalidArgument("Invalid value in lengths: ", length);
    if (length > tensor.dim(0) - at) {
      return InvalidArgument("Attempting to slice [", at, ", ", at + length,
                             "] from tensor with length ", tensor.dim(0));
    }
    WB_ASSIGN_OR_RETURN(const Shape shape, tensor.shape().WithDim(0, length));
    WB_ASSIGN_OR_RETURN(KeptTensor part, RowsOf(ctx, tensor, at, at + length, shape));
    list.elements.push_back(std::move(part));
    at += length;
  }
  if (at != tensor.dim(0)) {
    return InvalidArgument("Unused values in tensor. Length of tensor: ", tensor.dim(0),
                           " Values used: ", at);
  }
  ctx.set_output(0, ListToTensor(std::move(list)));
  return OkStatus();
}

Status SetConcatShapes(ShapeContext& c, const PartialShape& element) {
  WB_ASSIGN_OR_RETURN(const PartialShape row, RowsOfShape(element));
  if (row.has_rank()) {
    std::vector<int64_t> dims = row.dims();
    dims.insert(dims.begin(), -1);
    c.set_output(0, PartialShape(std::move(dims)));
  }
  c.set_output(1, PartialShape({-1}));
  return OkStatus();
}

Status ConcatShape(ShapeContext& c) {
  WB_ASSIGN_OR_RETURN(const PartialShape known, ListElementShape(c, 0));
  WB_ASSIGN_OR_RETURN(const PartialShape asked, c.attr<PartialShape>("element_shape"));
  if (asked.has_rank() && asked.rank() == 0) {
    return InvalidArgument(
        "element_shape must not be empty: elements without dimensions cannot be "
        "joined");
  }
  WB_ASSIGN_OR_RETURN(const PartialShape element, PartialShape::Merge(known, asked));
  return SetConcatShapes(c, element);
}

Status ConcatV2Shape(ShapeContext& c) {
  WB_ASSIGN_OR_RETURN(const PartialShape element, ListElementShape(c, 0, 1));
  return SetConcatShapes(c, element);
}

Status SplitShape(ShapeContext& c) {
  WB_ASSIGN_OR_RETURN(const PartialShape row, RowShape(c, 0));
  WB_RETURN_IF_ERROR(c.WithRank(2, 1).status());
  WB_ASSIGN_OR_RETURN(PartialShape element, c.ShapeFromInput(1));
  WB_ASSIGN_OR_RETURN(const PartialShape rest, RowsOfShape(element));
  WB_RETURN_IF_ERROR(PartialShape::Merge(row, rest).status());
  return SetListOutput(c, std::move(element));
}

Status ConcatGradient(GradContext& c) {
  const OutputRef shape =
      c.Emit("TensorListElementShape", {c.x(0)}, {{"shape_type", DType::kInt32}});
  c.set_dx(0, c.Emit("TensorListSplit", {c.dy(0), shape, c.y(1)}));
  return OkStatus();
}

Status SplitGradient(GradContext& c) {
  const OutputRef rest = c.Emit("Slice", {c.ShapeOf(c.x(0)), c.Ints({1}), c.Ints({-1})});
  const OutputRef shape = c.Emit("ConcatV2", {NodeInput{c.Ints({-1}), rest}, c.Scalar<int32_t>(0)});
  c.set_dx(0, c.Emit("TensorListConcatV2", {c.dy(0), shape, c.x(2)},
                     {{"element_dtype", c.type(c.x(0))}}));
  return OkStatus();
}

WB_OP("TensorListConcat")
    .Input("input_handle: variant")
    .Output("tensor: element_dtype")
    .Output("lengths: int64")
    .Attr("element_dtype: type")
    .Attr("element_shape: shape = { unknown_rank: true }")
    .Shape(ConcatShape);
WB_KERNEL("TensorListConcat", ConcatKernel)
    .Cpu({{"element_dtype", kListTypes}})
    .Gpu({{"element_dtype", kListGpuTypes}})
    .HostMemory({"lengths"});
WB_GPU_KERNEL("TensorListConcat", SameOnGpu<ConcatKernel>);
WB_GRADIENT("TensorListConcat", ConcatGradient);

WB_OP("TensorListConcatV2")
    .Input("input_handle: variant")
    .Input("element_shape: shape_type")
    .Input("leading_dims: int64")
    .Output("tensor: element_dtype")
    .Output("lengths: int64")
    .Attr("element_dtype: type")
    .Attr("shape_type: {int32, int64}")
    .Shape(ConcatV2Shape);
WB_KERNEL("TensorListConcatV2", FunctionKernel<RunConcatV2>)
    .Cpu({{"element_dtype", kListTypes}})
    .Gpu({{"element_dtype", kListGpuTypes}})
    .HostMemory({"element_shape", "leading_dims", "lengths"});
WB_GPU_KERNEL("TensorListConcatV2", SameOnGpu<FunctionKernel<RunConcatV2>>);
WB_GRADIENT("TensorListConcatV2", ConcatGradient);

WB_OP("TensorListSplit")
    .Input("tensor: element_dtype")
    .Input("element_shape: shape_type")
    .Input("lengths: int64")
    .Output("output_handle: variant")
    .Attr("element_dtype: type")
    .Attr("shape_type: {int32, int64}")
    .Shape(SplitShape);
WB_KERNEL("TensorListSplit", FunctionKernel<RunSplit>)
    .Cpu({{"element_dtype", kListTypes}})
    .Gpu({{"element_dtype", kListGpuTypes}})
    .HostMemory({"element_shape", "lengths"});
WB_GPU_KERNEL("TensorListSplit", SameOnGpu<FunctionKernel<RunSplit>>);
WB_GRADIENT("TensorListSplit", SplitGradient);

}  // namespace
}  // namespace warpbeam
