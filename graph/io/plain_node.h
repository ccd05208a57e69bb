// PlainNode: a NodeDef on the wire that has only the fields of every day, read without parsing its
// attributes; KnownAttrs: attributes by their bytes.
//
// Most nodes of a large graph have the op and the attributes of an earlier one, byte for byte, so
// that only their names and inputs need reading.
//
//   PlainNode node;  KnownAttrs known;
//   if (node.Read(message)) {
//     if (const AttrMap* attrs = known.Find(node)) return node.ToSpec(*attrs);
//     … read `message` into `spec` …
//     known.Keep(node, spec);
//   }
//
// Ownership: a PlainNode holds views of the bytes that it read. Thread safety: none. Errors: none;
// Read leaves what is broken, unknown or large to the parser, by returning false.
#ifndef WARPBEAM_GRAPH_IO_PLAIN_NODE_H_
#define WARPBEAM_GRAPH_IO_PLAIN_NODE_H_

#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"
#include "graph/node_spec.h"

namespace warpbeam {

class PlainNode {
 public:
  // False for a message with other fields, text that is not ASCII, or more bytes of attributes than
  // are worth keeping.
  bool Read(absl::string_view message);
  NodeSpec ToSpec(const AttrMap& attrs) const;

  // The op and the bytes of the attributes: equal keys mean equal attributes.
  const std::string& key() const { return key_; }

 private:
  bool ReadFields(absl::string_view message);

  absl::string_view name_, op_, device_;
  std::vector<absl::string_view> inputs_;
  std::string attrs_;
  std::string key_;
};

class KnownAttrs {
 public:
  const AttrMap* Find(const PlainNode& node) const;
  // `spec` is what the node was parsed into; nothing is kept of one with unknown fields.
  void Keep(const PlainNode& node, const NodeSpec& spec);

 private:
  absl::flat_hash_map<std::string, AttrMap> attrs_;
};

}  // namespace warpbeam

#endif  // WARPBEAM_GRAPH_IO_PLAIN_NODE_H_
