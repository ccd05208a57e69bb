// TensorListConcatLists, TensorListPushBackBatch: many lists at once, the elements of a tensor of
// variants.
#include <utility>

#include "graph/gradients/gradient_registry.h"
#include "graph/op/op_registry.h"
#include "ops/array/function_kernel.h"
#include "ops/list/list_rows.h"
#include "ops/list/list_shapes.h"
#include "ops/state/same_on_gpu.h"
#include "runtime/kernel/kernel_registry.h"

namespace warpbeam {
namespace {

StatusOr<TensorList> JoinLists(const TensorList& a, const TensorList& b) {
  WB_RETURN_IF_ERROR(a.CheckDType(b.dtype));
  if (a.element_shape != b.element_shape) {
    return InvalidArgument("the lists' element shapes differ: ", a.element_shape.ToString(),
                           " and ", b.element_shape.ToString());
  }
  TensorList joined = a;
  joined.elements.insert(joined.elements.end(), b.elements.begin(), b.elements.end());
  return joined;
}

class ConcatListsKernel final : public Kernel {
 public:
  explicit ConcatListsKernel(DType dtype) : dtype_(dtype) {}
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) {
    WB_ASSIGN_OR_RETURN(const DType dtype, init.attr<DType>("element_dtype"));
    return std::make_unique<ConcatListsKernel>(dtype);
  }
  Status Compute(KernelContext& ctx) override {
    const Tensor& a = ctx.input(0);
    const Tensor& b = ctx.input(1);
    if (a.shape() != b.shape()) {
      return InvalidArgument("the two tensors of lists must be of one shape, not ",
                             a.shape().ToString(), " and ", b.shape().ToString());
    }
    WB_ASSIGN_OR_RETURN(Tensor * y, ctx.Allocate(0, a.shape()));
    for (int64_t i = 0; i < a.num_elements(); ++i) {
      WB_ASSIGN_OR_RETURN(const TensorList* first, ListFromVariant(a.data<Variant>()[i]));
      WB_ASSIGN_OR_RETURN(const TensorList* second, ListFromVariant(b.data<Variant>()[i]));
      WB_RETURN_IF_ERROR(first->CheckDType(dtype_));
      WB_ASSIGN_OR_RETURN(TensorList joined, JoinLists(*first, *second));
      y->data<Variant>()[i] = Variant::Of<TensorList>(std::move(joined));
    }
    return OkStatus();
  }

 private:
  const DType dtype_;
};

Status RunPushBackBatch(KernelContext& ctx) {
  const Tensor& lists = ctx.input(0);
  const Tensor& rows = ctx.input(1);
  WB_RETURN_IF_ERROR(CheckHasRows(rows));
  if (lists.rank() > 1 || lists.num_elements() != rows.dim(0)) {
    return InvalidArgument("there must be one list for each row of the tensor, but there are ",
                           lists.num_elements(), " for ", rows.dim(0));
  }
  const Shape element = rows.shape().Remove(0);
  WB_ASSIGN_OR_RETURN(Tensor * y, ctx.Allocate(0, lists.shape()));
  for (int64_t i = 0; i < lists.num_elements(); ++i) {
    WB_ASSIGN_OR_RETURN(const TensorList* before, ListFromVariant(lists.data<Variant>()[i]));
    WB_RETURN_IF_ERROR(before->CheckDType(rows.dtype()));
    if (!before->element_shape.IsCompatibleWith(PartialShape(element))) {
      return InvalidArgument("Tried to append a tensor with incompatible shape to a list at index ",
                             i, ". Op element shape: ", element.ToString(),
                             " list shape: ", before->element_shape.ToString());
    }
    TensorList list = *before;
    WB_ASSIGN_OR_RETURN(KeptTensor row, RowOf(ctx, rows, i));
    list.elements.push_back(std::move(row));
    y->data<Variant>()[i] = Variant::Of<TensorList>(std::move(list));
  }
  return OkStatus();
}

Status CheckHandle(const ShapeContext& c, int i) {
  const HandleShapes& known = c.input_handle(i);
  WB_ASSIGN_OR_RETURN(const DType wanted, c.attr<DType>("element_dtype"));
  if (known.size() != 1 || known[0].dtype == wanted) return OkStatus();
  return InvalidArgument("the op's elements are ", DTypeName(wanted), ", the lists' ",
                         DTypeName(known[0].dtype));
}

Status ConcatListsShape(ShapeContext& c) {
  WB_RETURN_IF_ERROR(CheckHandle(c, 0));
  WB_RETURN_IF_ERROR(CheckHandle(c, 1));
  WB_ASSIGN_OR_RETURN(PartialShape shape, PartialShape::Merge(c.input(0), c.input(1)));
  c.set_output(0, std::move(shape));
  if (!c.input_handle(0).empty()) c.set_output_handle(0, c.input_handle(0));
  return OkStatus();
}

Status PushBackBatchShape(ShapeContext& c) {
  WB_RETURN_IF_ERROR(CheckHandle(c, 0));
  WB_ASSIGN_OR_RETURN(PartialShape lists, c.WithRank(0, 1));
  WB_ASSIGN_OR_RETURN(const PartialShape tensor, c.WithRankAtLeast(1, 1));
  if (tensor.has_rank()) {
    WB_ASSIGN_OR_RETURN(lists, PartialShape::Merge(lists, PartialShape({tensor.dim(0)})));
  }
  c.set_output(0, std::move(lists));
  if (!c.input_handle(0).empty()) c.set_output_handle(0, c.input_handle(0));
  return OkStatus();
}

WB_OP("TensorListConcatLists")
    .Input("input_a: variant")
    .Input("input_b: variant")
    .Output("output: variant")
    .Attr("element_dtype: type")
    .Shape(ConcatListsShape);
WB_KERNEL("TensorListConcatLists", ConcatListsKernel).Cpu().Gpu();
WB_NO_GRADIENT("TensorListConcatLists");

WB_OP("TensorListPushBackBatch")
    .Input("input_handles: variant")
    .Input("tensor: element_dtype")
    .Output("output_handles: variant")
    .Attr("element_dtype: type")
    .Shape(PushBackBatchShape);
WB_KERNEL("TensorListPushBackBatch", FunctionKernel<RunPushBackBatch>)
    .Cpu({{"element_dtype", kListTypes}})
    .Gpu({{"element_dtype", kListGpuTypes}});
WB_GPU_KERNEL("TensorListPushBackBatch", SameOnGpu<FunctionKernel<RunPushBackBatch>>);
WB_NO_GRADIENT("TensorListPushBackBatch");

}  // namespace
}  // namespace warpbeam
