// Attribute values to their wire messages and back.
//
//   WB_ASSIGN_OR_RETURN(AttrValue v, AttrFromProto(node.attr().at("T")));
//   WB_RETURN_IF_ERROR(AttrToProto(v, &(*node.mutable_attr())["T"]));
//
// An AttrValue keeps what an attribute means, not how it was written: names of dimensions and
// fields unknown to this version are not in it. `HasMoreThanValue` tells when something would be
// lost; graph/io/node_io.h keeps such an attribute's bytes beside the node.
//
// Thread safety: pure, but for the budget. Errors: as graph/io/tensor_io.h, and INVALID_ARGUMENT
// for a list of mixed kinds; nested messages are named in the error.
#ifndef WARPBEAM_GRAPH_IO_ATTR_IO_H_
#define WARPBEAM_GRAPH_IO_ATTR_IO_H_

#include <cstdint>
#include <functional>
#include <string>

#include "graph/io/tensor_io.h"
#include "graph/types/attr_value.h"

namespace tensorflow {
class AttrValue;
}  // namespace tensorflow

namespace google {
namespace protobuf {
template <typename Key, typename T>
class Map;
}  // namespace protobuf
}  // namespace google

namespace warpbeam {

// How much memory the values of a message may still take: a constant is told by its shape and one
// value, a list or a string by a few bytes. One budget for a whole graph keeps many small messages
// from asking for much.
class ValueBudget {
 public:
  explicit ValueBudget(int64_t bytes) : all_(bytes), left_(bytes) {}
  // RESOURCE_EXHAUSTED where that many are not left; nothing is taken then.
  Status Take(int64_t bytes);
  // The error of a value that asks for more than is left, with what to do.
  Status Refuse(const Status& why) const;
  int64_t left() const { return left_; }

 private:
  int64_t all_;
  int64_t left_;
};

// A message with no value set gives an AttrValue of kind kNone. Without a budget only the size of a
// single tensor is bounded.
StatusOr<AttrValue> AttrFromProto(const tensorflow::AttrValue& proto,
                                  ValueBudget* budget = nullptr);
using WireAttrs = google::protobuf::Map<std::string, tensorflow::AttrValue>;
// Calls `read` for the attributes of a node or function in the order of their names (a map that is
// filled in that order never moves an entry), and ends at its first error, which names the
// attribute.
Status ForEachAttr(
    const WireAttrs& proto, ValueBudget* budget,
    const std::function<Status(const std::string&, const tensorflow::AttrValue&)>& read);
// All of them.
Status ReadAttrs(const WireAttrs& proto, ValueBudget* budget, AttrMap* attrs);
// `proto` is cleared first.
Status AttrToProto(const AttrValue& value, tensorflow::AttrValue* proto);

// Whether the message says more than AttrFromProto takes from it.
bool HasMoreThanValue(const tensorflow::AttrValue& proto);

}  // namespace warpbeam

#endif  // WARPBEAM_GRAPH_IO_ATTR_IO_H_
