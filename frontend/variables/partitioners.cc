#include "frontend/variables/partitioners.h"

#include <algorithm>
#include <cmath>

#include "graph/types/errors.h"

namespace warpbeam {
namespace frontend {
namespace {

double BytesOfElement(DType dtype, int64_t bytes_per_string_element) {
  return static_cast<double>(dtype == DType::kString ? bytes_per_string_element : DTypeSize(dtype));
}

// One part along each dimension but `axis`.
StatusOr<std::vector<int64_t>> PartsAlong(const Shape& shape, int axis, double parts) {
  if (axis < 0 || axis >= shape.rank()) {
    return InvalidArgument("there is no dimension ", axis, " to cut a variable of the shape ",
                           shape.ToString(), " along");
  }
  std::vector<int64_t> partitions(static_cast<size_t>(shape.rank()), 1);
  partitions[static_cast<size_t>(axis)] = static_cast<int64_t>(parts);
  return partitions;
}

Status CheckPositive(const char* what, int64_t number) {
  if (number > 0) return OkStatus();
  return InvalidArgument("a partitioner's ", what, " must be positive, got ", number);
}

double Extent(const Shape& shape, int axis) {
  return axis >= 0 && axis < shape.rank() ? static_cast<double>(shape.dim(axis)) : 0;
}

double BytesOf(const Shape& shape, DType dtype, int64_t bytes_per_string_element) {
  return static_cast<double>(shape.num_elements()) *
         BytesOfElement(dtype, bytes_per_string_element);
}

}  // namespace

Partitioner FixedSizePartitioner(int64_t num_shards, int axis) {
  return [=](const Shape& shape, DType) -> StatusOr<std::vector<int64_t>> {
    WB_RETURN_IF_ERROR(CheckPositive("number of shards", num_shards));
    return PartsAlong(shape, axis, std::min(static_cast<double>(num_shards), Extent(shape, axis)));
  };
}

Partitioner VariableAxisSizePartitioner(int64_t max_shard_bytes, int axis,
                                        int64_t bytes_per_string_element,
                                        std::optional<int64_t> max_shards) {
  return [=](const Shape& shape, DType dtype) -> StatusOr<std::vector<int64_t>> {
    WB_RETURN_IF_ERROR(CheckPositive("max_shard_bytes", max_shard_bytes));
    WB_RETURN_IF_ERROR(CheckPositive("bytes_per_string_element", bytes_per_string_element));
    if (max_shards.has_value()) WB_RETURN_IF_ERROR(CheckPositive("max_shards", *max_shards));
    const double rows = Extent(shape, axis);
    const double bytes = BytesOf(shape, dtype, bytes_per_string_element);
    // A variable without elements stays whole.
    if (rows < 1 || bytes < 1) return PartsAlong(shape, axis, 1);
    const double rows_of_part =
        std::max(1.0, std::floor(static_cast<double>(max_shard_bytes) / (bytes / rows)));
    double parts = std::ceil(rows / rows_of_part);
    if (max_shards.has_value()) parts = std::min(parts, static_cast<double>(*max_shards));
    return PartsAlong(shape, axis, parts);
  };
}

Partitioner MinMaxVariablePartitioner(int64_t max_partitions, int axis, int64_t min_slice_size,
                                      int64_t bytes_per_string_element) {
  return [=](const Shape& shape, DType dtype) -> StatusOr<std::vector<int64_t>> {
    WB_RETURN_IF_ERROR(CheckPositive("max_partitions", max_partitions));
    WB_RETURN_IF_ERROR(CheckPositive("min_slice_size", min_slice_size));
    WB_RETURN_IF_ERROR(CheckPositive("bytes_per_string_element", bytes_per_string_element));
    const double parts = std::ceil(BytesOf(shape, dtype, bytes_per_string_element) /
                                   static_cast<double>(min_slice_size));
    const double most = std::min(Extent(shape, axis), static_cast<double>(max_partitions));
    return PartsAlong(shape, axis, std::max(1.0, std::min(most, parts)));
  };
}

}  // namespace frontend
}  // namespace warpbeam
