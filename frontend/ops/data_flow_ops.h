// clang-format off
// Written by //frontend/gen:generate from the ops' schemas; do not edit.
//
// One function for each op: it adds the op to the scope's graph.
//
// Ownership: the graph owns the nodes. Thread safety: that of the Scope. Errors: kept in the
// scope; results are then not valid.
#ifndef WARPBEAM_FRONTEND_OPS_DATA_FLOW_OPS_H_
#define WARPBEAM_FRONTEND_OPS_DATA_FLOW_OPS_H_

#include <string>
#include <vector>

#include "frontend/build.h"

namespace warpbeam {
namespace frontend {
namespace ops {

// (data: T, partitions: int32) -> (outputs: num_partitions * T)
std::vector<Output> DynamicPartition(ScopeRef scope, const Input& data, const Input& partitions,
    int64_t num_partitions);

// (indices: N * int32, data: N * T) -> (merged: T)
Output DynamicStitch(ScopeRef scope, const InputList& indices, const InputList& data);

// (indices: N * int32, data: N * T) -> (merged: T)
Output ParallelDynamicStitch(ScopeRef scope, const InputList& indices, const InputList& data);

}  // namespace ops
}  // namespace frontend
}  // namespace warpbeam

#endif  // WARPBEAM_FRONTEND_OPS_DATA_FLOW_OPS_H_
