// clang-format off
// Written by //frontend/gen:generate from the ops' schemas; do not edit.
//
// One function for each op: it adds the op to the scope's graph.
//
// Ownership: the graph owns the nodes. Thread safety: that of the Scope. Errors: kept in the
// scope; results are then not valid.
#ifndef WARPBEAM_FRONTEND_OPS_RANDOM_INDEX_SHUFFLE_OPS_H_
#define WARPBEAM_FRONTEND_OPS_RANDOM_INDEX_SHUFFLE_OPS_H_

#include <string>
#include <vector>

#include "frontend/build.h"

namespace warpbeam {
namespace frontend {
namespace ops {

class RandomIndexShuffleAttrs : public OpAttrs {
 public:
  RandomIndexShuffleAttrs& rounds(int64_t value) {
    Set("rounds", value);
    return *this;
  }
};
// (index: dtype, seed: Tseed, max_index: dtype) -> (output: dtype)
Output RandomIndexShuffle(ScopeRef scope, const Input& index, const Input& seed,
    const Input& max_index, const RandomIndexShuffleAttrs& attrs = RandomIndexShuffleAttrs());

}  // namespace ops
}  // namespace frontend
}  // namespace warpbeam

#endif  // WARPBEAM_FRONTEND_OPS_RANDOM_INDEX_SHUFFLE_OPS_H_
