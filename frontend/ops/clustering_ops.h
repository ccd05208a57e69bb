// clang-format off
// Written by //frontend/gen:generate from the ops' schemas; do not edit.
//
// One function for each op: it adds the op to the scope's graph.
//
// Ownership: the graph owns the nodes. Thread safety: that of the Scope. Errors: kept in the
// scope; results are then not valid.
#ifndef WARPBEAM_FRONTEND_OPS_CLUSTERING_OPS_H_
#define WARPBEAM_FRONTEND_OPS_CLUSTERING_OPS_H_

#include <string>
#include <vector>

#include "frontend/build.h"

namespace warpbeam {
namespace frontend {
namespace ops {

// (distances: float, seed: int64) -> (index: int64)
Output KMC2ChainInitialization(ScopeRef scope, const Input& distances, const Input& seed);

// (points: float, num_to_sample: int64, seed: int64, num_retries_per_sample: int64) -> (samples:
//     float)
Output KmeansPlusPlusInitialization(ScopeRef scope, const Input& points, const Input& num_to_sample,
    const Input& seed, const Input& num_retries_per_sample);

struct NearestNeighborsOutputs {
  Output nearest_center_indices;
  Output nearest_center_distances;
  Operation op;
};
// (points: float, centers: float, k: int64) -> (nearest_center_indices: int64,
//     nearest_center_distances: float)
NearestNeighborsOutputs NearestNeighbors(ScopeRef scope, const Input& points, const Input& centers,
    const Input& k);

}  // namespace ops
}  // namespace frontend
}  // namespace warpbeam

#endif  // WARPBEAM_FRONTEND_OPS_CLUSTERING_OPS_H_
