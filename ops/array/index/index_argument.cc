#include "ops/array/index/index_argument.h"

#include <limits>

namespace warpbeam {
namespace {

template <typename T>
Dims Copy(const Tensor& t) {
  const T* v = t.data<T>();
  return Dims(v, v + t.num_elements());
}

}  // namespace

StatusOr<Dims> ReadIndices(const Tensor& t, absl::string_view argument) {
  switch (t.dtype()) {
    case DType::kInt32:
      return Copy<int32_t>(t);
    case DType::kInt64:
      return Copy<int64_t>(t);
    case DType::kInt16:
      return Copy<int16_t>(t);
    case DType::kInt8:
      return Copy<int8_t>(t);
    case DType::kUInt8:
      return Copy<uint8_t>(t);
    case DType::kUInt16:
      return Copy<uint16_t>(t);
    default:
      return InvalidArgument("'", argument, "' must hold integers, not ", DTypeName(t.dtype()));
  }
}

StatusOr<int64_t> ReadIndex(const Tensor& t, absl::string_view argument) {
  if (t.num_elements() != 1) {
    return InvalidArgument("'", argument,
                           "' must be a scalar: must have exactly one element, not shape ",
                           t.shape().ToString());
  }
  WB_ASSIGN_OR_RETURN(Dims values, ReadIndices(t, argument));
  return values[0];
}

StatusOr<Shape> ReadShape(const Tensor& t, absl::string_view argument, bool scalar_is_vector) {
  if (t.rank() != 1 && !(scalar_is_vector && t.rank() == 0)) {
    return InvalidArgument(argument, " must be a vector of extents, not of shape ",
                           t.shape().ToString());
  }
  WB_ASSIGN_OR_RETURN(Dims dims, ReadIndices(t, argument));
  auto shape = Shape::Make(dims);
  if (!shape.ok()) return Annotate(shape.status(), absl::StrCat("'", argument, "'"));
  return shape;
}

Status WriteIndices(Span<const int64_t> values, Tensor* t) {
  if (t->dtype() == DType::kInt64) {
    std::copy(values.begin(), values.end(), t->data<int64_t>());
    return OkStatus();
  }
  int32_t* out = t->data<int32_t>();
  for (int64_t v : values) {
    if (v > std::numeric_limits<int32_t>::max() || v < std::numeric_limits<int32_t>::min()) {
      return InvalidArgument("an int32 output cannot hold ", v, "; ask for int64 by out_type");
    }
    *out++ = static_cast<int32_t>(v);
  }
  return OkStatus();
}

StatusOr<int> ResolveAxis(int64_t axis, int rank) {
  if (axis < -rank || axis >= rank) {
    return InvalidArgument("axis ", axis, " is out of valid range [", -rank, ", ", rank,
                           "), of a tensor of rank ", rank);
  }
  return static_cast<int>(axis < 0 ? axis + rank : axis);
}

StatusOr<std::optional<Dims>> ConstantIndices(const ShapeContext& c, int input) {
  std::optional<Tensor> t = c.ConstantInput(input);
  if (!t) return std::optional<Dims>();
  WB_ASSIGN_OR_RETURN(Dims dims, ReadIndices(*t, absl::StrCat("input ", input)));
  return std::optional<Dims>(std::move(dims));
}

StatusOr<int64_t> MergeExtents(int64_t a, int64_t b) {
  if (a < 0) return b;
  if (b < 0 || a == b) return a;
  return InvalidArgument("extents ", a, " and ", b, " differ");
}

}  // namespace warpbeam
