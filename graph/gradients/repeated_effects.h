// What of a function a gradient would run once too often, if it ran the function a second time.
//
//   std::string node = RepeatedEffect(body);      // "node 'mask' (RandomUniform)", or ""
//
// Thread safety: a pure function. Errors: none.
#ifndef WARPBEAM_GRAPH_GRADIENTS_REPEATED_EFFECTS_H_
#define WARPBEAM_GRAPH_GRADIENTS_REPEATED_EFFECTS_H_

#include <string>

#include "graph/functions/instantiate.h"

namespace warpbeam {

// The first node with an effect that somebody could notice, in the function or in one that it
// calls.
std::string RepeatedEffect(const InstantiatedFunction& body);

}  // namespace warpbeam

#endif  // WARPBEAM_GRAPH_GRADIENTS_REPEATED_EFFECTS_H_
