// clang-format off
// Written by //frontend/gen:generate from the ops' schemas; do not edit.
#include "frontend/ops/random_index_shuffle_ops.h"

namespace warpbeam {
namespace frontend {
namespace ops {

Output RandomIndexShuffle(ScopeRef scope, const Input& index, const Input& seed,
    const Input& max_index, const RandomIndexShuffleAttrs& attrs) {
  return BuildOutput(
      scope.scope(), "RandomIndexShuffle", {index, seed, max_index},
      attrs);
}

}  // namespace ops
}  // namespace frontend
}  // namespace warpbeam
