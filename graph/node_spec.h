// NodeSpec: a node as it is written down, before it stands in a Graph; SourceLocation: who wrote
// it; NodeSignature: what nodes of one op with the same attributes have in common.
//
// Function bodies are lists of NodeSpecs, since their attributes may be placeholders; importers
// make NodeSpecs from the wire form. Inputs are TensorFlow's strings: "node", "node:1", "^control";
// in function bodies "node:output_arg:index".
//
// Thread safety: values.
#ifndef WARPBEAM_GRAPH_NODE_SPEC_H_
#define WARPBEAM_GRAPH_NODE_SPEC_H_

#include <cstdint>
#include <string>
#include <vector>

#include "graph/types/attr_value.h"

namespace warpbeam {

// Where in the user's program a node was built. `file` points at a string literal (__FILE__).
struct SourceLocation {
  const char* file = nullptr;
  int line = 0;
  static SourceLocation Here(const char* file = __builtin_FILE(), int line = __builtin_LINE()) {
    return {file, line};
  }
  bool known() const { return file != nullptr; }
  std::string ToString() const;  // "main.cc:12", or "" when unknown
};

// A device of a placed graph, as an index into the list of devices that it was placed on.
using Site = int32_t;
inline constexpr Site kNoSite = -1;

struct NodeSpec {
  std::string name;
  std::string op;
  std::vector<std::string> inputs;
  std::string device;
  AttrMap attrs;
  SourceLocation location;
  std::string unknown_fields;  // see Node::unknown_fields
  Site site = kNoSite;         // see Graph::site
};

struct OpSchema;

// Most nodes of a graph have one of a few signatures; they share it.
struct NodeSignature {
  const OpSchema* op = nullptr;
  AttrMap attrs;  // complete: with the defaults of those that were not written
  std::vector<DType> input_types;
  std::vector<DType> output_types;
  friend bool operator==(const NodeSignature& a, const NodeSignature& b) {
    return a.op == b.op && a.input_types == b.input_types && a.output_types == b.output_types &&
           a.attrs == b.attrs;
  }
};

}  // namespace warpbeam

#endif  // WARPBEAM_GRAPH_NODE_SPEC_H_
