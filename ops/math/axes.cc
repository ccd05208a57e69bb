#include "ops/math/axes.h"

#include <vector>

#include "absl/container/inlined_vector.h"

namespace warpbeam {
namespace {

StatusOr<int64_t> Element(const Tensor& t, int64_t i) {
  switch (t.dtype()) {
    case DType::kInt16:
      return t.data<int16_t>()[i];
    case DType::kInt32:
      return t.data<int32_t>()[i];
    case DType::kInt64:
      return t.data<int64_t>()[i];
    default:
      return InvalidArgument("axes must be integers, not ", DTypeName(t.dtype()));
  }
}

StatusOr<int> Resolve(int64_t axis, int rank, absl::string_view what) {
  if (axis < -rank || axis >= rank) {
    return InvalidArgument("Expected ", what, " in the range [", -rank, ", ", rank, "), but got ",
                           axis);
  }
  return static_cast<int>(axis < 0 ? axis + rank : axis);
}

}  // namespace

StatusOr<uint64_t> ReadAxes(const Tensor& axes, int rank) {
  if (rank > 64) return Unimplemented("a reduction of a tensor of more than 64 dimensions");
  uint64_t bits = 0;
  for (int64_t i = 0; i < axes.num_elements(); ++i) {
    WB_ASSIGN_OR_RETURN(const int64_t value, Element(axes, i));
    WB_ASSIGN_OR_RETURN(const int axis, Resolve(value, rank, "reduction dimension"));
    const uint64_t bit = uint64_t{1} << axis;
    if ((bits & bit) != 0) {
      return InvalidArgument("Invalid reduction arguments: Axes contains duplicate dimension: ",
                             axis);
    }
    bits |= bit;
  }
  return bits;
}

StatusOr<int> ReadAxis(const Tensor& axis, int rank, absl::string_view what) {
  if (axis.rank() != 0) {
    return InvalidArgument("axis must be a scalar, not of shape ", axis.shape().ToString());
  }
  WB_ASSIGN_OR_RETURN(const int64_t value, Element(axis, 0));
  return Resolve(value, rank, what);
}

StatusOr<Shape> ReducedShape(const Shape& shape, uint64_t axes, bool keep_dims) {
  absl::InlinedVector<int64_t, 8> dims;
  for (int i = 0; i < shape.rank(); ++i) {
    if (((axes >> i) & 1) == 0) {
      dims.push_back(shape.dim(i));
    } else if (keep_dims) {
      dims.push_back(1);
    }
  }
  return Shape::Make(dims);
}

Status CheckNotEmpty(const Shape& shape, int axis) {
  if (shape.dim(axis) > 0) return OkStatus();
  return InvalidArgument("Reduction axis ", axis, " is empty in shape ", shape.ToString(),
                         ": no element of it is the best");
}

int64_t ElementsAfter(const Shape& shape, int axis) {
  int64_t elements = 1;
  for (int i = axis + 1; i < shape.rank(); ++i) elements *= shape.dim(i);
  return elements;
}

Status ReductionShape(ShapeContext& c) {
  WB_ASSIGN_OR_RETURN(const bool keep_dims, c.attr<bool>("keep_dims"));
  const PartialShape& x = c.input(0);
  const std::optional<Tensor> constant = c.ConstantInput(1);
  if (!x.has_rank()) return OkStatus();
  if (!constant.has_value()) {
    // As many dimensions are gone as there are axes, but which is not known.
    if (keep_dims) c.set_output(0, PartialShape::UnknownOfRank(x.rank()));
    return OkStatus();
  }
  WB_ASSIGN_OR_RETURN(const uint64_t axes, ReadAxes(*constant, x.rank()));
  std::vector<int64_t> dims;
  for (int i = 0; i < x.rank(); ++i) {
    if (((axes >> i) & 1) == 0) {
      dims.push_back(x.dim(i));
    } else if (keep_dims) {
      dims.push_back(1);
    }
  }
  c.set_output(0, PartialShape(dims));
  return OkStatus();
}

}  // namespace warpbeam
