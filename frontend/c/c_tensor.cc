#include <cstdint>
#include <cstring>

#include "frontend/c/c_types.h"

namespace warpbeam {
namespace frontend {
namespace {

// Memory of the caller's, who is told when it is needed no more.
class ForeignBuffer final : public Buffer {
 public:
  ForeignBuffer(void* data, size_t bytes, void (*release)(void*, void*), void* argument)
      : Buffer(data, bytes), release_(release), argument_(argument) {}

 private:
  void Release() override {
    if (release_ != nullptr) release_(data(), argument_);
    delete this;
  }

  void (*const release_)(void*, void*);
  void* const argument_;
};

StatusOr<DType> KnownDType(wb_dtype number) {
  const auto dtype = static_cast<DType>(number);
  const bool is_known = number > 0 && number < kNumDTypes && DTypeSize(dtype) > 0;
  if (is_known && (IsPlainData(dtype) || dtype == DType::kString)) return dtype;
  return InvalidArgument("a tensor of the C API cannot be of the type ", static_cast<int>(number));
}

StatusOr<Shape> ShapeOf(const int64_t* dims, int rank) {
  if (rank < 0 || rank > kMaxRank) {
    return InvalidArgument("a tensor cannot have ", rank, " dimensions; from 0 to ", kMaxRank);
  }
  if (rank > 0 && dims == nullptr) return Missing("dims");
  return Shape::Make(MakeConstSpan(dims, static_cast<size_t>(rank)));
}

StatusOr<Tensor> Zeros(DType dtype, const Shape& shape) {
  WB_ASSIGN_OR_RETURN(Tensor tensor, Tensor::Allocate(dtype, shape));
  if (IsPlainData(dtype)) memset(tensor.raw_data(), 0, tensor.bytes());
  return tensor;
}

StatusOr<Tensor> NewTensor(wb_dtype number, const int64_t* dims, int rank) {
  WB_ASSIGN_OR_RETURN(const DType dtype, KnownDType(number));
  WB_ASSIGN_OR_RETURN(const Shape shape, ShapeOf(dims, rank));
  return Zeros(dtype, shape);
}

StatusOr<Tensor> TensorOver(wb_dtype number, const int64_t* dims, int rank, void* data,
                            size_t bytes, void (*release)(void*, void*), void* argument) {
  WB_ASSIGN_OR_RETURN(const DType dtype, KnownDType(number));
  WB_ASSIGN_OR_RETURN(const Shape shape, ShapeOf(dims, rank));
  if (!IsPlainData(dtype)) {
    return InvalidArgument("strings are not memory to be shared: wb_tensor_new makes a tensor of ",
                           "strings, wb_tensor_set_string sets them");
  }
  const size_t needed = static_cast<size_t>(shape.num_elements()) * DTypeSize(dtype);
  if (bytes != needed) {
    return InvalidArgument("the memory has ", bytes, " bytes; a tensor of type ", DTypeName(dtype),
                           " and shape ", shape.ToString(), " takes ", needed);
  }
  if (data == nullptr && bytes > 0) return Missing("data");
  if (reinterpret_cast<uintptr_t>(data) % Allocator::kAlignment == 0) {
    BufferRef buffer(new ForeignBuffer(data, bytes, release, argument));
    return Tensor(dtype, shape, std::move(buffer), data);
  }
  WB_ASSIGN_OR_RETURN(Tensor tensor, Tensor::Allocate(dtype, shape));
  memcpy(tensor.raw_data(), data, bytes);
  if (release != nullptr) release(data, argument);
  return tensor;
}

Status CheckString(const wb_tensor* tensor, int64_t index) {
  if (tensor == nullptr) return Missing("tensor");
  if (tensor->value.dtype() != DType::kString) {
    return InvalidArgument("a tensor of type ", DTypeName(tensor->value.dtype()),
                           " has no strings");
  }
  if (index < 0 || index >= tensor->value.num_elements()) {
    return OutOfRange("there is no string ", index, ": the tensor has ",
                      tensor->value.num_elements());
  }
  return OkStatus();
}

wb_tensor* Given(StatusOr<Tensor> tensor, wb_status* status) {
  SetStatus(status, tensor.status());
  return tensor.ok() ? new wb_tensor{*std::move(tensor)} : nullptr;
}

}  // namespace
}  // namespace frontend
}  // namespace warpbeam

wb_tensor* wb_tensor_new(wb_dtype dtype, const int64_t* dims, int rank, wb_status* status) {
  return warpbeam::frontend::Given(warpbeam::frontend::NewTensor(dtype, dims, rank), status);
}

wb_tensor* wb_tensor_over(wb_dtype dtype, const int64_t* dims, int rank, void* data, size_t bytes,
                          void (*release)(void* data, void* argument), void* argument,
                          wb_status* status) {
  return warpbeam::frontend::Given(
      warpbeam::frontend::TensorOver(dtype, dims, rank, data, bytes, release, argument), status);
}

void wb_tensor_delete(wb_tensor* tensor) { delete tensor; }

wb_dtype wb_tensor_dtype(const wb_tensor* tensor) {
  return tensor == nullptr ? WB_INVALID : static_cast<wb_dtype>(tensor->value.dtype());
}

int wb_tensor_rank(const wb_tensor* tensor) { return tensor == nullptr ? 0 : tensor->value.rank(); }

int64_t wb_tensor_dim(const wb_tensor* tensor, int index) {
  return index < 0 || index >= wb_tensor_rank(tensor) ? 0 : tensor->value.dim(index);
}

int64_t wb_tensor_elements(const wb_tensor* tensor) {
  return tensor == nullptr ? 0 : tensor->value.num_elements();
}

void* wb_tensor_data(wb_tensor* tensor) {
  if (tensor == nullptr || !warpbeam::IsPlainData(tensor->value.dtype())) return nullptr;
  return tensor->value.raw_data();
}

size_t wb_tensor_bytes(const wb_tensor* tensor) {
  if (tensor == nullptr || !warpbeam::IsPlainData(tensor->value.dtype())) return 0;
  return tensor->value.bytes();
}

void wb_tensor_set_string(wb_tensor* tensor, int64_t index, const char* bytes, size_t size,
                          wb_status* status) {
  warpbeam::Status checked = warpbeam::frontend::CheckString(tensor, index);
  if (checked.ok() && bytes == nullptr && size > 0) checked = warpbeam::frontend::Missing("bytes");
  // A fetched tensor may share its strings with a constant of the graph.
  if (checked.ok() && !tensor->value.IsUnique()) {
    auto own = tensor->value.Clone();
    checked = own.status();
    if (own.ok()) tensor->value = *std::move(own);
  }
  if (checked.ok()) tensor->value.data<std::string>()[index].assign(size > 0 ? bytes : "", size);
  warpbeam::frontend::SetStatus(status, std::move(checked));
}

const char* wb_tensor_string(const wb_tensor* tensor, int64_t index, size_t* size,
                             wb_status* status) {
  warpbeam::Status checked = warpbeam::frontend::CheckString(tensor, index);
  const bool is_good = checked.ok();
  warpbeam::frontend::SetStatus(status, std::move(checked));
  if (size != nullptr) *size = 0;
  if (!is_good) return nullptr;
  const std::string& text = tensor->value.data<std::string>()[index];
  if (size != nullptr) *size = text.size();
  return text.c_str();
}
