// Partitioners: into how many parts a variable is cut along each of its dimensions
// (tf.fixed_size_partitioner and its kin). One dimension at most is cut.
//
//   VariableScopeOptions options;
//   options.partitioner(FixedSizePartitioner(4));                // rows in four parts
//   Variable table = GetVariable(scope.VariableScope("embedding", options), "table", {1000, 16});
//   Output rows = nn::EmbeddingLookup(scope, table.parts(), ids, nn::PartitionStrategy::kDiv);
//   Partitioner halves = [](const Shape& shape, DType) -> std::vector<int64_t> {
//     return {2, 1};
//   };
//
// Ownership: values. Thread safety: values. Errors: numbers that are not positive, and dimensions
// that the variable does not have, are errors of the scope in which the variable is made.
#ifndef WARPBEAM_FRONTEND_VARIABLES_PARTITIONERS_H_
#define WARPBEAM_FRONTEND_VARIABLES_PARTITIONERS_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "frontend/types.h"

namespace warpbeam {
namespace frontend {

// How many parts along each dimension of a variable of this shape and type.
using Partitioner = std::function<StatusOr<std::vector<int64_t>>(const Shape& shape, DType dtype)>;

// `num_shards` parts along `axis`, or as many as it has rows.
Partitioner FixedSizePartitioner(int64_t num_shards, int axis = 0);

// Parts of `max_shard_bytes` at most, as far as rows are not larger and `max_shards` parts do.
Partitioner VariableAxisSizePartitioner(int64_t max_shard_bytes, int axis = 0,
                                        int64_t bytes_per_string_element = 16,
                                        std::optional<int64_t> max_shards = std::nullopt);

// Up to `max_partitions` parts of `min_slice_size` bytes at least.
Partitioner MinMaxVariablePartitioner(int64_t max_partitions = 1, int axis = 0,
                                      int64_t min_slice_size = 256 << 10,
                                      int64_t bytes_per_string_element = 16);

}  // namespace frontend
}  // namespace warpbeam

#endif  // WARPBEAM_FRONTEND_VARIABLES_PARTITIONERS_H_
