// What a node's attributes say of its arguments: attribute checks and defaults, argument types.
//
//   AttrMap attrs = …;                                     // as written by the user
//   WB_RETURN_IF_ERROR(CompleteAttrs(schema, &attrs));     // defaults added, values checked
//   WB_ASSIGN_OR_RETURN(std::vector<DType> in, InputTypes(schema, attrs));
//
// Thread safety: pure functions. Errors: INVALID_ARGUMENT naming attribute, value and what is
// allowed; the caller adds the node.
#ifndef WARPBEAM_GRAPH_OP_NODE_TYPES_H_
#define WARPBEAM_GRAPH_OP_NODE_TYPES_H_

#include <string>
#include <vector>

#include "graph/op/op_schema.h"

namespace warpbeam {

// Adds the defaults of missing attributes and checks the others: kind, minimum, allowed values.
// Attributes that begin with '_' are free. An attribute that the schema does not know is an error
// unless `ignore_unknown`.
Status CompleteAttrs(const OpSchema& schema, AttrMap* attrs, bool ignore_unknown = false);
Status CheckAttr(const AttrSpec& spec, const AttrValue& value);

// The types of all inputs or outputs in order, lists unrolled; references are reference types.
StatusOr<std::vector<DType>> InputTypes(const OpSchema& schema, const AttrMap& attrs);
StatusOr<std::vector<DType>> OutputTypes(const OpSchema& schema, const AttrMap& attrs);

// How many tensors each argument stands for, in the schema's order.
StatusOr<std::vector<int>> ArgSizes(const std::vector<ArgSpec>& args, const AttrMap& attrs);

// Sets type, number and type-list attributes of `schema` that are missing in `attrs` from the types
// of the inputs given, one list of types per input argument. A frontend builds nodes this way.
Status InferAttrs(const OpSchema& schema, const std::vector<std::vector<DType>>& inputs,
                  AttrMap* attrs);

}  // namespace warpbeam

#endif  // WARPBEAM_GRAPH_OP_NODE_TYPES_H_
