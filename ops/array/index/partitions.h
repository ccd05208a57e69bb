// What the kernels of DynamicPartition have in common, whatever device they are on.
//
//   WB_RETURN_IF_ERROR(CheckPartitionedShapes(data, partitions));
//   WB_ASSIGN_OR_RETURN(const Shape shape, PartitionShape(data, partitions, /*rows=*/3));
//
// Thread safety: pure functions. Errors: INVALID_ARGUMENT for data that does not begin with the
// partitions' shape, and for partitions that are not there.
#ifndef WARPBEAM_OPS_ARRAY_INDEX_PARTITIONS_H_
#define WARPBEAM_OPS_ARRAY_INDEX_PARTITIONS_H_

#include "graph/types/errors.h"
#include "graph/types/tensor.h"

namespace warpbeam {

Status CheckPartitionedShapes(const Tensor& data, const Tensor& partitions);
// Each number, in host memory, is one of `count`.
Status CheckPartitions(const Tensor& partitions, int count);
// Of an output that gets so many rows.
StatusOr<Shape> PartitionShape(const Tensor& data, const Tensor& partitions, int64_t rows);

}  // namespace warpbeam

#endif  // WARPBEAM_OPS_ARRAY_INDEX_PARTITIONS_H_
