// clang-format off
// Written by //frontend/gen:generate from the ops' schemas; do not edit.
//
// One function for each op: it adds the op to the scope's graph.
//
// Ownership: the graph owns the nodes. Thread safety: that of the Scope. Errors: kept in the
// scope; results are then not valid.
#ifndef WARPBEAM_FRONTEND_OPS_CANDIDATE_SAMPLING_OPS_H_
#define WARPBEAM_FRONTEND_OPS_CANDIDATE_SAMPLING_OPS_H_

#include <string>
#include <vector>

#include "frontend/build.h"

namespace warpbeam {
namespace frontend {
namespace ops {

class ComputeAccidentalHitsAttrs : public OpAttrs {
 public:
  ComputeAccidentalHitsAttrs& seed(int64_t value) {
    Set("seed", value);
    return *this;
  }
  ComputeAccidentalHitsAttrs& seed2(int64_t value) {
    Set("seed2", value);
    return *this;
  }
};
struct ComputeAccidentalHitsOutputs {
  Output indices;
  Output ids;
  Output weights;
  Operation op;
};
// (true_classes: int64, sampled_candidates: int64) -> (indices: int32, ids: int64, weights: float)
ComputeAccidentalHitsOutputs ComputeAccidentalHits(ScopeRef scope, const Input& true_classes,
    const Input& sampled_candidates, int64_t num_true,
    const ComputeAccidentalHitsAttrs& attrs = ComputeAccidentalHitsAttrs());

}  // namespace ops
}  // namespace frontend
}  // namespace warpbeam

#endif  // WARPBEAM_FRONTEND_OPS_CANDIDATE_SAMPLING_OPS_H_
