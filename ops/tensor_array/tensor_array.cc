#include "ops/tensor_array/tensor_array.h"

#include <new>
#include <utility>

#include "ops/state/elements_here.h"

namespace warpbeam {

StatusOr<std::shared_ptr<TensorArray>> TensorArray::Make(Spec spec, int64_t size) {
  if (size < 0) {
    return InvalidArgument("Size should be >= 0, but this TensorArray is to have ", size);
  }
  std::shared_ptr<TensorArray> made(new TensorArray(std::move(spec), /*is_gradient=*/false));
  WB_RETURN_IF_ERROR(made->Resize(size));
  return made;
}

std::string TensorArray::DebugString() const { return absl::StrCat("TensorArray ", spec_.name); }

bool TensorArray::dynamic_size() const {
  std::lock_guard<std::mutex> lock(mutex_);
  return spec_.dynamic_size;
}

Status TensorArray::CheckReads(DType dtype) const {
  if (BaseType(dtype) == spec_.dtype) return OkStatus();
  return InvalidArgument("TensorArray dtype is ", DTypeName(spec_.dtype),
                         " but Op requested dtype ", DTypeName(BaseType(dtype)), ". (",
                         DebugString(), ")");
}

Status TensorArray::CheckWrites(DType dtype) const {
  if (BaseType(dtype) == spec_.dtype) return OkStatus();
  return InvalidArgument("TensorArray dtype is ", DTypeName(spec_.dtype),
                         " but Op is trying to write dtype ", DTypeName(BaseType(dtype)), ". (",
                         DebugString(), ")");
}

Status TensorArray::CheckOpen() const {
  if (!closed_) return OkStatus();
  return InvalidArgument(DebugString(), " has already been closed.");
}

Status TensorArray::Resize(int64_t size) {
  constexpr int64_t kMostSlots = int64_t{1} << 26;
  try {
    if (size <= kMostSlots) {
      slots_.resize(static_cast<size_t>(size));
      return OkStatus();
    }
  } catch (const std::bad_alloc&) {
  }
  return ResourceExhausted("there is no memory for a TensorArray of ", size, " elements");
}

Status TensorArray::Write(KernelContext& ctx, Span<const int64_t> indices,
                          Span<const Tensor> values) {
  std::lock_guard<std::mutex> lock(mutex_);
  for (size_t i = 0; i < indices.size(); ++i) {
    WB_RETURN_IF_ERROR(WriteOne(ctx, indices[i], values[i]));
  }
  return OkStatus();
}

Status TensorArray::WriteOne(KernelContext& ctx, int64_t index, const Tensor& value) {
  WB_RETURN_IF_ERROR(CheckOpen());
  const int64_t size = static_cast<int64_t>(slots_.size());
  if (index < 0 || (!spec_.dynamic_size && index >= size)) {
    return InvalidArgument(DebugString(), ": Tried to write to index ", index,
                           " but array is not resizeable and size is: ", size);
  }
  WB_RETURN_IF_ERROR(CheckWrites(value.dtype()));
  if (!spec_.element_shape.IsCompatibleWith(PartialShape(value.shape()))) {
    return InvalidArgument(DebugString(), ": Could not write to TensorArray index ", index,
                           " because the value shape is ", value.shape().ToString(),
                           " which is incompatible with the TensorArray's inferred element shape: ",
                           spec_.element_shape.ToString());
  }
  if (index >= size) WB_RETURN_IF_ERROR(Resize(index + 1));
  if (spec_.identical_element_shapes && !spec_.element_shape.IsFullyDefined()) {
    spec_.element_shape = PartialShape(value.shape());
  }
  Slot& slot = slots_[static_cast<size_t>(index)];
  if (slot.read) {
    return InvalidArgument(DebugString(), ": Could not write to TensorArray index ", index,
                           " because it has already been read.");
  }
  if (slot.written) {
    if (is_gradient_) return Aggregate(ctx, index, value);
    return InvalidArgument(DebugString(), ": Could not write to TensorArray index ", index,
                           " because it has already been written to.");
  }
  slot.value = KeptTensor::Of(ctx, value);
  slot.shape = value.shape();
  slot.written = true;
  return OkStatus();
}

Status TensorArray::Aggregate(KernelContext& ctx, int64_t index, const Tensor& value) {
  Slot& slot = slots_[static_cast<size_t>(index)];
  if (slot.shape != value.shape()) {
    return InvalidArgument(DebugString(), ": Could not aggregate to TensorArray index ", index,
                           " because the existing shape is ", slot.shape.ToString(),
                           " but the new input shape is ", value.shape().ToString(), ".");
  }
  if (!slot.value.has_value()) {  // so far zeros
    slot.value = KeptTensor::Of(ctx, value);
    return OkStatus();
  }
  if (!kNumberTypes.contains(spec_.dtype)) {
    return InvalidArgument(DebugString(), ": there is no sum of ", DTypeName(spec_.dtype),
                           " values for index ", index);
  }
  WB_ASSIGN_OR_RETURN(Tensor sum, slot.value.Get(ctx));
  if (!slot.own_sum) {
    WB_ASSIGN_OR_RETURN(Tensor copy, ctx.AllocateTemp(sum.dtype(), sum.shape()));
    WB_RETURN_IF_ERROR(
        CopyHere(ctx, sum.dtype(), copy.raw_data(), sum.raw_data(), sum.num_elements()));
    sum = std::move(copy);
  }
  WB_RETURN_IF_ERROR(AddHere(ctx, sum, value));
  slot.value = KeptTensor::Of(ctx, std::move(sum));
  slot.own_sum = true;
  return OkStatus();
}

Status TensorArray::Read(KernelContext& ctx, Span<const int64_t> indices, Elements* elements) {
  std::lock_guard<std::mutex> lock(mutex_);
  elements->resize(indices.size());
  for (size_t i = 0; i < indices.size(); ++i) {
    WB_RETURN_IF_ERROR(ReadOne(ctx, indices[i], &(*elements)[i]));
  }
  return OkStatus();
}

// Makes an element that nobody wrote one of zeros.
Status TensorArray::TakeZeros(int64_t index) {
  const StatusOr<Shape> shape = spec_.element_shape.AsShape();
  if (!shape.ok()) {
    return InvalidArgument(
        DebugString(), ": Could not read from TensorArray index ", index,
        ": it was never written, and the element shape is not fully defined: ",
        spec_.element_shape.ToString(),
        "; with an element_shape given to the array, such an element would be zeros");
  }
  const size_t old_size = slots_.size();
  size_t first = static_cast<size_t>(index);
  if (first >= old_size) {
    WB_RETURN_IF_ERROR(Resize(index + 1));
    first = old_size;
  }
  for (size_t i = first; i <= static_cast<size_t>(index); ++i) {
    slots_[i].shape = *shape;
    slots_[i].written = true;
  }
  return OkStatus();
}

Status TensorArray::ReadOne(KernelContext& ctx, int64_t index, Element* element) {
  WB_RETURN_IF_ERROR(CheckOpen());
  const int64_t size = static_cast<int64_t>(slots_.size());
  if (index < 0 || (!is_gradient_ && index >= size)) {
    return InvalidArgument(DebugString(), ": Tried to read from index ", index,
                           " but array size is: ", size);
  }
  if (index >= size || !slots_[static_cast<size_t>(index)].written) {
    WB_RETURN_IF_ERROR(TakeZeros(index));
  }
  Slot& slot = slots_[static_cast<size_t>(index)];
  if (slot.cleared) {
    return InvalidArgument(DebugString(), ": Could not read index ", index,
                           " twice because it was cleared after a previous read (perhaps try "
                           "setting clear_after_read = false?)");
  }
  element->shape = slot.shape;
  if (slot.value.has_value()) {
    WB_ASSIGN_OR_RETURN(element->value, slot.value.Get(ctx));
  }
  slot.read = true;
  if (spec_.clear_after_read) {
    slot.cleared = true;
    slot.value.Reset();
  }
  return OkStatus();
}

StatusOr<int64_t> TensorArray::Size() const {
  std::lock_guard<std::mutex> lock(mutex_);
  WB_RETURN_IF_ERROR(CheckOpen());
  return static_cast<int64_t>(slots_.size());
}

StatusOr<int64_t> TensorArray::PackedSize() const {
  std::lock_guard<std::mutex> lock(mutex_);
  WB_RETURN_IF_ERROR(CheckOpen());
  if (is_gradient_ && packed_size_ >= 0) return packed_size_;
  return static_cast<int64_t>(slots_.size());
}

void TensorArray::SetPackedSize(int64_t size) {
  std::lock_guard<std::mutex> lock(mutex_);
  if (!is_gradient_) packed_size_ = size;
}

PartialShape TensorArray::element_shape() const {
  std::lock_guard<std::mutex> lock(mutex_);
  return spec_.element_shape;
}

StatusOr<PartialShape> TensorArray::MergeElementShape(const PartialShape& shape) {
  std::lock_guard<std::mutex> lock(mutex_);
  auto merged = PartialShape::Merge(spec_.element_shape, shape);
  if (!merged.ok()) {
    return InvalidArgument(DebugString(), ": its element shape ", spec_.element_shape.ToString(),
                           " does not fit the op's ", shape.ToString());
  }
  spec_.element_shape = *merged;
  return merged;
}

StatusOr<std::shared_ptr<TensorArray>> TensorArray::Gradient(const std::string& source,
                                                             const Shape* prefix) {
  std::lock_guard<std::mutex> lock(mutex_);
  WB_RETURN_IF_ERROR(CheckOpen());
  spec_.dynamic_size = false;
  std::shared_ptr<TensorArray>& gradient = gradients_[source];
  if (gradient != nullptr) return gradient;
  Spec spec = spec_;
  spec.name = absl::StrCat(spec_.name, "@", source);
  spec.clear_after_read = true;
  const auto prefixed = [prefix](Span<const int64_t> dims) {
    std::vector<int64_t> all(prefix->dims().begin(), prefix->dims().end());
    all.insert(all.end(), dims.begin(), dims.end());
    return all;
  };
  if (prefix != nullptr && spec.element_shape.has_rank()) {
    spec.element_shape = PartialShape(prefixed(spec.element_shape.dims()));
  }
  std::shared_ptr<TensorArray> made(new TensorArray(std::move(spec), /*is_gradient=*/true));
  WB_RETURN_IF_ERROR(made->Resize(static_cast<int64_t>(slots_.size())));
  made->packed_size_ = packed_size_;
  for (size_t i = 0; i < slots_.size(); ++i) {
    if (!slots_[i].written) continue;
    Slot& slot = made->slots_[i];
    slot.shape = slots_[i].shape;
    if (prefix != nullptr) {
      WB_ASSIGN_OR_RETURN(slot.shape, Shape::Make(prefixed(slot.shape.dims())));
    }
    slot.written = true;
  }
  gradient = made;
  return gradient;
}

void TensorArray::Close() {
  std::vector<Slot> dropped;
  std::lock_guard<std::mutex> lock(mutex_);
  closed_ = true;
  dropped.swap(slots_);
}

}  // namespace warpbeam
