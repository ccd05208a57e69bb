// TensorList: a list of tensors of one dtype as a value, the element of a scalar DT_VARIANT tensor.
//
//   WB_ASSIGN_OR_RETURN(const TensorList* list, ListInput(ctx, 0));
//   WB_RETURN_IF_ERROR(list->CheckDType(ctx.input(1).dtype()));
//   WB_ASSIGN_OR_RETURN(MutableList changed, MutableList::Of(ctx, 0));   // a copy, if need be
//   changed->elements.push_back(KeptTensor::Of(ctx, ctx.input(1)));
//   changed.SetOutput(ctx, 0);
//
// Lists are values: an op that changes one gives out a new one. Where nobody else can see the old
// one, it is changed in place, so that pushing n elements takes n steps.
//
// Ownership: a list shares its elements' buffers. Thread safety: values; const access from many
// threads. Errors: INVALID_ARGUMENT for a tensor that is no list, or one of another dtype.
#ifndef WARPBEAM_OPS_LIST_TENSOR_LIST_H_
#define WARPBEAM_OPS_LIST_TENSOR_LIST_H_

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "ops/state/kept_tensor.h"

namespace warpbeam {

// That it can tell how many variants share it is what in-place changes rest on.
struct TensorList : std::enable_shared_from_this<TensorList> {
  DType dtype = DType::kInvalid;
  PartialShape element_shape;
  int64_t max_elements = -1;         // -1: no limit
  std::vector<KeptTensor> elements;  // one without a value is zeros of a shape not known yet

  TensorList() = default;
  // An empty list of the same kind.
  TensorList(DType dtype, PartialShape element_shape, int64_t max_elements = -1)
      : dtype(dtype), element_shape(std::move(element_shape)), max_elements(max_elements) {}
  int64_t size() const { return static_cast<int64_t>(elements.size()); }
  Status CheckDType(DType asked) const;
  Status CheckElement(absl::string_view verb, const Shape& shape) const;
  // Appends elements without a value, or drops some; RESOURCE_EXHAUSTED when there is no memory.
  Status Resize(int64_t size);
};

Tensor ListToTensor(TensorList list);
// The list in one element of a variant tensor.
StatusOr<const TensorList*> ListFromVariant(const Variant& variant);
// The list that is the input, a scalar.
StatusOr<const TensorList*> ListInput(const KernelContext& ctx, int input);
// The same, of the dtype that the op's "element_dtype" says.
StatusOr<const TensorList*> ListInput(const KernelContext& ctx, int input, DType dtype);

// An input's list that may be changed: the input's own where nobody else can see it.
class MutableList {
 public:
  static StatusOr<MutableList> Of(KernelContext& ctx, int input);
  TensorList* operator->() { return list_; }
  TensorList& operator*() { return *list_; }
  void SetOutput(KernelContext& ctx, int output);

 private:
  int input_ = -1;
  TensorList* list_ = nullptr;
  std::shared_ptr<TensorList> copy_;  // null: in place
};

// An argument that is a shape: -1 for unknown extents, a scalar -1 for an unknown rank.
StatusOr<PartialShape> ReadPartialShape(const Tensor& shape);
// What both say; INVALID_ARGUMENT when they contradict each other.
StatusOr<PartialShape> MergeShapes(const PartialShape& a, const PartialShape& b,
                                   absl::string_view what);

}  // namespace warpbeam

#endif  // WARPBEAM_OPS_LIST_TENSOR_LIST_H_
