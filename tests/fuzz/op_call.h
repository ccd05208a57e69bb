// Calls of ops, as nodes of a graph: their attributes by the op's schema, and inputs that go with
// them.
//
//   GraphDef graph;
//   const NodeDef none = CallWithoutInputs(schema);
//   NodeDef node = none;
//   for (const AttrSpec& spec : schema.attrs) {
//     if (IsLength(schema, spec)) SetLength(spec, 3, FindAttr(spec, &node));
//   }
//   FitInputs(schema, none, /*rank=*/1, &graph, &node);
//
// Inputs that are made are constants of ones (for references and resources variables, for variants
// a dataset), scalars or as long as 2 in each dimension; nodes named "element_…" give them.
//
// Thread safety: pure. Errors: none.
#ifndef WARPBEAM_TESTS_FUZZ_OP_CALL_H_
#define WARPBEAM_TESTS_FUZZ_OP_CALL_H_

#include <string>

#include "graph/op/op_schema.h"

namespace tensorflow {
class AttrValue;
class GraphDef;
class NodeDef;
}  // namespace tensorflow

namespace warpbeam {
namespace fuzz {

// Whether the attribute says how many there are of something.
bool IsLength(const OpSchema& schema, const AttrSpec& attr);
// The node's attribute, written down where it was left out. Null for one that must be there.
tensorflow::AttrValue* FindAttr(const AttrSpec& spec, tensorflow::NodeDef* node);
int LengthOf(const AttrSpec& spec, const tensorflow::AttrValue& attr);
// Lengthened by what its last element is, where there is one.
void SetLength(const AttrSpec& spec, int length, tensorflow::AttrValue* attr);

// The wire number of the type of the node's input `i`; 0 where nothing says it.
int InputType(const OpSchema& schema, int i, tensorflow::NodeDef* node);
// Gives the node as many inputs as its attributes say: those of `before`, which had the inputs that
// it has, and new ones where there are not enough.
void FitInputs(const OpSchema& schema, tensorflow::NodeDef before, int rank,
               tensorflow::GraphDef* graph, tensorflow::NodeDef* node);
// A node "node" without inputs, whose attributes are there as far as they must be.
tensorflow::NodeDef CallWithoutInputs(const OpSchema& schema);

}  // namespace fuzz
}  // namespace warpbeam

#endif  // WARPBEAM_TESTS_FUZZ_OP_CALL_H_
