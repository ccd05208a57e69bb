// clang-format off
// Written by //frontend/gen:generate from the ops' schemas; do not edit.
#include "frontend/ops/clustering_ops.h"

namespace warpbeam {
namespace frontend {
namespace ops {

Output KMC2ChainInitialization(ScopeRef scope, const Input& distances, const Input& seed) {
  return BuildOutput(
      scope.scope(), "KMC2ChainInitialization", {distances, seed},
      OpAttrs());
}

Output KmeansPlusPlusInitialization(ScopeRef scope, const Input& points, const Input& num_to_sample,
    const Input& seed, const Input& num_retries_per_sample) {
  return BuildOutput(
      scope.scope(), "KmeansPlusPlusInitialization", {points, num_to_sample, seed,
          num_retries_per_sample},
      OpAttrs());
}

NearestNeighborsOutputs NearestNeighbors(ScopeRef scope, const Input& points, const Input& centers,
    const Input& k) {
  const Scope here = scope.scope();
  const Operation built = BuildOp(
      scope.scope(), "NearestNeighbors", {points, centers, k},
      OpAttrs());
  NearestNeighborsOutputs outputs;
  outputs.nearest_center_indices = OutputOf(here, built, "nearest_center_indices");
  outputs.nearest_center_distances = OutputOf(here, built, "nearest_center_distances");
  outputs.op = built;
  return outputs;
}

}  // namespace ops
}  // namespace frontend
}  // namespace warpbeam
