// IgnoredAttrs: the attributes of a message's nodes that their ops do not have.
//
// A newer TensorFlow gives its ops attributes that this version has not heard of. They are no part
// of what the node computes here: their values are not read, and the node keeps them as bytes for
// whoever writes it out again.
//
//   IgnoredAttrs ignored(graph.ops());
//   const OpSchema* op = ignored.SchemaOf(node.op());
//   if (op != nullptr && op->FindAttr(name) == nullptr) ignored.Add(node.op(), name);
//   ignored.Warn();                                       // one line, if there were any
//
// Functions that are called as ops are not known while nodes are read; Graph::AddNode lets them
// have any attributes. Those that begin with '_' are free on all nodes, and ignored where their
// values cannot be read.
//
// Ownership: keeps the registry. Thread safety: none. Errors: none.
#ifndef WARPBEAM_GRAPH_IO_IGNORED_ATTRS_H_
#define WARPBEAM_GRAPH_IO_IGNORED_ATTRS_H_

#include <cstdint>
#include <set>
#include <string>

#include "graph/op/op_registry.h"

namespace warpbeam {

class IgnoredAttrs {
 public:
  explicit IgnoredAttrs(const OpRegistry& ops) : ops_(ops) {}

  // Null for an op that is no registered one.
  const OpSchema* SchemaOf(absl::string_view op) const { return ops_.Find(op); }

  void Add(absl::string_view op, absl::string_view attr);
  void Warn() const;

 private:
  const OpRegistry& ops_;
  std::set<std::string> examples_;  // "'fast' of Neg", a few
  int64_t count_ = 0;
};

}  // namespace warpbeam

#endif  // WARPBEAM_GRAPH_IO_IGNORED_ATTRS_H_
