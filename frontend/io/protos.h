// Messages of Protocol Buffers within the graph (tf.io.decode_proto, tf.io.encode_proto).
//
//   io::DecodedProto point = io::DecodeProto(scope, bytes, "demo.Point", {"x", "tags"},
//                                            {DType::kFloat, DType::kString}, "point.desc");
//   // point.sizes [..., 2]: how often each field is there; point.values[0] [..., the most of them]
//   Output again = io::EncodeProto(scope, point.sizes, point.values, {"x", "tags"}, "demo.Point",
//                                  "point.desc");
//
// What messages look like is read from a file with a FileDescriptorSet, as `protoc
// --descriptor_set_out` writes it, or from its bytes behind "bytes://"; "local://" are the messages
// that are linked into the program.
//
// Ownership: none. Thread safety: that of the Scope. Errors: kept in the scope; a type or field
// that there is not, and bytes that are no message, are errors of the step.
#ifndef WARPBEAM_FRONTEND_IO_PROTOS_H_
#define WARPBEAM_FRONTEND_IO_PROTOS_H_

#include <string>
#include <vector>

#include "frontend/input.h"
#include "frontend/scope.h"

namespace warpbeam {
namespace frontend {
namespace io {

struct DecodedProto {
  Output sizes;
  OutputList values;  // one for each field
};
// `message_format` is "binary" or "text". With `sanitize` messages within that are not understood
// are left out.
DecodedProto DecodeProto(ScopeRef scope, const Input& bytes, const std::string& message_type,
                         const std::vector<std::string>& field_names,
                         const std::vector<DType>& output_types,
                         const std::string& descriptor_source = "local://",
                         const std::string& message_format = "binary", bool sanitize = false);
Output EncodeProto(ScopeRef scope, const Input& sizes, const InputList& values,
                   const std::vector<std::string>& field_names, const std::string& message_type,
                   const std::string& descriptor_source = "local://");

}  // namespace io
}  // namespace frontend
}  // namespace warpbeam

#endif  // WARPBEAM_FRONTEND_IO_PROTOS_H_
