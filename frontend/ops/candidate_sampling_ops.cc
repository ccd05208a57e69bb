// clang-format off
// Written by //frontend/gen:generate from the ops' schemas; do not edit.
#include "frontend/ops/candidate_sampling_ops.h"

namespace warpbeam {
namespace frontend {
namespace ops {

ComputeAccidentalHitsOutputs ComputeAccidentalHits(ScopeRef scope, const Input& true_classes,
    const Input& sampled_candidates, int64_t num_true, const ComputeAccidentalHitsAttrs& attrs) {
  const Scope here = scope.scope();
  const Operation built = BuildOp(
      scope.scope(), "ComputeAccidentalHits", {true_classes, sampled_candidates},
      OpAttrs(attrs)
          .Set("num_true", num_true));
  ComputeAccidentalHitsOutputs outputs;
  outputs.indices = OutputOf(here, built, "indices");
  outputs.ids = OutputOf(here, built, "ids");
  outputs.weights = OutputOf(here, built, "weights");
  outputs.op = built;
  return outputs;
}

}  // namespace ops
}  // namespace frontend
}  // namespace warpbeam
