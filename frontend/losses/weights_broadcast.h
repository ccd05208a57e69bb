// Weights of losses and metrics: a number, or a tensor of as many dimensions as the values, each of
// the same extent or 1.
//
// Internal to losses and metrics.
//
//   Operation fits = AssertBroadcastable(scope, weights, values);
//   Output each = BroadcastWeights(scope, weights, values);        // one for each value
//
// What static shapes tell is checked while the graph is built; dimensions that only the step knows
// are checked by an Assert, and weights or values of unknown rank by the multiplication.
//
// Ownership: none. Thread safety: that of the Scope. Errors: kept in the scope; they name both
// shapes.
#ifndef WARPBEAM_FRONTEND_LOSSES_WEIGHTS_BROADCAST_H_
#define WARPBEAM_FRONTEND_LOSSES_WEIGHTS_BROADCAST_H_

#include "frontend/input.h"
#include "frontend/scope.h"

namespace warpbeam {
namespace frontend {

// The operation to run before the weights are used; "assert_broadcastable" below the scope.
Operation AssertBroadcastable(const Scope& scope, const Input& weights, const Output& values);

// Weights of the values' shape: "broadcast_weights".
Output BroadcastWeights(const Scope& scope, const Output& weights, const Output& values);

// Takes a last dimension of extent 1 off the one that has a dimension more than it should: `labels`
// have `rank_difference` dimensions less than `predictions`.
void RemoveSqueezableDimensions(const Scope& scope, Output* labels, Output* predictions,
                                int rank_difference = 0);

}  // namespace frontend
}  // namespace warpbeam

#endif  // WARPBEAM_FRONTEND_LOSSES_WEIGHTS_BROADCAST_H_
