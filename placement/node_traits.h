// NodeTraits: what a node's signature says of it to the placer, as bits. Nodes that share their
// signature share these.
//
//   if ((TraitsOf(node) & kTakesState) != 0) …        // an input may colocate it
//
// Internal to placement/. Thread safety: pure functions. Errors: none.
#ifndef WARPBEAM_PLACEMENT_NODE_TRAITS_H_
#define WARPBEAM_PLACEMENT_NODE_TRAITS_H_

#include <cstdint>

#include "graph/graph.h"

namespace warpbeam {

using NodeTraits = uint8_t;

inline constexpr NodeTraits kOwnsState = 1;     // makes a variable or a resource, from no inputs
inline constexpr NodeTraits kTakesState = 2;    // a reference, a resource, or datasets by a dataset
inline constexpr NodeTraits kNamesGroup = 4;    // has "_class"
inline constexpr NodeTraits kGenerates = 8;     // a source of values that nothing ties to a device
inline constexpr NodeTraits kReadsShapes = 16;  // of its one input, never the bytes

// Whether the op makes a dataset: "…Dataset" or "…DatasetV2" with one variant output.
bool IsDataset(const OpSchema& schema);

NodeTraits TraitsOf(const Node& node);

}  // namespace warpbeam

#endif  // WARPBEAM_PLACEMENT_NODE_TRAITS_H_
