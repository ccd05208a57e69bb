// Changes one node of a graph or of a function: attributes, constants, op type, device.
//
//   MutateNode(random, names, graph.mutable_node(i));
//
// Thread safety: pure. Errors: none; what cannot be changed stays as it is.
#ifndef WARPBEAM_TESTS_FUZZ_NODE_MUTATOR_H_
#define WARPBEAM_TESTS_FUZZ_NODE_MUTATOR_H_

#include <string>
#include <vector>

#include "tests/fuzz/random_source.h"

namespace tensorflow {
class AttrValue;
class NodeDef;
}  // namespace tensorflow

namespace warpbeam {
namespace fuzz {

// Names that attributes can refer to.
struct GraphNames {
  std::vector<std::string> nodes;
  std::vector<std::string> functions;
};

void MutateNode(RandomSource& random, const GraphNames& names, tensorflow::NodeDef* node);
void MutateAttr(RandomSource& random, const GraphNames& names, tensorflow::AttrValue* attr);
// Sets every attribute that says `from` to `to`, and converts constants.
void ReplaceType(int from, int to, tensorflow::NodeDef* node);

}  // namespace fuzz
}  // namespace warpbeam

#endif  // WARPBEAM_TESTS_FUZZ_NODE_MUTATOR_H_
