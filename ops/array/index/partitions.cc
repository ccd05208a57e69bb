#include "ops/array/index/partitions.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "ops/array/index/element_position.h"
#include "ops/array/index/index_argument.h"

namespace warpbeam {

Status CheckPartitionedShapes(const Tensor& data, const Tensor& partitions) {
  bool fits = partitions.rank() <= data.rank();
  for (int i = 0; fits && i < partitions.rank(); ++i) fits = data.dim(i) == partitions.dim(i);
  if (fits) return OkStatus();
  return InvalidArgument(
      "data of shape ", data.shape().ToString(),
      " must begin with the shape of partitions: ", partitions.shape().ToString());
}

Status CheckPartitions(const Tensor& partitions, int count) {
  const auto* to = partitions.data<int32_t>();
  for (int64_t i = 0; i < partitions.num_elements(); ++i) {
    if (to[i] >= 0 && to[i] < count) continue;
    const std::string position =
        partitions.rank() == 0 ? ""
                               : absl::StrCat("[", PositionText(partitions.shape().dims(), i), "]");
    return InvalidArgument("partitions", position, " = ", to[i], " is not in [0, ", count, ")");
  }
  return OkStatus();
}

StatusOr<Shape> PartitionShape(const Tensor& data, const Tensor& partitions, int64_t rows) {
  Dims dims(data.shape().dims().begin() + partitions.rank(), data.shape().dims().end());
  dims.insert(dims.begin(), rows);
  return Shape::Make(dims);
}

}  // namespace warpbeam
