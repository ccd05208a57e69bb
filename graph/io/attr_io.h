// Attribute values to their wire messages and back.
//
//   WB_ASSIGN_OR_RETURN(AttrValue v, AttrFromProto(node.attr().at("T")));
//   WB_RETURN_IF_ERROR(AttrToProto(v, &(*node.mutable_attr())["T"]));
//
// An AttrValue keeps what an attribute means, not how it was written: names of dimensions and
// fields unknown to this version are not in it. `HasMoreThanValue` tells when something would be
// lost; graph/io/node_io.h keeps such an attribute's bytes beside the node.
//
// Thread safety: pure. Errors: as graph/io/tensor_io.h, and INVALID_ARGUMENT for a list of mixed
// kinds; nested messages are named in the error.
#ifndef WARPBEAM_GRAPH_IO_ATTR_IO_H_
#define WARPBEAM_GRAPH_IO_ATTR_IO_H_

#include "graph/io/tensor_io.h"
#include "graph/types/attr_value.h"

namespace tensorflow {
class AttrValue;
class NameAttrList;
}  // namespace tensorflow

namespace warpbeam {

// How much memory the tensors of a message may still take; reading one takes its bytes off. One
// budget for a whole graph keeps many small messages from asking for much.
struct TensorBudget {
  int64_t bytes = kMaxTensorBytes;
};

// A message with no value set gives an AttrValue of kind kNone.
absl::StatusOr<AttrValue> AttrFromProto(const tensorflow::AttrValue& proto,
                                        TensorBudget* budget = nullptr);
// `proto` is cleared first.
absl::Status AttrToProto(const AttrValue& value, tensorflow::AttrValue* proto);

// Whether the message says more than AttrFromProto takes from it.
bool HasMoreThanValue(const tensorflow::AttrValue& proto);

}  // namespace warpbeam

#endif  // WARPBEAM_GRAPH_IO_ATTR_IO_H_
