#include "frontend/host_tensor/host_tensor.h"

#include "graph/types/errors.h"

namespace warpbeam {
namespace frontend {

Status AtPlace(const Status& error, SourceLocation where) {
  return error.ok() || !where.known() ? error : Annotate(error, where.ToString());
}

Status WrongNumberOfValues(size_t values, const Shape& shape, SourceLocation where) {
  return AtPlace(InvalidArgument(values, " values for the shape ", shape.ToString(), ", which has ",
                                 shape.num_elements(), " elements"),
                 where);
}

Status NotOneValue(const Shape& shape, SourceLocation where) {
  return AtPlace(
      InvalidArgument("one value is asked for of a tensor with the shape ", shape.ToString()),
      where);
}

Status CheckHostTensor(const Tensor& tensor, DType dtype, int rank, SourceLocation where) {
  if (!tensor.has_value()) {
    return AtPlace(
        InvalidArgument("the tensor has no value; what Run gives for an operation has none"),
        where);
  }
  if (tensor.dtype() != dtype) {
    return AtPlace(InvalidArgument("a tensor of ", DTypeName(tensor.dtype()), " is read as ",
                                   DTypeName(dtype)),
                   where);
  }
  if (rank >= 0 && tensor.rank() != rank) {
    return AtPlace(InvalidArgument("a tensor of the shape ", tensor.shape().ToString(),
                                   " is read as one of ", rank, " dimensions"),
                   where);
  }
  return OkStatus();
}

StatusOr<Tensor> TensorOf(const Literal& value, DType dtype, SourceLocation where) {
  StatusOr<Tensor> made = value.As(dtype == DType::kInvalid ? value.dtype() : dtype);
  if (!made.ok()) return AtPlace(made.status(), where);
  return made;
}

StatusOr<int64_t> PlaceOf(const Shape& shape, const std::vector<int64_t>& index) {
  if (static_cast<int>(index.size()) != shape.rank()) {
    return InvalidArgument(index.size(), " indices for the shape ", shape.ToString());
  }
  int64_t place = 0;
  for (int i = 0; i < shape.rank(); ++i) {
    if (index[i] < 0 || index[i] >= shape.dim(i)) {
      return InvalidArgument("index ", index[i], " of dimension ", i, " is beyond the shape ",
                             shape.ToString());
    }
    place = place * shape.dim(i) + index[i];
  }
  return place;
}

StatusOr<Tensor> ReshapeTensor(const Tensor& tensor, const std::vector<int64_t>& dims,
                               SourceLocation where) {
  std::vector<int64_t> whole = dims;
  int64_t known = 1;
  int64_t* open = nullptr;
  for (int64_t& dim : whole) {
    if (dim == -1 && open == nullptr) {
      open = &dim;
    } else if (dim < 0 || (dim > 0 && known > tensor.num_elements() / dim)) {
      return AtPlace(InvalidArgument("a tensor of the shape ", tensor.shape().ToString(),
                                     " cannot have the dimension ", dim),
                     where);
    } else {
      known *= dim;
    }
  }
  if (open != nullptr) *open = known == 0 ? 0 : tensor.num_elements() / known;
  const StatusOr<Shape> shape = Shape::Make(whole);
  if (!shape.ok()) return AtPlace(shape.status(), where);
  StatusOr<Tensor> reshaped = tensor.Reshaped(*shape);
  if (!reshaped.ok()) return AtPlace(reshaped.status(), where);
  return reshaped;
}

}  // namespace frontend
}  // namespace warpbeam
