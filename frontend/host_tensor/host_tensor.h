// Host tensors: how a program makes tensors of its own values, looks into those that it fetched,
// and keeps them in files.
//
//   WB_ASSIGN_OR_RETURN(Tensor x, TensorOf<float>({{1, 2}, {3, 4}}));      // float[2,2]
//   WB_ASSIGN_OR_RETURN(Tensor y, TensorOf(Shape({2, 2}), pixels));        // of a std::vector<T>
//   auto fetched = session.Run({{input, x}}, {loss, accuracy});
//   WB_ASSIGN_OR_RETURN(const float loss_value, ValueOf<float>(fetched->at(0)));
//   WB_ASSIGN_OR_RETURN(const TensorView<float> v, ViewOf<float>(x, 2));   // dtype and rank hold
//   float corner = v(1, 0), sum = 0;
//   for (float element : v) sum += element;
//   WB_RETURN_IF_ERROR(WriteNpy(x, "/tmp/x.npy"));                         // as numpy.save
//
// The element types are those of DTypeOf<T>: float, double, int32_t, std::string, bool, …. A tensor
// holds host memory here; what a session gives does.
//
// Ownership: tensors share their buffers when copied; a TensorView points into one, which must
// stay. Thread safety: concurrent reading is safe. Errors: INVALID_ARGUMENT, with the place of the
// call: another dtype or rank, another number of values than the shape has elements, an index
// beyond the tensor, lists of different lengths. An index of a TensorView that is too large ends a
// program built without NDEBUG with a message; with it, nothing is checked.
#ifndef WARPBEAM_FRONTEND_HOST_TENSOR_HOST_TENSOR_H_
#define WARPBEAM_FRONTEND_HOST_TENSOR_HOST_TENSOR_H_

#include <cassert>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "frontend/host_tensor/literal.h"
#include "frontend/types.h"

namespace warpbeam {
namespace frontend {

// The elements of a tensor, in row-major order and by their indices.
template <typename T>
class TensorView {
 public:
  TensorView(const T* data, std::vector<int64_t> dims) : data_(data), dims_(std::move(dims)) {
    for (const int64_t dim : dims_) size_ *= dim;
  }

  const T* data() const { return data_; }
  int64_t size() const { return size_; }
  const std::vector<int64_t>& dims() const { return dims_; }
  const T* begin() const { return data_; }
  const T* end() const { return data_ + size_; }
  const T& operator[](int64_t i) const {
    assert(0 <= i && i < size_ && "an element beyond the tensor");
    return data_[i];
  }
  // One index for each dimension.
  template <typename... Indices>
  const T& operator()(Indices... indices) const {
    assert(sizeof...(indices) == dims_.size() && "an index for each dimension");
    int64_t place = 0;
    size_t dim = 0;
    const auto add = [&](int64_t i) {
      assert(0 <= i && i < dims_[dim] && "an index beyond its dimension");
      place = place * dims_[dim++] + i;
    };
    (add(static_cast<int64_t>(indices)), ...);
    return data_[place];
  }

 private:
  const T* data_;
  std::vector<int64_t> dims_;
  int64_t size_ = 1;
};

// `error` with the place in the program in front.
Status AtPlace(const Status& error, SourceLocation where);
// The errors of `values` values for `shape`, and of a tensor from which one value is asked.
Status WrongNumberOfValues(size_t values, const Shape& shape, SourceLocation where);
Status NotOneValue(const Shape& shape, SourceLocation where);
// Whether `tensor` has a value of `dtype`, and of `rank` unless that is -1.
Status CheckHostTensor(const Tensor& tensor, DType dtype, int rank, SourceLocation where);

// A number, string or nested list, in the type that T stands for.
template <typename T>
StatusOr<Tensor> TensorOf(const Literal& value, SourceLocation where = SourceLocation::Here()) {
  StatusOr<Tensor> made = value.As(DTypeOf<T>::value);
  if (!made.ok()) return AtPlace(made.status(), where);
  return made;
}
// In a type that is known only when the program runs.
StatusOr<Tensor> TensorOf(const Literal& value, DType dtype,
                          SourceLocation where = SourceLocation::Here());
// As many values as the shape has elements, in row-major order.
template <typename T>
StatusOr<Tensor> TensorOf(const Shape& shape, const std::vector<T>& values,
                          SourceLocation where = SourceLocation::Here());

// The one element of a tensor, whatever its rank.
template <typename T>
StatusOr<T> ValueOf(const Tensor& tensor, SourceLocation where = SourceLocation::Here());
// The element at `index`, one number for each dimension.
template <typename T>
StatusOr<T> ValueAt(const Tensor& tensor, const std::vector<int64_t>& index,
                    SourceLocation where = SourceLocation::Here());
// A copy of all elements, in row-major order.
template <typename T>
StatusOr<std::vector<T>> ValuesOf(const Tensor& tensor,
                                  SourceLocation where = SourceLocation::Here());
// All elements where they are; of `rank` dimensions unless that is -1.
template <typename T>
StatusOr<TensorView<T>> ViewOf(const Tensor& tensor, int rank = -1,
                               SourceLocation where = SourceLocation::Here());

// The same elements under another shape, sharing the buffer; one number may be -1 and follows from
// the others.
StatusOr<Tensor> ReshapeTensor(const Tensor& tensor, const std::vector<int64_t>& dims,
                               SourceLocation where = SourceLocation::Here());
// The place of `index` in row-major order.
StatusOr<int64_t> PlaceOf(const Shape& shape, const std::vector<int64_t>& index);

// numpy's files of one array: numbers and bools, but no strings. UNIMPLEMENTED for types that only
// one side has, DATA_LOSS for a file that is none or ends early.
Status WriteNpy(const Tensor& tensor, const std::string& path);
StatusOr<Tensor> ReadNpy(const std::string& path);
// The bytes of such a file.
StatusOr<std::string> NpyBytes(const Tensor& tensor);
StatusOr<Tensor> TensorOfNpy(const std::string& bytes);

template <typename T>
StatusOr<Tensor> TensorOf(const Shape& shape, const std::vector<T>& values, SourceLocation where) {
  if (shape.num_elements() != static_cast<int64_t>(values.size())) {
    return WrongNumberOfValues(values.size(), shape, where);
  }
  StatusOr<Tensor> made = Tensor::Allocate(DTypeOf<T>::value, shape);
  if (!made.ok()) return AtPlace(made.status(), where);
  for (size_t i = 0; i < values.size(); ++i) made->template data<T>()[i] = values[i];
  return made;
}

template <typename T>
StatusOr<T> ValueOf(const Tensor& tensor, SourceLocation where) {
  WB_RETURN_IF_ERROR(CheckHostTensor(tensor, DTypeOf<T>::value, -1, where));
  if (tensor.num_elements() == 1) return tensor.data<T>()[0];
  return NotOneValue(tensor.shape(), where);
}

template <typename T>
StatusOr<T> ValueAt(const Tensor& tensor, const std::vector<int64_t>& index, SourceLocation where) {
  WB_RETURN_IF_ERROR(CheckHostTensor(tensor, DTypeOf<T>::value, -1, where));
  const StatusOr<int64_t> place = PlaceOf(tensor.shape(), index);
  if (!place.ok()) return AtPlace(place.status(), where);
  return tensor.data<T>()[*place];
}

template <typename T>
StatusOr<std::vector<T>> ValuesOf(const Tensor& tensor, SourceLocation where) {
  WB_RETURN_IF_ERROR(CheckHostTensor(tensor, DTypeOf<T>::value, -1, where));
  const T* const data = tensor.data<T>();
  return std::vector<T>(data, data + tensor.num_elements());
}

template <typename T>
StatusOr<TensorView<T>> ViewOf(const Tensor& tensor, int rank, SourceLocation where) {
  WB_RETURN_IF_ERROR(CheckHostTensor(tensor, DTypeOf<T>::value, rank, where));
  const auto dims = tensor.shape().dims();
  return TensorView<T>(tensor.data<T>(), std::vector<int64_t>(dims.begin(), dims.end()));
}

}  // namespace frontend
}  // namespace warpbeam

#endif  // WARPBEAM_FRONTEND_HOST_TENSOR_HOST_TENSOR_H_
