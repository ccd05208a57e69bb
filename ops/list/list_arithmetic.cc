// ZerosLike and AddN of lists, which gradients of loops that carry lists need: element by element.
#include <utility>

#include "graph/op/op_registry.h"
#include "ops/array/function_kernel.h"
#include "ops/array/strided_copy.h"
#include "ops/list/tensor_list.h"
#include "ops/state/elementwise_update.h"
#include "runtime/kernel/kernel_registry.h"

namespace warpbeam {
namespace {

// Lists of lists of lists…: a graph can build them as deep as it likes.
constexpr int kMaxDepth = 64;

absl::Status CheckDepth(int depth) {
  if (depth < kMaxDepth) return absl::OkStatus();
  return InvalidArgument("lists lie within lists more than ", kMaxDepth, " deep");
}

absl::StatusOr<Tensor> ZerosLike(KernelContext& ctx, const Tensor& tensor, int depth) {
  WB_RETURN_IF_ERROR(CheckDepth(depth));
  WB_ASSIGN_OR_RETURN(Tensor zeros, ctx.AllocateTemp(tensor.dtype(), tensor.shape()));
  if (tensor.dtype() != DType::kVariant) {
    ZeroRange(ctx, zeros.dtype(), zeros.raw_data(), zeros.num_elements());
    return zeros;
  }
  for (int64_t i = 0; i < tensor.num_elements(); ++i) {
    const TensorList* list = tensor.data<Variant>()[i].get<TensorList>();
    if (list == nullptr) {
      return Unimplemented("zeros like a variant that holds ",
                           tensor.data<Variant>()[i].type_name());
    }
    TensorList made(list->dtype, list->element_shape, list->max_elements);
    WB_RETURN_IF_ERROR(made.Resize(list->size()));
    for (size_t k = 0; k < list->elements.size(); ++k) {
      if (!list->elements[k].has_value()) continue;
      WB_ASSIGN_OR_RETURN(const Tensor element, list->elements[k].Get(ctx));
      WB_ASSIGN_OR_RETURN(Tensor zero, ZerosLike(ctx, element, depth + 1));
      made.elements[k] = KeptTensor::Of(ctx, std::move(zero));
    }
    zeros.data<Variant>()[i] = Variant::Of<TensorList>(std::move(made));
  }
  return zeros;
}

absl::StatusOr<Tensor> Add(KernelContext& ctx, const Tensor& a, const Tensor& b, int depth);

absl::StatusOr<TensorList> AddLists(KernelContext& ctx, const TensorList& a, const TensorList& b,
                                    int depth) {
  WB_RETURN_IF_ERROR(a.CheckDType(b.dtype));
  if (a.size() != b.size()) {
    return InvalidArgument("Trying to add two lists of tensors with different lengths: ", a.size(),
                           " and ", b.size());
  }
  WB_ASSIGN_OR_RETURN(
      PartialShape shape,
      MergeShapes(a.element_shape, b.element_shape,
                  "Trying to add two lists of tensors with incompatible element shapes"));
  TensorList sum(a.dtype, std::move(shape));
  sum.elements = a.elements;
  for (size_t k = 0; k < sum.elements.size(); ++k) {
    if (!b.elements[k].has_value()) continue;
    if (!sum.elements[k].has_value()) {
      sum.elements[k] = b.elements[k];
      continue;
    }
    WB_ASSIGN_OR_RETURN(const Tensor x, a.elements[k].Get(ctx));
    WB_ASSIGN_OR_RETURN(const Tensor y, b.elements[k].Get(ctx));
    WB_ASSIGN_OR_RETURN(Tensor z, Add(ctx, x, y, depth + 1));
    sum.elements[k] = KeptTensor::Of(ctx, std::move(z));
  }
  return sum;
}

absl::StatusOr<Tensor> Add(KernelContext& ctx, const Tensor& a, const Tensor& b, int depth) {
  WB_RETURN_IF_ERROR(CheckDepth(depth));
  if (a.shape() != b.shape()) {
    return InvalidArgument("elements that are added must be of one shape, not ",
                           a.shape().ToString(), " and ", b.shape().ToString());
  }
  if (a.dtype() != DType::kVariant && !kNumberTypes.contains(a.dtype())) {
    return InvalidArgument("there is no sum of ", DTypeName(a.dtype()), " values");
  }
  WB_ASSIGN_OR_RETURN(Tensor sum, ctx.AllocateTemp(a.dtype(), a.shape()));
  if (a.dtype() != DType::kVariant) {
    CopyRange(ctx, a.dtype(), sum.raw_data(), a.raw_data(), a.num_elements());
    WB_RETURN_IF_ERROR(UpdateElementwise(ctx, ScatterOp::kAdd, sum, b));
    return sum;
  }
  for (int64_t i = 0; i < a.num_elements(); ++i) {
    WB_ASSIGN_OR_RETURN(const TensorList* first, ListFromVariant(a.data<Variant>()[i]));
    WB_ASSIGN_OR_RETURN(const TensorList* second, ListFromVariant(b.data<Variant>()[i]));
    WB_ASSIGN_OR_RETURN(TensorList list, AddLists(ctx, *first, *second, depth + 1));
    sum.data<Variant>()[i] = Variant::Of<TensorList>(std::move(list));
  }
  return sum;
}

absl::Status RunZerosLike(KernelContext& ctx) {
  WB_ASSIGN_OR_RETURN(Tensor zeros, ZerosLike(ctx, ctx.input(0), 0));
  ctx.set_output(0, std::move(zeros));
  return absl::OkStatus();
}

absl::Status RunAddN(KernelContext& ctx) {
  Tensor sum = ctx.input(0);
  for (int i = 1; i < ctx.num_inputs(); ++i) {
    WB_ASSIGN_OR_RETURN(sum, Add(ctx, sum, ctx.input(i), 0));
  }
  ctx.set_output(0, std::move(sum));
  return absl::OkStatus();
}

// The other dtypes of both ops are in ops/array and ops/math.
constexpr TypeSet kVariants = {DType::kVariant};
WB_KERNEL("ZerosLike", FunctionKernel<RunZerosLike>)
    .Cpu({{"T", kVariants}})
    .Gpu({{"T", kVariants}});
WB_KERNEL("AddN", FunctionKernel<RunAddN>).Cpu({{"T", kVariants}}).Gpu({{"T", kVariants}});

}  // namespace
}  // namespace warpbeam
