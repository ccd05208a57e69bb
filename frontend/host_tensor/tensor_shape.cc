#include "frontend/host_tensor/tensor_shape.h"

#include <limits>

#include "graph/types/errors.h"

namespace warpbeam {
namespace frontend {
namespace {

template <typename T>
Tensor Limit(bool greatest) {
  return Tensor::Scalar<T>(greatest ? std::numeric_limits<T>::max()
                                    : std::numeric_limits<T>::lowest());
}

StatusOr<Tensor> LimitOf(DType dtype, bool greatest) {
  // The greatest finite numbers of the short types.
  constexpr float kMostHalf = 65504.0f;
  constexpr float kMostBFloat16 = 3.38953139e38f;
  switch (BaseType(dtype)) {
    case DType::kFloat:
      return Limit<float>(greatest);
    case DType::kDouble:
      return Limit<double>(greatest);
    case DType::kHalf:
      return Tensor::Scalar<Half>(Half(greatest ? kMostHalf : -kMostHalf));
    case DType::kBFloat16:
      return Tensor::Scalar<BFloat16>(BFloat16(greatest ? kMostBFloat16 : -kMostBFloat16));
    case DType::kInt8:
      return Limit<int8_t>(greatest);
    case DType::kInt16:
      return Limit<int16_t>(greatest);
    case DType::kInt32:
      return Limit<int32_t>(greatest);
    case DType::kInt64:
      return Limit<int64_t>(greatest);
    case DType::kUInt8:
      return Limit<uint8_t>(greatest);
    case DType::kUInt16:
      return Limit<uint16_t>(greatest);
    case DType::kUInt32:
      return Limit<uint32_t>(greatest);
    case DType::kUInt64:
      return Limit<uint64_t>(greatest);
    default:
      return InvalidArgument(DTypeName(dtype), " has no greatest and no least number");
  }
}

Status DoesNotHave(const PartialShape& shape, const char* what, int rank) {
  return InvalidArgument("the shape ", shape.ToString(), " does not have ", what, rank,
                         " dimensions");
}

}  // namespace

Status AssertHasRank(const PartialShape& shape, int rank) {
  if (!shape.has_rank() || shape.rank() == rank) return OkStatus();
  return DoesNotHave(shape, "", rank);
}

Status AssertSameRank(const PartialShape& a, const PartialShape& b) {
  if (!a.has_rank() || !b.has_rank() || a.rank() == b.rank()) return OkStatus();
  return InvalidArgument("the shapes ", a.ToString(), " and ", b.ToString(),
                         " have different numbers of dimensions");
}

Status AssertIsFullyDefined(const PartialShape& shape) {
  if (shape.IsFullyDefined()) return OkStatus();
  return InvalidArgument("the shape ", shape.ToString(), " is not known whole");
}

Status AssertIsCompatibleWith(const PartialShape& a, const PartialShape& b) {
  if (a.IsCompatibleWith(b)) return OkStatus();
  return InvalidArgument("the shapes ", a.ToString(), " and ", b.ToString(), " do not fit");
}

StatusOr<PartialShape> MergeShapes(const PartialShape& a, const PartialShape& b) {
  return PartialShape::Merge(a, b);
}

StatusOr<PartialShape> WithRank(const PartialShape& shape, int rank) {
  WB_RETURN_IF_ERROR(AssertHasRank(shape, rank));
  if (shape.has_rank()) return shape;
  if (rank < 0) return DoesNotHave(shape, "", rank);
  return PartialShape::UnknownOfRank(rank);
}

StatusOr<PartialShape> WithRankAtLeast(const PartialShape& shape, int rank) {
  if (shape.has_rank() && shape.rank() < rank) return DoesNotHave(shape, "at least ", rank);
  return shape;
}

StatusOr<PartialShape> WithRankAtMost(const PartialShape& shape, int rank) {
  if (shape.has_rank() && shape.rank() > rank) return DoesNotHave(shape, "at most ", rank);
  return shape;
}

PartialShape ConcatenateShapes(const PartialShape& a, const PartialShape& b) {
  if (!a.has_rank() || !b.has_rank()) return PartialShape();
  std::vector<int64_t> dims = a.dims();
  dims.insert(dims.end(), b.dims().begin(), b.dims().end());
  return PartialShape(std::move(dims));
}

PartialShape MostSpecificCompatibleShape(const PartialShape& a, const PartialShape& b) {
  if (!a.has_rank() || !b.has_rank() || a.rank() != b.rank()) return PartialShape();
  std::vector<int64_t> dims;
  for (int i = 0; i < a.rank(); ++i) dims.push_back(a.dim(i) == b.dim(i) ? a.dim(i) : -1);
  return PartialShape(std::move(dims));
}

bool IsBool(DType dtype) { return BaseType(dtype) == DType::kBool; }
bool IsUnsigned(DType dtype) { return kUnsignedTypes.contains(dtype); }
bool IsQuantized(DType dtype) { return kQuantizedTypes.contains(dtype); }

bool IsNumeric(DType dtype) {
  return IsInteger(dtype) || IsFloating(dtype) || IsComplex(dtype) || IsQuantized(dtype);
}

DType RealType(DType dtype) {
  if (BaseType(dtype) == DType::kComplex64) return DType::kFloat;
  return BaseType(dtype) == DType::kComplex128 ? DType::kDouble : BaseType(dtype);
}

StatusOr<Tensor> MaxOf(DType dtype) { return LimitOf(dtype, true); }
StatusOr<Tensor> MinOf(DType dtype) { return LimitOf(dtype, false); }

}  // namespace frontend
}  // namespace warpbeam
