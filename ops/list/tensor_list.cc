#include "ops/list/tensor_list.h"

#include <new>
#include <utility>

#include "ops/array/index/index_argument.h"

namespace warpbeam {

Status TensorList::CheckDType(DType asked) const {
  if (BaseType(asked) == dtype) return OkStatus();
  return InvalidArgument("Invalid data types; op elements ", DTypeName(BaseType(asked)),
                         " but list elements ", DTypeName(dtype));
}

Status TensorList::CheckElement(absl::string_view verb, const Shape& shape) const {
  if (element_shape.IsCompatibleWith(PartialShape(shape))) return OkStatus();
  return InvalidArgument("Tried to ", verb, " a tensor with incompatible shape ",
                         verb == "append" ? "to a list. Op" : "at a list index. Item",
                         " element shape: ", shape.ToString(),
                         " list shape: ", element_shape.ToString());
}

Status TensorList::Resize(int64_t size) {
  constexpr int64_t kMostElements = int64_t{1} << 26;
  try {
    if (size <= kMostElements) {
      elements.resize(static_cast<size_t>(size));
      return OkStatus();
    }
  } catch (const std::bad_alloc&) {
  }
  return ResourceExhausted("there is no memory for a list of ", size, " elements");
}

Tensor ListToTensor(TensorList list) {
  return Tensor::Scalar<Variant>(Variant::Of<TensorList>(std::move(list)));
}

StatusOr<const TensorList*> ListFromVariant(const Variant& variant) {
  const TensorList* list = variant.get<TensorList>();
  if (list != nullptr) return list;
  return InvalidArgument("the handle is not a list: it is a variant that holds ",
                         variant.type_name());
}

StatusOr<const TensorList*> ListInput(const KernelContext& ctx, int input) {
  const Tensor& t = ctx.input(input);
  if (t.dtype() != DType::kVariant || t.rank() != 0) {
    return InvalidArgument("a list is a scalar of type variant; input ", input, " is ",
                           DTypeName(t.dtype()), t.shape().ToString());
  }
  return ListFromVariant(t.scalar<Variant>());
}

StatusOr<const TensorList*> ListInput(const KernelContext& ctx, int input, DType dtype) {
  WB_ASSIGN_OR_RETURN(const TensorList* list, ListInput(ctx, input));
  WB_RETURN_IF_ERROR(list->CheckDType(dtype));
  return list;
}

StatusOr<MutableList> MutableList::Of(KernelContext& ctx, int input) {
  WB_ASSIGN_OR_RETURN(const TensorList* list, ListInput(ctx, input));
  MutableList result;
  result.input_ = input;
  // A variant may have been copied into another tensor: then two own the list.
  if (ctx.CanForward(input) && list->weak_from_this().use_count() == 1) {
    result.list_ = const_cast<TensorList*>(list);
  } else {
    result.copy_ = std::make_shared<TensorList>(*list);
    result.list_ = result.copy_.get();
  }
  return result;
}

void MutableList::SetOutput(KernelContext& ctx, int output) {
  if (copy_ != nullptr) {
    ctx.set_output(output, ListToTensor(std::move(*copy_)));
  } else {
    ctx.set_output(output, ctx.input(input_));
  }
}

StatusOr<PartialShape> ReadPartialShape(const Tensor& shape) {
  if (shape.rank() > 1) {
    return InvalidArgument("a shape is a vector, not a tensor of shape ", shape.shape().ToString());
  }
  WB_ASSIGN_OR_RETURN(const Dims dims, ReadIndices(shape, "element_shape"));
  if (shape.rank() == 1) return PartialShape::Make(dims);
  if (dims[0] == -1) return PartialShape();
  return InvalidArgument("the only scalar that is a shape is -1, for an unknown one, not ",
                         dims[0]);
}

StatusOr<PartialShape> MergeShapes(const PartialShape& a, const PartialShape& b,
                                   absl::string_view what) {
  auto merged = PartialShape::Merge(a, b);
  if (merged.ok()) return merged;
  const bool ranks = a.rank() != b.rank();
  return InvalidArgument(what, ": Incompatible ", ranks ? "ranks" : "shapes",
                         " during merge: ", ranks ? absl::StrCat(a.rank()) : a.ToString(), " vs. ",
                         ranks ? absl::StrCat(b.rank()) : b.ToString());
}

}  // namespace warpbeam
