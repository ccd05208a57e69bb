// Tensor: a dtype, a shape and a counted buffer.
//
// Ownership: copying a Tensor shares its buffer; views (Slice of the first dimension, Reshaped)
// share it too. Whoever wants to write into a buffer must be its only owner (`IsUnique`) or have
// allocated it. Tensors of strings, resources and variants hold objects in host memory.
//
//   WB_ASSIGN_OR_RETURN(Tensor t, Tensor::Allocate(DType::kFloat, Shape({2, 3})));
//   float* x = t.data<float>();
//   Tensor s = Tensor::Scalar<int32_t>(7);
//   WB_ASSIGN_OR_RETURN(Tensor flat, t.Reshaped(Shape({6})));
//
// Thread safety: concurrent const access is safe; the bytes are protected by whoever owns them.
// Errors: RESOURCE_EXHAUSTED when memory has run out, INVALID_ARGUMENT for sizes that overflow.
#ifndef WARPBEAM_GRAPH_TYPES_TENSOR_H_
#define WARPBEAM_GRAPH_TYPES_TENSOR_H_

#include <memory>
#include <string>
#include <typeinfo>
#include <utility>
#include <vector>

#include "graph/types/buffer.h"
#include "graph/types/dtype.h"
#include "graph/types/shape.h"
#include "graph/types/span.h"
#include "graph/types/status_or.h"

namespace warpbeam {

class Tensor {
 public:
  // No value: dtype kInvalid.
  Tensor() = default;
  // `data` points into `buffer`, which holds at least the shape's elements from there on.
  Tensor(DType dtype, Shape shape, BufferRef buffer, void* data)
      : buffer_(std::move(buffer)), data_(data), shape_(std::move(shape)), dtype_(dtype) {}

  // Uninitialised plain data, or default-constructed objects.
  static StatusOr<Tensor> Allocate(DType dtype, const Shape& shape,
                                   Allocator& allocator = HostAllocator());
  template <typename T>
  static Tensor Scalar(T value);
  template <typename T>
  static Tensor Vector(Span<const T> values);
  template <typename T>
  static Tensor Vector(std::initializer_list<T> values) {
    return Vector<T>(Span<const T>(values.begin(), values.size()));
  }
  // Row-major values; their number must equal the shape's (asserted by returning an empty Tensor).
  template <typename T>
  static Tensor FromValues(const Shape& shape, Span<const T> values);

  bool has_value() const { return dtype_ != DType::kInvalid; }
  DType dtype() const { return dtype_; }
  const Shape& shape() const { return shape_; }
  int rank() const { return shape_.rank(); }
  int64_t dim(int i) const { return shape_.dim(i); }
  int64_t num_elements() const { return shape_.num_elements(); }
  size_t bytes() const { return static_cast<size_t>(num_elements()) * DTypeSize(dtype_); }

  void* raw_data() { return data_; }
  const void* raw_data() const { return data_; }
  // The caller vouches for the type: T's DType is the tensor's.
  template <typename T>
  T* data() {
    return static_cast<T*>(data_);
  }
  template <typename T>
  const T* data() const {
    return static_cast<const T*>(data_);
  }
  template <typename T>
  Span<T> flat() {
    return MakeSpan(data<T>(), static_cast<size_t>(num_elements()));
  }
  template <typename T>
  Span<const T> flat() const {
    return MakeSpan(data<T>(), static_cast<size_t>(num_elements()));
  }
  template <typename T>
  const T& scalar() const {
    return *data<T>();
  }

  const BufferRef& buffer() const { return buffer_; }
  bool IsUnique() const { return buffer_ && buffer_->IsUnique(); }
  // Gives the buffer up; afterwards has_value() is false.
  void Reset() {
    buffer_ = BufferRef();
    data_ = nullptr;
    dtype_ = DType::kInvalid;
  }
  // The same buffer under another address: for devices that hand kernels an alias of their memory.
  void set_raw_data(void* data) { data_ = data; }

  // The same elements under another shape of equal size, sharing the buffer.
  StatusOr<Tensor> Reshaped(const Shape& shape) const;
  // Rows [begin, end) of the first dimension, sharing the buffer; 0 <= begin <= end <= dim(0).
  Tensor Rows(int64_t begin, int64_t end) const;
  // The bytes under another dtype of equal element size, sharing the buffer.
  Tensor Bitcast(DType dtype) const {
    Tensor t = *this;
    t.dtype_ = dtype;
    return t;
  }
  // A copy with its own buffer.
  StatusOr<Tensor> Clone(Allocator& allocator = HostAllocator()) const;

  // "float[2,3] 1 2 3 …", at most `max_values` of them; for host tensors.
  std::string ToString(int max_values = 10) const;

 private:
  BufferRef buffer_;
  void* data_ = nullptr;
  Shape shape_;
  DType dtype_ = DType::kInvalid;
};

// Names a resource (variable, table, iterator…) in a ResourceStore; what DT_RESOURCE tensors hold.
struct ResourceHandle {
  std::string device;
  std::string container;
  std::string name;
  uint64_t hash_code = 0;
  std::string type_name;
  // What the resource's values look like, when known (variables: one entry).
  std::vector<std::pair<DType, PartialShape>> dtypes_and_shapes;
};

// A value of any copyable type; what DT_VARIANT tensors hold. Datasets and tensor lists travel so.
class Variant {
 public:
  Variant() = default;
  template <typename T>
  static Variant Of(T value) {
    Variant v;
    v.value_ = std::make_shared<T>(std::move(value));
    v.type_ = &typeid(T);
    return v;
  }
  bool has_value() const { return value_ != nullptr; }
  // The value, or null when this holds another type or nothing.
  template <typename T>
  const T* get() const {
    return type_ != nullptr && *type_ == typeid(T) ? static_cast<const T*>(value_.get()) : nullptr;
  }
  const char* type_name() const { return type_ == nullptr ? "nothing" : type_->name(); }

 private:
  std::shared_ptr<const void> value_;
  const std::type_info* type_ = nullptr;
};

// Copies `count` elements of `dtype` between host addresses, objects included.
void CopyElements(DType dtype, void* to, const void* from, int64_t count);

template <typename T>
Tensor Tensor::FromValues(const Shape& shape, Span<const T> values) {
  if (shape.num_elements() != static_cast<int64_t>(values.size())) return Tensor();
  auto made = Allocate(DTypeOf<T>::value, shape);
  if (!made.ok()) return Tensor();
  CopyElements(DTypeOf<T>::value, made->raw_data(), values.data(), shape.num_elements());
  return *std::move(made);
}
template <typename T>
Tensor Tensor::Scalar(T value) {
  return FromValues<T>(Shape(), Span<const T>(&value, 1));
}
template <typename T>
Tensor Tensor::Vector(Span<const T> values) {
  return FromValues<T>(Shape({static_cast<int64_t>(values.size())}), values);
}

}  // namespace warpbeam

#endif  // WARPBEAM_GRAPH_TYPES_TENSOR_H_
