// Placeholders in a function body's attributes replaced by the values of one instantiation.
//
//   AttrMap node = spec.attrs;                                // T = $T, f = map_fn[T=$T]
//   WB_RETURN_IF_ERROR(SubstitutePlaceholders(values, &node));
//
// Thread safety: pure. Errors: INVALID_ARGUMENT for a placeholder without a value, and for
// functions nested too deep in each other's attributes.
#ifndef WARPBEAM_GRAPH_FUNCTIONS_SUBSTITUTE_H_
#define WARPBEAM_GRAPH_FUNCTIONS_SUBSTITUTE_H_

#include "graph/types/attr_value.h"

namespace warpbeam {

Status SubstitutePlaceholders(const AttrMap& values, AttrMap* attrs);

}  // namespace warpbeam

#endif  // WARPBEAM_GRAPH_FUNCTIONS_SUBSTITUTE_H_
