#include "ops/list/list_rows.h"

#include <utility>

#include "ops/array/strided_copy.h"
#include "ops/array/view.h"
#include "ops/state/elements_here.h"

namespace warpbeam {

Status JoinRows(KernelContext& ctx, int output, absl::string_view verb,
                const std::vector<const KeptTensor*>& elements, PartialShape known) {
  for (const KeptTensor* element : elements) {
    if (!element->has_value()) continue;
    WB_ASSIGN_OR_RETURN(known, MergeShapes(known, PartialShape(element->shape()), "elements"));
  }
  const StatusOr<Shape> shape = known.AsShape();
  if (!shape.ok()) {
    const bool stacks = verb == "stack";
    const char* what = elements.empty()
                           ? (stacks ? " elements of an empty list with non-fully-defined element_"
                                     : " 0-elements from a list with non-fully-defined ")
                       : stacks ? " list which only contains uninitialized tensors and has a "
                                  "non-fully-defined element_"
                                : " uninitialized tensors from a list with "
                                  "non-fully-defined element_";
    return InvalidArgument("Tried to ", verb, what, "shape: ", known.ToString());
  }
  WB_ASSIGN_OR_RETURN(const Shape joined, shape->Insert(0, static_cast<int64_t>(elements.size())));
  if (elements.size() == 1 && elements[0]->has_value()) {
    WB_ASSIGN_OR_RETURN(const Tensor value, elements[0]->Get(ctx));
    WB_ASSIGN_OR_RETURN(Tensor row, value.Reshaped(joined));
    ctx.set_output(output, std::move(row));
    return OkStatus();
  }
  WB_ASSIGN_OR_RETURN(Tensor * y, ctx.Allocate(output, joined));
  const int64_t count = shape->num_elements();
  for (size_t i = 0; i < elements.size(); ++i) {
    void* to = Advance(y->raw_data(), y->dtype(), static_cast<int64_t>(i) * count);
    if (elements[i]->has_value()) {
      WB_ASSIGN_OR_RETURN(const Tensor value, elements[i]->Get(ctx));
      WB_RETURN_IF_ERROR(CopyHere(ctx, y->dtype(), to, value.raw_data(), count));
    } else {
      WB_RETURN_IF_ERROR(ZeroHere(ctx, y->dtype(), to, count));
    }
  }
  return OkStatus();
}

StatusOr<KeptTensor> RowsOf(KernelContext& ctx, const Tensor& tensor, int64_t begin, int64_t end,
                            const Shape& shape) {
  if (std::optional<Tensor> view = AlignedRows(tensor, begin, end)) {
    WB_ASSIGN_OR_RETURN(Tensor rows, view->Reshaped(shape));
    return KeptTensor::Of(ctx, std::move(rows));
  }
  WB_ASSIGN_OR_RETURN(Tensor rows, ctx.AllocateTemp(tensor.dtype(), shape));
  WB_RETURN_IF_ERROR(CopyHere(ctx, tensor.dtype(), rows.raw_data(),
                              tensor.Rows(begin, end).raw_data(), rows.num_elements()));
  return KeptTensor::Of(ctx, std::move(rows));
}

Status CheckHasRows(const Tensor& tensor) {
  if (tensor.rank() > 0) return OkStatus();
  return InvalidArgument("Tensor must be at least a vector, but saw shape: []");
}

}  // namespace warpbeam
