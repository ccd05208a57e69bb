// TensorArray: tensors by index that one step writes and reads, each once as a rule, as loops do;
// and the arrays that their gradients are summed up in.
//
//   WB_ASSIGN_OR_RETURN(auto array, TensorArray::Make(spec, /*size=*/10));
//   WB_RETURN_IF_ERROR(array->Write(ctx, {3}, {value}));
//   WB_RETURN_IF_ERROR(array->Read(ctx, {3}, &elements));            // clears 3 by default
//   WB_ASSIGN_OR_RETURN(auto gradient, array->Gradient("gradients", nullptr));
//
// What is written twice is an error, except in a gradient's array, where values are added. What was
// not written reads as zeros where its shape is known: from the spec's element shape, or in a
// gradient's array from the value that it is the gradient of.
//
// Ownership: elements share buffers with what was written. Thread safety: any thread, one lock.
// Errors: INVALID_ARGUMENT, naming array and index, for all that breaks these rules, and for any
// use after Close.
#ifndef WARPBEAM_OPS_TENSOR_ARRAY_TENSOR_ARRAY_H_
#define WARPBEAM_OPS_TENSOR_ARRAY_TENSOR_ARRAY_H_

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "graph/types/span.h"
#include "ops/state/kept_tensor.h"
#include "runtime/state/resource_store.h"

namespace warpbeam {

class TensorArray final : public Resource {
 public:
  struct Spec {
    std::string name;
    DType dtype = DType::kInvalid;
    PartialShape element_shape;
    bool identical_element_shapes = false;  // the first write fixes the element shape
    bool dynamic_size = false;              // writes beyond the end make the array longer
    bool clear_after_read = true;           // an element is given away by its first read
  };
  // What is read: a value, or zeros of a shape.
  struct Element {
    Tensor value;
    Shape shape;
  };
  using Elements = absl::InlinedVector<Element, 1>;

  static StatusOr<std::shared_ptr<TensorArray>> Make(Spec spec, int64_t size);
  std::string DebugString() const override;
  const std::string& name() const { return spec_.name; }
  DType dtype() const { return spec_.dtype; }
  bool dynamic_size() const;
  // INVALID_ARGUMENT unless the elements are of `dtype`, as an op that reads or writes says.
  Status CheckReads(DType dtype) const;
  Status CheckWrites(DType dtype) const;

  // All or, after an error, the first few. Indices and values are of equal number.
  Status Write(KernelContext& ctx, Span<const int64_t> indices, Span<const Tensor> values);
  Status Read(KernelContext& ctx, Span<const int64_t> indices, Elements* elements);

  StatusOr<int64_t> Size() const;
  // How many elements Concat and Pack take: all, in a gradient's array as many as the array had
  // when it was split or unpacked.
  StatusOr<int64_t> PackedSize() const;
  void SetPackedSize(int64_t size);
  PartialShape element_shape() const;
  // Adds what an op says of the element shape; the merged shape.
  StatusOr<PartialShape> MergeElementShape(const PartialShape& shape);

  // The array that gradients of this one are written to under the name `source`, made at the first
  // call; from then on this array keeps its size. With `prefix`, the gradient's elements have these
  // dimensions in front.
  StatusOr<std::shared_ptr<TensorArray>> Gradient(const std::string& source, const Shape* prefix);
  // Drops all elements.
  void Close();

 private:
  struct Slot {
    KeptTensor value;
    Shape shape;
    bool written = false;
    bool read = false;
    bool cleared = false;
    bool own_sum = false;  // `value` is a sum that nobody else can see
  };

  TensorArray(Spec spec, bool is_gradient) : spec_(std::move(spec)), is_gradient_(is_gradient) {}
  // All with the lock held.
  Status CheckOpen() const;
  Status Resize(int64_t size);
  Status WriteOne(KernelContext& ctx, int64_t index, const Tensor& value);
  Status Aggregate(KernelContext& ctx, int64_t index, const Tensor& value);
  Status ReadOne(KernelContext& ctx, int64_t index, Element* element);
  Status TakeZeros(int64_t index);

  mutable std::mutex mutex_;
  Spec spec_;
  const bool is_gradient_;
  bool closed_ = false;
  int64_t packed_size_ = -1;  // -1: never split or unpacked
  std::vector<Slot> slots_;
  std::map<std::string, std::shared_ptr<TensorArray>> gradients_;  // by source
};

}  // namespace warpbeam

#endif  // WARPBEAM_OPS_TENSOR_ARRAY_TENSOR_ARRAY_H_
